// Checks every zarr.json below a directory with zom's schema, and says what it found there.
//
//     node dist/src/check.js DIRECTORY...
//
// Exit code 0 where nothing is wrong, 1 where something is, 2 for wrong usage.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import type { ErrorObject } from "ajv";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

import type { V3Node } from "../../../schemas/zom.js";
import { describe } from "./describe.js";

const SCHEMA = new URL("../../../../schemas/v1/v3/node.validation.2020-12.schema.json", import.meta.url);

export interface Finding {
  pointer: string;
  message: string;
}

export type Result = { file: string; node: V3Node } | { file: string; findings: Finding[] };

async function validator(): Promise<ValidateFunction<V3Node>> {
  const schema = JSON.parse(await readFile(SCHEMA, "utf8"));
  return new Ajv2020({ strict: true, allErrors: true }).compile<V3Node>(schema);
}

/** The errors of leaves: that a branch or a name didn't fit is said by what is inside it. */
function findings(errors: ErrorObject[]): Finding[] {
  const seen = new Set<string>();
  const found: Finding[] = [];
  for (const error of errors) {
    if (error.keyword === "if" || error.keyword === "propertyNames") continue;
    const extra = "additionalProperty" in error.params ? `/${error.params["additionalProperty"]}` : "";
    const pointer = `${error.instancePath}${extra}`;
    const limit = "allowedValue" in error.params ? `: ${JSON.stringify(error.params["allowedValue"])}` : "";
    const message = `${error.message ?? error.keyword}${limit}`;
    if (!seen.has(`${pointer} ${message}`)) found.push({ pointer, message });
    seen.add(`${pointer} ${message}`);
  }
  return found;
}

async function* documents(directory: string): AsyncGenerator<string> {
  const entries = await readdir(directory, { withFileTypes: true });
  entries.sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isFile() && entry.name === "zarr.json") yield path;
    else if (entry.isDirectory()) yield* documents(path);
  }
}

export async function* check(directory: string): AsyncGenerator<Result> {
  const validate = await validator();
  for await (const file of documents(directory)) {
    let node: unknown;
    try {
      node = JSON.parse(await readFile(file, "utf8"));
    } catch (error) {
      yield { file, findings: [{ pointer: "", message: `not JSON: ${(error as Error).message}` }] };
      continue;
    }
    if (validate(node)) yield { file, node };
    else yield { file, findings: findings(validate.errors ?? []) };
  }
}

async function main(directories: string[]): Promise<number> {
  if (directories.length === 0) {
    console.error("usage: node dist/src/check.js DIRECTORY...");
    return 2;
  }
  let wrong = 0;
  let total = 0;
  for (const directory of directories) {
    for await (const result of check(directory)) {
      total += 1;
      if ("node" in result) {
        console.log(`${result.file}: ${describe(result.node)}`);
        continue;
      }
      wrong += 1;
      for (const { pointer, message } of result.findings) {
        console.log(`${result.file}#${pointer}: ${message}`);
      }
    }
  }
  console.error(`${total} documents, ${wrong} of them wrong`);
  return wrong > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 2;
  }
}
