"""Reads the table ``tool.poetry.dependencies`` of a pyproject.toml, whose limits are poetry's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from packaging.version import InvalidVersion, Version

from vcompat.facts.facts import Place
from vcompat.sources.reading.document import Document

_TABLE = ("tool", "poetry", "dependencies")
#: The comparisons that pip and poetry share.
_COMPARISONS = ("<", ">", "=", "!", "~=")


def has_poetry_table(document: Document) -> bool:
    """Return whether the file declares dependencies for poetry."""
    return isinstance(document.get(*_TABLE), dict)


def poetry_lines(document: Document) -> Iterator[tuple[str, Place]]:
    """Yield the dependencies as lines of a requirements.txt, with their places. Optional ones are left out."""
    table = document.get(*_TABLE)
    for name, given in table.items() if isinstance(table, dict) else ():
        line = _line(str(name), given)
        if name != "python" and line:
            yield line, document.place(*_TABLE, name)


def _line(name: str, given: Any) -> str:
    """Return one dependency as pip writes it; its name alone if the limit is not one that pip has."""
    if isinstance(given, str):
        return f"{name}{_limit(given)}"
    if not isinstance(given, dict):
        return name
    if given.get("optional") is True:
        return ""
    marker = f"; {given['markers']}" if "markers" in given else ""
    location = str(given.get("url") or "")
    if "git" in given:
        revision = str(given.get("tag") or given.get("rev") or given.get("branch") or "")
        location = f"git+{given['git']}" + (f"@{revision}" if revision else "")
    if location:
        return f"{name} @ {location} {marker}"
    return f"{name}{_limit(str(given.get('version', '*')))}{marker}" if "path" not in given else ""


def _limit(text: str) -> str:
    """Return poetry's limit as a specifier of pip; empty if it limits nothing, or in a way that pip has not."""
    parts = [_part(part.strip()) for part in text.split(",")]
    return "" if "||" in text or None in parts else ",".join(part for part in parts if part)


def _part(text: str) -> str | None:
    if text in ("", "*"):
        return ""
    if text.startswith(_COMPARISONS):
        return text.replace(" ", "")
    try:
        version = Version(text.lstrip("^~ ").removesuffix(".*"))
    except InvalidVersion:
        return None
    if text.startswith("^"):
        return f">={version},<{_next(version, _first_not_zero(version.release))}"
    if text.startswith("~"):
        return f">={version},<{_next(version, min(1, len(version.release) - 1))}"
    return f"=={text}"


def _first_not_zero(release: tuple[int, ...]) -> int:
    """Return the position of the part that a caret keeps: the first that is not 0, else the last one."""
    return next((index for index, part in enumerate(release) if part), len(release) - 1)


def _next(version: Version, kept: int) -> str:
    """Return the first version after all those that share the parts of `version` up to the one at `kept`."""
    release = version.release[: kept + 1]
    return ".".join(map(str, (*release[:-1], release[-1] + 1)))
