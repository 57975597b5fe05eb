// The checks that follow names: from a text in the attributes to another node, and what that one is like.
// Where the members of a group were not read, they don't apply.

import { equal, member, type Json } from "./json.js";
import { parseSelector, select } from "./selector.js";
import type { Breach, Outcome, Site, Value } from "./site.js";
import { UNKNOWN, Node, type Kind } from "./view.js";

type Base = "group" | "root" | "parent";

/** What Python takes for white space, too: the property White_Space of Unicode, and four separators of ASCII. */
const BLANKS = /[\t-\r\u001c-\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/u;

interface Reference {
  value: Value;
  target: Node | typeof UNKNOWN | null;
}

function references(site: Site, at: string, base: Base): Reference[] {
  const start = startOf(site, base);
  const texts = site.values(at).filter(({ value }) => typeof value === "string");
  return texts.map((value) => ({ value, target: start === null ? UNKNOWN : start.at(value.value as string) }));
}

function startOf(site: Site, base: Base): Node | null {
  const group = site.group;
  if (base === "parent") return group?.parent ?? null;
  return base === "root" ? (group?.root ?? null) : group;
}

function targets(site: Site, at: string, base: Base): { value: Value; target: Node }[] {
  return references(site, at, base).flatMap(({ value, target }) =>
    target instanceof Node ? [{ value, target }] : [],
  );
}

function arrays(site: Site, at: string, base: Base): { value: Value; target: Node }[] {
  return targets(site, at, base).filter(({ target }) => target.isArray);
}

export function ref(site: Site, { at, kind, base = "group" }: { at: string; kind?: Kind; base?: Base }): Outcome {
  const found = references(site, at, base);
  if (found.every(({ target }) => target === UNKNOWN)) return null;
  const wrong = found.filter(({ target }) => {
    if (target === UNKNOWN) return false;
    return target === null || (kind !== undefined && target.kind !== kind);
  });
  return wrong.map(({ value }) => value);
}

interface Words {
  at: string;
  kind?: Kind;
  keys?: boolean;
  upwards?: boolean;
  elsewhere?: string;
}

export function words(
  site: Site,
  { at, kind = "array", keys = false, upwards = false, elsewhere }: Words,
): Outcome {
  const texts = site.values(at).filter(({ value }) => typeof value === "string");
  const group = site.group;
  if (texts.length === 0 || group?.members === undefined) return null;
  const above = [group, ...group.ancestors()];
  const lists = elsewhere === undefined ? [] : above.map(({ attributes }) => member(attributes, elsewhere));
  const others = new Set(lists.flatMap((list) => (typeof list === "string" ? list.split(BLANKS) : [])));
  const isThere = (word: string): boolean => {
    if (others.has(word)) return true;
    const places = upwards && !word.includes("/") ? above : [group];
    return places.some((place) => {
      const node = place.at(word);
      return node instanceof Node && node.kind === kind;
    });
  };
  const breaches: Breach[] = [];
  for (const text of texts) {
    for (const word of (text.value as string).split(BLANKS)) {
      if (word !== "" && !(keys && word.endsWith(":")) && !isThere(word)) breaches.push(text);
    }
  }
  return breaches;
}

export function refHas(site: Site, { at, has, base = "group" }: { at: string; has: string; base?: Base }): Outcome {
  const found = targets(site, at, base);
  const { steps } = parseSelector(has);
  const wrong = found.filter(({ target }) => select(target.attributes, steps).length === 0);
  return found.length === 0 ? null : wrong.map(({ value }) => value);
}

interface Like {
  at: string;
  like: string;
  base?: Base;
}

export function refNdim(site: Site, { at, like, base = "group" }: Like): Outcome {
  const wanted = site.values(like).length;
  const found = arrays(site, at, base).filter(({ target }) => target.shape !== null);
  if (found.length === 0 || wanted === 0) return null;
  return found.filter(({ target }) => target.shape?.length !== wanted).map(({ value }) => value);
}

export function refDims(site: Site, { at, like, base = "group" }: Like): Outcome {
  const found = arrays(site, at, base);
  const wanted: Json = site.values(like).map(({ value }) => value);
  if (found.length === 0 || wanted.length === 0) return null;
  const wrong = found.filter(({ target }) => !equal(target.rawDims, wanted));
  return wrong.map(({ target }) => ({ node: target, path: target.dimsPath }));
}

interface OfType {
  at: string;
  like?: string;
  kinds?: string[];
  base?: Base;
}

export function refDtype(site: Site, { at, like, kinds, base = "group" }: OfType): Outcome {
  const found = arrays(site, at, base).filter(({ target }) => target.dtype !== null);
  if (found.length === 0) return null;
  if (kinds !== undefined) {
    return found.filter(({ target }) => !isOfKind(target.dtype, kinds)).map(({ value }) => value);
  }
  const first = like === undefined ? found[0] : arrays(site, like, base)[0];
  if (first === undefined) return null;
  return found.filter(({ target }) => target.dtype !== first.target.dtype).map(({ value }) => value);
}

/** Whether a data type is one of these, or begins so, before the number of its bits. */
export function isOfKind(dtype: string | null, kinds: string[]): boolean {
  return dtype !== null && (kinds.includes(dtype) || kinds.includes(dtype.replace(/[0-9][\s\S]*$/u, "")));
}

export function refOrder(site: Site, { at, base = "group" }: { at: string; base?: Base }): Outcome {
  const found = arrays(site, at, base);
  if (found.length < 2) return null;
  const breaches: Breach[] = [];
  found.slice(1).forEach(({ value, target }, index) => {
    const before = found[index]?.target.shape ?? null;
    const after = target.shape;
    if (before === null || after === null || before.length !== after.length) return;
    if (after.some((size, place) => size > (before[place] as number))) breaches.push(value);
  });
  return breaches;
}
