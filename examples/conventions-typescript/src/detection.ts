// Detection: which convention is at which node, in which version, and what arrays inherit from groups.

import type { Convention } from "./convention.js";
import type { Node } from "./view.js";

/** A convention that holds for a node, by what the attributes of `holder` say. */
export interface Presence {
  convention: Convention;
  node: Node;
  holder: Node;
}

/**
 * Where the conventions that are asked for hold in a hierarchy; all of them, where nothing is asked for.
 * Conventions of one id are versions of each other: `known` should have all of them.
 */
export function* presences(root: Node, known: Convention[], asked?: Convention[]): Generator<Presence> {
  const parts = new Set((asked ?? []).flatMap(({ is }) => is.parts ?? []));
  const wanted = new Set([...(asked ?? known), ...known.filter(({ is }) => parts.has(is.id))]);
  const ids = new Set([...wanted].map(({ is }) => is.id));
  const families = new Map<string, Convention[]>();
  for (const each of known) {
    if (ids.has(each.is.id)) families.set(each.is.id, [...(families.get(each.is.id) ?? []), each]);
  }
  const inherited = new Map<Node, Map<string, Presence>>();
  for (const node of root.walk()) {
    const found = at(node, families, wanted, asked !== undefined);
    for (const convention of found.values()) {
      if (!wanted.has(convention)) continue;
      yield { convention, node, holder: node };
      for (const heir of heirs(convention, node)) {
        const held = inherited.get(heir) ?? new Map<string, Presence>();
        // What is said nearer counts.
        inherited.set(heir, held.set(convention.is.id, { convention, node: heir, holder: node }));
      }
    }
    for (const [id, presence] of inherited.get(node) ?? []) if (!found.has(id)) yield presence;
  }
}

/** The convention of each id that is at the node. */
function at(
  node: Node,
  families: Map<string, Convention[]>,
  wanted: Set<Convention>,
  isAsked: boolean,
): Map<string, Convention> {
  const found = new Map<string, Convention>();
  const isHere = (each: Convention): boolean =>
    each.isAt(node) || (isAsked && each.is.everywhere === true && wanted.has(each) && each.canBeAt(node));
  for (const family of families.values()) {
    const picked = pick(node, family.filter(isHere));
    if (picked !== undefined) found.set(picked.is.id, picked);
  }
  return found;
}

/** The version that the node says it follows, or that is meant where it says none. */
function pick(node: Node, here: Convention[]): Convention | undefined {
  let isSaid = false;
  for (const each of here) {
    const version = each.versionAt(node);
    if (version === undefined) {
      if (each.is.assumed === true || (each.is.version_at ?? []).length === 0) return each;
    } else if (version === each.is.version) {
      return each;
    } else {
      isSaid = true;
    }
  }
  // What an unknown version means is not guessed; of one that says none, the newest tells what is missing.
  return isSaid ? undefined : here.at(-1);
}

function* heirs(convention: Convention, node: Node): Generator<Node> {
  if (convention.is.inherit === "none" || node.kind !== "group") return;
  const below = convention.is.inherit === "children" ? (node.members?.values() ?? []) : node.walk();
  for (const each of below) if (each !== node && each.isArray) yield each;
}
