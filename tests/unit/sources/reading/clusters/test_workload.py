"""Commands of containers: what they start."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.unit.sources.reading.described import described_invocations
from vcompat.facts.facts import Place
from vcompat.sources.reading.clusters.workload import (
    Command,
    Context,
    behind_entrypoint,
    join_folder,
    list_command,
    run_text,
    started,
    whole_number,
    without_templates,
)
from vcompat.sources.reading.document import parse_document
from vcompat.sources.reading.invocation import Environment
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS, Word, mapped

#: A command, and what it starts.
COMMANDS = [
    ("", []),
    ("python x.py", ["python x.py at f:3:5 in /w V=v@none perhaps: why"]),
    ("python x.sh", ["python x.sh at f:3:5 in /w V=v@none perhaps: why"]),
    ("python x.sh y", ["python x.sh y at f:3:5 in /w V=v@none perhaps: why"]),
    ("tini python x.py", ["python x.py at f:3:5 in /w V=v@none perhaps: why"]),
    ("tini -- python x.py", ["python x.py at f:3:5 in /w V=v@none perhaps: why"]),
    ("/sbin/tini -g -- python x.py", ["python x.py at f:3:5 in /w V=v@none perhaps: why"]),
    ("dumb-init -r 15:2 python x.py", ["python x.py at f:3:5 in /w V=v@none perhaps: why"]),
    ("dumb-init --rewrite 15:2 -- python x.py", ["python x.py at f:3:5 in /w V=v@none perhaps: why"]),
    ("docker-init -p 1 -e 143 python x.py", ["python x.py at f:3:5 in /w V=v@none perhaps: why"]),
    ("catatonit -- python x.py", ["python x.py at f:3:5 in /w V=v@none perhaps: why"]),
    ("tini -v -- -- x", ["-- x at f:3:5 in /w V=v@none perhaps: why"]),
    ("tini", []),
    ("tini --", []),
    ("tini -p", []),
    ("notini -- python x.py", ["notini -- python x.py at f:3:5 in /w V=v@none perhaps: why"]),
    ("bash -c 'python x.py $0 $1' a b", ["python x.py ?? b at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("sh -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("dash -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("zsh -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("ash -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("/bin/bash -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("fish -c 'python x.py'", ["fish -c 'python x.py' at f:3:5 in /w V=v@none perhaps: why"]),
    ("bash -lc 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("bash -ec 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("bash -l -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("bash -c -l 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("bash --login -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("bash --norc 'python x.py'", ["bash --norc 'python x.py' at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("bash -o pipefail -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("bash -euo pipefail -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("bash +o posix -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("bash -O extglob -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("bash -eo pipefail x.sh", ["bash -eo pipefail x.sh at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("bash --foo -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("bash -c", ["bash -c at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("bash -c -- 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("bash", ["bash at f:3:5 in /w V=v@none perhaps: why"]),
    ("bash -", ["bash - at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("bash - -c x", ["bash - -c x at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("bash - 'python x.py'", ["bash - 'python x.py' at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("bash -x run.sh a", ["bash -x run.sh a at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("./run.sh a 'b c'", ["./run.sh a 'b c' at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("run.bash", ["run.bash at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("mpirun -np 2 bash run.sh", ["mpirun -np 2 bash run.sh at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("mpirun bash", ["mpirun bash at f:3:5 in /w V=v@none perhaps: why"]),
    ("env A=1 bash -c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none A=1@f:3:1 g:t perhaps: why"]),
    ("bash -c 'python x.py &'", ["python x.py at f:3:1 in /w V=v@none g:t & perhaps: why"]),
    (
        "bash -c 'A=1 python x.py; python y.py'",
        [
            "python x.py at f:3:1 in /w V=v@none A=1@f:3:1 g:t perhaps: why",
            "python y.py at f:3:1 in /w V=v@none g:t perhaps: why",
        ],
    ),
    ("bash -c 'python x.py " + UNKNOWN + "'", ["python x.py ?? at f:3:1 in /w V=v@none g:t perhaps: why"]),
    (
        "bash -c 'python x.py " + UNKNOWN_WORDS + " b'",
        ["bash -c 'python x.py ?? b' at f:3:5 in /w V=v@none perhaps: why"],
    ),
    ("bash -c 'python x.py' " + UNKNOWN_WORDS, ["python x.py at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("bash " + UNKNOWN_WORDS + " -c 'python x.py'", ["bash ?? -c 'python x.py' at f:3:5 in /w V=v@none perhaps: why"]),
    ("bash -" + UNKNOWN + "c 'python x.py'", ["python x.py at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("run.sh " + UNKNOWN_WORDS, ["run.sh ?? at f:3:5 in /w V=v@none perhaps: why"]),
    ("run.sh " + UNKNOWN, ["run.sh ? at f:3:1 in /w V=v@none g:t perhaps: why"]),
    ("python x.py " + UNKNOWN_WORDS, ["python x.py ?? at f:3:5 in /w V=v@none perhaps: why"]),
    (
        "bash -c 'cat > /f <<EOF\n" + UNKNOWN + "\nEOF\npython x.py'",
        [
            "cat at f:3:1 in /w V=v@none g:t /f:unset -:unset perhaps: why",
            "python x.py at f:6:1 in /w V=v@none g:t /f:unset perhaps: why",
        ],
    ),
    (
        "bash -c 'cat > /f <<EOF\na\nEOF\npython x.py'",
        [
            "cat at f:3:1 in /w V=v@none g:t /f:unset -:'a\\n' perhaps: why",
            "python x.py at f:6:1 in /w V=v@none g:t /f:'a\\n' perhaps: why",
        ],
    ),
    ("bash -c \"python x.py 'a" + UNKNOWN + "b'\"", ["python x.py a?b at f:3:1 in /w V=v@none g:t perhaps: why"]),
    (
        "bash -c 'export B=" + UNKNOWN + "; python x.py'",
        ["python x.py at f:3:1 in /w V=v@none B=?@f:3:1 g:t perhaps: why"],
    ),
    (
        "bash -c 'export B=" + UNKNOWN + "c; python $B'",
        ["python ??c at f:3:1 in /w V=v@none B=?c@f:3:1 g:t perhaps: why"],
    ),
]


@pytest.mark.parametrize(("command", "expected"), COMMANDS)
def test_a_command_starts_exactly_this(command: Word, expected: list[str]) -> None:
    context = Context(Environment({"V": "v"}), "/w", {"g": "t"})
    found = started(Command(tuple(mapped(command, shlex.split)), Place("f", 3, 5)), context, "why")
    assert described_invocations(found) == expected


def test_a_script_in_a_command_is_on_the_line_of_its_word() -> None:
    words = ("tini", "--", "bash", "-c", "true\npython x.py", "a")
    lines = (1, 2, 3, 4, 50, 6)
    (found,) = started(Command(words, Place("f", 3, 5), lines), Context(Environment()))
    assert (str(found.place), found.why_uncertain) == ("f:51:1", "")
    (found,) = started(Command(words, Place("f", 3, 5), (0,) * 6), Context(Environment()))
    assert str(found.place) == "f:4:1"
    (found,) = started(Command(words, Place("f", 3, 5)), Context(Environment()))
    assert str(found.place) == "f:4:1"
    (found,) = started(
        Command(("bash", "run.sh"), Place("f", 3, 5), (7, 8)),
        Context(Environment(), "/w", {"/w/run.sh": "python x.py"}),
    )
    assert found.words == ("python", "x.py")


def test_commands_are_joined_with_the_line_of_each_word() -> None:
    first, second = Command(("a", "b"), Place("f", 3), (0, 8)), Command(("c",), Place("f", 5))
    assert first.followed_by(second, second.place) == Command(("a", "b", "c"), Place("f", 5), (3, 8, 5))
    assert second.followed_by(Command((), Place("f", 9)), first.place) == Command(("c",), Place("f", 3), (5,))


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
        command = Command((program, "x"), Place("f", 2), (3, 4))
        assert behind_entrypoint(command) == command
    for word in ("--model", "serve", "pythonx", "xpython", "python3x", "/usr/python/x", "Python", "", "a/b"):
        assert behind_entrypoint(Command((word, "x"), Place("f", 2), (3, 4))) == Command(
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


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0, 0), (5, 5), (-1, None), (True, None), (False, None), ("3", 3), (" 3 ", 3), ("0", 0), ("-1", None), ("1.5", None), (1.5, None), (None, None),
        ("", None), ("999999", 999_999), ("1000000", None), ("٣", None), ([1], None), ("all", None),
    ],
)  # fmt: skip
def test_whole_numbers_are_numbers_or_their_texts(value: object, number: int | None) -> None:
    assert whole_number(value) == number
    assert type(whole_number(value)) is type(number)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", "a"), ("{{ x }}", UNKNOWN), ("${{ x }}", UNKNOWN), ("a{{x}}b{{y}}c", "a" + UNKNOWN + "b" + UNKNOWN + "c"), ("{{ x\n}}", UNKNOWN), ("$${{x}}", "$" + UNKNOWN),
        ("{ x }", "{ x }"), ("{{ x }", "{{ x }"), ("{{ x }}}", UNKNOWN + "}"),
    ],
)  # fmt: skip
def test_templates_are_unknown_parts(text: str, expected: str) -> None:
    assert without_templates(text) == expected


def test_a_list_of_words_is_a_command_with_the_line_of_each() -> None:
    document = parse_document("f.yaml", "a:\n  b: [x,\n   '{{ y }}', 5,\n   z]\nc: x\nd: []\n")
    assert list_command(document, document.get("a", "b"), "a", "b") == Command(
        ("x", UNKNOWN, UNKNOWN, "z"), Place("f.yaml", 2, 3), (2, 3, 3, 4)
    )
    assert list_command(document, "x", "c") is None
    assert list_command(document, [], "d") == Command((), Place("f.yaml", 6, 1))
