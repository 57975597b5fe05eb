// What the cases don't say of checks: edges where another implementation may differ.

import assert from "node:assert/strict";
import { test } from "node:test";

import { CHECKS } from "../src/checks.js";
import { byCodePoints, equal, type Json, type JsonObject } from "../src/json.js";
import { fits } from "../src/regex.js";
import { parseSelector } from "../src/selector.js";
import { Site, type Breach } from "../src/site.js";
import { documentTree } from "../src/view.js";

function breaches(name: string, params: object, attributes: JsonObject, each?: string): Breach[] | null {
  const root = documentTree({ zarr_format: 3, node_type: "group", attributes, members: {} });
  const check = CHECKS.get(name) as (site: Site, params: object) => Breach[] | null;
  const [site] = each === undefined ? [new Site(root, root)] : new Site(root, root).scopes(each);
  return check(site as Site, params);
}

test("what any_of asks of an object doesn't apply to other values", () => {
  for (const value of [null, 7, "x", [], true] as Json[]) {
    assert.equal(breaches("any_of", { selectors: [".a"] }, { list: [value] }, "list[*]"), null);
  }
  assert.equal(breaches("any_of", { selectors: [".a"] }, { list: [{}] }, "list[*]")?.length, 1);
});

test("values are the same as JSON Schema counts them", () => {
  assert.ok(equal([1, { a: 2, b: null }], [1.0, { b: null, a: 2 }]));
  assert.ok(!equal(1, true) && !equal("1", 1) && !equal({}, []) && !equal({ a: 1 }, { b: 1 }));
});

test("names of what every object inherits are no members", () => {
  assert.deepEqual(breaches("required", { at: "constructor" }, {})?.length, 1);
  assert.equal(breaches("equals", { at: "toString", value: 1 }, {}), null);
});

test("expressions mean what they mean to zom", () => {
  assert.ok(fits("a\u00a0b", "\\S+") && !fits("a b", "\\S+"));
  assert.ok(fits("x\r", ".+") && !fits("x\n", ".+") && !fits("ab\n", "[a-z]+"));
  assert.ok(fits("a\u2003\n", "[\\s\\S]+") && !fits("\u2003", "\\s") && fits("\t", "[\\s]"));
  assert.ok(fits("\u{1f40d}", ".") && fits("a-b:c", "a\\-b\\:c"));
});

test("a selector that is none is refused", () => {
  for (const text of ["", "a..b", "a.", "[*]", "a[0]", "@nothing", "a[*"]) {
    assert.throws(() => parseSelector(text), /expected keys joined by dots/u);
  }
  assert.deepEqual(parseSelector("bioformats2raw\\.layout").steps, ["bioformats2raw.layout"]);
  assert.deepEqual(parseSelector(".[*].a").steps, [0, "a"]);
});

test("texts are ordered by code points", () => {
  assert.deepEqual(["\u{1f40d}", "\uffff", "b", "a"].sort(byCodePoints), ["a", "b", "\uffff", "\u{1f40d}"]);
});
