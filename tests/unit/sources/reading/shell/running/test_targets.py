"""What `make` starts: their recipes run as shells do."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.sources.reading.invocation import Environment, Others
from vcompat.sources.reading.shell import Ran, run_shell

MAKEFILE = """N ?= 8
export CUDA_VISIBLE_DEVICES = 0,1
.PHONY: train setup
train: setup
\tcd src && torchrun --nproc_per_node 2 "$${S:-train.py}" -n $(N) $(MORE)
setup:
\tpip install -e .
other:
\t$(MAKE) -C sub go
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub" / "deep").mkdir(parents=True)
    (tmp_path / "Makefile").write_text(MAKEFILE)
    (tmp_path / "sub" / "Makefile").write_text("go:\n\tpython go.py\n")


def followed(script: str, others: Others = Others.UNSET, presuming: bool = False) -> Ran:
    return run_shell(script, "run.sh", start=Environment(others=others), presuming=presuming)


@pytest.mark.parametrize(
    ("command", "words", "folder"),
    [
        ("make train", "torchrun --nproc_per_node 2 train.py -n 8", "src"),
        ("make", "torchrun --nproc_per_node 2 train.py -n 8", "src"),
        ("make -j 4 -s train N=16 MORE='--x y'", "torchrun --nproc_per_node 2 train.py -n 16 --x y", "src"),
        ("export N=3; make train", "torchrun --nproc_per_node 2 train.py -n 3", "src"),
        ("export S=a.py; make train", "torchrun --nproc_per_node 2 a.py -n 8", "src"),
        ("N=3; make train", "torchrun --nproc_per_node 2 train.py -n 8", "src"),
        ("make -C sub go", "python go.py", "sub"),
        ("make --directory=sub", "python go.py", "sub"),
        ("make -f sub/Makefile", "python go.py", ""),
        ("cd sub; make", "python go.py", "sub"),
        ("make other", "python go.py", "sub"),
        ("nohup make -C sub", "python go.py", "sub"),
    ],
)
def test_the_last_command_of_a_target_is_started(command: str, words: str, folder: str) -> None:
    last = followed(command).invocations[-1]
    assert (" ".join(last.words), last.folder, last.why_uncertain) == (words, folder, "")


def test_a_command_is_at_its_line_and_has_exported_variables() -> None:
    last = followed("make train").invocations[-1]
    assert (last.place.path, last.place.line) == ("Makefile", 5)
    assert last.environment.values["CUDA_VISIBLE_DEVICES"] == "0,1"
    assert last.environment.values.get("N") is None
    assert followed("make train N=9").invocations[-1].environment.values["N"] == "9"


def test_what_the_caller_may_set_is_not_certain_and_presumably_not_set() -> None:
    certain = followed("make train", Others.INHERITED).invocations[-1].words
    assert certain[:3] == ("torchrun", "--nproc_per_node", "2")
    assert "8" not in certain
    presuming = followed("make train", Others.INHERITED, presuming=True)
    assert presuming.invocations[-1].words == ("torchrun", "--nproc_per_node", "2", "train.py", "-n", "8")
    assert {"the caller does not set N", "the caller does not set MORE"} <= {one.text for one in presuming.presumes}
    assert "the caller does not set CUDA_VISIBLE_DEVICES" not in {one.text for one in presuming.presumes}


def test_a_target_that_is_a_file_may_not_run() -> None:
    Path("go").touch()
    assert "may be up to date" in followed("make -f sub/Makefile go").invocations[-1].why_uncertain
    assert followed("make -C sub go").invocations[-1].why_uncertain == ""


@pytest.mark.parametrize(
    "command",
    [
        "make nowhere",
        "make -n train",
        "make --help",
        "make -C nowhere",
        "make $(date)",
    ],
)
def test_what_cannot_be_followed_is_a_program(command: str) -> None:
    assert followed(command).invocations[-1].words[0] == command.split(maxsplit=1)[0]


def test_files_that_a_target_writes_are_known_after_it() -> None:
    Path("Makefile").write_text("a:\n\techo 1 > a.txt\n")
    assert followed("make a").files["a.txt"] == "1\n"
