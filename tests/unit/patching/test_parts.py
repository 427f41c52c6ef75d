"""The parts of the engine: the guard, the import hook, the ledger and the wrapper."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator
from importlib.machinery import BuiltinImporter, ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from vcompat.patching.guard import inspect_module, inspect_source
from vcompat.patching.hooks import ImportHook
from vcompat.patching.ledger import Entry, Ledger, summary
from vcompat.patching.patch import Change, Refusal
from vcompat.patching.replace import Wrap

SOURCE = "class Worker:\n    def answer(self):\n        return 'wrong'\n"
CHANGE = Change(
    "some.module", "Worker.answer", Wrap("Worker.answer", lambda f: f), ("return",), ("'wrong'",), ("'right'",)
)


def module(name: str, source: str = "", **more: Any) -> ModuleType:
    """A module that is made of `source`, and not imported."""
    made = ModuleType(name)
    exec(source, vars(made))
    vars(made).update(more)
    return made


@pytest.fixture
def importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    monkeypatch.syspath_prepend(tmp_path)
    before = list(sys.meta_path)

    def write(source: str) -> None:
        (tmp_path / "awaited_module.py").write_text(source)
        importlib.invalidate_caches()

    yield write
    sys.modules.pop("awaited_module", None)
    sys.meta_path[:] = before


@pytest.mark.parametrize(
    ("source", "word", "reason"),
    [
        (SOURCE, "apply", ""),
        ("", "not needed", "this release has no some.module.Worker.answer"),
        (SOURCE.replace("wrong", "good"), "not needed", "some.module.Worker.answer is not affected in this release"),
        (SOURCE + "        'right'\n", "not needed", "some.module.Worker.answer is not affected in this release"),
        (
            SOURCE.replace("return", "yield"),
            "refuse",
            "some.module.Worker.answer is not the code that the patch was written for: `return` is missing",
        ),
    ],
)
def test_the_guard_tells_affected_fixed_and_unknown_code_apart(source: str, word: str, reason: str) -> None:
    assert inspect_source(CHANGE, source) == (word, reason)


def test_the_guard_reads_the_file_that_the_module_was_imported_from(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(SOURCE + "# \u00e4\n", encoding="utf-8")
    imported = module("some.module", __spec__=ModuleSpec("some.module", None, origin=str(path)), __file__="nowhere.py")
    assert inspect_module(CHANGE, imported).word == "apply"
    without_origin = module("some.module", __spec__=ModuleSpec("some.module", None), __file__=str(path))
    assert inspect_module(CHANGE, without_origin).word == "apply"


@pytest.mark.parametrize("content", [None, b"\xff\xfe'"])
def test_a_source_that_cannot_be_read_is_refused(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "module.so"
    if content is not None:
        path.write_bytes(content)
    compiled = module("some.module", __spec__=ModuleSpec("some.module", None, origin=str(path)))
    assert inspect_module(CHANGE, compiled) == ("refuse", "cannot read the source of some.module")
    assert inspect_module(CHANGE, module("some.module")) == ("refuse", "cannot read the source of some.module")


def test_only_awaited_modules_are_followed(importable: Callable[[str], None]) -> None:
    importable("value = 1\n")
    seen: list[str] = []
    hook = ImportHook(lambda found: seen.append(f"{found.__name__} {found.value}"))
    before = list(sys.meta_path)
    hook.wait_for(frozenset({"other_module"}))
    hook.wait_for(frozenset({"other_module"}))
    assert sys.meta_path == [hook, *before]
    assert hook.find_spec("awaited_module") is None
    hook.wait_for(frozenset({"awaited_module"}))
    importlib.import_module("awaited_module")
    assert seen == ["awaited_module 1"]
    hook.wait_for(frozenset())
    assert sys.meta_path == before
    importlib.reload(sys.modules["awaited_module"])
    assert seen == ["awaited_module 1"]


def test_a_module_found_before_the_hook_was_removed_is_not_called_back(importable: Callable[[str], None]) -> None:
    importable("value = 1\n")
    seen: list[ModuleType] = []
    hook = ImportHook(seen.append)
    hook.wait_for(frozenset({"awaited_module"}))
    spec = hook.find_spec("awaited_module")
    assert spec is not None and spec.loader is not None
    hook.wait_for(frozenset())
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    assert seen == []


def test_other_finders_decide_what_an_awaited_module_is() -> None:
    asked: list[tuple[str, object, object]] = []

    class Finder:
        def find_spec(self, name: str, path: object, target: object) -> ModuleSpec | None:
            asked.append((name, path, target))
            return ModuleSpec(name, None, origin="theirs") if name == "awaited_module" else None

    class Old:
        """A finder of the protocol before PEP 451."""

    hook, target = ImportHook(lambda found: None), ModuleType("awaited_module")
    before = list(sys.meta_path)
    try:
        sys.meta_path[:] = [Old(), Finder()]  # type: ignore[list-item]
        hook.wait_for(frozenset({"awaited_module", "nowhere"}))
        spec = hook.find_spec("awaited_module", ["a path"], target)
        assert spec is not None and spec.origin == "theirs"
        assert asked == [("awaited_module", ["a path"], target)]
        assert hook.find_spec("nowhere") is None
    finally:
        sys.meta_path[:] = before


def test_a_loader_that_is_shared_keeps_its_own_method(importable: Callable[[str], None]) -> None:
    class Loader:
        def create_module(self, spec: ModuleSpec) -> None:
            return None

        def exec_module(self, made: ModuleType) -> None:
            made.__dict__["executed"] = True

    shared, seen = Loader(), []

    class Finder:
        def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec:
            return ModuleSpec(name, shared)  # type: ignore[arg-type]

    hook = ImportHook(seen.append)
    hook.wait_for(frozenset({"awaited_module"}))
    sys.meta_path.insert(1, Finder())  # type: ignore[arg-type]
    found = importlib.import_module("awaited_module")
    assert vars(found)["executed"] and seen == [found]
    assert type(found.__spec__.loader) is Loader and found.__spec__.loader is not shared
    assert "exec_module" not in vars(shared)


def test_a_module_without_a_loader_of_its_own_is_left_alone() -> None:
    hook = ImportHook(lambda found: None)
    hook.wait_for(frozenset({"sys", "zipimport"}))
    before = vars(BuiltinImporter)["exec_module"]
    spec = hook.find_spec("sys")
    assert spec is not None and spec.loader is BuiltinImporter
    assert vars(BuiltinImporter)["exec_module"] is before


def test_a_loader_of_the_old_protocol_is_left_alone(importable: Callable[[str], None]) -> None:
    class OldLoader:
        def load_module(self, name: str) -> ModuleType:
            raise NotImplementedError

    class Finder:
        def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec:
            return ModuleSpec(name, OldLoader())  # type: ignore[arg-type]

    hook = ImportHook(lambda found: None)
    hook.wait_for(frozenset({"awaited_module"}))
    sys.meta_path.insert(1, Finder())  # type: ignore[arg-type]
    spec = hook.find_spec("awaited_module")
    assert spec is not None and vars(spec.loader) == {}


def test_a_patch_has_the_status_of_its_worst_change() -> None:
    order = ["failed", "refused", "applied", "pending", "not needed", "disabled"]
    for index, status in enumerate(order):
        entries = [Entry(each, f"because {each}") for each in reversed(order[index:])]
        assert summary(entries) == (status, f"because {status}")
    assert summary([Entry("applied", "b"), Entry("applied", "a"), Entry("applied", "b"), Entry("applied", "")]) == (
        "applied",
        "b; a",
    )


def test_a_ledger_prints_one_aligned_line_for_each_patch() -> None:
    entries = {"a": Entry("applied", "to x"), "long_name": Entry("not needed", "")}
    ledger = Ledger(entries)
    assert str(ledger) == "a          applied     to x\nlong_name  not needed"
    assert str(Ledger({})) == ""
    assert repr(ledger) == f"Ledger({entries!r})"
    assert (len(ledger), list(ledger), ledger["a"]) == (2, ["a", "long_name"], ("applied", "to x"))
    assert (ledger.ids("applied"), ledger.ids("failed")) == (["a"], [])
    entries.clear()
    assert len(ledger) == 2


def shout(function: Callable[..., str]) -> Callable[..., str]:
    return lambda *args, **kwargs: function(*args, **kwargs).upper()


KINDS = """
class Worker:
    class Inner:
        def answer(self):
            return 'inner'
    def plain(self):
        return 'plain'
    @classmethod
    def of_class(cls):
        return cls.__name__
    @staticmethod
    def static():
        return 'static'
class Child(Worker):
    pass
"""


@pytest.mark.parametrize("name", ["Worker.plain", "Worker.of_class", "Worker.static", "Worker.Inner.answer"])
def test_a_wrapped_method_stays_a_method_of_its_kind(name: str) -> None:
    made = module("kinds", KINDS)
    *path, attribute = name.split(".")
    owner: Any = made
    for part in path:
        owner = getattr(owner, part)
    before = vars(owner)[attribute]
    answer = getattr(owner(), attribute)()
    wrap = Wrap(name, shout)
    assert wrap.problem(made) == f"{name} is not the wrapper of the patch"
    undo = wrap.install(made)
    assert wrap.problem(made) == ""
    assert type(vars(owner)[attribute]) is type(before)
    assert getattr(owner(), attribute)() == answer.upper()
    undo()
    assert vars(owner)[attribute] is before


@pytest.mark.parametrize("name", ["Child.plain", "Worker.none", "Nothing.plain", "nothing"])
def test_a_function_that_the_module_does_not_define_is_refused(name: str) -> None:
    with pytest.raises(Refusal, match=f"kinds defines no {name}"):
        Wrap(name, shout).install(module("kinds", KINDS))


def test_a_class_that_the_module_imports_has_another_home() -> None:
    made = module("kinds", KINDS)
    user = module("user", Worker=made.Worker)
    with pytest.raises(Refusal, match=r"Worker.plain was already replaced by code from kinds"):
        Wrap("Worker.plain", shout).install(user)
    Wrap("Worker.plain", shout, home="kinds").install(user)
    assert made.Worker().plain() == "PLAIN"


def test_a_function_of_unknown_origin_is_refused() -> None:
    class Foreign:
        __module__ = None

    with pytest.raises(Refusal, match="answer was already replaced by code from an unknown module"):
        Wrap("answer", shout).install(module("kinds", answer=Foreign()))
    with pytest.raises(Refusal, match="code from an unknown module"):
        Wrap("answer", shout).install(module("kinds", answer=object.__new__(type("Bare", (), {"__module__": ""}))))


def test_what_other_code_replaced_again_is_not_undone() -> None:
    made = module("kinds", KINDS)
    undo = Wrap("Worker.plain", shout).install(made)
    made.Worker.plain = lambda self: "theirs"
    with pytest.raises(Refusal, match=r"Worker\.plain was replaced again by other code"):
        undo()
    assert made.Worker().plain() == "theirs"


def test_only_modules_of_the_package_get_the_wrapper(monkeypatch: pytest.MonkeyPatch) -> None:
    made = module("pack.source", "def answer():\n    return 'yes'\n")
    original = made.answer
    users = {
        "pack": module("pack", answer=original),
        "pack.user": module("pack.user", answer=original),
        "pack.other": module("pack.other", answer=len),
        "package": module("package", answer=original),
        "pack.odd": object(),
    }
    for name, user in {**users, "pack.source": made}.items():
        monkeypatch.setitem(sys.modules, name, user)  # type: ignore[arg-type]
    undo = Wrap("answer", shout).install(made)
    assert [users[name].answer() for name in ("pack", "pack.user")] == ["YES", "YES"]  # type: ignore[attr-defined]
    assert users["pack.other"].answer is len and users["package"].answer is original  # type: ignore[attr-defined]
    undo()
    assert users["pack.user"].answer is original and made.answer is original  # type: ignore[attr-defined]
