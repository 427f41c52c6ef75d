"""Reads the dependencies in setup.py and setup.cfg. setup.py is parsed, never run.

Lists of plain texts count, sums of such lists, and the table of dependencies that many projects keep: a list of
requirements from which others are taken by name, ``deps["trl"]`` or ``deps_list("trl", "vllm")``. Extras may not be
installed.
"""

from __future__ import annotations

import ast
import configparser
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from vcompat.facts.facts import Place
from vcompat.foundation.bounded_reading import MB, read_text
from vcompat.foundation.errors import InputError
from vcompat.foundation.syntax.blocks import parsed
from vcompat.foundation.syntax.terms import dotted, text_of
from vcompat.sources.reading.packages.platforms import Runtime
from vcompat.sources.reading.packages.requirements_txt import RequirementsReader
from vcompat.sources.reading.packages.stated_packages import Declared

_LIMIT = 2 * MB
_EXPECTED = "a setup file with install_requires as a list of requirements"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_DEEPEST = 20


class _Text(NamedTuple):
    text: str
    line: int


def read_setup_py(path: str, runtime: Runtime) -> Declared:
    """Return what ``install_requires`` and ``extras_require`` in a setup.py list.

    Raises InputError if it has nothing of both that can be read.
    """
    tree = parsed(read_text(path, _LIMIT, _EXPECTED))
    if tree is None:
        raise InputError(path, "not valid Python", _EXPECTED)
    module = _Module(tree)
    requirements = list(module.required())
    extras = list(module.optional())
    if not requirements and not extras:
        raise InputError(path, "no install_requires that can be read", _EXPECTED)
    declared = _entries(path, requirements, runtime)
    required = set(declared.entries)
    for extra, texts in extras:
        for package, entries in _entries(path, texts, runtime).entries.items():
            for entry in entries if package not in required else ():
                declared.add(entry._replace(applies=None, depends=f"the extra {extra}"))
    return declared


def _entries(path: str, texts: Iterable[_Text], runtime: Runtime) -> Declared:
    reader = RequirementsReader(runtime)
    for text, line in texts:
        reader.line(text.strip(), Place(path, line))
    return reader.declared()


def read_setup_cfg(path: str, runtime: Runtime) -> Declared:
    """Return what ``install_requires`` in a setup.cfg lists. Raises InputError if there is none."""
    text = read_text(path, _LIMIT, _EXPECTED)
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
        listed = parser.get("options", "install_requires", fallback="")
    except configparser.Error as error:
        raise InputError(path, f"not valid: {str(error).splitlines()[0]}", _EXPECTED) from None
    if not listed.strip():
        raise InputError(path, "no install_requires in [options]", _EXPECTED)
    reader = RequirementsReader(runtime)
    lines = text.splitlines()
    for each in filter(None, map(str.strip, listed.splitlines())):
        line = next((number for number, line in enumerate(lines, 1) if line.strip().endswith(each)), 0)
        reader.line(each, Place(path, line))
    return reader.declared()


class _Module:
    """The top level of a setup.py: the names that it assigns, and the call of ``setup``."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.values: dict[str, ast.expr] = {}
        for node in tree.body:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                self.values[node.targets[0].id] = node.value

    def required(self) -> Iterator[_Text]:
        """Yield the requirements of the package."""
        for value in self._arguments("install_requires"):
            yield from self._texts(value)

    def optional(self) -> Iterator[tuple[str, list[_Text]]]:
        """Yield the name and the requirements of each extra. A call that cannot be read may return all tables."""
        for value in self._arguments("extras_require"):
            for extra, listed in self._items(value):
                texts = list(self._texts(listed))
                yield extra, texts or list(self._tables() if isinstance(listed, ast.Call) else ())

    def _arguments(self, wanted: str) -> Iterator[ast.expr]:
        """Yield the values of a keyword in calls of ``setup``."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                if name == "setup":
                    yield from (keyword.value for keyword in node.keywords if keyword.arg == wanted)

    def _items(self, node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
        """Yield the constant keys and the values of a dict, also those that statements add to it by name."""
        table = self.values.get(node.id) if isinstance(node, ast.Name) else node
        if isinstance(table, ast.Dict):
            yield from (
                (text, value) for key, value in zip(table.keys, table.values, strict=True) if (text := text_of(key))
            )
        name = node.id if isinstance(node, ast.Name) else ""
        for added in (statement for statement in self.tree.body if name and isinstance(statement, ast.Assign)):
            for target in added.targets:
                if isinstance(target, ast.Subscript) and dotted(target.value) == name:
                    yield text_of(target.slice) or "", added.value

    def _tables(self) -> Iterator[_Text]:
        """Yield the requirements in the tables of the file."""
        for value in self.values.values():
            for part in value.elts if isinstance(value, ast.List | ast.Tuple) else ():
                text = text_of(part)
                if text is not None:
                    yield _Text(text, part.lineno)

    def _texts(self, node: ast.expr, depth: int = 0) -> Iterator[_Text]:
        if depth > _DEEPEST:
            return
        text = text_of(node)
        if text is not None:
            yield _Text(text, node.lineno)
        elif isinstance(node, ast.List | ast.Tuple):
            for part in node.elts:
                yield from self._texts(part, depth + 1)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            yield from self._texts(node.left, depth + 1)
            yield from self._texts(node.right, depth + 1)
        elif isinstance(node, ast.Name) and node.id in self.values:
            yield from self._texts(self.values[node.id], depth + 1)
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            yield from self._of_table(str(node.slice.value))
        elif isinstance(node, ast.Call) and not node.keywords:
            for name in filter(None, map(text_of, node.args)):
                yield from self._of_table(name)

    def _of_table(self, name: str) -> Iterator[_Text]:
        """Yield the requirement called `name` in one of the lists of the file."""
        for requirement in self._tables():
            match = _NAME.match(requirement.text)
            if match and match[0].lower() == name.lower():
                yield requirement
                return
