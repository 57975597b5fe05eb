// The names of data types: every format's spelling by the name that Zarr v3 has for it.

import { isObject, member, type Json, type JsonObject } from "./json.js";

const NUMBERS: Record<string, string> = {
  b1: "bool",
  i1: "int8", i2: "int16", i4: "int32", i8: "int64",
  u1: "uint8", u2: "uint16", u4: "uint32", u8: "uint64",
  f2: "float16", f4: "float32", f8: "float64",
  c8: "complex64", c16: "complex128",
}; // prettier-ignore

const FREE: Record<string, string> = {
  S: "null_terminated_bytes",
  U: "fixed_length_utf32",
  V: "raw_bytes",
};

/** Other names of data types of v3. */
const ALIASES: Record<string, string> = {
  variable_length_bytes: "bytes",
  complex_float32: "complex64",
  complex_float64: "complex128",
};

/** What the elements of `|O` are, by the filter that holds them; all others are "object". */
const OBJECTS: Record<string, string> = { "vlen-utf8": "string", categorize: "string", "vlen-bytes": "bytes" };
const HOLDERS = new Set([...Object.keys(OBJECTS), "vlen-array", "json2", "msgpack2", "pickle"]);

/** The name of an array's data type; null where it has none. */
export function dtypeOf(document: JsonObject, form: "v2" | "v3" | "draft"): string | null {
  const value = member(document, form === "v2" ? "dtype" : "data_type");
  if (value === undefined || value === null) return null;
  if (form === "v3") return nameOf(value, ALIASES);
  if (form === "v2" && Array.isArray(value)) return "struct";
  if (form === "v2" && value === "|O") return objectName(document);
  const text = form === "draft" && isObject(value) ? member(value, "type") : value;
  return typeof text === "string" ? typestrName(text) : null;
}

function nameOf(value: Json, aliases: Record<string, string>): string | null {
  const name = isObject(value) ? member(value, "name") : value;
  if (typeof name !== "string") return null;
  return Object.hasOwn(aliases, name) ? (aliases[name] as string) : name;
}

function typestrName(text: string): string {
  const parts = /^[<>|](?:([biufc][0-9]+)|([SUV])[0-9]+|([mM])8(?:\[.*\])?)$/u.exec(text);
  if (parts === null) return text;
  if (parts[1] !== undefined) return NUMBERS[parts[1]] ?? text;
  if (parts[2] !== undefined) return FREE[parts[2]] as string;
  return parts[3] === "M" ? "numpy.datetime64" : "numpy.timedelta64";
}

function objectName(document: JsonObject): string {
  const filters = member(document, "filters");
  for (const item of [...(Array.isArray(filters) ? filters : []), member(document, "compressor") ?? null]) {
    const id = isObject(item) ? member(item, "id") : undefined;
    if (typeof id === "string" && HOLDERS.has(id)) return OBJECTS[id] ?? "object";
  }
  return "object";
}
