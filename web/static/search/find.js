// Finds the pages for a pasted text: rules whose symptoms it shows, as `vcompat diagnose` finds them, then pages that
// share its words. It has no facts of the run, so it orders by the text alone.

import { failuresIn, read, stoppedIn, telling } from "./text.js";
import { byWords } from "./words.js";

const MOST_MATCHES = 50, MOST_FOUND = 20;
const QUIET = new Set(["TRACE", "DEBUG", "INFO"]);
const compiled = new Map();

function expression(source, flags = "") {
  const key = `${flags}/${source}`;
  if (!compiled.has(key)) compiled.set(key, new RegExp(source, flags));
  return compiled.get(key);
}

/** What a pasted text is: its lines, its whole text, the place where each line starts, and its failures. */
function understood(pasted) {
  const lines = read(pasted);
  const starts = [];
  let length = 0;
  for (const { text } of lines) {
    starts.push(length);
    length += text.length + 1;
  }
  return { lines, starts, text: lines.map(({ text }) => text).join("\n"), failures: failuresIn(lines) };
}

function lineAt(starts, position) {
  let low = 0, high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= position) low = middle;
    else high = middle;
  }
  return low;
}

/** Whether a match in a line is a sign of the rule: by its level, what must not be there, and the traceback's frames. */
function counts(symptom, page, given, number, failure) {
  if (!failure && page.ends && !symptom.anyLevel && QUIET.has(given.lines[number].level)) return false;
  const inside = failure
    ? given.lines.slice(failure.first, failure.last + 1).map(({ text }) => text).join("\n")
    : given.text;
  if (symptom.unless && expression(...symptom.unless).test(inside)) return false;
  const frames = telling(inside);
  if (!frames.length) return true;
  if (symptom.frames && !frames.some((path) => symptom.frames.some((place) => path.includes(place)))) return false;
  return !symptom.raised || symptom.raised.some((place) => frames.at(-1).includes(place));
}

/** The best match of a symptom: rather one in an error's message than one in a line of code. */
function best(symptom, page, given) {
  let found = null, tries = 0;
  for (const match of given.text.matchAll(expression(symptom.pattern, `g${symptom.flags ?? ""}`))) {
    if ((tries += 1) > MOST_MATCHES) break;
    const number = lineAt(given.starts, Math.max(match.index, match.index + match[0].length - 1));
    const failure = given.failures.find(({ first, last }) => first <= number && number <= last) ?? null;
    if (!counts(symptom, page, given, number, failure)) continue;
    const place = { failure, number, inMessage: !failure || failure.cause < 0 || number >= failure.cause, match: match[0] };
    if (!found || (place.inMessage && !found.inMessage)) found = place;
    if (found.inMessage) break;
  }
  return found ?? wrapped(symptom, page, given);
}

/** A match in a message that a terminal has wrapped between words or within one. */
function wrapped(symptom, page, given) {
  if (symptom.pattern.includes("[\\s\\S]") || symptom.flags?.includes("s")) return null;
  for (const failure of given.failures) {
    if (failure.cause < 0) continue;
    const message = given.lines.slice(failure.cause, Math.min(failure.last + 1, failure.cause + 6)).map(({ text }) => text);
    for (const line of [message.map((text) => text.trim()).join(" "), message.join("")]) {
      const match = message.length > 1 && expression(symptom.pattern, symptom.flags).exec(line);
      if (match && counts(symptom, page, given, failure.cause, failure)) {
        return { failure, number: failure.cause, inMessage: true, match: match[0] };
      }
    }
  }
  return null;
}

/** Sort keys: causes before consequences, then as the ranking of diagnose orders rules without facts. */
function keys({ page, symptom, place }) {
  return [
    symptom.common ? 1 : 0,
    place.failure ? 0 : 1,
    place.failure?.first ?? place.number,
    place.inMessage ? 0 : 1,
    place.failure && !page.ends ? 1 : 0,
    -(symptom.pattern ?? "").length,
    page.severity,
    -page.references.length,
  ];
}

function compared(one, other) {
  const [left, right] = [keys(one), keys(other)];
  const at = left.findIndex((value, index) => value !== right[index]);
  if (at >= 0) return left[at] - right[at];
  return one.page.id < other.page.id ? -1 : 1;
}

/** Rules of which the text shows a symptom, the likeliest first. */
export function bySymptoms(pasted, pages) {
  const given = understood(pasted);
  const found = [];
  for (const page of pages) {
    const matches = (page.symptoms ?? [])
      .filter((symptom) => symptom.pattern)
      .map((symptom) => ({ page, symptom, place: best(symptom, page, given) }))
      .filter(({ place }) => place)
      .sort(compared);
    if (matches.length) found.push(matches[0]);
  }
  found.sort(compared);
  return found.length ? found : byStop(given, pages);
}

/** Rules whose failure is raised where a traceback was cut off before its error. */
function byStop(given, pages) {
  const stopped = given.failures.at(-1)?.cause >= 0 ? null : stoppedIn(given.text);
  if (!stopped) return [];
  return pages.flatMap((page) => (page.symptoms ?? [])
    .filter(({ stops }) => stops && stopped.path.endsWith(stops.split(":")[0]) && stopped.name === stops.split(":")[1])
    .map((symptom) => ({ page, symptom, place: { failure: null, number: 0, inMessage: true, match: symptom.stops } })));
}

/** Rules that cite a thread whose address the text has. */
function byThread(pasted, pages) {
  const threads = [...pasted.matchAll(/github\.com\/([\w.-]+\/[\w.-]+)\/(?:issues|pull)\/(\d+)/gi)]
    .map(([, repository, number]) => `${repository}/${number}`.toLowerCase());
  const cited = (address) => address.toLowerCase().replace(/^.*github\.com\//, "").replace(/(?:issues|pull)\//, "");
  return pages.filter((page) => page.references?.some((address) => threads.includes(cited(address))));
}

/** The pages for a text, the best first: `page`, and `why` it was found: the part of the text, a thread, or words. */
export function find(pasted, pages) {
  if (!pasted.trim()) return [];
  const exact = bySymptoms(pasted, pages).map(({ page, place }) => ({ page, why: "text", match: place.match }));
  const cited = exact.length ? [] : byThread(pasted, pages).map((page) => ({ page, why: "thread" }));
  const words = byWords(pasted.slice(-4000), pages).map(({ page }) => ({ page, why: "words" }));
  const seen = new Set();
  return [...exact, ...cited, ...words].filter(({ page }) => !seen.has(page.path) && seen.add(page.path)).slice(0, MOST_FOUND);
}
