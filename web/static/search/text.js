// Reads a pasted text as `vcompat diagnose` reads a log: lines without what loggers put before them, and its failures.

const LEVELS = "TRACE|DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL";
// What launchers and loggers write before a line, one after the other.
const PREFIXES = [
  /^\s{0,4}(?:\[(?:rank|default)\d+\]:\s?|\([\w.:<>-]{1,80}(?:,? \w{1,20}=[\w.:-]{1,80}){0,4}?,? pid=\d+(?:, ip=[\w.:]+)?\)\s?|\(pid=\d+[^)]*\)\s?|\d{1,5}: (?=\S|\s{2})|[\w.-]{1,60}-\d{1,5} +\| )/,
  /^(?:> )+/,
  new RegExp(`^(?:${LEVELS}) \\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)? \\[?[\\w./-]+:\\d+\\] ?`),
  new RegExp(`^\\[(?:${LEVELS})[|:][^\\]]{1,120}\\](?: [\\d-]+ \\d\\d:\\d\\d:\\d\\d\\S*)?(?: [\\w.-]{1,120}:\\d{1,6})?(?: >>)? ?`),
  new RegExp(`^\\[?\\d{4}[-/]\\d\\d[-/]\\d\\d[T ]\\d\\d:\\d\\d:\\d\\d\\S*\\]?(?:(?:(?: - |: ?| )\\[?[^\\s:\\]]{1,80}\\]?){0,5}?(?: - |: ?| )\\[?(?:${LEVELS})\\]?(?: - |: ?| |$)|[ :-])`),
  /^\[?[DIWEF]\d{3,4} \d\d:\d\d:\d\d(?:\.\d+)?(?: +\d+)? [\w./-]+:\d+\] ?/,
  new RegExp(`^(?:${LEVELS})(?::[\\w.]{1,80}:|:\\s{1,6})`),
];
const LEVEL = new RegExp(`\\b(${LEVELS})\\b`);
const COLORS = /\x1b\[[0-9;]*[A-Za-z]/g;

/** The lines of a text: their text without prefixes, and the level that a prefix states. */
export function read(text) {
  return text.replace(COLORS, "").split(/\r?\n/).map((line) => {
    let rest = line, level = "";
    for (let round = 0; round < 4; round += 1) {
      const found = PREFIXES.map((prefix) => prefix.exec(rest)).find(Boolean);
      if (!found) break;
      level = LEVEL.exec(found[0])?.[1] ?? level;
      rest = rest.slice(found[0].length);
    }
    return { text: rest, level };
  });
}

const ERROR = /^(?:[A-Za-z_][\w.]*\.)?[A-Za-z_]\w*(?:Error|Exception|Interrupt|Exit|Warning|Refused|Failure|Timeout|Death)\w*(?::|$)/;
const CHAINED = /^(?:During handling of the above exception|The above exception was the direct cause)/;

/**
 * The failures of a text: tracebacks with the errors at their ends, and lines that are errors. Each has its first and
 * last line, and `cause`, the line of its first error, from which a chain of tracebacks follows.
 */
export function failuresIn(lines) {
  const found = [];
  let open = null, chained = false;
  lines.forEach(({ text }, number) => {
    if (/^\s*Traceback \(most recent call last\)/.test(text)) {
      if (!chained || !open) found.push(open = { first: number, last: number, cause: -1, traceback: true });
      chained = false;
      open.inside = true;
    } else if (CHAINED.test(text) && open) {
      chained = true;
    } else if (open?.inside && /^\S/.test(text) && !/^(?:File|\[Previous)/.test(text)) {
      if (open.cause < 0) open.cause = number;
      open.inside = false;
    } else if (ERROR.test(text) && !open?.inside) {
      found.push(open = { first: number, last: number, cause: number, traceback: false, inside: false });
    }
    if (open) open.last = number;
  });
  return found;
}

const FRAME = /\bFile "([^"\n]+)"|^[ \t]*File (\S+?\.py):\d+/gm;
const ANYONES = /(?:^|\/)torch\/|\/python3[\d.]*\/(?!(?:site|dist)-packages\/)|^</;

/** The files of the frames in a text that are neither torch's nor the standard library's. */
export function telling(text) {
  return [...text.matchAll(FRAME)]
    .map(([, quoted, plain]) => (quoted ?? plain).replaceAll("\\", "/"))
    .filter((path) => !ANYONES.test(path));
}

/** The file and the function of the last frame that tells; null if there is none. */
export function stoppedIn(text) {
  const frames = [...text.matchAll(/\bFile "([^"\n]+)", line \d+, in (\w+)/g)].filter(([, path]) => !ANYONES.test(path));
  const last = frames.at(-1);
  return last ? { path: last[1].replaceAll("\\", "/"), name: last[2] } : null;
}
