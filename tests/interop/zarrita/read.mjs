// Prints an array, read by zarrita: a line of JSON, then the memory of its elements.
//
//     node read.mjs FOLDER v3

import { writeSync } from "node:fs";
import FileSystemStore from "@zarrita/storage/fs";
import * as zarr from "zarrita";

const [folder, form] = process.argv.slice(2);
const open = form === "v3" ? zarr.open.v3 : zarr.open.v2;
const array = await open(new FileSystemStore(folder), { kind: "array" });
const { data, shape } = await zarr.get(array);
if (data === undefined) throw new Error("a scalar");
const memory = ArrayBuffer.isView(data)
  ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  : data.buffer instanceof ArrayBuffer
    ? Buffer.from(data.buffer)
    : Buffer.from(JSON.stringify([...data]));
writeSync(1, `${JSON.stringify({ dtype: array.dtype, shape })}\n`);
for (let at = 0; at < memory.length; ) at += writeSync(1, memory, at);
