"""The ledgers that real processes write, and what is read from files that are not trusted."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.unit.patching.launched import CALL, PATCH, ROOT, Place, started
from vcompat.foundation.errors import InputError
from vcompat.patching.process_reports import Process, read_process
from vcompat.patching.run_folder import files_of, make_private, write_atomically


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def written(place: Place) -> list[Process]:
    return [read_process(path) for path in files_of(str(place.runs))]


def test_a_process_writes_what_became_of_its_patches(place: Place) -> None:
    (place.folder / "train.py").write_text(CALL)
    done = place.python("train.py", "--token", "a-secret", RANK="3", WORLD_SIZE="4", LOCAL_RANK="1")
    assert done.code == 0, done.stderr
    (process,) = written(place)
    assert process.patches[PATCH] == ("applied", "to trl.trainer.grpo_trainer.GRPOTrainer._get_train_sampler")
    assert process.variables == {"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1"}
    assert (process.program, process.versions, process.ended) == ("train.py", {"trl": "0.16.1"}, True)
    assert process.host == os.uname().nodename and process.pid != os.getpid() == process.parent
    (file,) = place.runs.iterdir()
    assert "a-secret" not in file.read_text(), "arguments are not written"


def test_the_folder_and_its_files_are_private(place: Place) -> None:
    place.python("-c", CALL)
    (file,) = place.runs.iterdir()
    assert (place.runs.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)


def test_the_ledger_is_there_before_the_process_ends_and_says_so(place: Place) -> None:
    done = place.python("-c", f"{CALL}; import os; os._exit(0)")
    assert done.code == 0
    (process,) = written(place)
    assert process.patches[PATCH].status == "applied" and not process.ended


def test_the_version_of_a_package_that_imports_its_parts_on_use_is_known(place: Place) -> None:
    """Such as transformers and TRL: the variable is not among those of the module."""
    (place.folder / "library" / "trl" / "__init__.py").write_text(
        "def __getattr__(name):\n    if name == '__version__':\n        return '1.2.3'\n    raise AttributeError(name)\n"
    )
    place.python("-c", "import trl")
    assert written(place)[0].versions == {"trl": "1.2.3"}


@pytest.mark.parametrize("failing", ["", "def __getattr__(name):\n    raise ImportError(name)\n"])
def test_a_package_that_states_no_version_has_an_empty_one(place: Place, failing: str) -> None:
    (place.folder / "library" / "trl" / "__init__.py").write_text(failing)
    place.python("-c", "import trl")
    assert written(place)[0].versions == {"trl": ""}


def test_a_patch_that_still_waits_is_pending(place: Place) -> None:
    place.python("-c", "import trl")
    assert written(place)[0].patches[PATCH].status == "pending"


def test_a_patch_that_refuses_is_recorded_with_its_reason(place: Place) -> None:
    trainer = place.folder / "library" / "trl" / "trainer" / "grpo_trainer.py"
    trainer.write_text(trainer.read_text() + "\nGRPOTrainer._get_train_sampler.__module__ = 'elsewhere'\n")
    place.python("-c", "import trl.trainer.grpo_trainer")
    assert written(place)[0].patches[PATCH] == (
        "refused",
        "GRPOTrainer._get_train_sampler was already replaced by code from elsewhere",
    )


def test_a_forked_process_in_which_a_patch_is_applied_writes_its_own_ledger(place: Place) -> None:
    code = f"import trl, os\nif os.fork() == 0:\n    {CALL}\nelse:\n    os.wait()"
    place.python("-c", code)
    ledgers = {process.pid: process for process in written(place)}
    assert len(ledgers) == 2
    (child,) = [process for process in ledgers.values() if process.parent in ledgers]
    assert child.patches[PATCH].status == "applied"
    assert ledgers[child.parent].patches[PATCH].status == "pending"


def test_a_forked_process_in_which_nothing_changes_writes_nothing(place: Place) -> None:
    """A data loader starts workers again and again."""
    place.python(
        "-c", f"{CALL}\nimport os\nfor _ in range(5):\n    if os.fork() == 0: raise SystemExit()\n    os.wait()"
    )
    assert len(written(place)) == 1


def test_undone_patches_are_not_in_the_ledger(place: Place) -> None:
    place.python("-c", f"{CALL}; import vcompat; vcompat.unpatch()")
    assert dict(written(place)[0].patches) == {}


def test_a_folder_that_others_can_enter_gets_no_ledger_and_the_training_goes_on(place: Place) -> None:
    place.runs.mkdir(mode=0o755)
    done = place.python("-c", CALL)
    assert done[:2] == (0, "patched\n")
    assert done.stderr.count("no ledger in the folder of the run") == 1
    assert list(place.runs.iterdir()) == []


def test_a_folder_that_cannot_be_made_does_not_end_the_training(place: Place) -> None:
    place.runs.write_text("a file")
    done = place.python("-c", CALL)
    assert done[:2] == (0, "patched\n")
    assert done.stderr.count("no ledger in the folder of the run") == 1


def test_a_link_in_place_of_the_run_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir(mode=0o700)
    (tmp_path / "run").symlink_to(tmp_path / "target")
    with pytest.raises(InputError, match="not a folder"):
        make_private(str(tmp_path / "run"))


def test_a_file_is_replaced_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    write_atomically(str(tmp_path), "a.json", b"1" * 100)
    write_atomically(str(tmp_path), "a.json", b"2")
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("a.json", b"2")]


def test_a_file_that_cannot_be_put_in_place_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "a.json" / "below").mkdir(parents=True)
    with pytest.raises(OSError):
        write_atomically(str(tmp_path), "a.json", b"1")
    assert [file.name for file in tmp_path.iterdir()] == ["a.json"]


def test_processes_that_start_at_once_each_write_their_ledger(place: Place) -> None:
    code = f"import subprocess, sys; p = [subprocess.Popen([sys.executable, '-c', {CALL!r}]) for _ in range(12)]; sys.exit(sum(one.wait() for one in p))"
    assert place.python("-c", code).code == 0
    assert len(written(place)) == 12
    assert all(process.patches[PATCH].status == "applied" for process in written(place))


GOOD: dict[str, Any] = {
    "form": 1, "pid": 2, "parent": 1, "host": "node1", "program": "train.py", "python": "3.11.7", "vcompat": "0.1.0",
    "began": 1.5, "ended": True, "variables": {"RANK": "0"}, "versions": {"trl": "1.0"}, "patches": {"a": ["applied", ""]},
}  # fmt: skip

BAD: list[tuple[dict[str, Any], str]] = [
    ({"form": 2}, "not a ledger of this release"),
    ({"pid": "2"}, "'pid'"),
    ({"pid": True}, "'pid'"),
    ({"pid": -1}, "'pid'"),
    ({"pid": 10**400}, "'pid'"),
    ({"began": "now"}, "'began'"),
    ({"ended": 1}, "'ended'"),
    ({"host": None}, "'host'"),
    ({"host": "x" * 5000}, "'host'"),
    ({"variables": {"PATH": "/bin"}}, "'variables'"),
    ({"variables": {"RANK": 0}}, "'RANK'"),
    ({"versions": {"../../etc": "1"}}, "'versions'"),
    ({"versions": []}, "'versions'"),
    ({"patches": {"a": "applied"}}, "'a'"),
    ({"patches": {"a": ["perfect", ""]}}, "'a'"),
    ({"patches": {"a": [["applied"], ""]}}, "'a'"),
    ({"patches": {"a": ["applied", None]}}, "'a'"),
    ({"patches": {f"p{number}": ["applied", ""] for number in range(1001)}}, "'patches'"),
]


def test_a_good_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(GOOD))
    assert read_process(str(tmp_path / "a.json")).patches["a"].status == "applied"


@pytest.mark.parametrize(("wrong", "complaint"), BAD)
def test_a_forged_file_is_refused_in_one_line(tmp_path: Path, wrong: dict[str, Any], complaint: str) -> None:
    (tmp_path / "a.json").write_text(json.dumps({**GOOD, **wrong}))
    with pytest.raises(InputError) as refused:
        read_process(str(tmp_path / "a.json"))
    assert complaint in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("name", list(GOOD))
def test_a_file_without_a_part_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.json").write_text(json.dumps({key: value for key, value in GOOD.items() if key != name}))
    with pytest.raises(InputError):
        read_process(str(tmp_path / "a.json"))


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{", b"null", b"\xff\xfe", b"[" * 100_000, b" " * 1_000_001, b'{"form": NaN}', b"1" * 5000]
)
def test_a_file_that_is_no_ledger_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.json").write_bytes(data)
    with pytest.raises(InputError):
        read_process(str(tmp_path / "a.json"))


def test_a_pipe_or_a_device_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.json")
    (tmp_path / "b.json").symlink_to("/dev/zero")
    for name in ("a.json", "b.json"):
        with pytest.raises(InputError, match="not a regular file"):
            read_process(str(tmp_path / name))


def test_a_file_that_cannot_be_written_whole_is_not_there(tmp_path: Path) -> None:
    """As on a file system that is nearly full: the first write takes a part."""
    code = (
        "import resource, signal, sys; from vcompat.patching.run_folder import write_atomically\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "write_atomically(sys.argv[1], 'a.json', b'x' * 100); write_atomically(sys.argv[1], 'b.json', b'x' * 101)"
    )
    done = started([sys.executable, "-c", code, str(tmp_path)], {**os.environ, "PYTHONPATH": str(ROOT)}, tmp_path)
    assert done.code == 1 and "OSError" in done.stderr
    assert os.listdir(tmp_path) == ["a.json"]
