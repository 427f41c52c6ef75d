"""``vcompat diagnose``: what it prints, its exit codes, and the same in Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

import vcompat as package
from tests.unit.cli.command_line import bash, process, vcompat
from vcompat.foundation.errors import InputError

SCHEMA = json.loads(
    (Path(__file__).parents[3] / "vcompat" / "report" / "diagnoses" / "diagnosis.schema.json").read_text()
)

ERROR = "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla T4 GPU has compute capability 7.5."
FRAME = 'Traceback (most recent call last):\n  File "/opt/train.py", line 3, in main\n    start()\n'
LOG = f"vllm==0.7.2\n[rank0]: {FRAME.replace(chr(10), chr(10) + '[rank0]: ')}{ERROR}\n"
STATED = ["--set", "vllm.dtype=bfloat16"]


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("train.log").write_text(LOG)
    return "train.log"


def test_the_cause_comes_first_with_the_line_of_the_log_and_the_fix(log: str) -> None:
    answer = vcompat("diagnose", log, *STATED)
    lines = answer.stdout.splitlines()
    assert answer.code == 0
    assert lines[0] == "Read train.log: 5 lines, with vllm 0.7.2."
    assert lines[2].startswith("cause: vLLM refuses bfloat16")
    assert "train.log:5, rank0)" in answer.stdout
    assert "packages.vllm = 0.7.2 (the log, line 1)" in " ".join(answer.stdout.split())
    assert "  fix      import vcompat; vcompat.patch()" in answer.stdout


def test_a_rule_that_the_facts_contradict_is_no_cause(log: str) -> None:
    answer = vcompat("diagnose", log, "--set", "gpu.compute_capability=8.0")
    assert answer.code == 1
    assert "ruled out  vLLM refuses bfloat16" in answer.stdout
    assert "gpu.compute_capability = 8.0 (--set)" in " ".join(answer.stdout.split())
    assert "No known cause fits what the log states." in answer.stdout


def test_nothing_known_has_exit_code_1_and_names_the_failure(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(f"{FRAME}KeyError: 'prompt'\n")
    answer = vcompat("diagnose", str(tmp_path / "log"))
    assert answer.code == 1
    assert "first      KeyError: 'prompt'" in answer.stdout
    assert "Nothing known matches" in answer.stdout


def test_a_log_with_nothing_but_consequences_sends_the_reader_to_other_logs(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(f"{FRAME}RuntimeError: Engine core initialization failed.\n")
    answer = vcompat("diagnose", str(tmp_path / "log"))
    assert answer.code == 1
    assert "follows from a failure in another process" in " ".join(answer.stdout.split())


def test_what_cannot_be_read_has_exit_code_2_and_one_line(tmp_path: Path) -> None:
    answer = vcompat("diagnose", str(tmp_path / "none.log"))
    assert answer.code == 2
    assert answer.stderr.endswith("none.log: No such file or directory; expected a log\n")
    assert answer.stdout == ""


def test_of_many_files_that_are_no_logs_few_are_named(log: str, tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"core-{number}").write_bytes(bytes(range(256)) * 50)
    shown = vcompat("diagnose", ".").stdout
    assert shown.count("binary data, not a log") == 4
    assert "and 5 more" in shown


@pytest.mark.parametrize("word", ["", "-"])
def test_standard_input_is_a_log(log: str, word: str) -> None:
    answer = bash(f"vcompat diagnose {word} < {log}")
    assert answer.code == 0
    assert "Read <stdin>: 5 lines" in answer.stdout


@pytest.mark.parametrize("columns", [40, 80])
def test_no_line_is_longer_than_the_terminal(log: str, columns: int) -> None:
    answer = vcompat("diagnose", log, "--all", COLUMNS=str(columns))
    # Words are never broken: people copy commands and paths.
    long = [line for line in answer.stdout.splitlines() if len(line) > columns and len(line.split()) > 2]
    assert [line for line in long if not line.startswith(("  fix", "  or", "  more"))] == []


def test_what_a_log_contains_cannot_steer_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(f"{FRAME}KeyError: \x07\x1b]0;title\x07\x9b31m'prompt'\n")
    assert "\x07" not in vcompat("diagnose", str(tmp_path / "log")).stdout
    assert "\x9b" not in vcompat("diagnose", str(tmp_path / "log")).stdout


@pytest.mark.parametrize("text", [LOG, f"{FRAME}KeyError: 'a'\n", "step 1\n", f"{LOG}vllm==0.8.5\n"])
def test_json_keeps_to_its_schema(tmp_path: Path, text: str) -> None:
    (tmp_path / "log").write_text(text)
    table = json.loads(vcompat("diagnose", str(tmp_path / "log"), "--format", "json").stdout)
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(table)


def test_json_has_the_processes_that_failed_in_the_order_of_time(tmp_path: Path) -> None:
    ranks = [("rank1", "12:00:07", "RuntimeError: Connection closed by peer"), ("rank0", "12:00:03", "KeyError: 'a'")]
    lines = [f"[{rank}]: {time} ERROR: {line}" for rank, time, error in ranks for line in f"{FRAME}{error}".split("\n")]
    (tmp_path / "log").write_text("\n".join(lines))
    found = json.loads(vcompat("diagnose", str(tmp_path / "log"), "--format", "json").stdout)
    assert [(each["process"], each["time"], each["follows"]) for each in found["processes"]] == [
        ("rank0", "12:00:03", False),
        ("rank1", "12:00:07", True),
    ]
    assert found["processes"][0]["failure"]["chain"][0]["error"] == "KeyError: 'a'"
    jsonschema.validate(found, SCHEMA)


def test_json_has_the_likeliest_rule_first(log: str) -> None:
    table = json.loads(vcompat("diagnose", log, *STATED, "--format", "json").stdout)
    first = table["matches"][0]
    assert (first["rule"], first["certainty"]) == ("bfloat16-before-ampere", "certain")
    assert first["evidence"][0]["text"] == ERROR
    assert table["failure"]["chain"][0]["error"] == ERROR


def test_in_python_a_text_and_a_path_are_diagnosed_alike(log: str) -> None:
    for given in (LOG, log, Path(log)):
        assert [match.rule.id for match in package.diagnose(given).causes] == ["bfloat16-before-ampere"]


def test_in_python_a_misspelled_path_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        package.diagnose(str(tmp_path / "none.log"))


def test_a_diagnosis_imports_the_engine_and_nothing_heavy(log: str) -> None:
    code = (
        "import sys, vcompat; vcompat.diagnose(sys.argv[1]); "
        "print(sorted({'torch', 'vllm', 'trl', 'transformers', 're2'} & set(sys.modules)))"
    )
    assert python(code, log) == "['re2']"


def python(code: str, *arguments: str) -> str:
    import subprocess
    import sys

    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_the_command_is_over_without_a_traceback_whatever_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(bytes(range(1, 256)) * 50 + b"\nValueError: \xff\xfe\n")
    answer = process("diagnose", str(tmp_path / "log"))
    assert (answer.code, answer.stderr) == (1, "")


def test_several_reports_at_once_go_to_files_by_their_endings(log: str, tmp_path: Path) -> None:
    answer = vcompat(
        "diagnose", log, "-o", "a.html", "-o", "a.md", "--format", "json", "-o", "b.txt", "--format", "text"
    )
    assert (answer.code, answer.stdout.partition(":")[0]) == (0, "Read train.log")
    assert (tmp_path / "a.html").read_text().startswith("<!doctype html>")
    assert (tmp_path / "a.md").read_text().startswith("## Possible cause: vLLM refuses bfloat16")
    assert json.loads((tmp_path / "b.txt").read_text())["matches"][0]["rule"] == "bfloat16-before-ampere"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--format", "html", "--format", "json"], "--format html and --format json would share standard output"),
        (["-o", "a.pdf"], "-o a.pdf: the file's ending selects no format"),
        (["-o", "none/a.html"], "none/a.html: cannot be written: No such file or directory"),
    ],
)
def test_reports_that_cannot_be_written_are_an_error_in_one_line(log: str, options: list[str], message: str) -> None:
    answer = vcompat("diagnose", log, *options)
    assert (answer.code, answer.stdout) == (2, "")
    assert message in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_standard_input_that_is_closed_is_bad_input() -> None:
    done = bash("vcompat diagnose - <&-")
    assert (done.code, done.stderr) == (2, "vcompat: <stdin>: closed; expected a log\n")


def test_standard_input_that_is_named_twice_is_read_once() -> None:
    done = bash("printf 'KeyError: 1\\n' | vcompat diagnose - -")
    assert (done.code, done.stderr) == (1, "")


def test_a_named_pipe_is_read_once_somebody_writes(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen(
        [sys.executable, "-m", "vcompat", "diagnose", str(pipe)], stdout=subprocess.PIPE, text=True
    )
    pipe.write_text(LOG)  # waits for the reader
    out, _ = reader.communicate(timeout=300)
    assert "5 lines" in " ".join(out.split())


def test_an_interrupted_run_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "log").write_text(f"{FRAME}KeyboardInterrupt\n")
    answer = vcompat("diagnose", str(tmp_path / "log"))
    assert (answer.code, "The run was interrupted" in answer.stdout) == (1, True)
