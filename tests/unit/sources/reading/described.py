"""Invocations as short texts, which tables of expected results can hold completely.

``?`` stands for UNKNOWN, ``??`` for UNKNOWN_WORDS.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.unit.sources.reading.marked_words import marked
from vcompat.sources.reading.invocation import Environment, Invocation, Others
from vcompat.sources.reading.word import Word


def shown(text: Word | None) -> str:
    """Return one word as a text without white space around it."""
    plain = str(text) if text is None else marked(text, words="??")
    return (
        plain if plain and plain.split() == [plain] and text is not None else "unset" if text is None else repr(plain)
    )


def described_invocations(invocations: Iterable[Invocation]) -> list[str]:
    """Return a line for each program: its words, place, folder, variables with their places, files, and remarks."""
    return [
        f"{' '.join(map(shown, one.words))} at {one.place} in {shown(one.folder)}"
        + _variables(one.environment)
        + "".join(f" {shown(path)}:{shown(text)}" for path, text in one.files.items())
        + (" &" if one.background else "")
        + (f" perhaps: {one.why_uncertain}" if one.why_uncertain else "")
        for one in invocations
    ]


def _variables(environment: Environment) -> str:
    listed = "".join(
        f" {name}={shown(value)}@{environment.places.get(name, 'none')}" for name, value in environment.values.items()
    )
    others = {Others.INHERITED: "", Others.UNSET: " only", Others.UNKNOWN: " open"}[environment.others]
    return listed + others + (f": {environment.why_open}" if environment.why_open else "")
