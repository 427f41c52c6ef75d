"""Launchers that people have, started as processes of a run: their ranks get the patches."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.unit.patching.launched import CALL, PATCH, Place, started
from vcompat.evaluation.rank_patches import compare
from vcompat.patching.launching import environment_of_run
from vcompat.patching.process_reports import read_process
from vcompat.patching.run_folder import files_of

#: Only the environment of a new login, as `ssh` gives it; `pdsh` starts the words as one line of a shell there.
PDSH = """#!/bin/sh
while [ "$1" != -w ]; do shift; done
shift 2
exec env -i PATH="$PATH" HOME="$HOME" /bin/sh -c "$(echo "$*" | sed s/%n/0/)"
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path)
    (place.folder / "train.py").write_text(f"import os\n{CALL}\nprint('rank', os.environ['RANK'])\n")
    return place


def launched(place: Place, *words: str, **variables: str) -> str:
    """Start a launcher as a process of a run; return what it and its ranks print."""
    environment = environment_of_run(place.environment(HF_HUB_OFFLINE="1", **variables), [PATCH], str(place.runs))
    done = started((sys.executable, "-m", *words), environment, place.folder)
    assert done.code == 0, done.stdout + done.stderr
    return done.stdout


def assert_both_ranks_are_patched(place: Place, output: str) -> None:
    assert output.count("patched\n") == 2 and {"rank 0", "rank 1"} <= set(output.splitlines())
    ranks = compare(map(read_process, files_of(str(place.runs))))
    assert {number: process.patches[PATCH].status for number, process in ranks.each.items()} == dict.fromkeys(
        (0, 1), "applied"
    )
    assert not (ranks.differences or ranks.missing)


def test_ranks_of_accelerate_launch_get_the_patches(place: Place) -> None:
    words = ["accelerate.commands.launch", "--multi_gpu", "--num_processes", "2", "--num_machines", "1"]
    assert_both_ranks_are_patched(place, launched(place, *words, "--main_process_port", "0", "train.py"))


DEEPSPEED = ["deepspeed.launcher.runner", "--master_port", "0", "--no_local_rank"]


def test_ranks_of_deepspeed_get_the_patches(place: Place) -> None:
    pytest.importorskip("deepspeed")
    assert_both_ranks_are_patched(place, launched(place, *DEEPSPEED, "--num_gpus", "2", "train.py"))


def test_ranks_that_deepspeed_starts_in_another_login_get_the_patches(place: Place) -> None:
    """`pdsh` and `ssh` are stand-ins for another machine: the command gets the environment of a new login."""
    pytest.importorskip("deepspeed")
    (place.folder / "bin").mkdir()
    for name, text in (("pdsh", PDSH), ("ssh", "#!/bin/sh\n")):
        (place.folder / "bin" / name).write_text(text)
        (place.folder / "bin" / name).chmod(0o755)
    (place.folder / "hosts").write_text("localhost slots=2\n")
    path = os.pathsep.join([str(place.folder / "bin"), os.environ["PATH"]])
    words = [*DEEPSPEED, "--hostfile", "hosts", "--force_multi", "--master_addr", "localhost", "train.py"]
    assert_both_ranks_are_patched(place, launched(place, *words, PATH=path))
