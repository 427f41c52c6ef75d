"""What is judged about the options of TRL's server, against the parser of real releases."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from importlib.metadata import version as installed_version

import pytest
from packaging.version import Version

from tests.upstream.installed import installed, python_path
from vcompat.facts.facts import Facts, Place
from vcompat.rules.unfit import unfit
from vcompat.sources.reading.commands.server import options_of_server
from vcompat.sources.reading.commands.started import read_started
from vcompat.sources.reading.invocation import Invocation

#: Prints for each command line what becomes of it; the server itself is not started.
RUN = """
import importlib, json, sys
answers = []
for words in json.loads(sys.argv[1]):
    served = []
    if words[0] == "trl":
        sys.argv = words
        import trl.scripts.vllm_serve as script
        try:
            cli = importlib.import_module("trl.cli.main")
        except ModuleNotFoundError:
            cli = importlib.import_module("trl.cli")
        script.main = cli.vllm_serve_main = lambda *arguments: served.append(arguments)
        run = cli.main
    try:
        run()
    except BaseException as error:
        answers.append(f"{type(error).__name__}: {error}")
    else:
        answers.append("served" if served else "nothing")
print(json.dumps(answers))
"""
RELEASES = {
    "0.22.2": "transformers==4.56.2 tokenizers==0.22.0 huggingface_hub==0.34.4 datasets==3.6.0",
    "0.28.0": "transformers==4.57.6 tokenizers==0.22.0 huggingface_hub==0.34.4 datasets==3.6.0",
    Version(installed_version("trl")).public: "",
}
COMMANDS = [
    "trl vllm-serve --model m --tensor_parallel_size 2",
    "trl vllm-serve --model m --tensor-parallel-size=2 --trust_remote_code",
    "trl vllm-serve --model m --tensor_par 2",
    "trl vllm-serve --model m --tensor_parallel_sise 2",
    "trl vllm-serve --model m --max_num_seqs 2",
    "trl vllm-serve --model m --speculative_config x",
]


@cache
def answers(release: str) -> list[str]:
    pins = RELEASES[release].split()
    path = python_path(*installed(f"trl=={release}", *pins)) if pins else os.environ.get("PYTHONPATH", "")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", RUN, json.dumps([command.split() for command in COMMANDS])],
        env={**os.environ, "PYTHONPATH": path, "HF_HUB_OFFLINE": "1", "TRL_EXPERIMENTAL_SILENCE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: list[str] = json.loads(done.stdout.splitlines()[-1])
    return found


def judged(release: str, command: str) -> list[str]:
    started = read_started(command.split())
    assert started is not None
    facts = Facts()
    facts.set("packages.trl", Version(release), "test")
    facts.stated = options_of_server(started, Invocation(tuple(command.split()), Place("go.sh", 1, 1)))
    return [one.setting for one in unfit(facts) if one.is_certain]


@pytest.mark.parametrize(
    "release", [pytest.param(one, marks=[pytest.mark.slow] * (one == "0.22.2")) for one in RELEASES]
)
def test_an_option_is_reported_if_the_server_of_the_release_refuses_it(release: str) -> None:
    reported = [bool(judged(release, command)) for command in COMMANDS]
    assert reported == [answer != "served" for answer in answers(release)], answers(release)
    assert any(reported) == (Version(release) < Version("1.11.0"))


@pytest.mark.parametrize("command", ["trl vllm-serve --modle m", "python -m trl.scripts.vllm_serve --modle m"])
def test_both_ways_to_start_the_server_are_judged(command: str) -> None:
    assert judged("1.0.0", command) == ["modle"]
    assert judged("1.11.0", command) == []
