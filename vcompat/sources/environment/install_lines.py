"""Reads `pip install` in notebooks, launch scripts and Dockerfiles, and the dependencies in a script (PEP 723).

Of several commands the last one counts for a package. A command in a condition might not run. A command that pip
resolves can change what earlier ones have installed: then a version is likely.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from vcompat.facts.facts import Place
from vcompat.foundation.errors import InputError
from vcompat.foundation.reading import MB, read_text
from vcompat.sources.environment.platforms import Platforms, Runtime
from vcompat.sources.environment.requirement import entry_of
from vcompat.sources.environment.stated import Declared, Entry, package_of

_LIMIT = 5 * MB
_INSTALL = re.compile(
    r"(?P<indent>\s*)(?:RUN\s+)?(?:.*(?:&&|;)\s*)?[!%]?\s*(?:python\S*\s+-m\s+)?(?:uv\s+)?pip3?\s+install\s+(?P<words>.*)"
)
#: Options of pip and uv that take a value.
_VALUED = frozenset(
    "-r --requirement -c --constraint -i --index-url --extra-index-url -f --find-links -t --target --torch-backend "
    "--python -p --prefix --root --index --default-index --index-strategy --prerelease".split()
)
_BLOCK = re.compile(r"(?m)^# /// script\s*$\n(?P<body>(?:^#(?:| .*)$\n)+?)^# ///\s*$")


class Installed(NamedTuple):
    """What the commands of one file install."""

    declared: Declared
    loosely: frozenset[str]
    """The packages whose version a later command of pip can have changed."""


class _Line(NamedTuple):
    text: str
    place: Place


def read_installs(path: str, runtime: Runtime) -> Installed | None:
    """Return what a notebook, launch script or Dockerfile installs with pip; None if it installs nothing.

    Raises InputError if the file cannot be read.
    """
    latest: dict[str, Entry] = {}
    perhaps: list[Entry] = []
    loosely: set[str] = set()
    platforms = Platforms(runtime)
    for line in _commands(path):
        match = _INSTALL.match(line.text)
        if match is None:
            continue
        words = _words(match["words"])
        entries = [entry for word in _requirements(words) if (entry := entry_of(word, line.place, platforms))]
        if "--no-deps" not in words:
            loosely |= latest.keys()
        for entry in entries:
            package = package_of(entry.distribution) or ""
            if match["indent"]:
                perhaps.append(entry._replace(applies=None, depends="a condition"))
            else:
                latest[package] = entry
                loosely.discard(package)
    if not latest and not perhaps:
        return None
    declared = Declared()
    for entry in (*latest.values(), *perhaps):
        declared.add(entry)
    return Installed(declared, frozenset(loosely))


def read_block(path: str, runtime: Runtime) -> Declared | None:
    """Return what the block ``# /// script`` of a script requires; None if it has none.

    Raises InputError if the file cannot be read, or the block is not valid.
    """
    text = read_text(path, _LIMIT, "a script")
    match = _BLOCK.search(text)
    if match is None:
        return None
    import tomli

    try:
        table = tomli.loads("\n".join(line.removeprefix("#").removeprefix(" ") for line in match["body"].splitlines()))
    except (tomli.TOMLDecodeError, RecursionError):
        raise InputError(path, "the block '# /// script' is not valid TOML", "dependencies as in PEP 723") from None
    listed, platforms = table.get("dependencies"), Platforms(runtime)
    lines = text.splitlines()
    declared = Declared()
    for each in listed if isinstance(listed, list) else ():
        number = next((number for number, line in enumerate(lines, 1) if f'"{each}"' in line or f"'{each}'" in line), 0)
        entry = entry_of(str(each), Place(path, number), platforms)
        if entry is not None:
            declared.add(entry)
    return declared


def _commands(path: str) -> Iterator[_Line]:
    """Yield the lines of code of a file, joined at backslashes."""
    if path.endswith(".ipynb"):
        from vcompat.sources.plan.notebook_file import read_cells

        for cell in read_cells(path):
            yield from _joined(
                _Line(text, Place(path, at)) for text, at in zip(cell.lines, cell.positions, strict=True)
            )
        return
    lines = read_text(path, _LIMIT, "a file with commands").splitlines()
    yield from _joined(_Line(text, Place(path, number)) for number, text in enumerate(lines, 1))


def _joined(lines: Iterable[_Line]) -> Iterator[_Line]:
    held: _Line | None = None
    for line in lines:
        held = line if held is None else held._replace(text=held.text + " " + line.text.strip())
        if held.text.rstrip().endswith("\\"):
            held = held._replace(text=held.text.rstrip()[:-1].rstrip())
            continue
        yield held
        held = None
    if held is not None:
        yield held


def _words(text: str) -> list[str]:
    """Return the words of one command, up to what begins the next one."""
    try:
        words = shlex.split(text, comments=True)
    except ValueError:
        words = text.split()
    ends = [index for index, word in enumerate(words) if word in ("&&", "||", "|", ";")]
    return words[: ends[0]] if ends else words


def _requirements(words: list[str]) -> Iterator[str]:
    """Yield the requirements among the words of a command."""
    skip = False
    for word in words:
        if skip or word.startswith("-"):
            skip = not skip and word in _VALUED
            continue
        yield word.rstrip(";")
