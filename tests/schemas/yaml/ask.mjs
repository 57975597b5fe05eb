// Asks the YAML language server about documents, as an editor does.
//
//     node ask.mjs PREFIX FOLDER < questions.jsonl > answers.jsonl
//
// A document names its schema in its first line, by a URL that begins with PREFIX; the schema is read from FOLDER.
// Each question is {"text", "ask": "problems" | "keys" | "hover", "line", "column"}, lines and columns counted from
// 0. The answer is a list of [line, message], a list of keys, or a text.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

const require = createRequire(import.meta.url);
const { getLanguageService } = require("yaml-language-server");
const { TextDocument } = require("vscode-languageserver-textdocument");

const [prefix, folder] = process.argv.slice(2);

async function schema(uri) {
  if (!uri.startsWith(prefix)) throw new Error(`nothing is fetched: ${uri}`);
  return readFileSync(join(folder, uri.slice(prefix.length)), "utf8");
}

const service = getLanguageService({
  schemaRequestService: schema,
  workspaceContext: { resolveRelativePath: (path) => path },
});
service.configure({ validate: true, completion: true, hover: true, schemas: [] });

async function answer({ text, ask, line, column }, index) {
  const document = TextDocument.create(`file:///declaration${index}.yaml`, "yaml", 1, text);
  if (ask === "problems") {
    const found = await service.doValidation(document, false);
    return found.map(({ range, message }) => [range.start.line, message]);
  }
  const position = { line, character: column };
  if (ask === "keys") {
    const { items } = await service.doComplete(document, position, false);
    return items.map(({ label }) => label);
  }
  const hover = await service.doHover(document, position);
  const contents = hover?.contents ?? "";
  return typeof contents === "string" ? contents : contents.value;
}

let index = 0;
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await answer(JSON.parse(line), index++)));
}
