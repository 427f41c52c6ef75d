"""Pages as a browser reads them: elements, attributes and text; all elements must be closed."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, Any]]] = []
        self.text = ""
        self.scripts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "script" in self.open:
            self.scripts.append(data)
        elif "style" not in self.open:
            self.text += data


def parsed(text: str) -> Tags:
    page = Tags()
    page.feed(text)
    assert page.open == []
    return page
