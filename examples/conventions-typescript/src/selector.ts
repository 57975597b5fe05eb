// Selectors: which values of a node a rule speaks of. Dotted keys and [*], and nothing else.

import { isObject, member, type Json, type Path } from "./json.js";

/** The step to each item of a list. */
export const EVERY = 0;
export type Steps = readonly (string | typeof EVERY)[];

export interface Selector {
  /** Where it starts: at the attributes, at what the rule's `each` selected, or at a fact of the node. */
  start: "attributes" | "scope" | "fact";
  /** The name of the fact; "" for the other starts. */
  fact: string;
  steps: Steps;
}

const FACTS = new Set(
  "shape ndim dims dtype chunks fill_value name kind format members arrays groups".split(" "),
);
const STEP = /(?:\\.|[^\\.[\]])+|\[\*\]|\./gsu;
const known = new Map<string, Selector>();

export function parseSelector(text: string): Selector {
  let found = known.get(text);
  if (found === undefined) {
    found = parsed(text);
    known.set(text, found);
  }
  return found;
}

function parsed(text: string): Selector {
  const start = text.startsWith("@") ? "fact" : text.startsWith(".") ? "scope" : "attributes";
  const rest = start === "attributes" ? text : text.slice(1);
  const parts = rest.match(STEP) ?? [];
  const steps: (string | typeof EVERY)[] = [];
  const refused = new Error(`selector ${JSON.stringify(text)}: expected keys joined by dots, as in 'a.b[*].c'`);
  // After "." alone, and before a key, a key is wanted; "[*]" follows a key or another one.
  let wantsKey = start !== "scope" || !rest.startsWith("[");
  for (const part of parts) {
    if (part === ".") {
      if (wantsKey) throw refused;
      wantsKey = true;
    } else if (part === "[*]") {
      if (wantsKey) throw refused;
      steps.push(EVERY);
    } else {
      if (!wantsKey) throw refused;
      steps.push(part.replace(/\\(.)/gsu, "$1"));
      wantsKey = false;
    }
  }
  if (parts.join("") !== rest || wantsKey !== (start === "scope" && rest === "")) throw refused;
  if (start !== "fact") return { start, fact: "", steps };
  const fact = String(steps[0]);
  if (!FACTS.has(fact)) throw refused;
  return { start, fact, steps: steps.slice(1) };
}

/** The values that steps lead to, each with its path; what isn't there is left out. */
export function select(value: Json, steps: Steps): { path: Path; value: Json }[] {
  let found: { path: Path; value: Json }[] = [{ path: [], value }];
  for (const step of steps) {
    found = found.flatMap((here) => {
      if (step === EVERY) {
        const items = Array.isArray(here.value) ? here.value : [];
        return items.map((item, index) => ({ path: [...here.path, index], value: item }));
      }
      const inner = isObject(here.value) ? member(here.value, step) : undefined;
      return inner === undefined ? [] : [{ path: [...here.path, step], value: inner }];
    });
  }
  return found;
}
