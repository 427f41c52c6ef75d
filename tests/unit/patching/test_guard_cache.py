"""What the guard decided is found again for the same source, and for no other."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType

import pytest

from tests.unit.patching.launched import CALL, Place
from vcompat.patching.guard import APPLY, NOT_NEEDED, REFUSE, Verdict, inspect_module
from vcompat.patching.guard_cache import Verdicts
from vcompat.patching.patch import Change
from vcompat.patching.replace import Wrap

SOURCE = "def answer():\n    return 'wrong'\n"
CHANGE = Change("upstream_module", "answer", Wrap("answer", lambda function: function), ("return",), ("wrong",))


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    (tmp_path / "upstream_module.py").write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("upstream_module", tmp_path / "upstream_module.py")
    assert spec is not None
    return importlib.util.module_from_spec(spec)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a decision that parsing would not give, so that it shows where it is used."""
    verdicts = kept(tmp_path / "guards")
    verdicts.put(CHANGE, SOURCE.encode(), REFUSE, "kept")
    verdicts.save()
    return tmp_path / "guards"


def kept(folder: Path, guard: bytes = b"code") -> Verdicts:
    return Verdicts(str(folder), guard)


def test_the_decision_of_an_earlier_process_is_used(module: ModuleType, folder: Path) -> None:
    assert inspect_module(CHANGE, module, kept(folder)) == Verdict(REFUSE, "kept")


def test_what_is_decided_now_is_kept(module: ModuleType, tmp_path: Path) -> None:
    verdicts = kept(tmp_path / "new" / "guards")
    assert inspect_module(CHANGE, module, verdicts).word == APPLY
    verdicts.save()
    assert kept(tmp_path / "new" / "guards").get(CHANGE, SOURCE.encode()) == (APPLY, "")


def test_another_source_of_the_same_size_and_time_is_inspected(module: ModuleType, folder: Path) -> None:
    assert module.__spec__ is not None
    path = Path(str(module.__spec__.origin))
    before = path.stat()
    path.write_text(SOURCE.replace("wrong", "right"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert inspect_module(CHANGE, module, kept(folder)).word == NOT_NEEDED


@pytest.mark.parametrize("other", [{"has": ("return",)}, {"lacks": ("x",)}, {"shape": ("wrong",)}], ids=str)
def test_another_change_is_inspected(module: ModuleType, folder: Path, other: dict[str, tuple[str, ...]]) -> None:
    assert inspect_module(CHANGE._replace(**other), module, kept(folder)).word == APPLY  # type: ignore[arg-type]


def test_another_guard_decides_itself(module: ModuleType, folder: Path) -> None:
    assert inspect_module(CHANGE, module, kept(folder, b"other code")).word == APPLY


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": 1}', '{"a": ["apply"]}', "[" * 100_000, '{"a": "' + "x" * 200_000 + '"}'])  # fmt: skip
def test_a_file_that_cannot_be_used_is_as_if_it_were_not_there(module: ModuleType, folder: Path, text: str) -> None:
    (file,) = folder.iterdir()
    file.write_text(text)
    verdicts = kept(folder)
    assert inspect_module(CHANGE, module, verdicts).word == APPLY
    verdicts.save()
    assert inspect_module(CHANGE, module, kept(folder)).word == APPLY


def test_a_file_that_others_can_write_or_a_link_is_not_used(module: ModuleType, folder: Path) -> None:
    (file,) = folder.iterdir()
    file.chmod(0o666)
    assert inspect_module(CHANGE, module, kept(folder)).word == APPLY
    file.chmod(0o600)
    moved = file.rename(folder.parent / "moved")
    file.symlink_to(moved)
    assert inspect_module(CHANGE, module, kept(folder)).word == APPLY


def test_decisions_of_two_processes_are_put_together(tmp_path: Path) -> None:
    second = CHANGE._replace(has=())
    one, other = kept(tmp_path / "guards"), kept(tmp_path / "guards")
    assert one.get(CHANGE, b"") is None and other.get(second, b"") is None
    one.put(CHANGE, b"", APPLY, "")
    one.save()
    other.put(second, b"", APPLY, "")
    other.save()
    both = kept(tmp_path / "guards")
    assert both.get(CHANGE, b"") == both.get(second, b"") == (APPLY, "")


def test_releases_do_not_fill_the_folder(tmp_path: Path) -> None:
    verdicts = kept(tmp_path / "guards")
    for number in range(20):
        verdicts.put(CHANGE, str(number).encode(), APPLY, "")
        verdicts.save()
    assert len(list((tmp_path / "guards").iterdir())) == 8


def test_a_folder_that_cannot_be_made_changes_nothing(module: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    verdicts = kept(tmp_path / "file" / "guards")
    assert inspect_module(CHANGE, module, verdicts).word == APPLY
    verdicts.save()


def test_processes_of_a_run_keep_decisions_in_the_user_s_cache_folder_and_use_them(tmp_path: Path) -> None:
    place = Place(tmp_path)
    cache = tmp_path / "cache"
    for _ in range(2):
        assert place.python("-c", CALL, XDG_CACHE_HOME=str(cache)).stdout == "patched\n"
    (file,) = (cache / "vcompat" / "guards").iterdir()
    assert file.name.startswith("trl.trainer.grpo_trainer-")
    file.write_text(file.read_text().replace('"apply", ""', '"refuse", "kept"'))
    assert "refused" in place.python("-c", CALL, XDG_CACHE_HOME=str(cache)).stderr


def test_a_rehearsal_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VCOMPAT_REHEARSAL_DIR", str(tmp_path))
    verdicts = kept(tmp_path / "guards")
    verdicts.put(CHANGE, SOURCE.encode(), APPLY, "")
    verdicts.save()
    assert list(tmp_path.iterdir()) == []
