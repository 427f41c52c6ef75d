"""The names of options, and defaults that no release changes, compared with TRL's classes."""

from __future__ import annotations

import ast
import json
import subprocess
import sys

import pytest

from tests.upstream.releases import release
from tests.upstream.test_grpo_defaults import EDGES, INHERITED, fields
from vcompat.sources.reading.python.libraries.option_names import option_names
from vcompat.sources.reading.python.libraries.steady import defaults_of
from vcompat.sources.reading.python.values.values import Lib

#: Prints whether each field of the installed TRL's classes is a flag.
PRINT_FIELDS = """
import dataclasses, json, typing
from trl import GRPOConfig, ModelConfig, RLOOConfig, ScriptArguments, SFTConfig
from trl.scripts.grpo import GRPOScriptArguments
found = {}
for kind in (GRPOConfig, RLOOConfig, SFTConfig, ModelConfig, ScriptArguments, GRPOScriptArguments):
    hints = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):
        names = str(hints[field.name])
        found[field.name] = found.get(field.name, False) or ("bool" in names and "str" not in names and "dict" not in names)
print(json.dumps(found))
"""


def test_options_are_flags_or_take_values_as_in_the_installed_classes() -> None:
    done = subprocess.run([sys.executable, "-c", PRINT_FIELDS], capture_output=True, text=True, check=True)
    real = json.loads(done.stdout.splitlines()[-1])
    assert real
    assert {name for name, is_flag in real.items() if is_flag} <= option_names().flags
    assert {name for name, is_flag in real.items() if not is_flag} <= option_names().valued


#: Prints the options that the parser of the installed TRL converts to one number.
PRINT_NUMBERS = """
import json
from trl import GRPOConfig, ModelConfig, RLOOConfig, ScriptArguments, SFTConfig, TrlParser
from trl.scripts.grpo import GRPOScriptArguments
kinds = (GRPOConfig, RLOOConfig, SFTConfig, ModelConfig, ScriptArguments, GRPOScriptArguments)
actions = [action for kind in kinds for action in TrlParser((kind,))._actions]
print(json.dumps([[
    action.dest, getattr(action.type, '__name__', '') in ('int', 'float') and action.nargs is None
] for action in actions]))
"""


def test_options_take_numbers_as_in_the_installed_parser() -> None:
    done = subprocess.run([sys.executable, "-c", PRINT_NUMBERS], capture_output=True, text=True, check=True)
    real = json.loads(done.stdout.splitlines()[-1])
    numbers = {name for name, is_number in real if is_number}
    assert numbers and numbers <= option_names().numbers
    assert not option_names().numbers & {name for name, is_number in real if not is_number}


@pytest.mark.parametrize("version", EDGES)
def test_steady_defaults_are_those_of_each_release_that_has_the_setting(version: str) -> None:
    real = {**INHERITED, **dict(fields(version))}
    steady = defaults_of(Lib("trl.GRPOConfig"))
    assert steady
    assert {name: real[name] for name in steady if name in real} == {n: v for n, v in steady.items() if n in real}


@pytest.mark.parametrize("version", EDGES)
def test_model_config_has_its_steady_defaults_in_each_release(version: str) -> None:
    (file,) = (release("trl", version) / "trl/trainer").glob("model_config.py")
    real = {}
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            value = node.value
            if isinstance(value, ast.Call):
                value = next(keyword.value for keyword in value.keywords if keyword.arg == "default")
            real[node.target.id] = ast.literal_eval(value)
    steady = defaults_of(Lib("trl.ModelConfig"))
    assert {name: real[name] for name in steady} == dict(steady)


def test_settings_that_the_constructor_computes_are_not_steady() -> None:
    """`GRPOConfig.__post_init__` replaces these if they are not set."""
    text = (release("trl", "1.16.0") / "trl/trainer/grpo_config.py").read_text(encoding="utf-8")
    (method,) = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef) and n.name == "__post_init__")
    assigned = {
        target.attr
        for node in ast.walk(method)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Attribute)
    }
    assert "steps_per_generation" in assigned
    assert not assigned & defaults_of(Lib("trl.GRPOConfig")).keys()
