// Checks a store by conventions, whose schemas zom exports.
//
//     node dist/src/main.js [--profile text|schema|strict|full] [--json] STORE|DOCUMENT SCHEMA...
//
// A store is a directory; a document is a JSON file, a hierarchy as ZEP 6 nests it. All schemas that are
// given are asked for. Exit code 0 where nothing is wrong, 1 where a rule is broken, 2 for wrong usage.

import { readFile, stat } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

import { Convention, type Finding, type Profile } from "./convention.js";
import { evaluate } from "./evaluate.js";
import { formCheck } from "./form.js";
import type { Json, JsonObject } from "./json.js";
import { readStore } from "./store.js";
import { documentTree } from "./view.js";

const USAGE = "usage: node dist/src/main.js [--profile text|schema|strict|full] [--json] STORE|DOCUMENT SCHEMA...";

async function read(place: string): Promise<Json> {
  if ((await stat(place)).isDirectory()) return readStore(place);
  return JSON.parse(await readFile(place, "utf8")) as Json;
}

function line({ level, node, pointer, rule }: Finding): string {
  return `${level.padEnd(6)} ${node}#${pointer} ${rule}`;
}

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { profile: { type: "string", default: "text" }, json: { type: "boolean", default: false } },
  });
  const [place, ...files] = positionals;
  if (place === undefined || files.length === 0) throw new Error(USAGE);
  const profile = ["text", "schema", "strict", "full"].find((each) => each === values.profile);
  if (profile === undefined) throw new Error(USAGE);
  const schemas = await Promise.all(files.map(async (file) => JSON.parse(await readFile(file, "utf8")) as JsonObject));
  const conventions = schemas.map((schema) => new Convention(schema));
  const form = formCheck();
  const options = { asked: conventions, profile: profile as Profile, ...(form === undefined ? {} : { form }) };
  const report = evaluate(documentTree(await read(place)), conventions, options);
  if (values.json) {
    const { counts, ...rest } = report;
    console.log(JSON.stringify({ ...rest, counts: Object.fromEntries(counts) }));
  } else {
    report.findings.map(line).forEach((each) => console.log(each));
    const rules = [...report.counts.values()];
    const ran = rules.filter(({ passed, failed }) => passed + failed > 0).length;
    console.error(`${report.findings.length} findings; ${ran} rules applied, ${report.unchecked.length} need zom`);
  }
  return report.findings.some(({ level }) => level === "MUST") ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 2;
  }
}
