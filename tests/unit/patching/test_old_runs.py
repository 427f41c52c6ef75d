"""Which folders of old runs are removed, and what is never removed."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from vcompat.patching.old_runs import remove_old_runs
from vcompat.patching.run_folder import new_folder

DAY = 24 * 3600.0
NAME = "20260401-101500-4711"
LEDGER = "node1-4711-1765000000000000.json"


def run(
    parent: Path, name: str = NAME, days: float = 40, files: tuple[str, ...] = (LEDGER,), mode: int = 0o700
) -> Path:
    """Make the folder of a run to which nothing was written for some days."""
    folder = parent / name
    folder.mkdir(mode=0o700)
    for file in files:
        (folder / file).write_text("{}")
    folder.chmod(mode)
    then = time.time() - days * DAY
    os.utime(folder, (then, then))
    return folder


@pytest.mark.parametrize("name", [NAME, "slurm-7-0-0", "slurm-71_3-batch-0"])
def test_the_folder_of_an_old_run_is_removed_with_its_ledgers(tmp_path: Path, name: str) -> None:
    old = run(tmp_path, name, files=(LEDGER, f".{LEDGER}.4711"))
    remove_old_runs(str(tmp_path))
    assert not old.exists()


def test_a_run_that_left_no_ledger_is_removed_after_a_day(tmp_path: Path) -> None:
    empty = run(tmp_path, days=2, files=())
    fresh = run(tmp_path, "20260401-101500-1", days=0.5, files=())
    remove_old_runs(str(tmp_path))
    assert (empty.exists(), fresh.exists()) == (False, True)


@pytest.mark.parametrize(
    "kept",
    [
        {"days": 29},
        {"name": "mine"},
        {"name": "20260401-101500-4711.bak"},
        {"files": (LEDGER, "notes.txt")},
        {"files": ("train.json",)},
        {"mode": 0o755},
        {"mode": 0o770},
    ],
    ids=str,
)
def test_what_may_be_used_or_is_no_run_is_kept_whole(tmp_path: Path, kept: dict[str, object]) -> None:
    folder = run(tmp_path, **kept)  # type: ignore[arg-type]
    before = sorted(folder.iterdir())
    remove_old_runs(str(tmp_path))
    assert sorted(folder.iterdir()) == before != []


def test_no_link_is_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    target = run(elsewhere)
    parent = tmp_path / "runs"
    parent.mkdir()
    (parent / NAME).symlink_to(target)
    linked = run(parent, "20260401-101500-2", files=())
    (linked / LEDGER).symlink_to(target / LEDGER)
    then = time.time() - 40 * DAY
    os.utime(linked, (then, then))
    remove_old_runs(str(parent))
    assert (target / LEDGER).exists() and (parent / NAME).is_symlink()
    assert not linked.exists(), "a link among the ledgers is removed itself"
    (tmp_path / "link").symlink_to(elsewhere)
    remove_old_runs(str(tmp_path / "link"))
    assert target.exists()


def test_a_new_run_removes_old_ones_but_not_its_own(tmp_path: Path) -> None:
    parent = tmp_path / "vcompat" / "runs"
    parent.mkdir(parents=True)
    old = run(parent)
    folder = new_folder({"XDG_CACHE_HOME": str(tmp_path)})
    assert not old.exists() and os.listdir(parent) == [os.path.basename(folder)]


def test_one_run_removes_some_folders_only(tmp_path: Path) -> None:
    """So that no command waits for thousands of them."""
    for number in range(70):
        run(tmp_path, f"20260401-101500-{number}", days=40 + number, files=())
    remove_old_runs(str(tmp_path))
    assert sorted(int(name.rpartition("-")[2]) for name in os.listdir(tmp_path)) == list(range(20))


def test_a_folder_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    remove_old_runs(str(tmp_path / "nowhere"))
