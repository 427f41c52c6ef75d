// A page with one tool: takes files, asks the engine, shows the answer.

import { Engine } from "./client.mjs";
import { Files, size } from "./files.mjs";
import { copy, save, show } from "./report.mjs";

const form = document.querySelector("form.tool");
const part = (name) => document.getElementById(name);
const root = new URL(document.body.dataset.root || "./", location.href);

const progress = part("progress");
const engine = new Engine(new URL("tools/engine.json", root).href, (state) => {
  if (state.starting) tell("Starting vcompat …");
  if (state.all) {
    progress.max = state.all;
    progress.value = state.loaded;
    tell(`Loading vcompat: ${(state.loaded / 1e6).toFixed(1)} of ${(state.all / 1e6).toFixed(1)} MB`);
  }
});
let isRunning = false;

export const pasted = part("pasted");
export const files = new Files(() => list(), (problem) => tell(problem, true));

function tell(text, isProblem = false) {
  const status = part("status");
  if (status.textContent === text) return;
  status.textContent = text;
  status.classList.toggle("problem", isProblem);
}

/** Begin to load the engine, so that it is there when the user is ready. */
function begin() {
  if (engine.ready) return;
  progress.hidden = false;
  progress.removeAttribute("value");
  tell("Loading vcompat …");
  engine.start().then(
    () => { if (!isRunning) tell("vcompat is ready."); },
    (error) => tell(error.message, true),
  ).finally(() => { progress.hidden = true; });
  navigator.serviceWorker?.register(new URL("offline.js", root)).catch(() => {});
}

/** What a page says besides of each file: elements for its line in the list. */
let describe = () => [];
/** What a page adds to a request, given all its files by path. */
let details = () => ({});
/** What a page does about a file that the user takes out of the list. */
let forget = () => {};
/** The path of a pasted text. */
let pastedPath = () => "log.txt";

export function configure(page) {
  ({ describe = describe, details = details, forget = forget, pastedPath = pastedPath } = page);
  list();
}

/** Return all files, with the pasted text as one. */
export function given() {
  const all = new Map(files.contents);
  if (pasted.value.trim()) all.set(pastedPath(), new TextEncoder().encode(pasted.value));
  return all;
}

function list() {
  part("chosen").replaceChildren(...[...files.contents].map(([path, content]) => {
    const line = document.createElement("li");
    const name = document.createElement("span");
    name.className = "path";
    name.textContent = `${path} (${size(content.length)})`;
    const remove = document.createElement("button");
    remove.type = "button";
    remove.textContent = "Remove";
    remove.setAttribute("aria-label", `Remove ${path}`);
    remove.addEventListener("click", () => {
      forget(path);
      files.remove(path);
      part("files").focus();
    });
    line.append(name, ...describe(path), remove);
    return line;
  }));
  if (files.contents.size) begin();
}

async function run(command) {
  const all = given();
  if (!all.size) {
    tell(form.dataset.nothing, true);
    pasted.focus();
    return null;
  }
  begin();
  isRunning = true;
  form.classList.add("running");
  part("stop").hidden = false;
  try {
    await engine.start();
    tell(form.dataset.reading);
    return await engine.ask({ command, files: Object.fromEntries(all), ...details(all) });
  } catch (error) {
    tell(error.message, true);
    return null;
  } finally {
    isRunning = false;
    form.classList.remove("running");
    part("stop").hidden = true;
  }
}

let last = null;

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (isRunning) return;
  const answer = await run(form.dataset.command);
  if (!answer) return;
  part("answer").hidden = !answer.html;
  if (!answer.html) {
    tell(answer.message || "vcompat gives no answer.", true);
    return;
  }
  last = answer;
  tell("The answer is below.");
  part("command").textContent = answer.command;
  part("upstream")?.replaceChildren();
  show(part("report"), answer.html);
  part("answer").focus();
  part("answer").scrollIntoView({ block: "start" });
});

part("stop").addEventListener("click", () => engine.stop("Stopped."));
part("copy-markdown").addEventListener("click", (event) => copy(event.target, last.markdown));
part("copy-command").addEventListener("click", (event) => copy(event.target, last.command));
part("save").addEventListener("click", () => save(`vcompat-${form.dataset.command}.html`, "text/html", last.html));
part("save-json").addEventListener("click", () => save(`vcompat-${form.dataset.command}.json`, "application/json", last.json));
part("show-upstream")?.addEventListener("click", async () => {
  const answer = isRunning ? null : await run("report");
  if (!answer) return;
  tell(answer.markdown ? "Read the report before you send it: names in your own messages may remain." : answer.message, !answer.markdown);
  const text = document.createElement("pre");
  text.tabIndex = 0;
  text.textContent = answer.markdown;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy the report";
  button.addEventListener("click", () => copy(button, answer.markdown));
  part("upstream").replaceChildren(button, text);
  button.focus();
});
form.addEventListener("focusin", (event) => { if (event.target.matches("textarea, button, input")) begin(); });
pasted.addEventListener("input", begin);
files.listen(part("files"), form);
