"""Programs that a project declares: names that stand for a function of one of its modules."""

from __future__ import annotations

import ast
import configparser
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from vcompat.foundation.bounded_reading import MB, read_text
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.invocation import Invocation
from vcompat.sources.reading.project import top_of

_LARGEST = MB
_TARGET = re.compile(r"([A-Za-z_][\w.]*):([A-Za-z_][\w.]*)")


class Programs:
    """Finds the programs of projects. The files of each are read once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Mapping[str, str]] = {}

    def around(self, invocation: Invocation) -> Mapping[str, str]:
        """Return the programs of the projects around an invocation: the module and function of each name."""
        folder = invocation.folder if isinstance(invocation.folder, str) else ""
        beside = os.path.dirname(invocation.place.path)
        if (beside, folder) not in self._found:
            self._found[beside, folder] = _around(beside, folder)
        return self._found[beside, folder]


def _around(beside: str, folder: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for project in sorted({top_of(beside), top_of(folder), folder or "."} - {""}):
        for name, target in declared(project).items():
            # Of two projects with one name, neither is certain.
            found[name] = target if found.get(name, target) == target else ""
    return {name: target for name, target in found.items() if target}


def code_of(target: str) -> str:
    """Return the code that a program runs which stands for the function `target`."""
    module, _, function = target.partition(":")
    return f"from {module} import {function.partition('.')[0]}\n{function}()\n"


def declared(project: str) -> dict[str, str]:
    """Return the programs that the files of a project declare; none if they cannot be read."""
    found: dict[str, str] = {}
    for name, read in (("pyproject.toml", _of_pyproject), ("setup.cfg", _of_setup_cfg), ("setup.py", _of_setup_py)):
        path = os.path.join(project, name)
        if os.path.isfile(path):
            try:
                found |= dict(read(read_text(path, _LARGEST, "a project's file")))
            except (InputError, ValueError, RecursionError, MemoryError, configparser.Error, SyntaxError):
                continue
    return {name: target for name, target in found.items() if _TARGET.fullmatch(target)}


def _of_pyproject(text: str) -> Iterator[tuple[str, str]]:
    # Imported here: most commands start no program of the project.
    import tomli

    table = tomli.loads(text)
    tools = table.get("tool")
    poetry = tools.get("poetry") if isinstance(tools, dict) else None
    for section in (table.get("project"), poetry):
        scripts: Any = section.get("scripts") if isinstance(section, dict) else None
        for name, target in scripts.items() if isinstance(scripts, dict) else ():
            if isinstance(target, str):
                yield name, target.replace(" ", "")


def _of_lines(lines: object) -> Iterator[tuple[str, str]]:
    """Yield the programs of lines such as ``name = module:function [extra]``."""
    listed = lines.splitlines() if isinstance(lines, str) else lines
    for line in listed if isinstance(listed, list | tuple) else ():
        name, equals, target = str(line).partition("=")
        if equals:
            yield name.strip(), target.partition("[")[0].replace(" ", "").strip()


def _of_setup_cfg(text: str) -> Iterator[tuple[str, str]]:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text)
    yield from _of_lines(parser.get("options.entry_points", "console_scripts", fallback=""))


def _of_setup_py(text: str) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.keyword) and node.arg == "entry_points":
            given = ast.literal_eval(node.value)
            if isinstance(given, dict):
                yield from _of_lines(given.get("console_scripts"))
