// Checks documents with one schema, by ajv in strict mode.
//
//     node check.mjs 2020-12 schema.json < documents.jsonl > verdicts.jsonl
//
// Reads one JSON document a line; writes a line for each: 1 where it is valid, else a list of errors,
// each [pointer, keyword], where the pointer leads to the member that is missing or may not be there.
import { readFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import Ajv from "ajv";
import Ajv2020 from "ajv/dist/2020.js";

const [draft, file] = process.argv.slice(2);
const Checker = { "2020-12": Ajv2020, "draft-07": Ajv }[draft];
const ajv = new Checker({ strict: true, allErrors: true, logger: false, validateFormats: true });
// Its strict mode knows no keyword that it isn't told of.
ajv.addVocabulary(["x-zom-convention", "x-zom-rules", "x-zom-not-expressed"]);
let validate;
try {
  // Against the meta-schema, too.
  validate = ajv.compile(JSON.parse(readFileSync(file, "utf8")));
} catch (error) {
  console.error(error.message);
  process.exit(2);
}

const escaped = (name) => name.replaceAll("~", "~0").replaceAll("/", "~1");

function located(error) {
  const params = error.params ?? {};
  const name = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty ?? params.propertyName;
  const place = error.propertyName ?? name;
  return [place === undefined ? error.instancePath : `${error.instancePath}/${escaped(place)}`, error.keyword];
}

function verdict(document) {
  try {
    return validate(document) ? "1" : JSON.stringify(validate.errors.map(located));
  } catch (error) {
    // Without the generated code, which node prints beside an error that nobody catches.
    console.error(error.message);
    process.exit(2);
  }
}

let lines = [];
const flush = () => {
  let rest = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  lines = [];
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== "EAGAIN") throw error; // a full pipe: its reader is at work
    }
  }
};

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  lines.push(verdict(JSON.parse(line)));
  if (lines.length >= 1000) flush();
}
flush();
