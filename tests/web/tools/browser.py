"""A tool in Chromium, as a user works with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

#: Milliseconds that the engine may take to start on a machine that does much else.
PATIENCE = 240_000

#: Gives each field the value that it has in the file of the page, as a user would, and hides an answer.
_EMPTY = """() => {
  for (const field of document.querySelectorAll("form.tool :is(textarea, input:not([type=file]))")) {
    field.value = field.defaultValue;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
  for (const list of document.querySelectorAll("form.tool fieldset select")) list.selectedIndex = 0;
  document.getElementById("answer").hidden = true;
  document.getElementById("status").textContent = "";
}"""


class Tool:
    """A page with a tool, and what it asked for and complained about."""

    def __init__(self, chromium: Any, address: str, name: str, **options: Any) -> None:
        self.options = options
        self.context = chromium.new_context(permissions=["clipboard-read", "clipboard-write"], **options)
        self.requests: list[str] = []
        self.problems: list[str] = []
        self.context.on("request", lambda request: self.requests.append(request.url))
        self.page = self.context.new_page()
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("requestfailed", lambda request: self.problems.append(f"failed: {request.url}"))
        self.page.goto(f"{address}{name}/")

    def _console(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(message.text)

    def start(self) -> None:
        """Use the page for the first time, and wait until its engine has started."""
        self.page.focus("#pasted")
        self.status("vcompat is ready.")

    def empty(self) -> None:
        """Make the page as it was when it opened, except that its engine keeps running."""
        self.context.set_offline(False)
        self.page.emulate_media(color_scheme=self.options.get("color_scheme", "light"))
        self.page.set_viewport_size(self.options["viewport"])
        if self.page.is_visible("#stop"):
            self.page.click("#stop")
        while self.page.locator("#chosen button").count():
            self.page.click("#chosen button >> nth=0")
        self.page.evaluate(_EMPTY)
        self.problems.clear()

    @property
    def engine_requests(self) -> list[str]:
        return [url for url in self.requests if "/tools/engine" in url]

    def status(self, text: str) -> None:
        """Wait until the tool says `text`."""
        self.page.wait_for_selector(f'#status:has-text("{text}")', timeout=PATIENCE)

    def answer(self) -> Any:
        """Wait for an answer, save it as JSON, and return that."""
        self.page.wait_for_selector("form.tool:not(.running)", timeout=PATIENCE)
        self.status("The answer is below.")
        return json.loads(self.saved("#save-json"))

    def saved(self, button: str) -> str:
        with self.page.expect_download() as download:
            self.page.click(button)
        return Path(download.value.path()).read_text(encoding="utf-8")

    def drop(self, files: list[Path], onto: str) -> None:
        """Drop files as a user does who drags them from another window."""
        self.page.locator(onto).scroll_into_view_if_needed()
        box = self.page.locator(onto).bounding_box()
        session = self.context.new_cdp_session(self.page)
        data = {"items": [], "files": list(map(str, files)), "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            place = {"type": kind, "x": box["x"] + 5, "y": box["y"] + 5, "data": data}
            session.send("Input.dispatchDragEvent", place)

    def violations(self) -> str:
        """What axe reports; empty if it finds nothing."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page)
        return found.generate_report() if found.violations_count else ""

    def roles(self) -> list[str]:
        """The roles of the files in the list."""
        values = "Array.from(document.querySelectorAll('#chosen select'), select => select.value)"
        return list(self.page.evaluate(values))

    def width(self) -> int:
        return int(self.page.evaluate("document.documentElement.scrollWidth"))
