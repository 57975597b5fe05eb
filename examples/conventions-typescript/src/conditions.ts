// Conditions: where a rule applies, and where a convention is found.

import { equal, type Json } from "./json.js";
import { fits } from "./regex.js";
import { Site } from "./site.js";
import type { Kind } from "./view.js";

export type Condition =
  | { has: string }
  | { lacks: string }
  | { at: string; values: Json[] }
  | { at: string; like: string }
  | { kind: Kind }
  | { root: Condition }
  | { above: Condition };

export function holds(condition: Condition, site: Site): boolean {
  if ("has" in condition) return site.values(condition.has).length > 0;
  if ("lacks" in condition) return site.values(condition.lacks).length === 0;
  if ("kind" in condition) return site.node.kind === condition.kind;
  if ("root" in condition) return holds(condition.root, new Site(site.node.root, site.node.root));
  if ("above" in condition) {
    const { above } = condition;
    return [site.node, ...site.node.ancestors()].some((node) => holds(above, new Site(node, node)));
  }
  const found = site.values(condition.at).map(({ value }) => value);
  if ("like" in condition) return found.some((value) => typeof value === "string" && fits(value, condition.like));
  return found.some((value) => condition.values.some((each) => equal(value, each)));
}
