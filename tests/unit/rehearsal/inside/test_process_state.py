"""A process of a rehearsal ends although its script catches everything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from vcompat.rehearsal.protocol import END, read_folder

ROOT = Path(__file__).resolve().parents[4]
STUBBORN = """
import sys
from vcompat.rehearsal.inside.process_state import Session
session = Session(sys.argv[1], 3, 60.0)
for number in range(5):
    try:
        session.end()
    except BaseException as error:
        print(number, type(error).__name__)
"""


def test_a_script_that_catches_the_exit_is_ended_the_second_time(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STUBBORN, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 SystemExit\n", "")
    (told,) = read_folder(str(tmp_path))
    assert len(told.of(END)) == 1
