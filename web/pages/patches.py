"""The page of the patches: what each does, why, how, in which processes, and the rules that name it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module

from vcompat.patches import load_patches, patch_module
from web import knowledge
from web.page import Page

#: The paragraphs of a patch's docstring.
_PARTS = re.compile(r"^(Why|How|Process|Upstream|Remove when): ", re.MULTILINE)


def pages() -> Iterator[Page]:
    """Yield the page."""
    rules = knowledge.rules()
    patches = []
    for patch in load_patches():
        text = inspect.getdoc(import_module(patch_module(patch.id))) or ""
        naming = [rule for rule in rules if any(fix.details.get("patch") == patch.id for fix in rule.fixes)]
        patches.append((patch, _parts(text), naming))
    yield Page(
        "patches",
        "patches.html",
        f"{len(patches)} patches of TRL, vLLM and others",
        "What vcompat.patch() changes at run time in TRL, vLLM, transformers, PEFT and DeepSpeed, why, and how.",
        {"patches": patches, "name_of": knowledge.name_of},
    )


def _parts(text: str) -> list[tuple[str, str]]:
    """Return the paragraphs after the first line: what each is about, and its text."""
    pieces = _PARTS.split(text)
    return [(pieces[at], " ".join(pieces[at + 1].split())) for at in range(1, len(pieces) - 1, 2)]
