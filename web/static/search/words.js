// Compares words as `vcompat diagnose` compares a failure that somebody describes: a word counts the more, the fewer
// pages have it.

const COMMON = new Set(("the a an and or of to in is are it be with on at by for not no from that this when as if its which than " +
  "then only does do can was were has have but more any one each other their all bug feature error issue fix how deep speed").split(" "));
const ENDINGS = ["izations", "ization", "ations", "ation", "ings", "ing", "ied", "ies", "ed", "es", "s", "ly"];
const OTHERS = new Set(["unsloth", "swift", "factory", "axolotl", "verl", "openrlhf"]);
const OF_TITLE = 1.5, LENGTH = 0.6, OF_FRAMEWORK = 2;

function withoutEnding(word) {
  const ending = ENDINGS.find((one) => word.endsWith(one) && word.length - one.length >= 4);
  return ending ? word.slice(0, -ending.length) : word;
}

/** The words of a text without their endings: those of an identifier, and itself. */
export function wordsIn(text) {
  const words = new Set();
  for (const word of text.match(/[A-Za-z0-9_]+(?:[-.][A-Za-z0-9]+)*/g) ?? []) {
    const parts = [word];
    if (/[_.-]/.test(word)) parts.push(...word.split(/[_.-]/));
    const humps = word.match(/[A-Z]?[a-z]{2,}|[A-Z]{3,}(?![a-z])/g) ?? [];
    if (humps.length > 1) parts.push(...humps);
    for (const part of parts) words.add(withoutEnding(part.toLowerCase()));
  }
  return [...words].filter((word) => word.length > 1 && !COMMON.has(word) && !/^\d+$/.test(word));
}

/** Pages by how well their words fit a text, the best first; those without a common word are left out. */
export function byWords(text, pages) {
  const asked = wordsIn(text);
  const times = new Map();
  for (const page of pages) for (const word of page.words) times.set(word, (times.get(word) ?? 0) + 1);
  const usual = pages.reduce((sum, page) => sum + page.length, 0) / Math.max(pages.length, 1);
  const weight = (word) => Math.log((pages.length + 1) / ((times.get(word) ?? 0) + 0.5)) * (OTHERS.has(word) ? OF_FRAMEWORK : 1);
  const part = text.trim().toLowerCase().replace(/\s+/g, " ");
  const found = [];
  for (const page of pages) {
    const words = new Set(page.words), head = new Set(page.head);
    let score = 0;
    for (const word of asked) if (words.has(word)) score += weight(word) * (head.has(word) ? OF_TITLE : 1);
    score /= 1 - LENGTH + LENGTH * page.length / usual;
    // Somebody who types a part of the title, or the id, means that page.
    if (part.length > 3 && (page.title.toLowerCase().includes(part) || page.id?.startsWith(part))) score += 100;
    if (score > 0) found.push({ page, score });
  }
  return found.sort((one, other) => other.score - one.score || (one.page.path < other.page.path ? -1 : 1));
}
