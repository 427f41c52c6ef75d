"""Files that a script reads and runs, and what `run_shell` is told about its caller."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.shell.claims import NOTHING, claims
from vcompat.facts.facts import Place
from vcompat.sources.reading.invocation import Environment, Others
from vcompat.sources.reading.shell import SIZE_LIMIT, run_shell
from vcompat.sources.reading.word import UNKNOWN


def inside(path: Path, text: str, **options: object) -> list[str]:
    """Follow a script in the folder `path`, which is written as a dot in the lines of the result."""
    lines = claims(text, str(path / "run.sh"), start=NOTHING, arguments=(), **options)
    return lines.replace(str(path), ".").splitlines()


def test_files_are_found_in_the_current_folder_then_beside_the_script(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.sh").write_text("#!/bin/bash -eu\r\nprog a $1\r\nfalse\r\nprog no\r\n")
    (tmp_path / "sub/a.sh").write_text("prog sub\n")
    (tmp_path / "b.py").write_bytes(b"prog no\r\n")
    (tmp_path / "private.sh").write_text("prog \ue000\n")
    text = "bash a.sh x; . a.sh; cd sub; bash a.sh; bash ../a.sh; ./a.sh; ../a.sh y\nbash b.sh; ../b.py; "
    assert inside(tmp_path, text + ". ../private.sh; cat < ../b.py", folder=str(tmp_path)) == [
        "./a.sh:2: prog a x in .",
        "./a.sh:4: prog no in .",
        "./a.sh:2: prog a in .",
        "./a.sh:4: prog no in .",
        "./sub/a.sh:1: prog sub in ./sub",
        "./a.sh:2: prog a in ./sub",
        "./a.sh:4: prog no in ./sub",
        "1: ./a.sh in ./sub",
        "./a.sh:2: prog a y in ./sub",
        "2: bash b.sh in ./sub",
        "2: ../b.py in ./sub",
        "./private.sh:1: prog '\\ue000' in ./sub",
        "2: cat in ./sub files -:'prog no\\n'",
        "missing: b.sh launch 2",
    ]  # fmt: skip


def test_a_file_beside_the_script_is_no_program_in_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("#!/bin/sh\nprog a\n")
    assert inside(tmp_path, "cd /nowhere; ./a.sh; cat < a.sh; bash a.sh") == [
        "1: ./a.sh in /nowhere",
        "1: cat in /nowhere",
        "./a.sh:2: prog a in /nowhere",
        "missing: ./a.sh launch 1",
    ]


def test_a_file_that_the_script_may_have_changed_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("prog a\n")
    assert inside(tmp_path, "bash a.sh; sed -i s/a/b/ a.sh; bash a.sh; rm a.sh; cat < a.sh") == [
        "./a.sh:1: prog a",
        "1: sed -i s/a/b/ a.sh",
        "1: bash a.sh files s/a/b:¿ a.sh:¿",
        "1: rm a.sh files s/a/b:¿ a.sh:¿",
        "1: cat files s/a/b:¿ a.sh:¿",
        "missing: a.sh launch 1",
    ]


def test_a_script_that_is_too_large_is_missing(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("#" * (SIZE_LIMIT - 1) + "\n")
    (tmp_path / "b.sh").write_text("#" * SIZE_LIMIT + "\n")
    assert inside(tmp_path, "cat < a.sh; bash b.sh; cat < b.sh")[-1] == "missing: b.sh launch 1"
    (cat,) = run_shell("cat < a.sh", "run.sh", folder=str(tmp_path)).invocations
    assert len(cat.files["-"] or "") == SIZE_LIMIT


def test_a_script_that_runs_itself_is_followed_sixteen_times(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("prog $1; source run.sh $(($1 + 1))")
    (tmp_path / "b.sh").write_text("prog $1; bash b.sh $(($1 + 1))")
    assert inside(tmp_path, "source run.sh 1; prog end")[-2:] == ["1: prog 16", "1: prog end"]
    nested = ["./b.sh:1: prog 15", "./b.sh:1: bash b.sh 16", "1: prog end"]
    assert inside(tmp_path, "bash b.sh 1; prog end")[-3:] == nested


def test_places_start_at_the_line_of_the_text() -> None:
    text = "prog a\nf() {\n  prog b\n}\n\nf\neval 'prog c\nprog d'\nbash -c 'prog e'\nif\nprog f\n"
    ran = run_shell(text, "Dockerfile", line=10)
    assert [(each.words[1], each.place.line) for each in ran.invocations] == [
        ("a", 10), ("b", 12), ("c", 16), ("d", 17), ("e", 18), ("f", 20),
    ]  # fmt: skip
    assert ran.why_incomplete == "Dockerfile:19:1: a syntax error"
    assert ran.environment.why_open == ran.why_incomplete


def test_what_the_caller_states() -> None:
    start = Environment({"A": "1", "B": None, "C": UNKNOWN}, Others.UNSET, {"A": Place("k8s.yaml", 3)}, "why")
    text = 'prog "$A" "${B-u}" "$C" "$1" $# $0 "$(cat f)"; A=2; B=3; C=4; prog'
    called = {"arguments": ("x", "y"), "folder": "w", "script": "/s/run.sh", "files": {"w/f": "text\n"}}
    *_, first, second = run_shell(text, "run.sh", start=start, **called).invocations  # type: ignore[arg-type]
    assert first.words == ("prog", "1", "u", UNKNOWN, "x", "2", "/s/run.sh", "text")
    assert (first.folder, first.files) == ("w", {"w/f": "text\n"})
    assert first.environment == start
    assert second.environment.values == {"A": "2", "B": None, "C": UNKNOWN}
    assert second.environment.places == dict.fromkeys("ABC", Place("run.sh", 1, 1))


@pytest.mark.parametrize(
    ("first", "words"),
    [
        ("#!/bin/bash", ("/s/x.sh", "/s/x.sh")),
        ("#SBATCH -N 2", (UNKNOWN, UNKNOWN)),
        ("#PBS -l x", ("/s/x.sh", "/s/x.sh")),
    ],
)
def test_sbatch_runs_a_copy_of_the_script(first: str, words: tuple[str, str]) -> None:
    ran = run_shell(f'{first}\nprog "$0" "$BASH_SOURCE"', "run.sh", script="/s/x.sh")
    assert ran.invocations[0].words == ("prog", *words)
    assert run_shell('prog "$0"', "run.sh").invocations[0].words == ("prog", UNKNOWN)


def test_directives_set_variables_that_the_caller_does_not_state() -> None:
    text = "#SBATCH -N 2 -n 16\nprog $SLURM_NNODES $SLURM_NTASKS"
    ran = run_shell(text, "run.sh", line=5, start=Environment({"SLURM_NNODES": "3"}))
    assert ran.invocations[0].words == ("prog", "3", "16")
    assert ran.environment.values == dict.fromkeys(("SLURM_NTASKS", "SLURM_NPROCS"), "16") | {
        "SLURM_NNODES": "3", "SLURM_JOB_NUM_NODES": "2",
    }  # fmt: skip
    assert set(ran.environment.places) == {"SLURM_NTASKS", "SLURM_NPROCS", "SLURM_JOB_NUM_NODES"}
    assert set(ran.environment.places.values()) == {Place("run.sh", 5, 1)}


@pytest.mark.parametrize(
    ("first", "runs"), [("#!/bin/bash -e", True), ("#!/bin/bash -x", True), ("#!/bin/sh\nset -e", False)]
)
def test_options_in_the_first_line_may_be_those_of_the_shell(first: str, runs: bool) -> None:
    ran = run_shell(f"{first}\nfalse && prog x\nfalse\nprog a\n", "run.sh")
    assert [each.words for each in ran.invocations] == [("prog", "a")] * runs
