// The files that a user hands over: chosen, dropped with their folders, or pasted.

/** The most files and bytes that are taken. The command line takes any number. */
const MOST_FILES = 500;
const MOST_BYTES = 100 * 2 ** 20;
const SKIPPED = new Set([".git", "node_modules", "__pycache__", ".venv"]);

export function size(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Yield the files below what was dropped, with their paths. */
async function* below(entry, folder) {
  const path = folder + entry.name;
  if (entry.isFile) {
    yield [path, await new Promise((resolve, reject) => entry.file(resolve, reject))];
  } else if (!SKIPPED.has(entry.name)) {
    const reader = entry.createReader();
    // A reader returns some entries at a time, and none at the end.
    for (;;) {
      const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (!entries.length) return;
      for (const one of entries) yield* below(one, `${path}/`);
    }
  }
}

export class Files {
  /** `onChange` is called after each change of the list, `onProblem` with what cannot be taken. */
  constructor(onChange, onProblem) {
    this.onChange = onChange;
    this.onProblem = onProblem;
    this.contents = new Map();
  }

  get bytes() {
    return [...this.contents.values()].reduce((sum, content) => sum + content.length, 0);
  }

  /** Add files with their paths, of an iterable that may be asynchronous. */
  async add(pairs) {
    try {
      for await (const [path, file] of pairs) {
        if (this.contents.size >= MOST_FILES) throw new Error(`More than ${MOST_FILES} files; expected fewer.`);
        if (this.bytes + file.size > MOST_BYTES) {
          throw new Error(`${path}: ${size(file.size)}; expected at most ${size(MOST_BYTES)} of files in a page.`);
        }
        this.contents.set(path, new Uint8Array(await file.arrayBuffer()));
      }
    } catch (error) {
      this.onProblem(error.message);
    }
    this.onChange();
  }

  addText(path, text) {
    return this.add([[path, new Blob([text])]]);
  }

  remove(path) {
    this.contents.delete(path);
    this.onChange();
  }

  /** Take the files of an input element, and what is dropped on `zone`. */
  listen(input, zone) {
    input.addEventListener("change", async () => {
      await this.add(Array.from(input.files, (file) => [file.webkitRelativePath || file.name, file]));
      input.value = ""; // The same file can be chosen again.
    });
    const mark = (event, isOver) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      zone.classList.toggle("over", isOver);
    };
    zone.addEventListener("dragover", (event) => mark(event, true));
    zone.addEventListener("dragleave", (event) => mark(event, zone.contains(event.relatedTarget)));
    zone.addEventListener("drop", (event) => {
      mark(event, false);
      if (!event.dataTransfer.files.length) return;
      // Entries, which tell files from folders, are gone after the event.
      const entries = Array.from(event.dataTransfer.items, (item) => item.webkitGetAsEntry()).filter(Boolean);
      this.add(entries.length ? all(entries) : Array.from(event.dataTransfer.files, (file) => [file.name, file]));
    });
  }
}

async function* all(entries) {
  for (const entry of entries) yield* below(entry, "");
}
