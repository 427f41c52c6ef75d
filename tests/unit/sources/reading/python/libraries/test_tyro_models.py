"""What tyro makes of a command line. The expectations are what tyro 1.0.17 returns."""

from __future__ import annotations

import pytest

from vcompat.facts.facts import Facts
from vcompat.sources.reading.python.values.core import Start
from vcompat.sources.reading.scripts.script import read_source

CLASSES = """from dataclasses import dataclass, field
from typing import Literal, Optional
import tyro
from trl import GRPOConfig, GRPOTrainer
@dataclass
class Train:
    num_generations: int = 8
    use_vllm: bool = False
    bf16: bool = True
@dataclass
class Args:
    model_name: str
    name: Optional[str] = None
    vllm_mode: Literal['server', 'colocate'] = 'server'
    beta: float = 0.5
    layers: list[int] = field(default_factory=list)
    train: Train = field(default_factory=lambda: Train(num_generations=2))
a = tyro.cli(Args)
GRPOTrainer(a.model_name, args=GRPOConfig(vllm_mode=a.vllm_mode, beta=a.beta, vllm_server_host=a.name, **vars(a.train)))
"""
FUNCTION = """import tyro
from trl import GRPOConfig, GRPOTrainer
def main(model_name: str, beta: float = 0.5, use_vllm: bool = False, num_generations: int | None = 4):
    GRPOTrainer(model_name, args=GRPOConfig(beta=beta, use_vllm=use_vllm, num_generations=num_generations))
tyro.cli(main)
"""


def _facts(source: str, words: str | None, presuming: bool = False) -> Facts:
    given = None if words is None else tuple(words.split())
    return read_source("x.py", source.encode(), Start(given, presuming=presuming)).facts


@pytest.mark.parametrize(
    ("source", "words", "known"),
    [
        (CLASSES, "--model-name q", {"model": "q", "num_generations": 2, "use_vllm": False, "bf16": True, "beta": 0.5}),
        (CLASSES, "--model_name=q --train.num_generations 4 --train.use-vllm --train.no-bf16 --beta 1",
         {"model": "q", "num_generations": 4, "use_vllm": True, "bf16": False, "beta": 1.0, "vllm_mode": "server"}),
        (CLASSES, "--model-name q --vllm-mode colocate --name None",
         {"model": "q", "vllm_mode": "colocate", "vllm_server_host": None}),
        (CLASSES, "--model-name q --layers 1 2", {"model": None, "num_generations": None}),
        (CLASSES.replace("cli(Args)", "cli(Args, args=['--model-name', 'r'])"), "--model-name q", {"model": "r"}),
        (CLASSES.replace("cli(Args)", "cli(Args, default=Args('r', train=Train(4)), prog='x')"), "--beta 0.1",
         {"model": "r", "num_generations": 4, "beta": 0.1}),
        (CLASSES.replace("cli(Args)", "cli(Args, config=(c,))"), "--model-name q", {"model": None}),
        (CLASSES.replace("beta: float", "beta: tyro.conf.Positional[float]"), "--model-name q", {"beta": None}),
        (CLASSES, None, {"model": None, "num_generations": None, "beta": None}),
        (FUNCTION, "--model-name q --use-vllm --num-generations 8",
         {"model": "q", "use_vllm": True, "num_generations": 8, "beta": 0.5}),
        (FUNCTION, "--model_name q --no-use-vllm --num_generations None", {"use_vllm": False, "num_generations": None}),
        (FUNCTION, "q", {"model": None, "beta": None}),
    ],
)  # fmt: skip
def test_what_a_command_line_sets_is_known(source: str, words: str | None, known: dict[str, object]) -> None:
    facts = _facts(source, words)
    assert {name: facts.value(f"plan.{name}") for name in known} == known


def test_without_a_command_line_the_defaults_are_presumed() -> None:
    for source, generations in ((CLASSES, 2), (FUNCTION, 4)):
        assert _facts(source, None).get("plan.num_generations") is None
        assert _facts(source, None, presuming=True).value("plan.num_generations") == generations
