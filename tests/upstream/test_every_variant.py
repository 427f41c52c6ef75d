"""Every patch on every variant of the code it changes: it is effective, keeps the signature, and can be undone.

Releases with the same hash in the records have the same variant of the code, so this covers every affected release. The
tests of each patch show what the patched functions do, in whole processes and on fewer releases.
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

#: For changes in a class that TRL imports from vLLM: a release that has the class.
VLLM = Version("0.8.5")


class Variant(NamedTuple):
    """A change, and the first release with this variant of the code."""

    change: Change
    package: str
    version: Version


def variants() -> Iterator[object]:
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
                    Variant(change, package, version),
                    id=f"{patch.id}-{change.object}-{number}-{package}-{version}",
                    marks=[pytest.mark.slow] * (version != max(first.values())),
                )


@pytest.fixture
def module_of(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Create the module that a change is for, from a release's source."""

    def make(variant: Variant) -> ModuleType:
        effect = variant.change.effect
        names: dict[str, Any] = {}
        if isinstance(effect, Wrap) and effect.home:
            owner, _, _ = effect.name.partition(".")
            home = executed(effect.home, release("vllm", str(VLLM)))
            monkeypatch.setitem(sys.modules, effect.home, home)
            names[owner] = vars(home)[owner]
        module = executed(variant.change.module, release(variant.package, str(variant.version)), names)
        monkeypatch.setitem(sys.modules, variant.change.module, module)
        return module

    return make


def executed(name: str, tree: Path, names: dict[str, Any] | None = None) -> ModuleType:
    """Execute the functions and methods of a release's file, bodies unchanged; return the module.

    Parts whose evaluation needs the rest of the release are left out: base classes, default values, and decorators
    other than staticmethod and classmethod.
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


@pytest.mark.parametrize("variant", list(variants()))
def test_install_is_effective_and_undo_restores_the_module(variant: Variant, module_of: Any) -> None:
    module, effect = module_of(variant), variant.change.effect
    assert inspect_module(variant.change, module).word == APPLY
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
