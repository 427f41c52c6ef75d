"""The training commands among the programs that a file starts, and what the file says beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.told import told
from vcompat.facts.facts import Facts, Place
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.invocation import Environment, Invocation, Others
from vcompat.sources.reading.part import Part
from vcompat.sources.reading.recognize import Recognized, recognize
from vcompat.sources.reading.starts import Start, Starts, of_invocations, read_starts
from vcompat.sources.reading.whole import NO_PLAN, Plan, Run
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS


def read(tmp_path: Path, name: str, text: str) -> Starts:
    path = tmp_path / name
    path.write_text(text)
    return read_starts(recognize(str(path)))


def command_of(*words: str) -> str:
    return of_invocations([Invocation(words, Place("x"))])[0].command


def test_a_command_is_one_line_of_at_most_2000_characters() -> None:
    assert command_of("python", "x.py", "a" + UNKNOWN + "b", UNKNOWN_WORDS) == "python x.py a...b ..."
    assert command_of("python", "x.py", "a" * 1988) == "python x.py " + "a" * 1988
    assert command_of("python", "x.py", "a" * 1989) == "python x.py " + "a" * 1988


@pytest.mark.parametrize(
    ("command", "trains"),
    [
        ("python x.py", True),
        ("python -m x", True),
        ("python -", True),
        ("torchrun x.py", True),
        ("trl grpo", True),
        ("trl sft", True),
        ("trl env", False),
        ("trl chat", False),
        ("trl skills", False),
        ("trl vllm-serve", False),
        ("trl vllm-serve-async", False),
        ("python -m trl.scripts.vllm_serve_async", False),
        # Subcommands that no release has may be those of a later one.
        ("trl serve", True),
        ("vllm serve m", False),
        ("vllm bench", False),
        ("vllm vllm-serve", False),
        ("ls", False),
    ],
)
def test_whether_a_command_trains(command: str, trains: bool) -> None:
    found = of_invocations([Invocation(tuple(command.split()), Place("x"))])
    assert len(found) == trains


@pytest.mark.parametrize(
    ("server", "expected"),
    [
        ("", ["server_started = False (x.sh)"]),
        (
            "vllm serve m",
            [
                "server_logprobs_mode = 'raw_logprobs' (x.sh:2)",
                "server_port = 8000 (x.sh:2)",
                "server_started = True (x.sh:2)",
                "server_weight_transfer = False (x.sh:2)",
            ],
        ),
        (
            'vllm serve m --weight-transfer-config {"backend":"nccl"}',
            [
                "server_logprobs_mode = 'raw_logprobs' (x.sh:2)",
                "server_port = 8000 (x.sh:2)",
                "server_started = True (x.sh:2)",
                "server_weight_transfer = True (x.sh:2)",
            ],
        ),
        (
            "vllm serve m --weight_transfer_config.backend nccl --logprobs_mode processed_logprobs",
            [
                "server_logprobs_mode = 'processed_logprobs' (x.sh:2)",
                "server_port = 8000 (x.sh:2)",
                "server_started = True (x.sh:2)",
                "server_weight_transfer = True (x.sh:2)",
            ],
        ),
        (
            "vllm serve --config server.yaml",
            ["server_started = True (x.sh:2)", "server_weight_transfer ? x.sh:2: words of its command are not known"],
        ),
        (
            "vllm serve m --port 8001",
            [
                "server_logprobs_mode = 'raw_logprobs' (x.sh:2)",
                "server_port = 8001 (x.sh:2)",
                "server_started = True (x.sh:2)",
                "server_weight_transfer = False (x.sh:2)",
            ],
        ),
        ("trl vllm-serve", ["server_data_parallel_size = 1 (x.sh:2)", "server_started = True (x.sh:2)"]),
        # No release has these two subcommands.
        ("trl vllm-serve-async", ["server_started = True (x.sh:2)"]),
        ("vllm vllm-serve", ["server_started = False (x.sh)"]),
        ("trl serve", ["server_started = False (x.sh)"]),
        ("vllm bench", ["server_started = False (x.sh)"]),
        (
            "python -m vllm.entrypoints.openai.api_server",
            [
                "server_logprobs_mode = 'raw_logprobs' (x.sh:2)",
                "server_port = 8000 (x.sh:2)",
                "server_started = True (x.sh:2)",
                "server_weight_transfer = False (x.sh:2)",
            ],
        ),
    ],
)
def test_a_server_beside_the_training_is_a_fact(server: str, expected: list[str]) -> None:
    training = Invocation(("python", "x.py"), Place("x.sh", 3, 4))
    servers = [Invocation(tuple(server.split()), Place("x.sh", 2))] if server else []
    started = of_invocations([*servers, training])
    assert told(started[-1].facts) == expected
    assert started[-1].invocation == training


@pytest.mark.parametrize(
    ("devices", "why", "expected"),
    [
        ("0,2", "", ["server_devices = ('0', '2') (x.sh:2)", "server_started = True (x.sh:2)"]),
        ("", "", ["server_started = True (x.sh:2)"]),
        (None, "", ["server_started = True (x.sh:2)"]),
        ("0," + UNKNOWN, "", ["server_started = True (x.sh:2)"]),
        ("0", "a reason", ["server_devices = ('0',) (x.sh:2)", "server_started ? a reason at x.sh:2"]),
    ],
)
def test_the_first_server_decides(devices: str | None, why: str, expected: list[str]) -> None:
    environment = Environment({"CUDA_VISIBLE_DEVICES": devices})
    first = Invocation(("vllm", "serve"), Place("x.sh", 2), environment, why_uncertain=why)
    other = Invocation(("vllm", "serve"), Place("x.sh", 9), environment, why_uncertain="" if why else "another")
    training = Invocation(("python", "x.py"), Place("x.sh", 3))
    assert told(of_invocations([first, training, other])[0].facts) == expected


def test_the_devices_of_several_servers_are_known_only_if_they_are_the_same() -> None:
    first = Invocation(("vllm", "serve"), Place("x.sh", 1), Environment({"CUDA_VISIBLE_DEVICES": "7"}))
    other = Invocation(("trl", "vllm-serve"), Place("x.sh", 2))
    training = Invocation(("python", "x.py"), Place("x.sh", 3))
    assert told(of_invocations([first, other, training])[0].facts) == [
        "server_devices ? x.sh:1: several servers are started on different devices",
        "server_started = True (x.sh:1)",
    ]


def test_without_training_there_is_no_fact() -> None:
    assert of_invocations([Invocation(("vllm", "serve"), Place("x.sh", 2))]) == []


def test_a_launch_script_leaves_its_environment_unless_it_starts_other_programs(tmp_path: Path) -> None:
    alone = read(tmp_path, "a.sh", "export A=1\n")
    assert (alone.each, dict(alone.environment.values)) == ([], {"A": "1"})
    assert read(tmp_path, "a.sh", "export A=1\n./start\n").environment == Environment()
    with_run = read(tmp_path, "a.sh", "#SBATCH -N 2\nexport A=1\npython x.py\n")
    assert [start.directives for start in with_run.each] == [{"--nodes": "2"}]
    assert dict(with_run.environment.values)["A"] == "1"
    assert [mention.path for mention in read(tmp_path, "a.sh", "source b.sh\n").missing] == ["b.sh"]
    assert [mention.path for mention in read(tmp_path, "a.sh", "source b.sh\n./start\n").missing] == ["b.sh"]


@pytest.mark.parametrize("text", ["", "ls", "cd x"])
def test_a_launch_script_without_a_training_command_is_rejected(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, "a.sh", text)
    expected = (
        "expected accelerate launch, torchrun, srun, trl or python, with a script that no option takes as its value"
    )
    assert str(caught.value) == f"{tmp_path / 'a.sh'}: no training command found; {expected}"
    assert read(tmp_path, "a.sh", "vllm serve m\n").each == []


def test_a_dockerfile_has_no_directives(tmp_path: Path) -> None:
    text = "FROM a\nCMD python x.py\n"
    (start,) = read(tmp_path, "Dockerfile", text).each
    assert told(start.facts) == ["server_started = False (Dockerfile)"]
    assert start.directives == {}


def test_what_is_not_stated_is_empty() -> None:
    place, facts = Place("x"), Facts()
    assert Environment() == ({}, Others.INHERITED, {}, "")
    assert Invocation(("a",), place) == (("a",), place, Environment(), "", "", False, {}, None)
    assert Part(facts) == (facts, False, "", (), None, {}, False, True, (), (), (), (), (), False, False, False)
    assert Run("a", "b", facts, True) == ("a", "b", facts, True, {}, (), ())
    assert Plan(facts, True, (), ()) == (facts, True, (), (), (), (), ())
    assert (told(NO_PLAN.facts), NO_PLAN[1:]) == ([], (False, (), (), (), (), ()))
    assert Starts([]) == ([], (), Environment(), (), ())
    started = of_invocations([Invocation(("python", "x.py"), place)])[0]
    assert Start(*started[:3]) == started
    assert Recognized("a", "b") == ("a", "b", None)


@pytest.mark.parametrize(
    ("command", "known"),
    [
        ("ls", True),
        ("bash -c 'ls'", True),
        ("ssh host 'ls' &", False),
        ("ssh host bash -s < server.sh", False),
        ("sbatch server.sh", False),
        ("tmux new -d 'trl vllm-serve --model a'", False),
        ("screen -dmS a trl vllm-serve --model a", False),
        ("python -c 'import os; os.system(\"trl vllm-serve --model a\")' &", False),
        ("srun python -uc 'import subprocess as s; s.run([])' &", False),
        ('python -c "$CODE"', False),
        ("python -c 'import torch; print(torch.__version__)'", True),
    ],
)
def test_no_server_is_stated_only_if_every_command_is_followed(tmp_path: Path, command: str, known: bool) -> None:
    (start,) = read(tmp_path, "run.sh", f"{command}\npython x.py\n").each
    assert start.facts.value("plan.server_started") is (False if known else None)
    assert ("plan.server_started" in start.facts.reasons) != known
    again = of_invocations([Invocation(("ssh", "host", "a"), Place("y")), Invocation(("python", "x.py"), Place("y"))])
    assert [told(each.facts) for each in again] == [["server_started ? y: what the command starts is not followed"]]


def test_a_server_that_is_followed_is_stated_beside_a_command_that_is_not(tmp_path: Path) -> None:
    (start,) = read(tmp_path, "run.sh", "ssh host a\ntrl vllm-serve --model a &\npython x.py\n").each
    assert start.facts.value("plan.server_started") is True
    (start,) = read(tmp_path, "run.sh", "sbatch --wrap 'trl vllm-serve --model a'\npython x.py\n").each
    assert start.facts.value("plan.server_started") is True


@pytest.mark.parametrize(
    "command", ["ssh host 'cd /a && trl vllm-serve --model a'", "ssh -p 22 a@b trl vllm-serve --model a"]
)
def test_a_server_that_another_machine_starts_is_stated(tmp_path: Path, command: str) -> None:
    (start,) = read(tmp_path, "run.sh", f"export CUDA_VISIBLE_DEVICES=1\n{command} &\npython x.py\n").each
    assert start.facts.value("plan.server_started") is True
    assert start.facts.value("plan.server_devices") is None


def test_a_training_command_on_another_machine_has_another_environment(tmp_path: Path) -> None:
    (start,) = read(tmp_path, "run.sh", "export A=1\nssh host 'torchrun --nproc_per_node 2 x.py'\n").each
    assert (start.started.launcher, start.started.launcher_options) == ("torchrun", {"nproc_per_node": "2"})
    assert start.invocation.environment.others is Others.UNKNOWN
    assert "A" not in start.invocation.environment.values


def test_a_script_that_no_shell_can_read_is_said_to_be_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no training command found before a\.sh:1:1: a syntax error"):
        read(tmp_path, "a.sh", "torchrun train.py '\n")
