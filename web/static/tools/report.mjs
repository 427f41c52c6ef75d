// Shows a report of vcompat, which is a page of its own, in this page.

/** Copy a text; the button tells what became of it. */
export async function copy(button, text) {
  const label = (button.dataset.label ??= button.textContent);
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not copied: the browser does not allow it";
  }
  setTimeout(() => { button.textContent = label; }, 2000);
}

export function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Give a block of text a button that copies it. */
export function withCopyButton(block) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy-button";
  button.textContent = "Copy";
  button.addEventListener("click", () => copy(button, block.textContent.trimEnd()));
  const frame = document.createElement("div");
  frame.className = "copied";
  block.replaceWith(frame);
  frame.append(block, button);
}

/** Show the report `html` in `place`. Its style is in a file of the site: this page allows no other. */
export function show(place, html) {
  // Before it is parsed: this page allows neither elements nor attributes with a style. Texts have no plain quotes.
  const plain = html.replace(/<style>[^<]*<\/style>/g, "").replaceAll(' style="', ' data-style="');
  const report = new DOMParser().parseFromString(plain, "text/html").querySelector(".vcompat");
  const shown = document.importNode(report, true);
  for (const element of shown.querySelectorAll("[data-style]")) {
    element.style.cssText = element.dataset.style;
    delete element.dataset.style;
  }
  lower(shown);
  place.replaceChildren(shown);
  shown.querySelectorAll("pre").forEach(withCopyButton);
  // What is wide is scrolled by keyboard, too.
  shown.querySelectorAll("table, .log").forEach((part) => { part.tabIndex = 0; });
}

/** Make the headings of a report those of a section: the page has the first one. */
function lower(shown) {
  for (const level of [3, 2, 1]) {
    for (const heading of shown.querySelectorAll(`h${level}`)) {
      const lowered = document.createElement(`h${level + 1}`);
      lowered.className = `${heading.className} level-${level}`.trim();
      lowered.append(...heading.childNodes);
      heading.replaceWith(lowered);
    }
  }
}
