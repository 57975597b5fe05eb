// The files that zom publishes, as tests use them: schemas of conventions, and their conformance cases.

import { readFileSync } from "node:fs";
import { readdirSync } from "node:fs";

import { Convention } from "../src/convention.js";
import type { Json, JsonObject } from "../src/json.js";

const ROOT = new URL("../../../../", import.meta.url);
const CASES = new URL("tests/conformance/conventions/", ROOT);

function json<T>(path: string | URL): T {
  return JSON.parse(readFileSync(new URL(path, ROOT), "utf8")) as T;
}

interface Entry {
  name: string;
  draft: string;
  flavour: string;
  path: string;
}

/** Every convention, versions of one id in their order. */
export function conventions(): Convention[] {
  const { schemas } = json<{ schemas: Entry[] }>("schemas/index.json");
  return schemas
    .filter(({ name, draft, flavour }) => name.startsWith("convention/") && `${draft} ${flavour}` === "2020-12 validation")
    .map(({ path }) => new Convention(json<JsonObject>(`schemas/${path}`)));
}

interface Change {
  pointer: string;
  value: Json;
}

interface WrittenCase {
  name: string;
  document: Json;
  change?: Change[];
  remove?: string[];
  findings?: { node: string; pointer: string }[];
}

interface CaseFile {
  convention: string;
  documents?: Record<string, Json>;
  rules: { rule: string; source: "text" | "schema" | "both"; pass: WrittenCase[]; fail: WrittenCase[] }[];
}

export interface Case {
  convention: string;
  rule: string;
  profile: "text" | "schema";
  name: string;
  document: Json;
  /** Where the rule is broken; undefined where it is kept. */
  findings: { node: string; pointer: string }[] | undefined;
}

export function cases(): Case[] {
  const files = readdirSync(CASES).filter((name) => name.endsWith(".json"));
  return files.sort().flatMap((file) => {
    const { convention, documents = {}, rules } = json<CaseFile>(new URL(file, CASES));
    return rules.flatMap(({ rule, source, pass, fail }) =>
      [...pass, ...fail].map((each) => ({
        convention,
        rule,
        profile: source === "schema" ? ("schema" as const) : ("text" as const),
        name: each.name,
        document: documentOf(each, documents),
        findings: fail.includes(each) ? (each.findings ?? []) : undefined,
      })),
    );
  });
}

/** The document of a case, with its changes. */
function documentOf({ document, change = [], remove = [] }: WrittenCase, named: Record<string, Json>): Json {
  let made = structuredClone(typeof document === "string" ? (named[document] as Json) : document);
  for (const { pointer, value } of change) {
    if (pointer === "") {
      made = structuredClone(value);
      continue;
    }
    const { around, step } = place(made, pointer);
    around[step === "-" ? (around as unknown as Json[]).length : step] = structuredClone(value);
  }
  for (const pointer of remove) {
    const { around, step } = place(made, pointer);
    if (Array.isArray(around)) around.splice(Number(step), 1);
    else delete around[step];
  }
  return made;
}

function place(document: Json, pointer: string): { around: JsonObject; step: string } {
  const steps = pointer.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const step = steps.pop() as string;
  return { around: steps.reduce((here, each) => (here as JsonObject)[each] as Json, document) as JsonObject, step };
}
