"""Every patch on every form that the code it changes has had: it takes, changes no signature, and gives back what was there.

Releases whose code has the same hash in the records have the same form, so this covers every affected release. What the
patched functions then do is shown by the tests of each patch, in whole processes and on fewer releases.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from packaging.version import Version

from tests.upstream.releases import release
from tests.upstream.survey import record
from vcompat.patches import load_patches
from vcompat.patching.guard import APPLY, inspect_module
from vcompat.patching.patch import Change
from vcompat.patching.replace import Wrap
from vcompat.rules.record import PATCH
from vcompat.upstream.subjects import module_source

#: Where TRL patches a class that it imported from vLLM: a release that has it.
VLLM = Version("0.8.5")


class Form(NamedTuple):
    """A change, and the first release of those whose code has the same form."""

    change: Change
    package: str
    version: Version


def forms() -> Iterator[object]:
    for patch in load_patches():
        count: dict[str, int] = {}
        for change in patch.changes:
            package = change.module.partition(".")[0]
            number = count[package] = count.get(package, -1) + 1
            first: dict[str, Version] = {}
            for version, seen in record(package).rows[PATCH, patch.id, number].seen.items():
                if seen.verdict == APPLY:
                    first.setdefault(seen.digest, version)
            for version in first.values():
                yield pytest.param(
                    Form(change, package, version), id=f"{patch.id}-{change.object}-{number}-{package}-{version}"
                )


@pytest.fixture
def module_of(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes the module that a change is for, as a release has it."""

    def make(form: Form) -> ModuleType:
        effect = form.change.effect
        names: dict[str, Any] = {}
        if isinstance(effect, Wrap) and effect.home:
            owner, _, _ = effect.name.partition(".")
            home = executed(effect.home, release("vllm", str(VLLM)))
            monkeypatch.setitem(sys.modules, effect.home, home)
            names[owner] = vars(home)[owner]
        module = executed(form.change.module, release(form.package, str(form.version)), names)
        monkeypatch.setitem(sys.modules, form.change.module, module)
        return module

    return make


def executed(name: str, tree: Path, names: dict[str, Any] | None = None) -> ModuleType:
    """A module with the functions and methods of a release's file, bodies unchanged.

    What needs the rest of the release to be evaluated while they are defined is left out: bases, decorators other than
    those for kinds of methods, and default values.
    """
    path, source = module_source(name, lambda p: (tree / p).read_text() if (tree / p).is_file() else None)
    assert source is not None
    body = [kept for kept in map(_bare, ast.parse(source).body) if kept is not None]
    future = ast.parse("from __future__ import annotations").body
    module = ModuleType(name)
    module.__spec__ = importlib.util.spec_from_file_location(name, tree / path)
    module.__dict__.update(names or {})
    exec(compile(ast.fix_missing_locations(ast.Module(future + body, [])), str(tree / path), "exec"), module.__dict__)
    return module


def _bare(statement: ast.stmt) -> ast.stmt | None:
    if isinstance(statement, ast.ClassDef):
        statement.bases, statement.keywords, statement.decorator_list = [], [], []
        statement.body = [kept for kept in map(_bare, statement.body) if kept is not None] or [ast.Pass()]
        return statement
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
        kinds = ("staticmethod", "classmethod")
        statement.decorator_list = [d for d in statement.decorator_list if isinstance(d, ast.Name) and d.id in kinds]
        arguments = statement.args
        arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
        arguments.kw_defaults = [default and ast.Constant(None) for default in arguments.kw_defaults]
        return statement
    return None


def reach(module: ModuleType, name: str) -> Any:
    found: Any = module
    for part in name.split("."):
        found = vars(found)[part]
    return getattr(found, "__func__", found)


@pytest.mark.parametrize("form", list(forms()))
def test_it_takes_and_gives_back(form: Form, module_of: Any) -> None:
    module, effect = module_of(form), form.change.effect
    assert inspect_module(form.change, module).word == APPLY
    name = effect.name if isinstance(effect, Wrap) else ""
    before = {**vars(module)}
    original = reach(module, name) if name else None
    undo = effect.install(module)
    assert effect.problem(module) == ""
    if name:
        assert reach(module, name) is not original
        assert inspect.signature(reach(module, name)) == inspect.signature(original)
    undo()
    assert {**vars(module)} == before
    assert not name or reach(module, name) is original
