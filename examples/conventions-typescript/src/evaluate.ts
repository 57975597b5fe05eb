// The evaluator: runs the portable rules of conventions on a hierarchy, and says where they are broken.
//
// What it takes is data alone: the documents of a hierarchy, and the JSON Schemas of conventions as
// `zom schema export convention/...` gives them. A rule of `x-zom-rules` is a named check with parameters:
//
//   { "id": "ome/dataset-path", "level": "MUST", "check": "ref", "params": { "at": ".path", "kind": "array" },
//     "each": "ome.multiscales[*].datasets[*]", "when": [{ "has": "ome.multiscales" }], "on": "group" }
//
// - `check` is a name of the vocabulary in checks.ts, and `params` are its parameters.
// - Parameters that say which values are meant are selectors (selector.ts): dotted keys, and [*] for each
//   item of a list. One that begins with a dot starts at the scope, with @ at a fact of the node, and any
//   other at the attributes.
// - With `each` the check is made for every value that this selector finds, which then is the scope.
// - `when` lists conditions (conditions.ts), all of which must hold, or the rule doesn't apply there.
// - `on` is the kind of node that the rule is for.
//
// A check gives breaches, each with a node and a path in that node's own document; or that it doesn't apply.
// Every name, every parameter and the place of every finding: docs/conventions-rules.md.

import { CHECKS } from "./checks.js";
import { holds } from "./conditions.js";
import type { Convention, Finding, Profile, Rule } from "./convention.js";
import { presences, type Presence } from "./detection.js";
import { pointerOf } from "./json.js";
import { Site, type Breach } from "./site.js";
import type { Node } from "./view.js";

/** What judges the form of a node's document by the convention's JSON Schema; see form.ts. */
export type FormCheck = (presence: Presence, profile: Profile) => Finding[];

export interface Options {
  /** The conventions that are judged; those that are found, of all that are known, where it is not given. */
  asked?: Convention[];
  /** Whose rules count: the text's (the default), the published schema's, or all. */
  profile?: Profile;
  form?: FormCheck;
}

export interface Report {
  findings: Finding[];
  /** How many times each rule passed, failed and did not apply, by its id. */
  counts: Map<string, { passed: number; failed: number; skipped: number }>;
  /** Rules that only their text tells: nothing here can check them. */
  unchecked: string[];
  /** Conventions that zom finds by a function, and this by their keys. */
  approximate: string[];
}

export function evaluate(root: Node, known: Convention[], options: Options = {}): Report {
  const { asked, profile = "text", form } = options;
  const report: Report = { findings: [], counts: new Map(), unchecked: [], approximate: [] };
  for (const convention of asked ?? known) {
    const wanted = convention.rulesOf(null, profile);
    report.unchecked.push(...wanted.filter((rule) => !canRun(rule, form)).map((rule) => rule.id));
    if (convention.is.found_by === "function") report.approximate.push(convention.name);
  }
  report.unchecked = [...new Set(report.unchecked)];
  for (const presence of presences(root, known, asked)) {
    const { convention, node, holder } = presence;
    for (const rule of convention.rulesOf(node.kind, profile)) {
      // An heir has attributes of its own: of what it inherits, only the rules for its kind are about it.
      const isAbout = node === holder || rule.on === node.kind;
      if (isAbout && CHECKS.has(rule.check)) judge(report, convention, rule, new Site(node, holder));
    }
    if (node === holder && form !== undefined) report.findings.push(...form(presence, profile));
  }
  return report;
}

function canRun(rule: Rule, form: FormCheck | undefined): boolean {
  return CHECKS.has(rule.check) || (rule.check === "schema" && form !== undefined);
}

function judge(report: Report, convention: Convention, rule: Rule, site: Site): void {
  const scopes = rule.each === undefined ? [site] : site.scopes(rule.each);
  const check = CHECKS.get(rule.check) as (site: Site, params: object) => Breach[] | null;
  const breaches: Breach[] = [];
  let ran = false;
  for (const scope of scopes) {
    if (!(rule.when ?? []).every((condition) => holds(condition, scope))) continue;
    const outcome = check(scope, rule.params);
    if (outcome === null) continue;
    ran = true;
    breaches.push(...outcome);
  }
  const counts = report.counts.get(rule.id) ?? { passed: 0, failed: 0, skipped: 0 };
  counts[breaches.length > 0 ? "failed" : ran ? "passed" : "skipped"] += 1;
  report.counts.set(rule.id, counts);
  report.findings.push(...breaches.map((breach) => found(convention, rule, breach)));
}

function found(convention: Convention, rule: Rule, { node, path }: Breach): Finding {
  const { id, level } = rule;
  return { rule: id, level, node: node.path, pointer: pointerOf(path), convention: convention.name };
}
