// What the program says about a good store and a bad one.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

function run(...directories: string[]) {
  const done = spawnSync(process.execPath, ["dist/src/check.js", ...directories], { cwd: root, encoding: "utf8" });
  return { code: done.status, lines: done.stdout.replaceAll("\\", "/").split("\n").slice(0, -1), said: done.stderr };
}

test("a good store is described", () => {
  const { code, lines, said } = run("stores/good");
  assert.deepEqual(lines, [
    "stores/good/station/zarr.json: array (4) of {id: int32, name: fixed_length_utf32}, not compressed",
    "stores/good/t2m/zarr.json: array (time=48, lat=181, lon=360) of float32, zstd 3",
    "stores/good/zarr.json: group",
  ]);
  assert.equal(said, "3 documents, 0 of them wrong\n");
  assert.equal(code, 0);
});

test("each fault of a bad store is told once, where it stands", () => {
  const { code, lines, said } = run("stores/bad");
  // What JSON.parse says differs from one node to the next.
  assert.deepEqual(lines.map((line) => line.replace(/(not JSON): .+/, "$1")), [
    "stores/bad/fill/zarr.json#/fill_value: must be <= 127",
    "stores/bad/level/zarr.json#/shape/0: must be >= 0",
    "stores/bad/level/zarr.json#/codecs/1/configuration/level: must be <= 9",
    "stores/bad/text/zarr.json#: not JSON",
    'stores/bad/zarr.json#/node_type: must be equal to one of the allowed values',
  ]);
  assert.equal(said, "4 documents, 4 of them wrong\n");
  assert.equal(code, 1);
});

test("wrong usage ends with 2", () => {
  assert.deepEqual(run(), { code: 2, lines: [], said: "usage: node dist/src/check.js DIRECTORY...\n" });
  const { code, said } = run("nowhere");
  assert.match(said, /ENOENT.*nowhere/);
  assert.equal(code, 2);
});
