// `node precompile.mjs GIVEN MADE`: compiles the modules in the archive GIVEN that a first answer imports, into MADE.

import fs from "node:fs";

const [given, made] = process.argv.slice(2);
const { loadPyodide } = await import(new URL("npm/node_modules/pyodide/pyodide.mjs", import.meta.url).href);

try {
  fs.writeFileSync(made, await compiled(new Uint8Array(fs.readFileSync(given))));
} catch (error) {
  // Without its place: that is a line of a megabyte.
  console.error(String(error.message ?? error));
  process.exitCode = 1;
}

async function compiled(archive) {
  // Sets of constants are compiled in the order of their hashes.
  const pyodide = await loadPyodide({ env: { PYTHONHASHSEED: "0", HOME: "/home/pyodide" } });
  pyodide.registerJsModule("vcompat_page", { parse: () => undefined, positions: () => [] });
  pyodide.unpackArchive(archive, "zip", { extractDir: "/vcompat" });
  const bytes = pyodide.runPython(`
import sys
sys.path.insert(0, "/vcompat")
from vcompat_precompiled import compiled
compiled("/vcompat")
`);
  return bytes.toJs();
}
