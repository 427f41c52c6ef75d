"""The table of defaults against the real `GRPOConfig` of TRL's releases."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest
from packaging.version import Version

from tests.upstream.releases import release
from vcompat.facts import FactValue
from vcompat.plan.defaults import GRPO_DEFAULTS, REMOVED, defaults_of

CONFIG, BASE = "trl/trainer/grpo_config.py", "trl/trainer/base_config.py"
#: TrainingArguments has them, and no TRL release says otherwise.
INHERITED = {"use_cpu": False, "eval_strategy": "no", "gradient_checkpointing": False}
#: The releases in which the table says that something begins or ends, and what came before some of them.
EDGES = sorted(
    {since for history in GRPO_DEFAULTS.values() for since, _ in history}
    | set(REMOVED.values())
    | {"0.15.2", "0.17.0", "0.19.1", "0.21.0", "0.25.1", "0.27.2", "0.29.1", "1.16.0"},
    key=Version,
)


def fields(version: str) -> Iterator[tuple[str, FactValue]]:
    """The fields of `GRPOConfig` and TRL's own base class that have a constant default."""
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
def test_the_table_says_what_the_release_does(version: str) -> None:
    real = {**INHERITED, **dict(fields(version))}
    for setting, value in defaults_of(Version(version)):
        assert value == real.get(setting), setting
