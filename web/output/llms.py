"""``llms.txt``: what the site has, for language models: a line of Markdown for each page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vcompat.foundation.addresses import SITE
from vcompat.rules.rule import COMPONENTS
from web import knowledge
from web.page import UNLISTED, Page


def write(folder: Path, pages: Sequence[Page]) -> None:
    """Write the file into the folder of the site."""
    rules = knowledge.rules()
    lines = [
        "# vcompat",
        "",
        "> Known failures of GRPO training with TRL and vLLM in the same processes: their error texts, the affected "
        "releases as measured in every upstream release, and fixes.",
        "",
        "`vcompat check` evaluates these rules against a run before its launch, and `vcompat diagnose` finds them in a "
        "log. A page's title is the failure; it has fixes, affected releases, error texts and how they were measured.",
        "",
        "## Pages",
        "",
    ]
    lines += [_line(page) for page in pages if page.name.count("/") == 0 and page.name not in UNLISTED]
    for component in COMPONENTS:
        members = [rule for rule in rules if rule.component == component]
        if members:
            lines += ["", f"## Failures: {knowledge.NAMES[component]}", ""]
            lines += [f"- [{rule.title}]({SITE}{knowledge.name_of(rule)}/): {rule.summary}" for rule in members]
    (folder / "llms.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


def _line(page: Page) -> str:
    return f"- [{page.title}]({SITE}{page.name}/): {page.description}"
