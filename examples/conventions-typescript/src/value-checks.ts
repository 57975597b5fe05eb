// The checks that look at the values of one node. A check that asks something of texts passes over what is
// no text, and so on; where it finds nothing to look at, it doesn't apply.

import { equal, isObject, member, type Json } from "./json.js";
import { fits } from "./regex.js";
import type { Outcome, Site, Value } from "./site.js";

type TypeName = "string" | "number" | "integer" | "boolean" | "null" | "array" | "object";

const IS: Record<TypeName, (value: Json) => boolean> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isObject,
};

/** Those of the values that are wrong; null where there are none at all. */
function wrong(values: Value[], isWrong: (value: Json) => boolean): Outcome {
  return values.length === 0 ? null : values.filter((each) => isWrong(each.value));
}

export function required(site: Site, { at }: { at: string }): Outcome {
  const missing = site.missing(at);
  return missing.length > 0 ? missing : site.values(at).length > 0 ? [] : null;
}

export function forbidden(site: Site, { at }: { at: string }): Outcome {
  return site.values(at);
}

export function jsonType(site: Site, { types, at = "." }: { types: TypeName[]; at?: string }): Outcome {
  return wrong(site.values(at), (value) => !types.some((type) => IS[type](value)));
}

export function pattern(site: Site, { regex, at = "." }: { regex: string; at?: string }): Outcome {
  const texts = site.values(at).filter(({ value }) => typeof value === "string");
  return wrong(texts, (value) => !fits(value as string, regex));
}

export function oneOf(site: Site, { values, at = "." }: { values: Json[]; at?: string }): Outcome {
  const plain = site.values(at).filter(({ value }) => !isObject(value) && !Array.isArray(value));
  return wrong(plain, (value) => !values.some((each) => equal(value, each)));
}

export function equals(site: Site, { at, value = null, like }: { at: string; value?: Json; like?: string }): Outcome {
  let wanted = value;
  const found = site.values(at);
  if (like !== undefined && found.length > 0) {
    const [first] = site.values(like);
    if (first === undefined) return null;
    wanted = first.value;
  }
  return wrong(found, (each) => !equal(each, wanted));
}

interface Range {
  minimum?: number;
  maximum?: number;
  above?: number;
  at?: string;
}

export function between(site: Site, { minimum, maximum, above, at = "." }: Range): Outcome {
  const numbers = site.values(at).filter(({ value }) => typeof value === "number");
  return wrong(numbers, (value) => {
    const number = value as number;
    const low = minimum !== undefined && number < minimum;
    return low || (maximum !== undefined && number > maximum) || (above !== undefined && number <= above);
  });
}

export function length(site: Site, params: { at: string; like?: string; equals?: number }): Outcome {
  const lists = site.values(params.at).filter(({ value }) => Array.isArray(value));
  let wanted = params.equals;
  if (params.like !== undefined && lists.length > 0) {
    const others = site.values(params.like);
    const [first] = others;
    if (first === undefined) return null;
    wanted = others.length === 1 && Array.isArray(first.value) ? first.value.length : others.length;
  }
  return wrong(lists, (value) => (value as Json[]).length !== wanted);
}

export function unique(site: Site, { at, fold = false }: { at: string; fold?: boolean }): Outcome {
  const values = site.values(at);
  // Case folding is close to this, and the same for all texts of ASCII.
  const folded = (value: Json): Json =>
    fold && typeof value === "string" ? value.toUpperCase().toLowerCase() : value;
  const texts = new Set<string>();
  const others: Json[] = [];
  const isAgain = (value: Json): boolean => {
    const key = folded(value);
    if (typeof key === "string") {
      const again = texts.has(key);
      texts.add(key);
      return again;
    }
    if (others.some((other) => equal(other, key))) return true;
    others.push(key);
    return false;
  };
  return wrong(values, isAgain);
}

interface Count {
  at: string;
  minimum?: number;
  maximum?: number;
  values?: Json[];
}

export function count(site: Site, { at, minimum = 0, maximum = Infinity, values }: Count): Outcome {
  const end = at.lastIndexOf("[*]");
  const holder = end < 0 ? "" : at.slice(0, end);
  const lists = holder === "" ? [] : site.values(holder).filter(({ value }) => Array.isArray(value));
  if (holder !== "" && lists.length === 0) return null;
  const found = site.values(at).filter(({ value }) => values?.some((each) => equal(value, each)) ?? true);
  if (minimum <= found.length && found.length <= maximum) return [];
  return [lists[0] ?? { node: site.holder, path: site.here }];
}

interface AnyOf {
  selectors: string[];
  minimum?: number;
  maximum?: number;
}

export function anyOf(site: Site, { selectors, minimum = 1, maximum = Infinity }: AnyOf): Outcome {
  // Of a scope that is no object, the form tells.
  if (site.place.length > 0 && !isObject(site.scope)) return null;
  const found = selectors.filter((selector) => site.values(selector).length > 0).length;
  return minimum <= found && found <= maximum ? [] : [{ node: site.holder, path: site.here }];
}

export function sequence(site: Site, params: { at: string; key: string; order: string[][] }): Outcome {
  const rank = new Map(params.order.flatMap((names, place) => names.map((name) => [name, place])));
  let highest = -1;
  return wrong(site.values(params.at), (item) => {
    const kind = isObject(item) ? member(item, params.key) : undefined;
    const place = rank.get(typeof kind === "string" ? kind : "*") ?? rank.get("*") ?? 0;
    if (place < highest) return true;
    highest = place;
    return false;
  });
}

export function memberOf(site: Site, { at, values_of: of }: { at: string; values_of: string }): Outcome {
  const values = site.values(at);
  const known = site.values(of);
  const isKnown = known.length > 0 || site.values(of.replace(/\[\*\]$/u, "")).length > 0;
  return isKnown ? wrong(values, (value) => !known.some((each) => equal(value, each.value))) : null;
}
