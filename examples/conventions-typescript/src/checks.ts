// The vocabulary: every named check by its name. `docs/conventions-rules.md` tells each one's parameters, and
// where its findings stand. A name that is not here is no portable check: its rule is not run, but listed.

import * as reference from "./reference-checks.js";
import type { Outcome, Site } from "./site.js";
import * as tree from "./tree-checks.js";
import * as values from "./value-checks.js";

type Check = (site: Site, params: never) => Outcome;

export const CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ["required", values.required],
  ["forbidden", values.forbidden],
  ["json_type", values.jsonType],
  ["pattern", values.pattern],
  ["one_of", values.oneOf],
  ["equals", values.equals],
  ["between", values.between],
  ["length", values.length],
  ["unique", values.unique],
  ["count", values.count],
  ["any_of", values.anyOf],
  ["sequence", values.sequence],
  ["member_of", values.memberOf],
  ["ref", reference.ref],
  ["words", reference.words],
  ["ref_has", reference.refHas],
  ["ref_ndim", reference.refNdim],
  ["ref_dims", reference.refDims],
  ["ref_dtype", reference.refDtype],
  ["ref_order", reference.refOrder],
  ["zarr_format", tree.zarrFormat],
  ["node_kind", tree.nodeKind],
  ["member", tree.member],
  ["shared_dims", tree.sharedDims],
  ["same_everywhere", tree.sameEverywhere],
]);
