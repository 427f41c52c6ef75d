"""The patch engine on modules written by these tests, as real files that are imported."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from vcompat.foundation.errors import InputError, PatchError
from vcompat.patching.engine import HANDOVER, SWITCH_OFF, Engine
from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap

AFFECTED = """
class Worker:
    def answer(self, question='?'):
        '''Answers.'''
        return 'wrong'
    @classmethod
    def make(cls):
        return 'wrong'
def answer():
    return 'wrong'
"""
FIXED = AFFECTED.replace("'wrong'", "'right, by upstream'")
UNKNOWN = AFFECTED.replace("return 'wrong'", "return str('wrong')")


def corrected(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args, **kwargs: function(*args, **kwargs).replace("wrong", "right")


def change(name: str, **more: Any) -> Change:
    return Change(
        "upstream_module",
        name,
        Wrap(name, corrected),
        shape=("return 'wrong'",),
        **{"has": ("wrong",), **more},
    )


def make_patch(*names: str, patch_id: str = "a_patch", **more: Any) -> Patch:
    return Patch(patch_id, "A patch", "upstream", "every rank", tuple(change(name, **more) for name in names))


class Log(list[tuple[str, bool]]):
    def __call__(self, line: str, warning: bool) -> None:
        self.append((line, warning))


@pytest.fixture
def upstream(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv(HANDOVER, "")
    finders = list(sys.meta_path)

    def write(source: str) -> None:
        (tmp_path / "upstream_module.py").write_text(source)
        importlib.invalidate_caches()

    yield write
    sys.modules.pop("upstream_module", None)
    sys.modules.pop("user_of_test", None)
    sys.meta_path[:] = finders


def imported() -> Any:
    return importlib.import_module("upstream_module")


def test_a_patch_is_applied_when_its_module_is_imported(
    upstream: Callable[[str], None],
) -> None:
    upstream(AFFECTED)
    log = Log()
    engine = Engine([make_patch("Worker.answer")], log)
    assert engine.patch(None, (), False)["a_patch"].status == "pending"
    assert imported().Worker().answer() == "right"
    assert engine.status()["a_patch"].status == "applied"
    assert len(log) == 1
    assert (
        f"applied a_patch: to upstream_module.Worker.answer (upstream version unknown, pid {os.getpid()})" in log[0][0]
    )


def test_patch_imports_no_upstream_module(upstream: Callable[[str], None]) -> None:
    upstream(AFFECTED)
    Engine([make_patch("Worker.answer")], Log()).patch(None, (), False)
    assert "upstream_module" not in sys.modules


def test_an_imported_module_is_patched_immediately(upstream: Callable[[str], None]) -> None:
    upstream(AFFECTED)
    worker = imported().Worker()
    assert Engine([make_patch("Worker.answer")], Log()).patch(None, (), False)["a_patch"].status == "applied"
    assert worker.answer() == "right"


def test_names_bound_by_from_import_are_rebound_to_the_wrapper(upstream: Callable[[str], None], tmp_path: Path) -> None:
    upstream(AFFECTED)
    package = tmp_path / "upstream_module_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "source.py").write_text(AFFECTED)
    (package / "user.py").write_text("from upstream_module_package.source import answer\n")
    user = importlib.import_module("upstream_module_package.user")
    late = Change("upstream_module_package.source", "answer", Wrap("answer", corrected), shape=("return 'wrong'",))
    engine = Engine([Patch("a_patch", "A patch", "upstream", "every rank", (late,))], Log())
    engine.patch(None, (), True)
    assert user.answer() == "right"
    engine.unpatch()
    assert user.answer() == "wrong"


def test_a_change_that_comes_too_late_is_refused_with_the_reason(upstream: Callable[[str], None]) -> None:
    upstream(AFFECTED)
    module = imported()
    patch = make_patch("Worker.answer", too_late=lambda module: "the engine is built")
    entry = Engine([patch], Log()).patch(None, (), False)["a_patch"]
    assert entry == ("refused", "too late: the engine is built")
    assert module.Worker().answer() == "wrong"


def test_fixed_code_is_not_changed(upstream: Callable[[str], None]) -> None:
    upstream(FIXED)
    engine = Engine([make_patch("Worker.answer")], Log())
    engine.patch(None, (), True)
    assert imported().Worker().answer() == "right, by upstream"
    assert engine.status()["a_patch"].status == "not needed"


def test_unrecognized_code_is_refused_and_not_changed(upstream: Callable[[str], None]) -> None:
    upstream(UNKNOWN)
    log = Log()
    engine = Engine([make_patch("Worker.answer")], log)
    engine.patch(None, (), False)
    assert imported().Worker().answer() == "wrong"
    entry = engine.status()["a_patch"]
    assert entry.status == "refused"
    assert "is not the code that the patch was written for" in entry.reason
    assert log[0][1], "a refusal is a warning"


def test_a_module_that_was_loaded_past_the_import_hooks_is_a_failure(upstream: Callable[[str], None]) -> None:
    upstream(AFFECTED)
    engine = Engine([make_patch("answer")], Log())
    assert engine.patch(None, (), False)["a_patch"].status == "pending"
    sys.modules["upstream_module"] = type(sys)("upstream_module")
    assert engine.status()["a_patch"].status == "failed"


def test_a_function_replaced_by_other_code_is_refused(upstream: Callable[[str], None]) -> None:
    upstream(AFFECTED)
    imported().Worker.answer = lambda self: "theirs"
    entry = Engine([make_patch("Worker.answer")], Log()).patch(None, (), False)["a_patch"]
    assert entry.status == "refused"
    assert f"already replaced by code from {__name__}" in entry.reason
    assert imported().Worker().answer() == "theirs"


def test_a_release_without_the_function_needs_no_patch(upstream: Callable[[str], None]) -> None:
    upstream("class Worker:\n    pass\n")
    engine = Engine([make_patch("Worker.answer")], Log())
    engine.patch(None, (), True)
    imported()
    assert engine.status()["a_patch"] == ("not needed", "this release has no upstream_module.Worker.answer")


def test_an_unneeded_change_is_not_made(upstream: Callable[[str], None]) -> None:
    upstream(AFFECTED)
    engine = Engine([make_patch("Worker.answer", unneeded=lambda: "compute capability 9.0")], Log())
    engine.patch(None, (), True)
    assert imported().Worker().answer() == "wrong"
    assert engine.status()["a_patch"] == ("not needed", "compute capability 9.0")


class _Failing:
    def install(self, module: Any) -> Callable[[], None]:
        raise RuntimeError("boom")

    def problem(self, module: Any) -> str:
        return ""


class _Ineffective(_Failing):
    def __init__(self) -> None:
        self.undone = False

    def install(self, module: Any) -> Callable[[], None]:
        def undo() -> None:
            self.undone = True

        return undo

    def problem(self, module: Any) -> str:
        return "not effective"


def test_a_failing_patch_does_not_break_the_import(upstream: Callable[[str], None]) -> None:
    upstream(AFFECTED)
    failing = Patch(
        "a_patch",
        "A patch",
        "upstream",
        "every rank",
        (Change("upstream_module", "answer", _Failing(), ()),),
    )
    engine = Engine([failing], Log())
    engine.patch(None, (), False)
    assert imported().answer() == "wrong"
    assert engine.status()["a_patch"] == ("failed", "RuntimeError: boom")


def test_strict_raises_the_failure(upstream: Callable[[str], None]) -> None:
    upstream(AFFECTED)
    failing = Patch(
        "a_patch",
        "A patch",
        "upstream",
        "every rank",
        (Change("upstream_module", "answer", _Failing(), ()),),
    )
    Engine([failing], Log()).patch(None, (), True)
    with pytest.raises(PatchError, match="a_patch failed: RuntimeError: boom"):
        imported()


def test_an_ineffective_change_is_undone_and_failed(upstream: Callable[[str], None]) -> None:
    upstream(AFFECTED)
    imported()
    effect = _Ineffective()
    patch = Patch("a_patch", "A patch", "upstream", "every rank", (Change("upstream_module", "answer", effect, ()),))
    assert Engine([patch], Log()).patch(None, (), False)["a_patch"] == ("failed", "not effective")
    assert effect.undone


def test_patching_twice_changes_and_logs_once(upstream: Callable[[str], None]) -> None:
    upstream(AFFECTED)
    log = Log()
    engine = Engine([make_patch("Worker.answer")], log)
    engine.patch(None, (), False)
    first = imported().Worker.answer
    engine.patch(None, (), False)
    assert imported().Worker.answer is first
    assert len(log) == 1


def test_a_reloaded_module_is_patched_again_and_can_be_unpatched(upstream: Callable[[str], None]) -> None:
    upstream(AFFECTED)
    engine = Engine([make_patch("answer")], Log())
    engine.patch(None, (), True)
    module = importlib.reload(imported())
    assert module.answer() == "right"
    assert dict(engine.unpatch()) == {}
    assert module.answer() == "wrong"


def test_unpatch_restores_the_original_functions_and_removes_the_hook(upstream: Callable[[str], None]) -> None:
    upstream(AFFECTED)
    module = imported()
    before = dict(vars(module.Worker)), module.answer
    engine = Engine(
        [make_patch("Worker.answer", "Worker.make", "answer"), make_patch("answer", patch_id="another")],
        Log(),
    )
    finders = list(sys.meta_path)
    engine.patch(None, (), True)
    assert module.Worker.make() == "right"
    assert HANDOVER in os.environ
    assert dict(engine.unpatch()) == {}
    assert (dict(vars(module.Worker)), module.answer) == before
    assert sys.meta_path == finders
    assert HANDOVER not in os.environ


def test_a_wrapper_keeps_name_docstring_and_signature(upstream: Callable[[str], None]) -> None:
    import inspect

    upstream(AFFECTED)
    Engine([make_patch("Worker.answer")], Log()).patch(None, (), True)
    answer = imported().Worker.answer
    assert (answer.__name__, answer.__doc__) == ("answer", "Answers.")
    assert str(inspect.signature(answer)) == "(self, question='?')"


def test_loader_class_and_origin_of_the_module_do_not_change(upstream: Callable[[str], None]) -> None:
    from importlib.machinery import SourceFileLoader

    upstream(AFFECTED)
    Engine([make_patch("answer")], Log()).patch(None, (), True)
    module = imported()
    assert type(module.__spec__.loader) is SourceFileLoader
    assert module.__spec__.origin.endswith("upstream_module.py")


def test_only_and_skip_select_patches_and_an_unknown_id_is_rejected(upstream: Callable[[str], None]) -> None:
    upstream(AFFECTED)
    engine = Engine([make_patch("answer", patch_id="one"), make_patch("answer", patch_id="two")], Log())
    assert list(engine.patch(["one"], (), False)) == ["one"]
    assert engine.patch(None, ["two"], False)["two"] == ("disabled", "skipped by patch(skip=...)")
    with pytest.raises(InputError, match="there is no patch 'tow'; expected 'two'"):
        engine.patch(["tow"], (), False)


@pytest.mark.parametrize(
    ("value", "armed"), [("all", []), ("one", ["two"]), ("one,two", []), ("three", ["one", "two"])]
)
def test_the_environment_variable_disables_patches(
    upstream: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, value: str, armed: list[str]
) -> None:
    upstream(AFFECTED)
    monkeypatch.setenv(SWITCH_OFF, value)
    log = Log()
    ledger = Engine([make_patch("answer", patch_id="one"), make_patch("answer", patch_id="two")], log).patch(
        None, (), False
    )
    assert ledger.ids("pending") == armed
    assert bool(log) is (value == "three"), "an unknown id is logged"


def test_the_environment_passes_on_the_selected_patches(
    upstream: Callable[[str], None],
) -> None:
    upstream(AFFECTED)
    Engine([make_patch("answer", patch_id="one"), make_patch("answer", patch_id="two")], Log()).patch(
        None, ["two"], False
    )
    assert os.environ[HANDOVER] == "one"


def test_threads_can_patch_and_import_concurrently(upstream: Callable[[str], None]) -> None:
    upstream(AFFECTED)
    log = Log()
    engine = Engine([make_patch("Worker.answer", "answer")], log)
    start = threading.Barrier(16)
    answers: list[str] = []

    def work(number: int) -> None:
        start.wait()
        if number % 2:
            engine.patch(None, (), True)
        answers.append(imported().answer())

    engine.patch(None, (), True)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=300)
    assert answers == ["right"] * 16
    assert len(log) == 2, "each change was made once"


def test_a_module_found_before_unpatch_is_imported_unchanged(upstream: Callable[[str], None]) -> None:
    upstream(AFFECTED)
    engine = Engine([make_patch("answer")], Log())
    engine.patch(None, (), True)
    spec = importlib.util.find_spec("upstream_module")
    assert spec is not None and spec.loader is not None
    engine.unpatch()
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.answer() == "wrong"


def test_a_change_that_cannot_be_undone_stays_in_the_ledger(upstream: Callable[[str], None]) -> None:
    upstream(AFFECTED)
    log = Log()
    engine = Engine([make_patch("answer", "Worker.answer"), make_patch("Worker.make", patch_id="b_patch")], log)
    module = imported()
    engine.patch(None, (), True)
    module.answer = lambda: "theirs"
    left = engine.unpatch()
    assert dict(left) == {"a_patch": ("failed", "could not be undone: answer was replaced again by other code")}
    assert log[-1][1] and log[-1][0].startswith("failed a_patch: could not be undone")
    assert (module.Worker().answer(), module.Worker.make()) == ("wrong", "wrong")
    assert engine.unpatch() == left, "nothing is undone twice"


def test_an_unpatched_engine_can_patch_again(upstream: Callable[[str], None]) -> None:
    upstream(AFFECTED)
    engine = Engine([make_patch("answer")], Log())
    module = imported()
    for _ in range(2):
        assert engine.patch(None, (), True)["a_patch"] == ("applied", "to upstream_module.answer")
        assert module.answer() == "right"
        assert dict(engine.unpatch()) == {}
        assert module.answer() == "wrong"


def test_the_log_names_the_release_of_the_package(
    upstream: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    upstream(AFFECTED)
    package = type(sys)("upstream")
    package.__version__ = "1.2.3"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "upstream", package)
    log = Log()
    Engine([make_patch("answer", too_late=lambda module: "built")], log).patch(None, (), False)
    assert log == []
    imported()
    assert log == [(f"applied a_patch: to upstream_module.answer (upstream 1.2.3, pid {os.getpid()})", False)]


def test_neither_an_unneeded_nor_a_fixed_change_is_logged(upstream: Callable[[str], None]) -> None:
    upstream(FIXED)
    log = Log()
    Engine([make_patch("answer")], log).patch(None, (), True)
    imported()
    assert log == []


def test_a_change_before_the_import_is_never_too_late(upstream: Callable[[str], None]) -> None:
    upstream(AFFECTED)
    engine = Engine([make_patch("answer", too_late=lambda module: "the engine is built")], Log())
    engine.patch(None, (), True)
    assert imported().answer() == "right"


def test_a_change_that_is_not_too_late_is_made_in_an_imported_module(upstream: Callable[[str], None]) -> None:
    upstream(AFFECTED)
    seen: list[Any] = []
    module = imported()
    engine = Engine([make_patch("answer", too_late=lambda found: seen.append(found) or "")], Log())
    engine.patch(None, (), True)
    assert module.answer() == "right" and seen == [module]


def test_strict_applies_to_the_latest_call(upstream: Callable[[str], None]) -> None:
    upstream(UNKNOWN)
    engine = Engine([make_patch("answer")], Log())
    engine.patch(None, (), True)
    engine.patch(None, (), False)
    assert imported().answer() == "wrong"
    sys.modules.pop("upstream_module")
    engine.patch(None, (), True)
    with pytest.raises(PatchError, match=r"a_patch refused: upstream_module\.answer is not the code"):
        imported()


def test_a_refused_change_is_tried_once_in_a_module(upstream: Callable[[str], None]) -> None:
    upstream(UNKNOWN)
    log = Log()
    engine = Engine([make_patch("answer")], log)
    imported()
    engine.patch(None, (), False)
    engine.patch(None, (), True)
    assert len(log) == 1


def test_status_names_what_each_patch_waits_for(upstream: Callable[[str], None]) -> None:
    upstream(AFFECTED)
    engine = Engine([make_patch("answer", patch_id="one"), make_patch("answer", patch_id="two")], Log())
    assert dict(engine.status()) == {}
    assert dict(engine.patch("one", (), False)) == {"one": ("pending", "waiting for the import of upstream_module")}
    assert dict(engine.patch([], "two", False)) == {
        "one": ("pending", "waiting for the import of upstream_module"),
        "two": ("disabled", "skipped by patch(skip=...)"),
    }
    assert engine.patch(["two"], (), False)["two"].status == "pending", "selected again"
    assert os.environ[HANDOVER] == "one,two"
    imported()
    assert {entry.status for entry in engine.patch(None, ["one"], False).values()} == {"applied"}, "stays applied"


def test_the_environment_variable_is_the_reason_of_a_disabled_patch(
    upstream: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SWITCH_OFF, "two, three")
    log = Log()
    engine = Engine([make_patch("answer", patch_id="one"), make_patch("answer", patch_id="two")], log)
    assert engine.patch(None, (), False)["two"] == ("disabled", "disabled by VCOMPAT_DISABLE")
    assert log == [("VCOMPAT_DISABLE names an unknown patch: 'three'", True)]
    monkeypatch.setenv(SWITCH_OFF, "all")
    engine = Engine([make_patch("answer", patch_id="one")], log)
    assert dict(engine.patch(None, (), False)) == {"one": ("disabled", "disabled by VCOMPAT_DISABLE")}
    assert os.environ[HANDOVER] == "none"


@pytest.mark.parametrize(("arguments", "named"), [((["tow"], ()), "only"), ((None, ["tow"]), "skip")])
def test_an_unknown_id_is_rejected_with_the_argument(
    upstream: Callable[[str], None], arguments: tuple[list[str] | None, list[str]], named: str
) -> None:
    engine = Engine([make_patch("answer", patch_id="first")], Log())
    with pytest.raises(InputError) as caught:
        engine.patch(*arguments, False)
    assert str(caught.value).startswith(f"patch({named}=...): there is no patch 'tow'; expected ")
    assert "vcompat patches" in str(caught.value)
    with pytest.raises(InputError, match="expected 'first'"):
        engine.patch("frist", (), False)


def test_a_module_that_another_thread_imports_is_patched_when_it_is_done(
    upstream: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    upstream("import handshake\nhandshake.started.set()\nhandshake.go_on.wait(30)\n" + AFFECTED)
    handshake = type(sys)("handshake")
    vars(handshake).update(started=threading.Event(), go_on=threading.Event())
    monkeypatch.setitem(sys.modules, "handshake", handshake)
    engine = Engine([make_patch("answer")], Log())
    importing = threading.Thread(target=imported)
    importing.start()
    assert handshake.started.wait(30)
    patching = threading.Thread(target=engine.patch, args=(None, (), False))
    patching.start()
    handshake.go_on.set()
    importing.join(30)
    patching.join(30)
    assert imported().answer() == "right"
    assert engine.status()["a_patch"].status == "applied"


def test_a_module_whose_import_has_not_ended_is_not_changed(upstream: Callable[[str], None]) -> None:
    upstream(AFFECTED)
    module = imported()
    engine = Engine([make_patch("answer")], Log())
    module.__spec__._initializing = True
    assert engine.patch(None, (), True)["a_patch"].status == "pending"
    assert module.answer() == "wrong"
    module.__spec__._initializing = False
    assert engine.patch(None, (), True)["a_patch"].status == "applied"


def test_each_change_of_the_ledger_is_told_with_the_ledger(upstream: Callable[[str], None]) -> None:
    told: list[dict[str, str]] = []
    upstream(AFFECTED)
    engine = Engine(
        [make_patch("answer"), make_patch("Worker.answer", patch_id="b_patch")],
        Log(),
        lambda ledger: told.append({patch_id: entry.status for patch_id, entry in ledger.items()}),
    )
    engine.patch(None, (), False)
    assert told == [{"a_patch": "pending", "b_patch": "pending"}]
    imported()
    assert told[1:] == [{"a_patch": "applied", "b_patch": "pending"}, {"a_patch": "applied", "b_patch": "applied"}]
    engine.unpatch()
    assert told[-1] == {}


def test_a_patch_that_is_not_needed_is_told_with_the_next_change(upstream: Callable[[str], None]) -> None:
    """Most patches are not needed; a file is not written for each."""
    told: list[str] = []
    upstream(FIXED)
    engine = Engine([make_patch("answer")], Log(), lambda ledger: told.append(ledger["a_patch"].status))
    engine.patch(None, (), False)
    imported()
    assert told == ["pending"]
    assert engine.status()["a_patch"].status == "not needed"
