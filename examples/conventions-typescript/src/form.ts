// The form of attributes, judged by the convention's JSON Schema with ajv, which has to be installed.

import { createRequire } from "node:module";

import type { Convention, Finding, Profile, Rule } from "./convention.js";
import type { Presence } from "./detection.js";
import type { FormCheck } from "./evaluate.js";
import { pointerOf, type Path } from "./json.js";
import { EVERY, parseSelector, type Steps } from "./selector.js";

/** What ajv says is wrong. */
interface Fault {
  instancePath: string;
  keyword: string;
  params: Record<string, unknown>;
}

type Validate = ((document: unknown) => boolean) & { errors?: Fault[] | null };
type Ajv = { addVocabulary(names: string[]): void; compile(schema: unknown): Validate };

/** The check of forms; undefined where ajv is not installed. */
export function formCheck(): FormCheck | undefined {
  let ajv: Ajv;
  try {
    const Ajv2020 = createRequire(import.meta.url)("ajv/dist/2020").default as new (options: object) => Ajv;
    ajv = new Ajv2020({ strict: true, allErrors: true, logger: false });
  } catch {
    return undefined;
  }
  // ajv's strict mode knows no keyword that it isn't told of.
  ajv.addVocabulary(["x-zom-convention", "x-zom-rules", "x-zom-not-expressed"]);
  const compiled = new Map<Convention, Validate>();
  return ({ convention, node }: Presence, profile: Profile): Finding[] => {
    const validate = compiled.get(convention) ?? ajv.compile(convention.schema);
    compiled.set(convention, validate);
    if (validate(node.document)) return [];
    const rules = convention.rules.filter((rule) => rule.check === "schema");
    const asked = new Set(convention.rulesOf(node.kind, profile));
    const seen = new Set<string>();
    return innermost((validate.errors ?? []).flatMap(places)).flatMap((path) => {
      const rule = nearest(rules, path);
      const pointer = pointerOf(path);
      if (rule === undefined || !asked.has(rule) || seen.has(`${rule.id} ${pointer}`)) return [];
      seen.add(`${rule.id} ${pointer}`);
      return [{ rule: rule.id, level: rule.level, node: node.path, pointer, convention: convention.name }];
    });
  };
}

/** Where an error stands: at the member that is missing, or at the value that is wrong. */
function places({ instancePath, keyword, params }: Fault): Path[] {
  if (["if", "anyOf", "oneOf", "allOf"].includes(keyword)) return [];
  const path = instancePath.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const name = params["missingProperty"] ?? params["additionalProperty"];
  return [typeof name === "string" ? [...path, name] : path];
}

/** Of a fault around others, those: the branch of a union that goes deepest. */
function innermost(paths: Path[]): Path[] {
  const inside = (outer: Path, inner: Path): boolean =>
    outer.length < inner.length && outer.every((step, index) => step === inner[index]);
  return paths.filter((path) => !paths.some((other) => inside(path, other)));
}

/** The rule whose field stands nearest above; that of the whole form, where none does. */
function nearest(rules: Rule[], path: Path): Rule | undefined {
  const inside = path.slice(1); // of the attributes
  const fits = (steps: Steps): boolean =>
    steps.length <= inside.length &&
    steps.every((step, index) => (step === EVERY ? /^[0-9]+$/u.test(String(inside[index])) : step === inside[index]));
  let best: Rule | undefined;
  let length = -1;
  for (const rule of rules) {
    const steps = rule.each === undefined ? [] : parseSelector(rule.each).steps;
    if (steps.length > length && fits(steps)) {
      best = rule;
      length = steps.length;
    }
  }
  return best;
}
