// `node answers.mjs ARCHIVE`: answers requests as the page's worker does. Each line of standard input is a request as JSON
// with its files in base64, and each line of standard output the answer. The first line states the seconds of the start.

import fs from "node:fs";
import readline from "node:readline";

const site = new URL("../../../web/", import.meta.url);
const installed = (path) => new URL(`tools/npm/node_modules/${path}`, site);
const { startEngine } = await import(new URL("static/tools/engine.mjs", site).href);
const { ShellParser } = await import(new URL("static/tools/shell.mjs", site).href);
const { loadPyodide } = await import(installed("pyodide/pyodide.mjs").href);
const treeSitter = await import(installed("web-tree-sitter/web-tree-sitter.js").href);

const grammar = fs.readFileSync(installed("tree-sitter-bash/tree-sitter-bash.wasm"));
const shell = await ShellParser.start(treeSitter, grammar, {});
const archive = new Uint8Array(fs.readFileSync(process.argv[2]));
const answer = await startEngine(loadPyodide, {}, archive, shell);
console.log(JSON.stringify({ seconds: process.uptime(), cpu: process.cpuUsage() }));

for await (const line of readline.createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  for (const [path, text] of Object.entries(request.files)) {
    request.files[path] = new Uint8Array(Buffer.from(text, "base64"));
  }
  const before = process.cpuUsage();
  try {
    const given = answer(request);
    console.log(JSON.stringify({ ...given, cpu: process.cpuUsage(before) }));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error.message ?? error) }));
  }
}
