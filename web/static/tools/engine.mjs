// Starts vcompat in Pyodide and answers requests. A worker of a page and a program of Node use it alike.

const FOLDER = "/vcompat";

/** The patterns that were compiled. There are few: vcompat keeps what it compiles. */
const compiled = new Map();

/** Return where the matches of a pattern start in a text. */
function positions(pattern, text) {
  if (!compiled.has(pattern)) compiled.set(pattern, new RegExp(pattern, "g"));
  return Int32Array.from(text.matchAll(compiled.get(pattern)), (match) => match.index);
}

/**
 * Start Pyodide with vcompat.
 *
 * `load` is Pyodide's `loadPyodide`, `options` what it takes. `archive` has Python modules as the bytes of a ZIP file.
 * `shell` returns the parser of bash, or null where no launch script will be read.
 * Returns a function from a request (an object of plain values) to the answer of `vcompat_answers.answer`.
 */
export async function startEngine(load, options, archive, shell) {
  const pyodide = await load({ ...options, fullStdLib: false });
  pyodide.registerJsModule("vcompat_page", {
    parse: (text, starts, again, stops) => shell.parse(text, starts.toJs(), again, stops),
    positions,
  });
  pyodide.FS.mkdirTree(FOLDER);
  pyodide.unpackArchive(archive, "zip", { extractDir: FOLDER });
  const answers = pyodide.runPython(
    `import sys; sys.path.insert(0, "${FOLDER}"); import vcompat_answers; vcompat_answers`,
  );
  return (request) => {
    const given = pyodide.toPy(request);
    try {
      return answers.answer(given).toJs({ dict_converter: Object.fromEntries });
    } finally {
      given.destroy();
    }
  };
}
