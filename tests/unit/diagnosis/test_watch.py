"""`vcompat.patch(watch=True)`: what a process prints that an exception ends."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pytest

#: Each of these takes seconds.
pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[3]
#: A text that vLLM raises, and one that nobody does.
KNOWN = "ValueError('Bfloat16 is only supported on GPUs with compute capability of at least 8.0.')"
OURS = "vcompat: what is known about this failure"
WATCH = "import vcompat; vcompat.patch(only=[], watch=True)\n"


class Ended(NamedTuple):
    """How a process ended."""

    code: int
    out: str
    err: str


End = Callable[..., Ended]


@pytest.fixture
def end(tmp_path: Path) -> End:
    """Runs a script to its end, in a folder of its own for temporary files."""

    def run(script: str, **variables: str) -> Ended:
        path = tmp_path / "train.py"
        path.write_text(script)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("VLLM_", "VCOMPAT_"))}
        environment = {**kept, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path), **variables}
        done = subprocess.run(
            [sys.executable, str(path)], env=environment, capture_output=True, text=True, check=False, timeout=120
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return run


def test_the_diagnosis_is_below_the_traceback_and_the_exit_code_is_pythons(end: End) -> None:
    ended = end(f"{WATCH}raise {KNOWN}\n")
    assert ended.code == 1
    before, _, after = ended.err.partition(OURS)
    assert before.startswith("Traceback (most recent call last):")
    assert before.rstrip().endswith(KNOWN[12:-2])
    assert "vLLM refuses bfloat16" in after
    assert "\x1b" not in ended.err


def test_the_facts_of_the_process_count(end: End) -> None:
    pytest.importorskip("trl")
    assert f"trl {version('trl')}" in end(f"{WATCH}raise {KNOWN}\n").err


@pytest.mark.parametrize(
    "script",
    [
        f"import vcompat; vcompat.patch(only=[])\nraise {KNOWN}\n",
        f"{WATCH}vcompat.unpatch()\nraise {KNOWN}\n",
        f"{WATCH}try:\n    raise {KNOWN}\nexcept ValueError:\n    pass\n",
        f"{WATCH}raise SystemExit(3)\n",
        f"{WATCH}raise KeyboardInterrupt\n",
    ],
    ids=["not watched", "not any more", "handled", "exit", "interrupt"],
)
def test_nothing_is_added_where_nothing_failed_or_nobody_asked(end: End, script: str) -> None:
    assert OURS not in end(script).err


def test_watching_twice_prints_once(end: End) -> None:
    assert end(f"{WATCH}{WATCH}raise {KNOWN}\n").err.count(OURS) == 1


def test_a_hook_that_a_library_installs_around_it_gets_both(end: End) -> None:
    # As torch.distributed does: it puts the rank before each line of what the hook before it prints.
    around = (
        "import io, sys\nbefore = sys.excepthook\n"
        "def hook(*failed):\n    real, sys.stderr = sys.stderr, io.StringIO()\n    before(*failed)\n"
        "    text, sys.stderr = sys.stderr.getvalue(), real\n"
        "    real.write(''.join(f'[rank0]: {line}' for line in text.splitlines(True)))\n"
        "sys.excepthook = hook\n"
    )
    text = end(f"{WATCH}{around}raise {KNOWN}\n").err
    assert f"[rank0]: {OURS}" in text
    assert all(line.startswith("[rank0]: ") for line in text.splitlines())


def test_an_error_of_the_diagnosis_is_one_line_and_hides_nothing(end: End) -> None:
    broken = "import vcompat.report.diagnoses.watching as w\nw.watch._answer = lambda text: 1 / 0\n"
    ended = end(f"{WATCH}{broken}raise {KNOWN}\n")
    assert ended.code == 1
    assert KNOWN[12:-2] in ended.err
    assert ended.err.splitlines()[-1] == "vcompat: no diagnosis: ZeroDivisionError: division by zero"


def test_of_several_ranks_the_first_that_fails_is_diagnosed(end: End) -> None:
    variables = {"WORLD_SIZE": "2", "MASTER_PORT": "29500"}
    first = end(f"{WATCH}raise {KNOWN}\n", RANK="1", **variables)
    second = end(f"{WATCH}raise RuntimeError('Connection reset by peer')\n", RANK="0", **variables)
    after_a_restart = end(f"{WATCH}raise {KNOWN}\n", RANK="1", TORCHELASTIC_RESTART_COUNT="1", **variables)
    assert [OURS in ended.err for ended in (first, second, after_a_restart)] == [True, False, True]
    assert "Connection reset by peer" in second.err


def test_a_folder_that_belongs_to_somebody_else_is_not_used(end: End, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / f"vcompat-{os.getuid()}").symlink_to(elsewhere)
    assert OURS in end(f"{WATCH}raise {KNOWN}\n", WORLD_SIZE="2").err
    assert list(elsewhere.iterdir()) == []
