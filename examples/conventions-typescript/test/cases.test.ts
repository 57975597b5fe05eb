// The conformance cases: every rule that can be run here is kept or broken exactly where they say.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Convention } from "../src/convention.js";
import { CHECKS } from "../src/checks.js";
import { evaluate } from "../src/evaluate.js";
import { formCheck } from "../src/form.js";
import { documentTree } from "../src/view.js";
import { cases, conventions, type Case } from "./published.js";

const known = conventions();
const named = new Map(known.map((each) => [each.name, each]));

function found(each: Case, convention: Convention): string[] {
  const report = evaluate(documentTree(each.document), known, { asked: [convention], profile: each.profile });
  const own = report.findings.filter(({ rule }) => rule === each.rule);
  return own.map(({ node, pointer }) => `${node}#${pointer}`).sort();
}

/** Whether all checks of the rule are named ones. */
function isPortable(convention: Convention, id: string): boolean {
  const rules = convention.rules.filter((rule) => rule.id === id);
  return rules.length > 0 && rules.every((rule) => CHECKS.has(rule.check));
}

const counts = new Map<string, [number, number]>();
for (const each of cases()) {
  const convention = named.get(each.convention);
  if (convention === undefined) throw new Error(`no schema of ${each.convention} is published`);
  const [ran, all] = counts.get(each.convention) ?? [0, 0];
  const isRun = isPortable(convention, each.rule);
  counts.set(each.convention, [ran + Number(isRun), all + 1]);
  if (!isRun) continue;
  test(`${each.convention}: ${each.rule} is ${each.findings === undefined ? "kept" : "broken"} by ${each.name}`, () => {
    const expected = (each.findings ?? []).map(({ node, pointer }) => `${node}#${pointer}`).sort();
    assert.deepEqual(found(each, convention), expected);
  });
}

test("most conventions have cases that can be run", () => {
  const run = [...counts].filter(([, [ran]]) => ran > 0);
  console.log([...counts].map(([name, [ran, all]]) => `${name}: ${ran} of ${all} cases`).join("\n"));
  assert.ok(run.length * 2 > counts.size);
});

// --- the form of attributes, where ajv is installed --------------------------------------------------

const form = formCheck();
for (const each of cases()) {
  const convention = named.get(each.convention) as Convention;
  const rules = convention.rules.filter((rule) => rule.id === each.rule);
  if (form === undefined || !rules.every((rule) => rule.check === "schema")) continue;
  test(`${each.convention}: the form ${each.rule} is ${each.findings === undefined ? "kept" : "broken"} by ${each.name}`, () => {
    const report = evaluate(documentTree(each.document), known, { asked: [convention], profile: each.profile, form });
    const own = report.findings.filter(({ rule }) => rule === each.rule);
    const expected = (each.findings ?? []).map(({ node, pointer }) => `${node}#${pointer}`).sort();
    assert.deepEqual(own.map(({ node, pointer }) => `${node}#${pointer}`).sort(), expected);
  });
}

test("a rule of which one check is a function breaks nowhere but where the cases say", () => {
  for (const each of cases()) {
    const convention = named.get(each.convention) as Convention;
    const expected = new Set((each.findings ?? []).map(({ node, pointer }) => `${node}#${pointer}`));
    for (const place of found(each, convention)) assert.ok(expected.has(place), `${each.rule} ${each.name}: ${place}`);
  }
});
