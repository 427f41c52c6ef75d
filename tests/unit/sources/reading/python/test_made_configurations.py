"""Configurations, trainers, engines and adapters: what is recorded when a script makes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tables import Case, parametrized
from tests.unit.sources.reading.python.outcome_for_tests import Session
from vcompat.sources.reading.python.known_classes import CONFIGURATIONS

IMPORTS = """
import os, peft, torch, transformers, trl, vllm
from dataclasses import dataclass
from peft import LoraConfig
from transformers import TrainingArguments
from trl import GRPOConfig, GRPOTrainer, ModelConfig
from vllm import AsyncEngineArgs, EngineArgs, LLM
from elsewhere import OtherConfig, OtherTrainer
"""


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path, IMPORTS)


NAMES = (
    "GRPOConfig RLOOConfig OnlineDPOConfig XPOConfig NashMDConfig GOLDConfig AsyncGRPOConfig GMPOConfig A2POConfig "
    "GFPOConfig PAPOConfig MiniLLMConfig GRPOWithReplayBufferConfig DistillationConfig ServerDistillationConfig "
    "DPPOConfig AsyncDistillationConfig SelfDistillationConfig SDPOConfig SDFTConfig SSDConfig IWOPDConfig"
)


def test_a_configuration_of_each_trainer_that_generates_is_recorded(session: Session) -> None:
    assert sorted(NAMES.split()) == sorted(CONFIGURATIONS)
    for name in CONFIGURATIONS:
        assert f"configuration {name}@1:1(self=trl.{name}@1:1())" in session.outcome(f"trl.{name}()")


@parametrized(__file__, "made_configurations.txt")
def test_what_is_known_after_a_script(session: Session, case: Case) -> None:
    case.check(session.checked(case.text))
