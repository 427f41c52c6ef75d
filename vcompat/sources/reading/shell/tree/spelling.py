"""A word as its script spells it: ``~/.bashrc``, ``$HOME/run.sh``. What it stands for may not be known."""

from __future__ import annotations

import re

from vcompat.sources.reading.shell.tree.nodes import DoubleQuoted, Literal, Parameter, Part, SingleQuoted, Written
from vcompat.sources.reading.word import Word, concat

#: The caller's own files and those of the machine, which no project contains.
_OF_THE_CALLER = re.compile(
    r"(~[^/]*|\$HOME|\$\{HOME\}|/etc|/usr|/opt|/lib)(/.*)?|(.*/)?\.(bashrc|bash_profile|profile|zshrc|zshenv)"
)


def spelled(word: Written | DoubleQuoted) -> Word:
    """Return a word as it is written, without quotes; ``...`` for commands and calculations in it."""
    return concat(map(_part, word.parts))


def _part(part: Part) -> Word:
    if isinstance(part, (Literal, SingleQuoted)):
        return part.text
    if isinstance(part, DoubleQuoted):
        return spelled(part)
    if isinstance(part, Parameter):
        return f"${part.name}" if part.is_plain else f"${{{part.name}...}}"
    return "..."


def is_of_the_caller(name: str) -> bool:
    """Return whether a file, as it is spelled, belongs to the caller or to the machine."""
    return _OF_THE_CALLER.fullmatch(name) is not None
