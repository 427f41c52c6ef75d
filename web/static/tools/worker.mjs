// The worker: loads the engine, then answers one request at a time.

import { startEngine } from "./engine.mjs";
import { loadFiles } from "./loading.mjs";
import { ShellParser } from "./shell.mjs";

let answer = null;
let isAsked = false;

const TYPES = { ".wasm": "application/wasm", ".zip": "application/zip" };

/** Let Pyodide fetch what is loaded already. Other addresses of the site are fetched as ever. */
function serve(files, base) {
  const fetched = globalThis.fetch;
  globalThis.fetch = (resource, options) => {
    const address = String(resource?.url ?? resource);
    const name = address.startsWith(base) ? address.slice(base.length) : "";
    if (!files.has(name)) return fetched(resource, options);
    const type = TYPES[name.slice(name.lastIndexOf("."))] ?? "application/octet-stream";
    return Promise.resolve(new Response(files.get(name), { headers: { "Content-Type": type } }));
  };
}

async function start(manifestUrl) {
  const response = await fetch(manifestUrl, { cache: "no-cache" });
  if (!response.ok) throw new Error(`${manifestUrl}: ${response.status}; expected the list of the engine's files`);
  const manifest = await response.json();
  const base = new URL(manifest.folder, manifestUrl).href;
  const files = await loadFiles(base, manifest, (loaded, all) => postMessage({ loaded, all }));
  postMessage({ starting: true });
  serve(files, base);
  const [{ loadPyodide }, treeSitter] = await Promise.all([
    import(new URL("pyodide.mjs", base).href),
    import(new URL("web-tree-sitter.js", base).href),
  ]);
  const shell = await ShellParser.start(treeSitter, files.get("tree-sitter-bash.wasm"), {
    wasmBinary: files.get("web-tree-sitter.wasm"),
  });
  const options = { indexURL: base, lockFileContents: manifest.lock, packageBaseUrl: base };
  answer = await startEngine(loadPyodide, options, files.get("vcompat.zip"), shell);
  files.clear();
}

/** Answer to nothing while the user still reads or types: the first answer imports most of vcompat. */
function warmUp() {
  if (isAsked) return;
  answer({ command: "diagnose", files: { log: new TextEncoder().encode("RuntimeError: none\n") } });
}

globalThis.onmessage = async ({ data }) => {
  try {
    if (data.start) {
      await start(data.start);
      postMessage({ ready: true });
      setTimeout(warmUp, 100);
    } else {
      isAsked = true;
      postMessage({ answer: answer(data.request) });
    }
  } catch (error) {
    postMessage({ error: String(error?.message ?? error) });
  }
};
