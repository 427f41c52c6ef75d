"""The table of defaults, compared with the real `GRPOConfig` of TRL's releases."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from packaging.version import Version

from tests.upstream.releases import release
from vcompat.facts.trl_defaults import GRPO_DEFAULTS, REMOVED, SHARED, defaults_of
from vcompat.facts.value import FactValue
from vcompat.sources.plan.script import CONFIGURATIONS

CONFIG, BASE = "trl/trainer/grpo_config.py", "trl/trainer/base_config.py"
#: Defaults of TrainingArguments that no TRL release changes.
INHERITED = {
    "use_cpu": False,
    "eval_strategy": "no",
    "gradient_checkpointing": False,
    "per_device_train_batch_size": 8,
    "gradient_accumulation_steps": 1,
    "fp16": False,
    "bf16": False,
}
#: The releases in which an entry of the table begins or ends, and the releases before some of them.
EDGES = sorted(
    {since for history in GRPO_DEFAULTS.values() for since, _ in history}
    | set(REMOVED.values())
    | {"0.15.2", "0.17.0", "0.19.1", "0.21.0", "0.25.1", "0.27.2", "0.29.1", "1.16.0"},
    key=Version,
)


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


@pytest.mark.parametrize("version", EDGES)
def test_the_table_matches_the_release(version: str) -> None:
    real = {**INHERITED, **dict(fields(version))}
    for setting, value in defaults_of(Version(version)):
        assert value == real.get(setting), setting


@pytest.mark.parametrize("version", ["0.14.0", "0.17.0", "0.18.0", "0.22.0", "0.29.1", "1.0.0", "1.16.0"])
def test_shared_settings_have_the_same_default_in_other_configurations(version: str) -> None:
    tables = dict(defaults_of(Version(version), "RLOOConfig"))
    assert set(tables) <= SHARED
    folder = release("trl", version) / "trl"
    seen = 0
    for file in folder.rglob("*_config.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and node.name in CONFIGURATIONS:
                for field in node.body:
                    if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                        default = _default(field.value)
                        if field.target.id in tables and isinstance(default, ast.Constant):
                            seen += 1
                            assert default.value == tables[field.target.id], (node.name, field.target.id)
    assert seen
