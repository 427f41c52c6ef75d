"""Commands of containers: what they start."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.unit.sources.reading.described import described_invocations
from vcompat.facts.facts import Place
from vcompat.sources.reading.containers.container_commands import (
    Command,
    Context,
    behind_entrypoint,
    join_folder,
    run_text,
    started,
)
from vcompat.sources.reading.invocation import Environment
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS, Word, mapped

#: A command, and what it starts.
COMMANDS = [
    ("", []),
    ("python x.py", ["python x.py at f:3:5 in /w V=v@none"]),
    ("python x.sh", ["python x.sh at f:3:5 in /w V=v@none"]),
    ("python x.sh y", ["python x.sh y at f:3:5 in /w V=v@none"]),
    ("tini python x.py", ["python x.py at f:3:5 in /w V=v@none"]),
    ("tini -- python x.py", ["python x.py at f:3:5 in /w V=v@none"]),
    ("/sbin/tini -g -- python x.py", ["python x.py at f:3:5 in /w V=v@none"]),
    ("dumb-init -r 15:2 python x.py", ["python x.py at f:3:5 in /w V=v@none"]),
    ("dumb-init --rewrite 15:2 -- python x.py", ["python x.py at f:3:5 in /w V=v@none"]),
    ("docker-init -p 1 -e 143 python x.py", ["python x.py at f:3:5 in /w V=v@none"]),
    ("catatonit -- python x.py", ["python x.py at f:3:5 in /w V=v@none"]),
    ("tini -v -- -- x", ["-- x at f:3:5 in /w V=v@none"]),
    ("tini", []),
    ("tini --", []),
    ("tini -p", []),
    ("notini -- python x.py", ["notini -- python x.py at f:3:5 in /w V=v@none"]),
    ("bash -c 'python x.py $0 $1' a b", ["python x.py ?? b at f:3:1 in /w V=v@none g:t"]),
    ("sh -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t"]),
    ("dash -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t"]),
    ("zsh -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t"]),
    ("ash -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t"]),
    ("/bin/bash -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t"]),
    ("fish -c 'python x.py'", ["fish -c 'python x.py' at f:3:5 in /w V=v@none"]),
    ("bash -lc 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t"]),
    ("bash -ec 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t"]),
    ("bash -l -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t"]),
    ("bash -c -l 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t"]),
    ("bash --login -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t"]),
    ("bash --norc 'python x.py'", ["bash --norc 'python x.py' at f:3:1 in /w V=v@none g:t"]),
    ("bash -o pipefail -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t"]),
    ("bash -euo pipefail -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t"]),
    ("bash +o posix -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t"]),
    ("bash -O extglob -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t"]),
    ("bash -eo pipefail x.sh", ["bash -eo pipefail x.sh at f:3:1 in /w V=v@none g:t"]),
    ("bash --foo -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t"]),
    ("bash -c", ["bash -c at f:3:1 in /w V=v@none g:t"]),
    ("bash -c -- 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t"]),
    ("bash", ["bash at f:3:5 in /w V=v@none"]),
    ("bash -", ["bash - at f:3:1 in /w V=v@none g:t"]),
    ("bash - -c x", ["bash - -c x at f:3:1 in /w V=v@none g:t"]),
    ("bash - 'python x.py'", ["bash - 'python x.py' at f:3:1 in /w V=v@none g:t"]),
    ("bash -x run.sh a", ["bash -x run.sh a at f:3:1 in /w V=v@none g:t"]),
    ("./run.sh a 'b c'", ["./run.sh a 'b c' at f:3:1 in /w V=v@none g:t"]),
    ("run.bash", ["run.bash at f:3:1 in /w V=v@none g:t"]),
    ("mpirun -np 2 bash run.sh", ["mpirun -np 2 bash run.sh at f:3:1 in /w V=v@none g:t"]),
    ("mpirun bash", ["mpirun bash at f:3:5 in /w V=v@none"]),
    ("env A=1 bash -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none A=1@f:3:1 g:t"]),
    ("bash -c 'python x.py &'", ["python x.py at f:3:1 in /w V=v@none g:t &"]),
    (
        "bash -c 'A=1 python x.py; python y.py'",
        [
            "python x.py at f:3:1 in /w V=v@none A=1@f:3:1 g:t",
            "python y.py at f:3:1 in /w V=v@none g:t",
        ],
    ),
    ("bash -c 'python x.py " + UNKNOWN + "'", ["python x.py ?? at f:3:1 in /w V=v@none g:t"]),
    (
        "bash -c 'python x.py " + UNKNOWN_WORDS + " b'",
        ["bash -c 'python x.py ?? b' at f:3:5 in /w V=v@none"],
    ),
    ("bash -c 'python x.py' " + UNKNOWN_WORDS, ["python x.py at f:3:1 in /w V=v@none g:t"]),
    ("bash " + UNKNOWN_WORDS + " -c 'python x.py'", ["bash ?? -c 'python x.py' at f:3:5 in /w V=v@none"]),
    ("bash -" + UNKNOWN + "c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t"]),
    ("run.sh " + UNKNOWN_WORDS, ["run.sh ?? at f:3:5 in /w V=v@none"]),
    ("run.sh " + UNKNOWN, ["run.sh ? at f:3:1 in /w V=v@none g:t"]),
    ("python x.py " + UNKNOWN_WORDS, ["python x.py ?? at f:3:5 in /w V=v@none"]),
    (
        "bash -c 'cat > /f <<EOF\n" + UNKNOWN + "\nEOF\npython x.py'",
        [
            "cat at f:3:1 in /w V=v@none g:t /f:unset -:unset",
            "python x.py at f:6:1 in /w V=v@none g:t /f:unset",
        ],
    ),
    (
        "bash -c 'cat > /f <<EOF\na\nEOF\npython x.py'",
        [
            "cat at f:3:1 in /w V=v@none g:t /f:unset -:'a\\n'",
            "python x.py at f:6:1 in /w V=v@none g:t /f:'a\\n'",
        ],
    ),
    ("bash -c \"python x.py 'a" + UNKNOWN + "b'\"", ["python x.py a?b at f:3:1 in /w V=v@none g:t"]),
    (
        "bash -c 'export B=" + UNKNOWN + "; python x.py'",
        ["python x.py at f:3:1 in /w V=v@none B=?@f:3:1 g:t"],
    ),
    (
        "bash -c 'export B=" + UNKNOWN + "c; python $B'",
        ["python ??c at f:3:1 in /w V=v@none B=?c@f:3:1 g:t"],
    ),
]


@pytest.mark.parametrize(("command", "expected"), COMMANDS)
def test_a_command_starts_exactly_this(command: Word, expected: list[str]) -> None:
    context = Context(Environment({"V": "v"}), "/w", {"g": "t"})
    found = started(Command(tuple(mapped(command, shlex.split)), Place("f", 3, 5)), context)
    assert described_invocations(found) == expected


@pytest.mark.parametrize(
    ("text", "folder", "reads"),
    [
        ("./run.sh", "", True), ("bash run.sh", "sub/..", True), ("./run.sh", "/w", False), ("./run.sh", UNKNOWN, False), ("source ./run.sh", "", True),
        ("source /run.sh; ./run.sh", "", False), ("source ~/x; ./run.sh", "", False), (". $X; ./run.sh", "", False), ("bash -x /x; ./run.sh", "", False),
        ("sh '/x'; ./run.sh", "", False), ('zsh "/x"; ./run.sh', "", False), ("true && /a/b.sh; ./run.sh", "", False), ("~/b.bash; ./run.sh", "", False),
        ("true;/b.sh; ./run.sh", "", False), ("(/b.sh); ./run.sh", "", False), ("echo '/b.sh'; ./run.sh", "", False), ("echo x/b.sh; ./run.sh", "", True),
        ("echo /b.shx; ./run.sh", "", True), ("echo /b.py; ./run.sh", "", True), ("resource /x; ./run.sh", "", True), ("true|bash /x; ./run.sh", "", False),
    ],
)  # fmt: skip
def test_scripts_beside_the_run_file_are_read_only_if_the_command_runs_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, folder: str, reads: bool
) -> None:
    (tmp_path / "run.sh").write_text("#!/bin/bash\npython from_script.py\n")
    (tmp_path / "run.sh").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    found = run_text(text, Place(str(tmp_path / "f.yaml"), 1), Context(Environment(), folder))
    assert (("python", "from_script.py") in [each.words for each in found]) is reads


def test_a_text_without_a_line_begins_at_the_first_and_gets_the_arguments() -> None:
    (found,) = run_text("python $1", Place("f"), Context(Environment()), ["a", "b"])
    assert (found.words, str(found.place)) == (("python", "a"), "f:1:1")


PROGRAMS = """python python3 python3.11 torchrun accelerate deepspeed trl vllm uv poetry conda mpirun mpiexec srun env exec nohup nsys bash sh
dash zsh tini dumb-init timeout ray axolotl llamafactory-cli swift pixi micromamba /usr/bin/python /opt/x/torchrun""".split()


def test_an_entrypoint_that_is_not_known_runs_programs_and_may_do_anything_with_other_words() -> None:
    for program in PROGRAMS:
        command = Command((program, "x"), Place("f", 2))
        assert behind_entrypoint(command) == command
    for word in ("--model", "serve", "pythonx", "xpython", "python3x", "/usr/python/x", "Python", "", "a/b"):
        assert behind_entrypoint(Command((word, "x"), Place("f", 2))) == Command(
            (UNKNOWN, UNKNOWN_WORDS, word, "x"), Place("f", 2)
        )
    assert behind_entrypoint(Command((), Place("f"))) == Command((), Place("f"))


@pytest.mark.parametrize(
    ("folder", "inner", "expected"),
    [
        ("", "a", "a"), ("", ".", ""), ("", "./a/", "a"), ("a", "b", "a/b"), ("a", "..", ""), ("a", "../b", "b"), ("/", "a", "/a"), ("/a/", "b", "/a/b"),
        ("a", "/b/../c", "/c"), ("/a", "..", "/"), (UNKNOWN, "a", UNKNOWN), ("/" + UNKNOWN, "a", UNKNOWN), (UNKNOWN, "/a", "/a"), ("a", UNKNOWN, UNKNOWN),
        ("a", "/b" + UNKNOWN, UNKNOWN), ("a", "b" + UNKNOWN_WORDS, UNKNOWN), ("", "", ""), ("a", "", "a"), ("", "..", ".."),
    ],
)  # fmt: skip
def test_folders_are_joined_as_cd_does(folder: str, inner: str, expected: str) -> None:
    assert join_folder(folder, inner) == expected
