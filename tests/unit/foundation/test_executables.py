"""A program is found where `shutil.which` finds it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from vcompat.foundation.executables import find_program


@pytest.mark.parametrize("name", ["tool", "data", "folder", "absent", "", "./tool", "one/tool", "one/absent"])
@pytest.mark.parametrize("path", ["one:two", "two:one", "", ":one", "absent", None])
def test_a_program_is_found_as_the_standard_library_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, path: str | None
) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder / "folder").mkdir(parents=True)
        (tmp_path / folder / "data").write_text("")
        (tmp_path / folder / "tool").write_text("")
        os.chmod(tmp_path / folder / "tool", 0o755)
    monkeypatch.chdir(tmp_path / "one")
    if path is None:
        monkeypatch.setenv("PATH", str(tmp_path / "two"))
    else:
        path = path.replace("one", str(tmp_path / "one")).replace("two", str(tmp_path / "two"))
    assert find_program(name, path) == shutil.which(name, path=path)


def test_without_path_the_system_s_own_folders_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PATH")
    assert find_program("sh", None) == shutil.which("sh")
