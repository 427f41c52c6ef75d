"""Trainers of Ray and Kubeflow, which run a function of the script elsewhere."""

from __future__ import annotations

import pytest

from vcompat.facts.facts import Facts
from vcompat.facts.value import FactValue
from vcompat.sources.reading.python.values.core import Start
from vcompat.sources.reading.scripts.script import read_source

RAY = """import os
from ray.train import ScalingConfig
from ray.train.torch import TorchTrainer
os.environ['VLLM_USE_V1'] = '0'
def loop(config):
    from trl import GRPOConfig, GRPOTrainer
    os.environ['NCCL_DEBUG'] = 'WARN'
    GRPOTrainer('a/b', args=GRPOConfig(num_generations=config['n'])).train()
TorchTrainer(loop, train_loop_config={'n': 4}, scaling_config=ScalingConfig(num_workers=2, use_gpu=True)).fit()
"""
KUBEFLOW = """from kubeflow.trainer import CustomTrainer, TrainerClient
def train(model='a/b', generations=8):
    from trl import GRPOConfig, GRPOTrainer
    GRPOTrainer(model, args=GRPOConfig(num_generations=generations)).train()
TrainerClient().train(trainer=CustomTrainer(func=train, func_args={'generations': 4}, env={'NCCL_DEBUG': 'INFO'}))
"""


def _facts(source: str, presuming: bool = False) -> Facts:
    return read_source("x.py", source.encode(), Start((), presuming=presuming)).facts


@pytest.mark.parametrize(
    ("source", "known"),
    [
        (RAY, {"num_generations": 4, "trainer": "GRPOTrainer", "launcher": "launcher", "world_size": 2}),
        (RAY.replace("config)", "config=None)").replace("config['n']", "7").replace("train_loop_config={'n': 4}, ", ""),
         {"num_generations": 7, "model": "a/b"}),
        (RAY.replace("num_workers=2", "num_workers=count()"), {"num_generations": 4, "world_size": None}),
        (KUBEFLOW, {"num_generations": 4, "model": "a/b", "trainer": "GRPOTrainer", "launcher": None}),
        (KUBEFLOW.replace("func_args={'generations': 4}, ", ""), {"num_generations": 8}),
        (KUBEFLOW.replace("(model='a/b', generations=8)", "(given)").replace("=generations", "=given['generations']"),
         {"num_generations": 4}),
        (KUBEFLOW.replace("func=train", "func=other()"), {"num_generations": None, "trainer": None}),
    ],
)  # fmt: skip
def test_the_function_that_the_trainer_gets_is_the_training(source: str, known: dict[str, FactValue]) -> None:
    facts = _facts(source)
    assert {name: facts.value(f"plan.{name}") for name in known} == known


def test_the_processes_may_have_other_variables_than_the_script() -> None:
    certain, presumed = _facts(RAY), _facts(RAY, presuming=True)
    assert certain.is_open("env.VLLM_USE_V1") and certain.value("env.NCCL_DEBUG") == "WARN"
    assert presumed.value("env.VLLM_USE_V1") == "0"
    assert _facts(KUBEFLOW).value("env.NCCL_DEBUG") == "INFO"


def test_the_command_that_starts_the_script_does_not_launch_the_processes() -> None:
    facts = _facts(KUBEFLOW)
    assert all(facts.is_open(f"plan.{name}") for name in ("launcher", "world_size", "num_machines"))
