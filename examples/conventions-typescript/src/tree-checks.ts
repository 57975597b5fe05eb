// The checks that look at a node and those around it: what members a group has, and what they share.

import { equal } from "./json.js";
import { isOfKind } from "./reference-checks.js";
import { parseSelector, select } from "./selector.js";
import type { Breach, Outcome, Site } from "./site.js";
import { Node, type Form, type Kind } from "./view.js";

export function zarrFormat(site: Site, { form }: { form: Form }): Outcome {
  return site.node.form === form ? [] : [{ node: site.node, path: ["zarr_format"] }];
}

export function nodeKind(site: Site, { kind }: { kind: Kind }): Outcome {
  const node = site.node;
  if (node.kind === kind) return [];
  return node.kind === null ? null : [{ node, path: node.form === "v3" ? ["node_type"] : [] }];
}

interface Member {
  name: string;
  kind?: Kind;
  dtypes?: string[];
  dims?: (string | null)[];
  optional?: boolean;
}

export function member(site: Site, { name, kind, dtypes, dims, optional = false }: Member): Outcome {
  const group = site.node;
  if (group.members === undefined) return null;
  const node = group.members.get(name);
  if (node === undefined) return optional ? null : [{ node: group, path: [] }];
  if (kind !== undefined && node.kind !== kind) return [{ node, path: [] }];
  const breaches: Breach[] = [];
  if (dtypes !== undefined && node.dtype !== null && !isOfKind(node.dtype, dtypes)) {
    breaches.push({ node, path: node.dtypePath });
  }
  if (dims !== undefined && !hasDims(node, dims)) breaches.push({ node, path: node.dimsPath });
  return breaches;
}

function hasDims(node: Node, wanted: (string | null)[]): boolean {
  const found = node.dims;
  if (found === null || found.length !== wanted.length) return false;
  return wanted.every((name, place) => name === null || name === found[place]);
}

export function sharedDims(site: Site): Outcome {
  const group = site.node;
  if (group.members === undefined) return null;
  const arrays = group.of("array");
  const isOwn = (node: Node): boolean => node.dims?.length === 1 && node.dims[0] === node.name;
  const lengths = new Map<string, number>();
  // The array of a dimension's own name decides on its length, else the first one by name.
  for (const node of [...arrays.filter(isOwn), ...arrays.filter((each) => !isOwn(each))]) {
    for (const [dim, size] of sizes(node)) if (!lengths.has(dim)) lengths.set(dim, size);
  }
  if (lengths.size === 0) return null;
  return arrays.flatMap((node) =>
    sizes(node).flatMap(([dim, size, place]) =>
      lengths.get(dim) === size ? [] : [{ node, path: ["shape", place] }],
    ),
  );
}

/** Each dimension that has a name, with its length and its place. */
function sizes(node: Node): [string, number, number][] {
  const dims = node.dims ?? [];
  const shape = node.shape ?? [];
  return dims.flatMap((dim, place) => {
    const size = shape[place];
    return dim === null || size === undefined ? [] : [[dim, size, place] as [string, number, number]];
  });
}

export function sameEverywhere(site: Site, { at }: { at: string }): Outcome {
  const [own] = site.values(at);
  if (own === undefined || site.node.members === undefined) return null;
  const { steps } = parseSelector(at);
  const breaches: Breach[] = [];
  for (const node of site.node.walk()) {
    for (const found of select(node.attributes, steps)) {
      if (!equal(found.value, own.value)) breaches.push({ node, path: ["attributes", ...found.path] });
    }
  }
  return breaches;
}
