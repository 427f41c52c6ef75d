"""``vcompat status`` over folders that real processes wrote."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jsonschema
import pytest

from tests.unit.cli.command_line import vcompat
from tests.unit.patching.launched import CALL, PATCH, Place
from vcompat.report.processes import run_status_json

SCHEMA = json.loads(Path(run_status_json.__file__).with_name("run_status.schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_ranks_that_agree_are_one_entry(place: Place) -> None:
    for rank in "01":
        place.python("-c", CALL, RANK=rank, WORLD_SIZE="2")
    done = vcompat("status", "--run", str(place.runs))
    assert done.code == 0, done.stdout
    assert f"{place.runs}: 2 processes, 2 ranks, on " in done.stdout
    assert f"ranks 0-1: -c, trl 0.16.1\n  applied  {PATCH}\n" in done.stdout


def test_ranks_that_differ_fail_and_the_difference_is_named(place: Place) -> None:
    place.python("-c", CALL, RANK="0")
    place.python("-c", "import trl", RANK="1", VCOMPAT_DISABLE=PATCH)
    done = vcompat("status", "--run", str(place.runs))
    assert done.code == 1
    assert f"differs: {PATCH} is applied on rank 0, disabled on rank 1\n" in done.stdout


def test_a_rank_that_does_not_import_what_another_one_uses_is_no_difference(place: Place) -> None:
    place.python("-c", CALL, RANK="0")
    place.python("-c", "import trl", RANK="1")
    done = vcompat("status", "--run", str(place.runs))
    assert done.code == 0
    assert f"no difference: {PATCH} is applied on rank 0, pending on rank 1, where its module" in done.stdout


def test_a_rank_that_wrote_nothing_is_named(place: Place) -> None:
    place.python("-c", CALL, RANK="0", WORLD_SIZE="4")
    assert "no ledger: ranks 1-3 applied no patch" in vcompat("status", "--run", str(place.runs)).stdout


def test_a_rank_that_got_no_patch_fails(place: Place) -> None:
    """Such as one that a wrapper starts with an environment of its own."""
    place.python("-c", CALL, RANK="0", WORLD_SIZE="2", LOCAL_WORLD_SIZE="2")
    done = vcompat("status", "--run", str(place.runs))
    assert done.code == 1
    assert "differs: only 1 of 2 ranks on" in done.stdout


def test_without_a_folder_the_last_run_is_shown(place: Place) -> None:
    cache = str(place.folder / "cache")
    for code in ("import trl", CALL):
        done = place.run("--no-check", "--", sys.executable, "-c", code, VCOMPAT_RUN_DIR="", XDG_CACHE_HOME=cache)
        assert done.code == 0, done.stderr
    done = vcompat("status", XDG_CACHE_HOME=cache)
    assert done.code == 0 and f"applied  {PATCH}" in done.stdout


def test_a_file_that_cannot_be_used_is_one_line_and_the_others_are_shown(place: Place) -> None:
    place.python("-c", CALL, RANK="0")
    (place.runs / "forged.json").write_text('{"form": 1}')
    done = vcompat("status", "--run", str(place.runs))
    assert done.code == 2
    assert f"applied  {PATCH}" in done.stdout
    assert done.stderr.count("\n") == 1 and "forged.json: 'pid'" in done.stderr


def test_what_a_file_states_cannot_steer_the_terminal(place: Place) -> None:
    place.python("-c", CALL, RANK="0")
    (file,) = place.runs.iterdir()
    file.write_text(file.read_text().replace('"program":"-c"', '"program":"\\u001b[31mred"'))
    done = vcompat("status", "--run", str(place.runs))
    assert "red" in done.stdout and "\x1b" not in done.stdout


@pytest.mark.parametrize("name", ["nowhere", "empty", "file"])
def test_a_folder_without_ledgers_is_one_line(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    done = vcompat("status", "--run", str(tmp_path / name))
    assert (done.code, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_without_any_run_the_answer_is_one_line(tmp_path: Path) -> None:
    done = vcompat("status", XDG_CACHE_HOME=str(tmp_path))
    assert (done.code, done.stderr) == (2, "vcompat: status: no run was started by `vcompat run`; expected --run DIR\n")


def test_programs_get_json_that_the_schema_describes(place: Place) -> None:
    place.python("-c", CALL, RANK="0", WORLD_SIZE="3", LOCAL_WORLD_SIZE="3")
    place.python("-c", "import trl", RANK="1", VCOMPAT_DISABLE=PATCH)
    place.python("-c", CALL)
    (place.runs / "forged.json").write_text("{}")
    done = vcompat("status", "--run", str(place.runs), "--format", "json")
    found = json.loads(done.stdout)
    jsonschema.validate(found, SCHEMA)
    assert (done.code, found["fails"]) == (1, True)
    assert [(each["rank"], each["patches"][PATCH]["status"]) for each in found["ranks"]] == [
        (0, "applied"),
        (1, "disabled"),
    ]
    assert len(found["others"]) == 1 and "rank" not in found["others"][0]
    assert found["differences"][0]["values"] == [
        {"value": "applied", "ranks": [0]},
        {"value": "disabled", "ranks": [1]},
    ]
    assert (found["missing"], len(found["short"]), len(found["unusable"])) == ([2], 1, 1)


def test_a_page_names_what_differs_first_and_escapes_what_a_file_states(place: Place) -> None:
    place.python("-c", CALL, RANK="0")
    place.python("-c", "import trl", RANK="1", VCOMPAT_DISABLE=PATCH)
    for file in place.runs.iterdir():
        file.write_text(file.read_text().replace('"program":"-c"', '"program":"<b>bold"'))
    page = place.folder / "status.html"
    done = vcompat("status", "--run", str(place.runs), "-o", str(page))
    assert (done.code, done.stdout) == (1, "")
    text = page.read_text()
    assert "not all ranks got the same" in text and "&lt;b&gt;bold" in text and "<b>" not in text
    assert text.index(f"{PATCH} is applied on rank 0, disabled on rank 1") < text.index("<h2>rank 0</h2>")
