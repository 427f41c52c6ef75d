// The tool that checks a run before it starts.

import { configure, files, given, pasted } from "./tool.mjs";
import { guess, nameOf } from "./roles.mjs";

const name = document.getElementById("pasted-name");
const chosen = new Map();
const LABELS = { run: "starts the run", packages: "lists packages", other: "read where named" };
let isNamed = false;

function roles(all) {
  const found = guess(all);
  chosen.forEach((role, path) => { if (found.has(path)) found.set(path, role); });
  return found;
}

function describe(path) {
  const select = document.createElement("select");
  select.setAttribute("aria-label", `What ${path} is`);
  const role = roles(given()).get(path);
  for (const [value, label] of Object.entries(LABELS)) {
    select.append(new Option(label, value, value === role, value === role));
  }
  select.addEventListener("change", () => chosen.set(path, select.value));
  return [select];
}

function details(all) {
  const count = Math.max(1, Number(document.getElementById("gpu-count").value) || 1);
  const gpu = document.getElementById("gpu").value;
  const packages = Array.from(document.querySelectorAll("[data-package]"), (field) => [field.dataset.package, field.value.trim()]);
  return {
    roles: Object.fromEntries(roles(all)),
    target: gpu && `${count}x${gpu}`,
    packages: Object.fromEntries(packages.filter(([, release]) => release)),
  };
}

name.addEventListener("input", () => { isNamed = name.value.trim() !== ""; });
pasted.addEventListener("input", () => { if (!isNamed) name.value = nameOf(pasted.value); });
document.getElementById("keep").addEventListener("click", async () => {
  if (!pasted.value.trim()) return;
  await files.addText(name.value.trim() || nameOf(pasted.value), pasted.value);
  pasted.value = name.value = "";
  isNamed = false;
  pasted.focus();
});

configure({ describe, details, forget: (path) => chosen.delete(path), pastedPath: () => name.value.trim() || nameOf(pasted.value) });
