"""Functions of the standard library, runners of commands and TRL's helpers: what the abstract execution makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tables import Case, parametrized
from tests.unit.sources.reading.python.outcome_for_tests import Session

IMPORTS = """
import absl, asyncio, copy, dataclasses, functools, importlib, inspect, os, threading, types
import fire, multiprocessing, typer
from absl import app
from argparse import Namespace
from dataclasses import asdict, dataclass, field, replace
from peft import LoraConfig
from trl import GRPOConfig, ModelConfig, get_peft_config
from vllm import EngineArgs, LLM
from elsewhere import OtherConfig
"""


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path, IMPORTS)


@parametrized(__file__, "standard_models.txt")
def test_what_is_known_after_a_script(session: Session, case: Case) -> None:
    case.check(session.checked(case.text))
