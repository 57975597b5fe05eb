// Prints the arrays of a hierarchy, read by zarrita: of each path on standard input a line of JSON.
//
//     node read_tree.mjs PLACE v3              a directory or a URL
//     node read_tree.mjs PLACE v2 consolidated
//
// Elements are exact: numbers as base64 of their memory, the rest as JSON. `part` is a selection with steps.

import { readFileSync, writeSync } from "node:fs";
import FileSystemStore from "@zarrita/storage/fs";
import * as zarr from "zarrita";

const [place, form, consolidated] = process.argv.slice(2);
const open = form === "v3" ? zarr.open.v3 : zarr.open.v2;

function elements(data) {
  if (ArrayBuffer.isView(data)) {
    return { memory: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64") };
  }
  return { values: [...data] };
}

function answer(read) {
  // What has no dimensions is read as the value alone.
  if (read === null || typeof read !== "object" || !("data" in read)) {
    return { shape: [], values: [typeof read === "bigint" ? `${read}` : read] };
  }
  return { shape: read.shape, stride: read.stride, ...elements(read.data) };
}

let store = /^https?:/.test(place) ? new zarr.FetchStore(place) : new FileSystemStore(place);
let contents = null;
if (consolidated) {
  store = await zarr.withConsolidatedMetadata(store, { format: form });
  contents = store.contents().map(({ path, kind }) => [path, kind]);
}
const root = await open(store, { kind: "group" });
const told = { attrs: root.attrs, contents };
const write = (value) => {
  const line = Buffer.from(`${JSON.stringify(value)}\n`);
  for (let at = 0; at < line.length; ) at += writeSync(1, line, at);
};
write(told);
for (const path of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  try {
    const array = await open(root.resolve(path), { kind: "array" });
    const whole = await zarr.get(array);
    const steps = array.shape.map((n) => zarr.slice(Math.floor(n / 4), n, 2));
    const part = array.shape.length ? await zarr.get(array, steps) : whole;
    write({ path, dtype: array.dtype, attrs: array.attrs, whole: answer(whole), part: answer(part) });
  } catch (error) {
    write({ path, error: `${error.name}: ${error.message}${error.cause ? `: ${error.cause.message}` : ""}` });
  }
}
