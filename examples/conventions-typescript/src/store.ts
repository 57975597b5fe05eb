// A store on disk as one document: zarr.json, or .zarray, .zgroup and .zattrs, of every directory.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { isObject, type Json, type JsonObject } from "./json.js";

/** The hierarchy in a directory, as ZEP 6 nests it: chunks are not looked at. */
export async function readStore(directory: string): Promise<Json> {
  const root = await readNode(directory);
  if (root === undefined) throw new Error(`${directory}: no zarr.json, .zarray or .zgroup`);
  const waiting: [string, JsonObject][] = isGroup(root) ? [[directory, root as JsonObject]] : [];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [place, group] = next;
    const members: JsonObject = Object.create(null) as JsonObject;
    for (const entry of await readdir(place, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const inside = join(place, entry.name);
      const node = await readNode(inside);
      if (node === undefined) continue;
      members[entry.name] = node;
      if (isGroup(node)) waiting.push([inside, node as JsonObject]);
    }
    group["members"] = members;
  }
  return root;
}

async function readNode(directory: string): Promise<Json | undefined> {
  const v3 = await readJson(join(directory, "zarr.json"));
  if (v3 !== undefined) {
    if (isObject(v3)) delete v3["consolidated_metadata"]; // a copy of what lies below
    return v3;
  }
  for (const name of [".zarray", ".zgroup"]) {
    const v2 = await readJson(join(directory, name));
    if (!isObject(v2)) {
      if (v2 !== undefined) return v2;
      continue;
    }
    const attributes = await readJson(join(directory, ".zattrs"));
    return attributes === undefined ? v2 : { ...v2, attributes };
  }
  return undefined;
}

async function readJson(file: string): Promise<Json | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    // Only "not there" means that: a file that can't be read is no missing one.
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new Error(`${file}: not JSON: ${(error as Error).message}`);
  }
}

function isGroup(node: Json): boolean {
  if (!isObject(node)) return false;
  return node["zarr_format"] === 3 ? node["node_type"] === "group" : !("shape" in node);
}
