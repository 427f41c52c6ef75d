"""The command line as tests run it: in this process, in a process of its own, or in a terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import click
from click.testing import CliRunner

from vcompat.cli.program import main

#: Makes one finding certain: sleep-level-2-loses-buffers, an error.
SLEEPING = ["--set", "packages.vllm=0.8.4", "--set", "plan.vllm_sleep_level=2"]


class Answer(NamedTuple):
    """What a command printed, and its exit code."""

    code: int
    stdout: str
    stderr: str


@click.command(add_help_option=False)
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def _main(words: tuple[str, ...]) -> None:
    sys.exit(main(list(words)))


def vcompat(*arguments: str, **variables: str) -> Answer:
    """Run the command line in this process and in the current folder."""
    runner = CliRunner(env={"COLUMNS": "100", **variables})
    result = runner.invoke(_main, ["--", *arguments], catch_exceptions=False)
    return Answer(result.exit_code, result.stdout, result.stderr)


def _environment(variables: dict[str, str]) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    return {**inherited, "COLUMNS": "100", **variables}


def process(*arguments: str, folder: Path | None = None, **variables: str) -> Answer:
    """Run the command line in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "vcompat", *arguments],
        capture_output=True, text=True, errors="replace", timeout=300, cwd=folder, check=False, env=_environment(variables),
    )  # fmt: skip
    return Answer(done.returncode, done.stdout, done.stderr)


def bash(script: str, folder: Path | None = None, **variables: str) -> Answer:
    """Run a script in which ``vcompat`` is the command."""
    begin = f'set -o pipefail; vcompat() {{ "{sys.executable}" -m vcompat "$@"; }}; '
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-c", begin + script],
        capture_output=True, text=True, errors="replace", timeout=300, cwd=folder, check=False, env=_environment(variables),
    )  # fmt: skip
    return Answer(done.returncode, done.stdout, done.stderr)


def terminal(*arguments: str, **variables: str) -> str:
    """Run the command line in a terminal; return what it displays."""
    ours, theirs = os.openpty()
    started = subprocess.Popen(
        [sys.executable, "-m", "vcompat", *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=_environment(variables)
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    try:
        while more := os.read(ours, 65536):
            shown += more
    except OSError:
        pass  # Linux reports the end of a terminal as an error.
    os.close(ours)
    started.wait(timeout=300)
    return shown.decode()
