from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.facts.facts import Place
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.invocation import Environment, Invocation, Others
from vcompat.sources.reading.shell import run_shell
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS


def invocations(text: str, **options: object) -> list[Invocation]:
    return list(run_shell(text, "run.sh", **options).invocations)  # type: ignore[arg-type]


def only(text: str, program: str = "python", **options: object) -> Invocation:
    found = [each for each in invocations(text, **options) if each.words[0] == program]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_places_have_the_line_of_the_command(end: str) -> None:
    text = end.join(["#!/bin/bash", "", "export A=1", "python \\", "  train.py", "if true; then", "  other", "fi", ""])
    found = invocations(text, line=10)
    assert [each.place for each in found] == [Place("run.sh", 13, 1), Place("run.sh", 16, 1)]
    assert found[0].words == ("python", "train.py")
    assert found[0].environment.places["A"] == Place("run.sh", 12, 1)


def test_a_shell_variable_may_be_one_of_the_caller_and_an_exported_one_is_not_unknown() -> None:
    environment = only("A=1\nexport B=2\nunset C\npython x").environment
    assert environment.values["A"] == UNKNOWN
    assert environment.values["B"] == "2"
    assert environment.values["C"] is None
    assert environment.others is Others.INHERITED


def test_without_other_variables_a_shell_variable_is_not_exported() -> None:
    environment = only("A=1\npython x $D", start=Environment({"E": "3"}, Others.UNSET)).environment
    assert environment.values["A"] is None
    assert environment.values["E"] == "3"


def test_a_file_that_is_not_found_makes_the_environment_unknown(tmp_path: Path) -> None:
    ran = run_shell("export A=1\nsource env.sh\nexport B=2\npython x\n", str(tmp_path / "run.sh"))
    environment = ran.invocations[-1].environment
    assert environment.others is Others.UNKNOWN
    assert "env.sh" in environment.why_open
    assert environment.values == {"B": "2"}
    assert [(mention.path, mention.place.line) for mention in ran.missing] == [("env.sh", 2)]


def test_files_are_sourced_from_the_folder_of_the_script(tmp_path: Path) -> None:
    (tmp_path / "env.sh").write_text("export A=1\n")
    (tmp_path / "train.sh").write_text("python train.py $1 $A\n")
    ran = run_shell("source env.sh\nbash train.sh x\n", str(tmp_path / "run.sh"))
    assert ran.invocations[-1].words == ("python", "train.py", "x", "1")
    assert ran.invocations[-1].place == Place(str(tmp_path / "train.sh"), 1, 1)


def test_files_are_not_read_for_another_machine(tmp_path: Path) -> None:
    (tmp_path / "env.sh").write_text("export A=1\n")
    ran = run_shell("source env.sh\npython x\n", str(tmp_path / "Dockerfile"), reads=False)
    assert ran.invocations[-1].environment.others is Others.UNKNOWN


@pytest.mark.parametrize(
    "text",
    ["source venv/bin/activate", ". /opt/conda/etc/profile.d/conda.sh", 'eval "$(conda shell.bash hook)"',
     "conda activate x", "module load cuda/12", "set -x", "ulimit -n 1000", "trap 'echo' EXIT"],
)  # fmt: skip
def test_activating_an_environment_leaves_variables_known(text: str) -> None:
    environment = only(f"export A=1\n{text}\npython x").environment
    assert environment.values["A"] == "1" and environment.others is Others.INHERITED


@pytest.mark.parametrize(
    ("text", "program"),
    [
        ("if [ -f x ]; then python x; fi", "python"),
        ("[ -f x ] && python x", "python"),
        ("test -f x || python x", "python"),
        ("case $X in a) python x;; esac", "python"),
        ("for x in $LIST; do python x; done", "python"),
        ("while read x; do python x; done < list", "python"),
        ("eval $X\n$X python x", UNKNOWN_WORDS),
        ("f() { [ -f y ] && return; python x; }; f", "python"),
        ("if [ -f x ]; then torchrun a.py; exit; fi; python x", "python"),
    ],
)
def test_a_program_under_a_condition_is_uncertain(text: str, program: str) -> None:
    found = [each for each in invocations(text) if each.words[0] == program]
    assert program == UNKNOWN_WORDS or all(each.why_uncertain for each in found)
    assert found


@pytest.mark.parametrize(
    "text",
    [
        "cd x && python x",
        "[ -d x ] || exit 1\npython x",
        "set -e\nmkdir -p x && cd x && python x",
        "if [ ! -d x ]; then echo missing; exit 1; fi\npython x",
        "f() { python x; }; f",
        "python prepare.py && python x",
        "for f in *; do echo $f; done; python x",
    ],
)
def test_a_program_that_runs_if_nothing_fails_is_certain(text: str) -> None:
    assert not invocations(text)[-1].why_uncertain


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("python $X", ("python", UNKNOWN_WORDS)),
        ('python "$X"', ("python", UNKNOWN)),
        ('python "$@"', ("python", UNKNOWN_WORDS)),
        ("python --a=$X", ("python", "--a=" + UNKNOWN_WORDS)),
        ('python --a="$X"/b', ("python", "--a=" + UNKNOWN + "/b")),
        ("python ${N:-8}", ("python", UNKNOWN)),
        ("python $(nproc)", ("python", UNKNOWN)),
        ("python $((N * 2))", ("python", UNKNOWN)),
        ("python *.py", ("python", UNKNOWN_WORDS)),
        ("python $MASTER_ADDR", ("python", UNKNOWN)),
    ],
)
def test_what_is_not_known_is_a_placeholder(text: str, words: tuple[str, ...]) -> None:
    assert only(text).words == words


def test_directives_set_slurm_s_variables() -> None:
    text = '#!/bin/bash\n#SBATCH --nodes=2 -n 16 # comment\n##SBATCH --nodes=3\n#SBATCH --gres "gpu:a100:8"\necho\n#SBATCH -N 9\n'
    ran = run_shell(text + "python $SLURM_NNODES $SLURM_NTASKS $SLURM_GPUS_ON_NODE", "run.sh")
    assert ran.invocations[-1].words == ("python", "2", "16", "8")
    assert [(each.options, each.place.line) for each in ran.directives] == [
        (("--nodes=2", "-n", "16"), 2),
        (("--gres", "gpu:a100:8"), 4),
    ]


def test_the_text_of_written_files_is_known() -> None:
    text = "cat > run.py <<'EOF'\nimport x\nEOF\necho $X > y.txt\ncp run.py z.py\nsed -i s/x/y/ z.py\npython run.py"
    files = only(text).files
    assert (files["run.py"], files["y.txt"], files["z.py"]) == ("import x\n", None, "import y\n")


def test_python_on_standard_input_has_its_text() -> None:
    assert only("python - <<'EOF'\nimport x\nEOF\n").files == {"-": "import x\n"}


def test_commands_of_a_shell_that_a_launcher_starts_keep_the_launcher() -> None:
    found = only("export A=1\nsrun -N 2 bash -c 'B=2 torchrun --nnodes $SLURM_NNODES x.py'", "srun")
    assert found.words == ("srun", "-N", "2", "torchrun", "--nnodes", UNKNOWN, "x.py")
    assert found.environment.values["B"] == "2" and found.environment.values["A"] == "1"


def test_after_a_syntax_error_nothing_is_certain() -> None:
    found = invocations("export A=1\npython a\nif then\npython b\nfi\npython c\n")
    assert [each.words[1] for each in found] == ["a", "b", "c"]
    assert not found[0].why_uncertain and found[0].environment.values["A"] == "1"
    assert all(each.why_uncertain and "A" not in each.environment.values for each in found[1:])


@pytest.mark.parametrize(
    "text",
    ["f() { f; }; f", "while :; do :; done", "A=$A$A\n" * 60 + "python $A", "`" * 999, "((((((", "<<EOF\n" * 300,
     "for a in {1..32}; do " * 5 + "python x;" + " done;" * 5, "bash -c '" * 300, "eval " * 300 + "a",
     "echo \ue000 \ue001 \ue002", "python $((1/0)) $((2**99)) $((08))", "${x:-" * 60 + "}" * 60,
     "source run.sh", "[ $a ] && b=1\n" * 300, "set -- a; while [ $# -lt 999999 ]; do set -- $@ $@; done"],
)  # fmt: skip
def test_a_hostile_script_is_bounded(text: str) -> None:
    try:
        run_shell(text, "run.sh")
    except InputError as error:
        assert "\n" not in str(error)


def test_a_script_that_is_not_followed_to_its_end_says_so() -> None:
    assert run_shell("for a in {1..32}; do " * 4 + "python x;" + " done;" * 4, "run.sh").why_incomplete


def test_the_environment_after_the_script() -> None:
    ran = run_shell("export A=1\nif [ -f x ]; then export B=2; exit; fi\n", "run.sh")
    assert ran.environment.values == {"A": "1", "B": UNKNOWN}
