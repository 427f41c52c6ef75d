// The page of the search: reads the index when it is needed, and shows what is found.

import { find } from "./find.js";
import "./form.js";

const root = document.body.dataset.root;
const field = document.querySelector("#q"), status = document.querySelector("#status");
const results = document.querySelector("#results");
const WHY = { text: "has this text", thread: "cites this thread", words: "shares words" };
let index = null;

async function pages() {
  index ??= fetch(`${root}search.json`).then((answer) => answer.json());
  return (await index).pages;
}

function shown({ page, why, match }) {
  const item = document.createElement("li"), link = document.createElement("a"), text = document.createElement("p");
  link.href = root + page.path;
  link.textContent = page.title;
  text.textContent = page.text;
  const reason = document.createElement("p");
  reason.className = "soft";
  reason.textContent = WHY[why];
  if (match) {
    const code = document.createElement("code");
    code.textContent = match.length > 160 ? `${match.slice(0, 159)}…` : match;
    reason.append(": ", code);
  }
  item.append(link, text, reason);
  return item;
}

async function search() {
  const asked = field.value;
  if (!asked.trim()) {
    results.replaceChildren();
    status.textContent = "";
    return;
  }
  const found = find(asked, await pages());
  if (asked !== field.value) return;
  results.replaceChildren(...found.map(shown));
  const exact = found.filter(({ why }) => why !== "words").length;
  status.textContent = exact
    ? `${exact} ${exact === 1 ? "page has" : "pages have"} this error.`
    : found.length ? "No page has this error. These pages share words with it." : "Nothing found.";
}

let waiting;
field.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(search, 200);
});
field.form.addEventListener("submit", (event) => {
  event.preventDefault();
  history.replaceState(null, "", `?q=${encodeURIComponent(field.value.slice(0, 1500))}`);
  search();
});
field.value = new URLSearchParams(location.search).get("q") ?? "";
search();
