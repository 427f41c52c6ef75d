"""A word as its script spells it: ``~/.bashrc``, ``$HOME/run.sh``. What it stands for may not be known."""

from __future__ import annotations

import re

from vcompat.sources.reading.shell.tree.syntax import Node, children
from vcompat.sources.reading.word import Word, concat

#: The caller's own files and those of the machine, which no project contains.
_OF_THE_CALLER = re.compile(
    r"(~[^/]*|\$HOME|\$\{HOME\}|/etc|/usr|/opt|/lib)(/.*)?|(.*/)?\.(bashrc|bash_profile|profile|zshrc|zshenv)"
)


def spelled(word: Node) -> Word:
    """Return a word as it is written, without quotes; ``...`` for commands and calculations in it."""
    return concat(map(_part, children(word)))


def _part(part: Node) -> Word:
    kind = part["Type"]
    if kind in ("Lit", "SglQuoted"):
        text: Word = part["Value"]
        return text
    if kind == "DblQuoted":
        return spelled(part)
    if kind == "ParamExp":
        name = str(part["Param"]["Value"])
        return f"${name}" if part.keys() <= {"Type", "Param", "Short"} else f"${{{name}...}}"
    return "..."


def is_of_the_caller(name: str) -> bool:
    """Return whether a file, as it is spelled, belongs to the caller or to the machine."""
    return _OF_THE_CALLER.fullmatch(name) is not None
