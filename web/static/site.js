// Adds a button that copies to each text that a reader is likely to copy. Pages are complete without it.

// The commands of a console session, without their prompts and output.
function commands(session) {
  return session.split("\n").filter((line) => line.startsWith("$ ")).map((line) => line.slice(2)).join("\n");
}

for (const block of document.querySelectorAll("pre.copy, .document pre")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy-button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    const text = block.closest(".highlight-console") ? commands(block.textContent) : block.textContent.trimEnd();
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not copied";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  const frame = document.createElement("div");
  frame.className = "copied";
  block.replaceWith(frame);
  frame.append(block, button);
}
