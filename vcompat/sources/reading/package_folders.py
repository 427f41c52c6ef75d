"""The folders in which a project declares its packages: in pyproject.toml, setup.cfg or setup.py, which is not run."""

from __future__ import annotations

import ast
import configparser
import os
from collections.abc import Iterator, Mapping
from typing import Any

from vcompat.foundation.bounded_reading import MB, read_text
from vcompat.foundation.errors import InputError

_LARGEST = MB
#: Functions of setuptools whose first argument is the folder that contains packages.
_FINDERS = frozenset({"find_packages", "find_namespace_packages"})


def declared_folders(project: str) -> tuple[str, ...]:
    """Return the folders below `project` from which its packages are imported, as declared; none if nothing is."""
    found: list[str] = []
    for name, read in (("pyproject.toml", _of_pyproject), ("setup.cfg", _of_setup_cfg), ("setup.py", _of_setup_py)):
        path = os.path.join(project, name)
        if os.path.isfile(path):
            try:
                found += read(read_text(path, _LARGEST, "a project's file"))
            except (InputError, ValueError, RecursionError, MemoryError, configparser.Error, SyntaxError):
                # What cannot be read declares nothing here.
                continue
    plain = (os.path.normpath(folder) for folder in found if not os.path.isabs(folder))
    return tuple(dict.fromkeys(folder for folder in plain if folder != "." and not folder.startswith("..")))


def _of_pyproject(text: str) -> Iterator[str]:
    # Imported here: most scripts find their modules without it.
    import tomli

    tools = _table(tomli.loads(text), "tool")
    setuptools = _table(tools, "setuptools")
    yield from _of_package_dir(setuptools.get("package-dir"))
    yield from _texts(_table(setuptools, "packages", "find").get("where"))
    wheel = _table(tools, "hatch", "build", "targets", "wheel")
    yield from (os.path.dirname(path) for path in _texts(wheel.get("packages")))
    sources = wheel.get("sources")
    yield from (
        _texts(sources) if not isinstance(sources, dict) else (key for key, value in sources.items() if not value)
    )
    packages = _table(tools, "poetry").get("packages")
    for package in packages if isinstance(packages, list) else []:
        yield from _texts(package.get("from") if isinstance(package, dict) else None)
    yield from _texts(_table(tools, "pdm", "build").get("package-dir"))
    yield from _texts(_table(tools, "maturin").get("python-source"))


def _table(table: Mapping[str, Any], *keys: str) -> Mapping[str, Any]:
    """Return the table below `keys`; an empty one if there is none."""
    for key in keys:
        inner = table.get(key)
        table = inner if isinstance(inner, dict) else {}
    return table


def _texts(value: object) -> Iterator[str]:
    values = value if isinstance(value, list) else [value]
    yield from (one for one in values if isinstance(one, str))


def _of_package_dir(value: object) -> Iterator[str]:
    """Yield the folders of a mapping of packages to folders; the empty name stands for all packages."""
    for package, folder in value.items() if isinstance(value, dict) else ():
        if isinstance(folder, str) and isinstance(package, str):
            if not package:
                yield folder
            elif os.path.basename(folder) == package:
                yield os.path.dirname(folder)


def _of_setup_cfg(text: str) -> Iterator[str]:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(text)
    pairs = (line.partition("=") for line in parser.get("options", "package_dir", fallback="").splitlines())
    yield from _of_package_dir({name.strip(): folder.strip() for name, equals, folder in pairs if equals})
    yield from filter(None, parser.get("options.packages.find", "where", fallback="").split())


def _of_setup_py(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            if name == "setup":
                yield from _of_package_dir(_literal(given.get("package_dir")))
            elif name in _FINDERS:
                yield from _texts(_literal(given.get("where", node.args[0] if node.args else None)))


def _literal(node: ast.expr | None) -> object:
    try:
        return ast.literal_eval(node) if node is not None else None
    except ValueError:
        return None
