from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from vcompat.rehearsal import surroundings as module
from vcompat.rehearsal.surroundings import copy_compiled, copy_known_models, surroundings


def test_each_cache_is_in_the_folder_of_the_rehearsal(tmp_path: Path) -> None:
    made = surroundings(str(tmp_path), 3, 300, tiny=False)
    caches = [value for name, value in made.items() if name.endswith(("_ROOT", "_CACHE_DIR"))]
    assert len(set(caches)) == 4 and all(Path(cache).is_relative_to(tmp_path) for cache in caches)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("folder", "is_there"), [("/tmp/kept", True), ("/a" * 60, False)])
def test_sockets_are_there_unless_their_names_were_too_long(folder: str, is_there: bool) -> None:
    assert (surroundings(folder, 3, 300, tiny=False).get("VLLM_RPC_BASE_PATH") == folder) is is_there


@pytest.mark.parametrize("variable", ["VLLM_CACHE_ROOT", "XDG_CACHE_HOME"])
def test_what_vllm_knows_about_models_is_copied(tmp_path: Path, variable: str) -> None:
    users = tmp_path / "users"
    known = users / ("vllm" if variable == "XDG_CACHE_HOME" else "") / "modelinfos" / "qwen.json"
    known.parent.mkdir(parents=True)
    known.write_text("{}")
    made = surroundings(str(tmp_path / "new"), 3, 300, tiny=False)
    copy_known_models({variable: str(users)}, made)
    assert (Path(made["VLLM_CACHE_ROOT"]) / "modelinfos" / "qwen.json").read_text() == "{}"
    copy_known_models({variable: str(tmp_path / "none")}, surroundings(str(tmp_path / "other"), 3, 300, tiny=False))
    assert not (tmp_path / "other").exists()


def compiled(folder: Path) -> Path:
    """A cache with an old and a new file of four bytes each, and a link."""
    for name, time in (("ab/old.so", 1000), ("cd/new.so", 2000)):
        path = folder / name
        path.parent.mkdir(parents=True)
        path.write_text("code")
        os.utime(path, (time, time))
    (folder / "link").symlink_to("/etc")
    return folder


@pytest.mark.parametrize(("most", "expected"), [(100, ["ab/old.so", "cd/new.so"]), (4, ["cd/new.so"]), (3, [])])
def test_what_torch_compiled_lately_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, expected: list[str]
) -> None:
    monkeypatch.setattr(module, "_BYTES", most)
    made = surroundings(str(tmp_path / "new"), 3, 300, tiny=False)
    copy_compiled({"TORCHINDUCTOR_CACHE_DIR": str(compiled(tmp_path / "users"))}, made)
    copied = Path(made["TORCHINDUCTOR_CACHE_DIR"])
    assert sorted(str(path.relative_to(copied)) for path in copied.rglob("*.so")) == expected
    assert not (copied / "link").exists()


def test_the_default_cache_is_that_of_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = pytest.importorskip("torch._inductor.runtime.cache_dir_utils")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setenv("LOGNAME", "DOMAIN\\me")
    compiled(Path(runtime.default_cache_dir()))
    made = surroundings(str(tmp_path / "new"), 3, 300, tiny=False)
    copy_compiled({}, made)
    assert (Path(made["TORCHINDUCTOR_CACHE_DIR"]) / "cd" / "new.so").exists()


def test_a_cache_that_is_not_there_is_not_copied(tmp_path: Path) -> None:
    copy_compiled({"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "none")}, surroundings(str(tmp_path), 3, 300, tiny=False))
    assert list(tmp_path.iterdir()) == []
