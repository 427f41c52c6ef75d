"""Tables of the plan readers, compared with the real parsers, classes and files that they repeat."""

from __future__ import annotations

import argparse
import ast
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.upstream.releases import release
from vcompat.facts.process_counts import AUTOMATIC
from vcompat.sources.reading.commands.launchers import launcher_of
from vcompat.sources.reading.configurations.deepspeed_config import _FACTS
from vcompat.sources.reading.launchers import accelerate_facts
from vcompat.sources.reading.launchers.accelerate_options import TRL_CONFIGS, of_trl
from vcompat.sources.reading.python.known_classes import CONFIGURATIONS


def spelled(option: str) -> str:
    return option.lstrip("-").replace("-", "_")


def of_parser(parser: argparse.ArgumentParser) -> tuple[set[str], set[str]]:
    """Return the options without and with a value."""
    flags, valued = set(), set()
    for action in parser._actions:
        (flags if action.nargs == 0 else valued).update(map(spelled, action.option_strings))
    return flags, valued


def of_source(file: Path) -> tuple[set[str], set[str]]:
    """Return the same from the source of a launcher that is not installed."""
    flags, valued = set(), set()
    for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "add_argument":
            names = [a.value for a in call.args if isinstance(a, ast.Constant) and str(a.value).startswith("-")]
            actions = [k.value for k in call.keywords if k.arg == "action"]
            alone = (
                bool(actions)
                and isinstance(actions[0], ast.Constant)
                and str(actions[0].value).startswith(("store_", "help"))
            )
            (flags if alone else valued).update(spelled(str(name)) for name in names)
    return flags, valued


def launchers() -> list[Any]:
    def accelerate() -> tuple[set[str], set[str]]:
        return of_parser(pytest.importorskip("accelerate.commands.launch").launch_command_parser())

    def torchrun() -> tuple[set[str], set[str]]:
        return of_parser(pytest.importorskip("torch.distributed.run").get_args_parser())

    return [
        pytest.param("accelerate", accelerate, id="accelerate, installed"),
        pytest.param("torchrun", torchrun, id="torchrun, installed"),
        *(
            pytest.param("accelerate", lambda v=v: of_source(accelerate_launch(v)), id=f"accelerate {v}")
            for v in ("0.34.0", "1.9.0")
        ),
        *(
            pytest.param(
                "deepspeed",
                lambda v=v: of_source(release("deepspeed", v) / "deepspeed/launcher/runner.py"),
                id=f"deepspeed {v}",
            )
            for v in ("0.16.4", "0.19.3")
        ),
    ]


def accelerate_launch(version: str) -> Path:
    return next(release("accelerate", version).rglob("accelerate/commands/launch.py"))


@pytest.mark.parametrize(("name", "options"), launchers())
def test_the_options_match_the_launcher(name: str, options: Any) -> None:
    flags, valued = options()
    assert len(flags) > 3 and len(valued) > 3
    assert flags - launcher_of(name).flags == set()
    assert valued - launcher_of(name).valued == set()


@pytest.mark.parametrize("version", ["0.18.2", "0.25.1", "1.5.0", "1.12.0", "1.16.0"])
def test_every_configuration_with_vllm_settings_is_listed(version: str) -> None:
    found = set()
    for file in (release("trl", version) / "trl").rglob("*_config.py"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                fields = [
                    b.target.id for b in node.body if isinstance(b, ast.AnnAssign) and isinstance(b.target, ast.Name)
                ]
                bases = [ast.unparse(base).lstrip("_") for base in node.bases]
                if any(field == "use_vllm" or field.startswith("vllm_") for field in fields) or CONFIGURATIONS & set(
                    bases
                ):
                    found.add(node.name)
    assert "GRPOConfig" in found
    assert found - CONFIGURATIONS == set()


def test_every_listed_configuration_exists_in_trl() -> None:
    defined = set()
    for version in ("0.18.2", "0.25.1", "1.5.0", "1.12.0", "1.16.0"):
        for file in (release("trl", version) / "trl").rglob("*.py"):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            defined |= {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    assert CONFIGURATIONS - defined == set()


def test_the_named_accelerate_configurations_match_trl() -> None:
    folder = Path(str(pytest.importorskip("trl").__file__)).parent / "accelerate_configs"
    seen = set()
    for file in folder.glob("*.yaml"):
        table = yaml.safe_load(file.read_text(encoding="utf-8"))
        seen.add(file.stem)
        ours = of_trl(file.stem)
        assert ours is not None
        for key, value in ours.table.items():
            assert isinstance(value, dict) or table[key] == value, key
        assert ours.table["distributed_type"] == table["distributed_type"]
        for section in ("deepspeed_config", "fsdp_config"):
            theirs = table.get(section) or {}
            assert {key: theirs.get(key) for key in ours.table.get(section, {})} == ours.table.get(section, {})
    assert seen == set(TRL_CONFIGS)


def test_sharding_names_and_default_stage_match_accelerate() -> None:
    constants = pytest.importorskip("accelerate.utils.constants")
    names = constants.FSDP_SHARDING_STRATEGY
    by_number = {str(number): accelerate_facts.SHARDING[name] for number, name in enumerate(names, 1)}
    assert {**{name: accelerate_facts.SHARDING[name] for name in names}, **by_number} == accelerate_facts.SHARDING
    source = Path(constants.__file__).with_name("dataclasses.py").read_text(encoding="utf-8")
    assert f'"ACCELERATE_DEEPSPEED_ZERO_STAGE", {accelerate_facts.DEFAULT_ZERO_STAGE})' in source


@pytest.mark.parametrize("version", ["4.46.3", "5.17.0"])
def test_auto_values_match_transformers(version: str) -> None:
    file = release("transformers", version) / "src/transformers/integrations/deepspeed.py"
    filled: dict[str, str] = {}
    for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "fill_match":
            filled[ast.literal_eval(call.args[0])] = ast.unparse(call.args[1])
    for keys, fact in _FACTS.items():
        assert f"args.{AUTOMATIC[fact.removeprefix('plan.')]}" in filled[".".join(keys)]
