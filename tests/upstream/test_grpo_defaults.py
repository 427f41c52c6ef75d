"""Defaults of configuration classes, compared with the source of TRL's releases."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from packaging.version import Version

from tests.upstream.releases import release
from vcompat.facts.defaults import defaults_of
from vcompat.facts.value import FactValue
from vcompat.sources.reading.python.known_classes import CONFIGURATIONS

CONFIG, BASE = "trl/trainer/grpo_config.py", "trl/trainer/base_config.py"
#: Defaults of TrainingArguments that no TRL release changes.
INHERITED = {
    "use_cpu": False,
    "eval_strategy": "no",
    "eval_on_start": False,
    "gradient_checkpointing": False,
    "auto_find_batch_size": False,
    "per_device_train_batch_size": 8,
    "per_device_eval_batch_size": 8,
    "gradient_accumulation_steps": 1,
    "fp16": False,
    "bf16": False,
    "use_liger_kernel": False,
    "dataloader_num_workers": 0,
    "max_grad_norm": 1.0,
}
#: The first, the middle and the last releases, and those in which defaults change.
EDGES = "0.14.0 0.15.0 0.15.2 0.16.0 0.17.0 0.18.0 0.19.1 0.20.0 0.21.0 0.22.0 0.23.0 0.25.1 0.26.0 0.27.0 0.27.2 0.28.0 0.29.1 1.0.0 1.9.2 1.10.0 1.16.0".split()


def fields(version: str) -> Iterator[tuple[str, FactValue]]:
    """Yield the fields of `GRPOConfig` and TRL's own base class that have a constant default."""
    for path in (BASE, CONFIG):
        file = release("trl", version) / path
        if file.is_file():
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                    default = _default(node.value)
                    if isinstance(default, ast.Constant):
                        yield node.target.id, default.value


def _default(value: ast.expr | None) -> ast.expr | None:
    """The default in ``name: type = value`` or ``name: type = field(default=value)``."""
    if isinstance(value, ast.Call):
        return next((keyword.value for keyword in value.keywords if keyword.arg == "default"), None)
    return value


def releases(version: str) -> dict[str, Version]:
    return {"trl": Version(version), "transformers": Version("4.57.6")}


@pytest.mark.parametrize("version", EDGES)
def test_defaults_are_those_of_the_source(version: str) -> None:
    real = {**INHERITED, **dict(fields(version))}
    found = dict(defaults_of("GRPOConfig", releases(version).get))
    assert {"use_vllm", "use_cpu", "num_generations", "max_completion_length"} <= found.keys()
    for setting, value in found.items():
        assert value == real.get(setting), setting


@pytest.mark.parametrize("version", EDGES)
def test_without_the_release_of_transformers_defaults_are_the_same_or_not_known(version: str) -> None:
    exact = dict(defaults_of("GRPOConfig", releases(version).get))
    alone = dict(defaults_of("GRPOConfig", {"trl": Version(version)}.get))
    assert alone and alone.items() <= exact.items()


def test_a_release_that_is_not_recorded_counts_as_the_newest_one_before_it() -> None:
    for version, recorded in (("9.9.0", "1.16.0"), ("1.0.0.post1", "1.0.0")):
        assert dict(defaults_of("GRPOConfig", releases(version).get)) == dict(
            defaults_of("GRPOConfig", releases(recorded).get)
        )


def test_a_development_version_has_the_defaults_that_the_releases_around_it_share() -> None:
    between, before, after = (
        dict(defaults_of("GRPOConfig", releases(version).get)) for version in ("1.0.0.dev0", "0.29.1", "1.0.0")
    )
    assert between.items() == before.items() & after.items()
    assert between != before


def test_a_class_that_the_release_does_not_have_yet_has_no_defaults() -> None:
    assert list(defaults_of("GRPOConfig", releases("0.13.0").get)) == []
    assert list(defaults_of("NoSuchConfig", releases("1.0.0").get)) == []


@pytest.mark.parametrize("version", ["0.22.0", "0.29.1", "1.0.0", "1.16.0"])
def test_other_configurations_have_defaults_of_their_own(version: str) -> None:
    folder, seen = release("trl", version) / "trl", 0
    for file in folder.rglob("*_config.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and node.name in CONFIGURATIONS:
                known = dict(defaults_of(node.name, releases(version).get))
                for field in node.body:
                    if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                        default = _default(field.value)
                        if field.target.id in known and isinstance(default, ast.Constant):
                            seen += 1
                            assert known[field.target.id] == default.value, (node.name, field.target.id)
    assert seen > 20
