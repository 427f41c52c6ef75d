"""``vcompat diagnose --follow``, in a process of its own, while another process writes."""

from __future__ import annotations

import array
import fcntl
import os
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from tests.unit.cli.command_line import bash, process

ERROR = "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla T4 GPU has compute capability 7.5."
#: Writes a log in pieces that end anywhere, and then goes on to run.
WRITER = f"""
import sys, time
text = 'vllm==0.7.2\\n' + 'step\\n' * 100 + 'Traceback (most recent call last):\\n  File "a.py", line 3, in main\\n    start()\\n' + {ERROR!r} + '\\n'
with open(sys.argv[1], "a", buffering=1) as log:
    for start in range(0, len(text), 50):
        log.write(text[start : start + 50])
        log.flush()
        time.sleep(0.01)
time.sleep(60)
"""


def test_the_answer_comes_once_a_process_has_failed_although_it_does_not_end(tmp_path: Path) -> None:
    (tmp_path / "train.log").touch()
    writer = subprocess.Popen([sys.executable, "-c", WRITER, "train.log"], cwd=tmp_path)
    try:
        answer = process("diagnose", "--follow", "train.log", folder=tmp_path)
    finally:
        writer.kill()
        writer.wait()
    assert (answer.code, answer.stderr) == (0, "")
    assert answer.stdout.startswith(
        "Read train.log: 105 lines, with vllm 0.7.2.\n\npossible cause: vLLM refuses bfloat16"
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_reading_and_the_answer_is_printed(tmp_path: Path, number: int) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    started = subprocess.Popen(
        [sys.executable, "-m", "vcompat", "diagnose", "--follow", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )  # fmt: skip
    with path.open("w") as pipe:  # opens once the command has opened it
        pipe.write(f"vllm==0.7.2\nValueError: x\n{ERROR}\n")
        pipe.flush()
        while unread(pipe.fileno()):
            time.sleep(0.01)
        started.send_signal(number)
        stdout, stderr = started.communicate(timeout=300)
    assert (started.returncode, stderr) == (0, "")
    assert "possible cause: vLLM refuses bfloat16" in stdout


def unread(descriptor: int) -> int:
    """How many bytes are in a pipe."""
    count = array.array("i", [0])
    fcntl.ioctl(descriptor, termios.FIONREAD, count)
    return count[0]


def test_standard_input_is_read_to_its_end() -> None:
    answer = bash(f"(printf 'vllm==0.7.2\\n'; sleep 0.3; printf '%s\\n' '{ERROR}') | vcompat diagnose --follow")
    assert (answer.code, answer.stderr) == (0, "")
    assert answer.stdout.startswith("Read <stdin>: 2 lines, with vllm 0.7.2.")


def test_a_log_that_does_not_exist_is_an_error_in_one_line(tmp_path: Path) -> None:
    answer = process("diagnose", "--follow", "none.log", folder=tmp_path)
    assert (answer.code, answer.stdout) == (2, "")
    assert answer.stderr == "vcompat: none.log: No such file or directory; expected a log\n"
