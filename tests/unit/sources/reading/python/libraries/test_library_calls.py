"""Calls of library functions: which ones compute, which ones leave their arguments alone, and which change variables."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tables import Case, parametrized
from tests.unit.sources.reading.python.outcome_for_tests import Session
from vcompat.sources.reading.python.libraries.library import KNOWN_ROOTS
from vcompat.sources.reading.python.running.harmless import (
    READERS,
    STANDARD,
    WATCHED,
    is_foreign,
    only_reads,
    patches,
    sets_variables,
)
from vcompat.sources.reading.python.values.values import Const, Lib, Method, Obj, Value

IMPORTS = """
import json, math, operator, os, sys, torch, vcompat, yaml
from dataclasses import dataclass
from transformers import HfArgumentParser
from trl import GRPOConfig, GRPOTrainer, TrlParser, get_peft_config
from elsewhere import Other, tune
"""


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path, IMPORTS)


@parametrized(__file__, "library_calls.txt")
def test_what_is_known_after_a_script(session: Session, case: Case) -> None:
    case.check(session.checked(case.text))


#: A callee, its name at the call, and whether it leaves its arguments as they are.
CALLEES: list[tuple[Value | None, str, bool]] = [
    (Lib("json.dumps"), "json.dumps", True),
    (Lib("elsewhere.f"), "elsewhere.f", False),
    (Lib("print"), "print", False),
    (Lib("print", False), "print", True),
    (Lib("open", False), "open", True),
    (Lib("wandb.log", False), "wandb.log", True),
    (Lib("undefined", False), "undefined", False),
    (Lib("undefined.info", False), "undefined.info", False),
    (Method(Obj(Lib("torch.Tensor")), "f"), "t.f", True),
    (Method(Obj(Lib("elsewhere.T")), "f"), "t.f", False),
    (Method(Obj(Lib("elsewhere.T")), "info"), "t.info", True),
    (Method(Const("a"), "f"), "a.f", False),
    (Method(Const("a"), "info"), "a.info", True),
    (None, "log.warning", True),
    (None, "info.other", False),
    (None, "info", True),
    (None, "a.b.error", True),
    (None, "f", False),
]


@pytest.mark.parametrize(("callee", "name", "expected"), CALLEES)
def test_a_function_reads_by_its_package_or_as_a_logger_does(callee: Value | None, name: str, expected: bool) -> None:
    assert only_reads(callee, name) is expected


def test_every_package_that_reads_and_every_builtin_that_reads_is_known() -> None:
    for root in READERS:
        assert only_reads(Lib(f"{root}.f"), "f") and only_reads(Lib(f"{root}.f", False), "f")
        assert not is_foreign(Lib(f"{root}.f"))
    for name in "print len map tuple SystemExit ValueError zip __import__ abs str".split():
        assert only_reads(Lib(name, False), name)
    for name in "info debug warning error critical exception log log_metrics print write".split():
        assert only_reads(None, f"logger.{name}")
    assert {"trl", "vllm", "torch", "yaml", "os", "absl", "zmq", "transformers", "hydra", "cv2"} <= READERS
    assert READERS | STANDARD | WATCHED == KNOWN_ROOTS
    assert {"vllm", "trl", "vcompat", "transformers", "unsloth"} == WATCHED and {"os", "sys", "json"} <= STANDARD


@pytest.mark.parametrize(
    ("path", "sets", "foreign", "changes_dictionaries"),
    [
        ("dotenv.load_dotenv", True, True, False),
        ("elsewhere.load_dotenv", True, True, False),
        ("os.activate_env", True, False, False),
        ("os.set_env", True, False, False),
        ("os.setup_env", True, False, False),
        ("os.dotenv_values", True, False, False),
        ("environs.Env", True, True, False),
        ("unsloth.FastLanguageModel", True, True, False),
        ("decouple.config", True, True, False),
        ("os.getenv", False, False, False),
        ("elsewhere.f", False, True, False),
        ("importlib.metadata.version", False, False, False),
        ("resource.setrlimit", False, False, False),
        ("runpy.run_path", False, True, False),
        ("unittest.mock.patch.dict", False, False, True),
        ("mock.patch.dict", False, True, True),
        ("pytest.MonkeyPatch", False, False, True),
        ("collections.ChainMap", False, False, True),
    ],
)
def test_functions_that_change_variables_or_dictionaries(
    path: str, sets: bool, foreign: bool, changes_dictionaries: bool
) -> None:
    callee = Lib(path)
    assert (sets_variables(callee), is_foreign(callee), patches(callee)) == (sets, foreign, changes_dictionaries)
    for other in (None, Const(path)):
        assert not sets_variables(other) and not is_foreign(other) and not patches(other)
    assert not is_foreign(Lib(path, False))
