// Sites: where a rule is judged, and what selectors find there.

import { isObject, type Json, type Path } from "./json.js";
import { EVERY, parseSelector, select, type Steps } from "./selector.js";
import type { Node } from "./view.js";

/** A value that a selector found: the node in whose document it stands, and where. */
export interface Value {
  node: Node;
  path: Path;
  value: Json;
}

/** Where a rule is broken. */
export interface Breach {
  node: Node;
  path: Path;
}

/** What a check found: breaches, or null where it doesn't apply. */
export type Outcome = Breach[] | null;

export class Site {
  constructor(
    /** The node that is judged. */
    readonly node: Node,
    /** The node whose attributes speak of it: itself, or a group from which it inherits. */
    readonly holder: Node,
    /** What leads from the holder's attributes to the scope, which the rule's `each` selected. */
    readonly place: Path = [],
    readonly scope: Json = null,
  ) {}

  values(selector: string): Value[] {
    const { node, base, value, steps } = this.start(selector);
    // Null stands for nothing where a selector starts: a scope that is null has no values.
    if (value === null) return [];
    return select(value, steps).map((found) => ({ node, path: [...base, ...found.path], value: found.value }));
  }

  /** Where the selector would find something but nothing stands; with what is around it. */
  missing(selector: string): Value[] {
    const { node, base, value, steps } = this.start(selector);
    const last = steps.at(-1);
    if (last === undefined) return value === null ? [{ node, path: base, value }] : [];
    const found: Value[] = [];
    for (const around of value === null ? [] : select(value, steps.slice(0, -1))) {
      const path = [...base, ...around.path];
      if (last === EVERY) {
        if (Array.isArray(around.value) && around.value.length === 0) found.push({ node, path, value: around.value });
      } else if (isObject(around.value) && !Object.hasOwn(around.value, last)) {
        found.push({ node, path: [...path, last], value: around.value });
      }
    }
    return found;
  }

  private start(selector: string): { node: Node; base: Path; value: Json; steps: Steps } {
    const { start, fact, steps } = parseSelector(selector);
    if (start === "fact") {
      const known = this.node.fact(fact);
      const base = known?.path ?? (fact === "dims" ? this.node.dimsPath : []);
      return { node: this.node, base, value: known?.value ?? null, steps };
    }
    const base = ["attributes", ...(start === "scope" ? this.place : [])];
    return { node: this.holder, base, value: start === "scope" ? this.scope : this.holder.attributes, steps };
  }

  /** A site for each value that `each` selects from the attributes. */
  scopes(each: string): Site[] {
    const found = select(this.holder.attributes, parseSelector(each).steps);
    return found.map(({ path, value }) => new Site(this.node, this.holder, path, value));
  }

  /** The group in which names are looked up: the holder, or the one above an array. */
  get group(): Node | null {
    return this.holder.isArray ? this.holder.parent : this.holder;
  }

  /** Where the scope stands in the holder's document. */
  get here(): Path {
    return ["attributes", ...this.place];
  }
}
