"""The tools answer what the commands answer: the same exit code, and the same JSON."""

import json
from pathlib import Path

import pytest
import tomli

from tests.web.tools.engine import LOGS, ROOT, commanded

CASES = sorted(path.parent for path in (ROOT / "tests/oracle/cases").glob("*/case.toml"))
HANGS = sorted(path for path in (ROOT / "tests/cases/hangs").iterdir() if path.is_dir())
#: Generated run files whose facts were compared with an execution.
GENERATED = [one for one in json.loads((ROOT / "tests/oracle/recorded.json").read_text()) if "files" in one][::14]
PACKAGES = {"trl": "1.0.0", "vllm": "0.17.0"}
CHECK = ["--no-probe", "--target", "8xH100", "--set", "packages.trl=1.0.0", "--set", "packages.vllm=0.17.0"]


def _files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _is_same(answer, command) -> None:
    assert "error" not in answer, answer
    assert answer["code"] == command.code
    if command.code == 2:
        assert answer["message"] == command.message
    else:
        assert json.loads(answer["json"]) == command.report


def _diagnoses(engine, folder: Path, files: dict[str, bytes]) -> None:
    answer = engine.ask("diagnose", files)
    _is_same(answer, commanded(["diagnose", *sorted(files)], files, folder / "run"))


def _checks(engine, folder: Path, files: dict[str, bytes], given: list[str]) -> None:
    roles = {path: "run" if path in given else "other" for path in files}
    answer = engine.ask("check", files, roles=roles, target="8xH100", packages=PACKAGES)
    _is_same(answer, commanded(["check", *sorted(given), *CHECK], files, folder / "run"))


def _case(case: Path) -> tuple[dict[str, bytes], list[str]]:
    return _files(case), tomli.loads((case / "case.toml").read_text())["given"]


@pytest.mark.parametrize("log", LOGS[::9], ids=lambda path: path.stem)
def test_the_page_diagnoses_a_log_as_the_command_does(engine, tmp_path, log):
    _diagnoses(engine, tmp_path, {"log.txt": log.read_bytes()})


def test_the_page_finds_the_rank_that_the_others_wait_for_as_the_command_does(engine, tmp_path):
    _diagnoses(engine, tmp_path, _files(HANGS[0]))


@pytest.mark.parametrize("case", CASES[::9], ids=lambda path: path.name)
def test_the_page_checks_a_run_as_the_command_does(engine, tmp_path, case):
    _checks(engine, tmp_path, *_case(case))


@pytest.mark.slow
@pytest.mark.parametrize("log", [*LOGS, *HANGS], ids=lambda path: path.stem)
def test_the_page_diagnoses_each_kept_log_as_the_command_does(engine, tmp_path, log):
    _diagnoses(engine, tmp_path, _files(log) if log.is_dir() else {"log.txt": log.read_bytes()})


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_the_page_checks_each_kept_run_as_the_command_does(engine, tmp_path, case):
    _checks(engine, tmp_path, *_case(case))


@pytest.mark.slow
@pytest.mark.parametrize("example", GENERATED, ids=range(len(GENERATED)))
def test_the_page_checks_generated_run_files_as_the_command_does(engine, tmp_path, example):
    _checks(engine, tmp_path, {name: text.encode() for name, text in example["files"].items()}, example["given"])


def test_a_launch_script_with_letters_beyond_ascii_is_read_as_by_the_command(engine, tmp_path):
    script = 'NAME="größe 模型 🚀"  # übung\nexport RUN_NAME="$NAME"\ntorchrun --nproc_per_node 4 train.py --run_name "ß🚀" --beta 0.5\n'
    training = (ROOT / "tests/oracle/cases/accelerate-cpu-offload/train.py").read_bytes()
    _checks(engine, tmp_path, {"run.sh": script.encode(), "train.py": training}, ["run.sh"])


def test_input_that_cannot_be_used_is_one_line(engine):
    answer = engine.ask("check", {"train.py": b"import trl\n"}, roles={}, target="8xNothing", packages={})
    assert answer["code"] == 2
    assert answer["message"].startswith("vcompat: --target 8xNothing: unknown GPU 'Nothing'; expected ")
    assert "html" not in answer


def test_a_report_for_upstream_has_no_names_of_the_user(engine):
    log = (
        b'Traceback (most recent call last):\n  File "/home/jdoe/secret/train.py", line 1, in <module>\nValueError: x\n'
    )
    answer = engine.ask("report", {"log.txt": log})
    assert answer["code"] == 0
    assert "ValueError: x" in answer["markdown"]
    assert "jdoe" not in answer["markdown"]
