// JSON values, and when two of them are the same.

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [name: string]: Json;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The member of an object; undefined where it has none of its own, whatever its prototype has. */
export function member(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Whether two values are the same as JSON Schema counts them: numbers by their worth, members in any order. */
export function equal(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => equal(item, right[index] as Json));
  }
  if (!isObject(left) || !isObject(right)) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && equal(left[name] as Json, right[name] as Json))
  );
}

/** The order of texts by code points, which is not that of UTF-16. */
export function byCodePoints(left: string, right: string): number {
  const a = Array.from(left, (c) => c.codePointAt(0) as number);
  const b = Array.from(right, (c) => c.codePointAt(0) as number);
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (a[i] !== b[i]) return (a[i] as number) - (b[i] as number);
  }
  return a.length - b.length;
}

export type Path = readonly (string | number)[];

/** The RFC 6901 pointer of a path. */
export function pointerOf(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
