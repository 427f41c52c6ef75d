"""Functions that click, typer and fire call with what the command line says, compared with a real execution."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from vcompat.sources.gather import Sources, collect

#: Stands for TRL in the real execution only, which prints what the configuration gets.
TRL = "import json\ndef GRPOConfig(**given): print(json.dumps(given))\nclass GRPOTrainer:\n    def __init__(*a, **b): pass\n"
MADE = "GRPOTrainer('a/b', args=GRPOConfig({}))"
ALL = "num_generations=n, beta=beta, use_vllm=vllm, loss_type=kind"
CLICK = f"""
import click
from trl import GRPOConfig, GRPOTrainer

@click.command()
@click.option("-n", "--num-gen", "n", default=4, show_default=True)
@click.option("--beta", type=float, default=0.5, help="weight")
@click.option("--vllm/--no-vllm", default=True)
@click.option("--kind", type=click.Choice(["dapo", "bnpo"]))
@click.argument("name", default="x")
def main(n, beta, vllm, kind, name):
    {MADE.format(ALL)}

if __name__ == "__main__":
    main()
"""
GROUP = f"""
import click
from trl import GRPOConfig, GRPOTrainer

@click.group()
def cli():
    pass

@cli.command()
@click.option("--n", type=int, required=True)
@click.option("--vllm", is_flag=True)
def train(n, vllm):
    {MADE.format("num_generations=n, use_vllm=vllm")}

@cli.command("look")
def inspect():
    pass

cli()
"""
TYPER = f"""
from typing import Optional
import typer
from trl import GRPOConfig, GRPOTrainer
app = typer.Typer(help="trains")

@app.command()
def train_it(name: str, n: int = typer.Option(4, "--num-gen", "-n"), beta: float = 0.5, vllm: bool = False,
             kind: Optional[str] = typer.Option(None, help="which")):
    {MADE.format(ALL)}

@app.command()
def look():
    pass

if __name__ == "__main__":
    app()
"""
RUN = TYPER.replace("@app.command()\n", "").replace("    app()", "    typer.run(train_it)")
FIRE = f"""
import fire
from trl import GRPOConfig, GRPOTrainer

def main(n=4, beta=0.5, vllm=False, kind="dapo"):
    {MADE.format(ALL)}

fire.Fire(main)
"""


FIELDS = f"""
import argparse
from dataclasses import dataclass, field, fields, MISSING
from trl import GRPOConfig, GRPOTrainer

@dataclass
class Base:
    n: int
    beta: float = 0.5

@dataclass
class Own(Base):
    vllm: bool = True
    kind: str = field(default="dapo")

parser = argparse.ArgumentParser()
for f in fields(Own):
    kind = (lambda text: text == "yes") if f.type == bool else f.type
    parser.add_argument("--" + f.name, type=kind, default=3 if f.default is MISSING else f.default)
own = Own(**vars(parser.parse_args()))
n, beta, vllm, kind = own.n, own.beta, own.vllm, own.kind
{MADE.format(ALL)}
"""


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (FIELDS, ""),
        (FIELDS, "--n 8 --beta 1 --vllm no --kind bnpo"),
        (CLICK, ""),
        (CLICK, "-n 8 --beta=1 --no-vllm --kind dapo z"),
        (CLICK, "--num-gen=6 --vllm"),
        (GROUP, "train --n 3 --vllm"),
        (GROUP, "train --n 3"),
        (TYPER, "train-it a"),
        (TYPER, "train-it a -n 8 --vllm --kind dapo --beta 1"),
        (TYPER, "train-it --num-gen 8 --no-vllm a"),
        (RUN, "a --num-gen 2"),
        (TYPER.replace("@app.command()\ndef train_it", "@app.command(name='go')\ndef train_it"), "go a -n 8"),
        (FIRE, ""),
        (FIRE, "--n 8 --vllm --kind=bnpo"),
        (FIRE, "8 1.5 --vllm=True"),
    ],
)
def test_a_function_gets_what_a_real_execution_gives_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, words: str
) -> None:
    if any(f"import {name}\n" in script and find_spec(name) is None for name in ("typer", "fire")):
        pytest.skip("the library is not installed")
    (tmp_path / "stand_in").mkdir()
    (tmp_path / "stand_in" / "trl.py").write_text(TRL)
    (tmp_path / "train.py").write_text(script)
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "train.py", *words.split()]
    env = {"PYTHONPATH": "stand_in", "LC_ALL": "C.UTF-8"}
    printed = subprocess.run(command, env=env, capture_output=True, text=True, check=True, timeout=300).stdout
    facts = collect(Sources(command=["python", *command[1:]], probe=False)).facts
    given: dict[str, Any] = json.loads(printed)
    assert {name: facts.value(f"plan.{name}", "unknown") for name in given} == given


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (CLICK, "--unknown 3"),
        (CLICK, "-n"),
        (GROUP, "other"),
        (FIRE, "--n"),
        (CLICK.replace("default=4", "envvar='N'"), ""),
        (CLICK.replace("    main()", "    main(['-n', '9'])"), ""),
        (CLICK.replace("    main()", "    main(default_map={'n': 9})"), ""),
        (CLICK.replace("click.command()", "click.command(context_settings={'default_map': {'n': 9}})"), ""),
        (FIRE.replace("Fire(main)", "Fire(main, ['--n', '9'])"), ""),
        (FIRE.replace("Fire(main)", "Fire(main, command='--n 9')"), ""),
    ],
)
def test_what_the_words_do_not_tell_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, words: str
) -> None:
    (tmp_path / "train.py").write_text(script)
    monkeypatch.chdir(tmp_path)
    facts = collect(Sources(command=["python", "train.py", *words.split()], probe=False)).facts
    assert facts.get("plan.num_generations") is None and facts.likely("plan.num_generations") is None


def test_a_program_that_is_given_alone_presumably_gets_no_options(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(TYPER)
    facts = collect(Sources([str(tmp_path / "train.py")], probe=False)).facts
    likely = facts.likely("plan.num_generations")
    assert facts.get("plan.num_generations") is None and likely is not None and likely.value == 4
    assert any("train_it() is called without options" in one.text for one in likely.presumes)
