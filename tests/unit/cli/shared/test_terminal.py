"""Output in any encoding, with and without color, at any width, and to readers that stop or cannot take it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.cli.command_line import SLEEPING, bash, process, terminal
from vcompat.cli.shared.terminal import width

CHECK = ["check", "--no-probe", "--no-config", *SLEEPING]
RULE = "sleep-level-2-loses-buffers"
FAILING = " ".join(CHECK)
CHECKED = "Checked what the command line states, with vllm 0.8.4, on unknown GPUs.\n"


@pytest.mark.parametrize(
    ("options", "variables", "colored"),
    [
        ([], {}, True),
        ([], {"NO_COLOR": "1"}, False),
        ([], {"NO_COLOR": ""}, True),
        (["--color", "never"], {}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
    ],
)
def test_a_terminal_gets_color_unless_it_is_switched_off(
    options: list[str], variables: dict[str, str], colored: bool
) -> None:
    shown = terminal(*CHECK, *options, **variables)
    assert "error: " in shown
    assert ("\x1b[31m" in shown) is colored


@pytest.mark.parametrize(
    ("before", "after", "colored"),
    [
        ([], [], False),
        ([], ["--color", "auto"], False),
        ([], ["--color", "always"], True),
        (["--color", "always"], [], True),
        (["--color", "always"], ["--color", "never"], False),
    ],
)
def test_a_pipe_gets_color_only_on_request(before: list[str], after: list[str], colored: bool) -> None:
    done = process(*before, *CHECK, *after)
    assert done.code == 1
    assert ("\x1b[" in done.stdout) is colored


def test_a_written_report_has_no_color(tmp_path: Path) -> None:
    done = process(*CHECK, "--color", "always", "-o", "report.txt", folder=tmp_path)
    assert (done.code, done.stdout) == (1, "")
    assert "\x1b" not in (tmp_path / "report.txt").read_text()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1:strict", "utf-8"])
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (CHECK, 1),
        ([*CHECK, "--format", "markdown"], 1),
        ([*CHECK, "--format", "html"], 1),
        ([*CHECK, "--all"], 1),
        (["check", "--no-probe", "--set", "plan.model=模型-é"], 0),
        (["check", "--no-probe", "モデル.py"], 0),
        (["plan", "モデル.py"], 0),
        (["check", "--no-probe", "нет.py"], 2),
        (["explain", RULE], 0),
        (["facts"], 0),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else value,
)  # fmt: skip
def test_every_encoding_of_the_output_is_possible(
    tmp_path: Path, encoding: str, arguments: list[str], code: int
) -> None:
    (tmp_path / "モデル.py").write_text("GRPOConfig(use_vllm=True, model_init_kwargs={'a': 'é'})\n")
    done = process(*arguments, folder=tmp_path, PYTHONIOENCODING=encoding)
    assert done.code == code
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == (1 if code == 2 else 0)


def test_a_character_that_the_encoding_lacks_is_printed_as_an_escape(tmp_path: Path) -> None:
    (tmp_path / "モ.py").write_text("GRPOConfig(use_vllm=True)\n")
    assert "\\u30e2.py" in process("plan", "モ.py", folder=tmp_path, PYTHONIOENCODING="latin-1").stdout


@pytest.mark.parametrize(("encoding", "ascii_only"), [("ascii", True), ("latin-1", True), ("utf-8", False)])
def test_the_bar_of_releases_uses_characters_that_the_encoding_has(encoding: str, ascii_only: bool) -> None:
    done = process("explain", RULE, PYTHONIOENCODING=encoding, PYTHONUTF8="1" if encoding == "utf-8" else "0")
    bars = [line for line in done.stdout.splitlines() if line.startswith(" ") and ("##" in line or "██" in line)]
    assert len(bars) == 1
    assert ("█" not in bars[0] and "#" in bars[0]) is ascii_only


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (FAILING, 1),
        (f"{FAILING} --format json", 1),
        (f"{FAILING} --format html", 1),
        (f"{FAILING} --all", 1),
        (f"{FAILING} --fail-on never", 0),
        ("check --no-probe", 0),
        ("rules", 0),
        ("facts", 0),
        ("probe", 0),
        ("support", 0),
        (f"explain {RULE}", 0),
        ("explain no-such-rule", 2),
    ],
)
@pytest.mark.parametrize("reader", ["head -n 1", "true"])
def test_a_reader_that_stops_does_not_change_the_exit_code(command: str, code: int, reader: str) -> None:
    done = bash(f"vcompat {command} | {reader}; echo ${{PIPESTATUS[0]}} >&2")
    *errors, status = done.stderr.splitlines()
    assert status == str(code)
    assert len(errors) == (1 if code == 2 else 0)


def test_pipefail_sees_the_findings_through_a_reader_that_stops() -> None:
    for buffering in ("", "1"):
        assert bash(f"vcompat {FAILING} | head -n 1", PYTHONUNBUFFERED=buffering) == (1, CHECKED, "")
        assert bash("vcompat check --no-probe | head -n 1 > /dev/stderr", PYTHONUNBUFFERED=buffering).code == 0


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="no /dev/full")
@pytest.mark.parametrize(
    "command", [FAILING, f"{FAILING} --format json", "check --no-probe", "probe", "rules", "--help", "--version"]
)
def test_a_full_disk_is_one_line_and_exit_code_2(command: str) -> None:
    done = bash(f"vcompat {command} > /dev/full")
    assert (done.code, done.stderr) == (2, "vcompat: the report cannot be written: No space left on device\n")


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="no /dev/full")
def test_an_error_that_cannot_be_written_keeps_exit_code_2() -> None:
    assert bash("vcompat check --what 2> /dev/full").code == 2


@pytest.mark.parametrize(
    ("command", "code"),
    [(FAILING, 1), ("check --no-probe", 0), ("--help", 0), ("check --what", 2), ("probe", 0), ("rules", 0)],
)
def test_closed_streams_do_not_change_the_exit_code(command: str, code: int) -> None:
    for closed in (">&-", "2>&-", "<&-", ">&- 2>&- <&-"):
        done = bash(f"vcompat {command} {closed}")
        assert done.code == code, closed
        assert "Traceback" not in done.stderr


def test_an_error_is_not_printed_to_standard_output_instead() -> None:
    assert bash("vcompat check --what 2>&-").stdout == ""


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ("1", 60), ("0", 60), ("-5", 60), ("60", 60), ("100", 100), ("110", 110), ("111", 110), ("9" * 30, 110),
        ("9" * 5000, 80), ("", 80), ("wide", 80), ("²", 80), ("1e3", 80),
    ],
)  # fmt: skip
def test_the_width_is_that_of_columns_within_bounds(
    monkeypatch: pytest.MonkeyPatch, columns: str, expected: int
) -> None:
    def no_terminal(descriptor: int) -> os.terminal_size:
        raise OSError

    # pytest prints by the same variable, so it has its value for this call only.
    with monkeypatch.context() as patched:
        patched.setattr(os, "get_terminal_size", no_terminal)
        patched.setenv("COLUMNS", columns)
        found = width()
    assert found == expected


@pytest.mark.parametrize("columns", ["1", "72", "100000", "²"])
def test_text_is_wrapped_to_the_width(columns: str) -> None:
    done = process(*CHECK, COLUMNS=columns)
    assert done.code == 1
    limit = {"1": 60, "72": 72, "100000": 110, "²": 80}[columns]
    long = [line for line in done.stdout.splitlines() if len(line) > limit]
    # Lines to copy, the title, and those that are a line whatever the width.
    whole = ("  fix", "  or", "error: ", "possible: ", "Next: ")
    assert [line for line in long if not line.startswith(whole) and " depend" not in line] == []


def test_the_width_of_a_terminal_is_used() -> None:
    program = "import os, sys, fcntl, termios, struct, subprocess; ours, theirs = os.openpty(); "
    program += "fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 72, 0, 0)); "
    program += "sys.exit(subprocess.run([sys.executable, '-c', 'from vcompat.cli.shared.terminal import width; import sys; sys.exit(width())'], stdout=theirs).returncode)"
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    assert subprocess.run([sys.executable, "-c", program], env=environment, check=False).returncode == 72


@pytest.mark.parametrize("command", [["check", "--no-probe", "--target", "8xH100"], ["plan"]])
def test_a_run_file_cannot_steer_the_terminal(tmp_path: Path, command: list[str]) -> None:
    name = "a\x1b[2Jb.yaml"
    (tmp_path / name).write_text('use_vllm: true\nmodel_name_or_path: "x\\e]0;title\\a\\u009b31m"\n')
    shown = process(*command, name, "--color", "always", folder=tmp_path).stdout
    assert "\\x1b]0;title\\x07\\x9b31m" in shown and "a\\x1b[2Jb.yaml" in shown
    assert "\x1b[2J" not in shown and "\x1b]" not in shown and "\x9b" not in shown and "\a" not in shown
