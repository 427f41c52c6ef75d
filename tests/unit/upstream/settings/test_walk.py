"""The conditions under which a constructor raises, read from source that is written by hand."""

from __future__ import annotations

import pytest

from tests.unit.upstream.settings.written import HEADER, checks, config, inspected
from vcompat.upstream.settings.side_effects import Foreign

TRAINING = Foreign(
    {"transformers.TrainingArguments": frozenset({"bf16", "fp16", "seed"})},
    {"transformers.TrainingArguments": frozenset({"seed"}), "transformers.Trainer": frozenset({"args.seed"})},
)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if self.a < 2:\n    raise ValueError", ["a < 2"]),
        ("assert self.a > 0, 'text'", ["a <= 0"]),
        ("if self.a and not self.b:\n    raise ValueError", ["a and (not b)"]),
        ("if self.a:\n    if self.b:\n        raise ValueError", ["a and b"]),
        ("if self.a == 1:\n    pass\nelif self.a == 2:\n    pass\nelse:\n    raise ValueError", ["a != 1 and a != 2"]),
        ("if not 0 <= self.a <= 1:\n    raise ValueError", ["not 0 <= a <= 1"]),
        ("if self.a % self.b != 0:\n    raise ValueError", ["a % b != 0"]),
        ("if self.c is not None and self.c < 0:\n    raise ValueError", ["c is not None and c < 0"]),
        ("if len(self.name) > 3:\n    raise ValueError", ["len(name) > 3"]),
        ("twice = self.a * 2\nif twice > self.b:\n    raise ValueError", ["a * 2 > b"]),
        ("if self.a:\n    return\nif self.b:\n    raise ValueError", ["not a and b"]),
        ("if self.a:\n    raise ValueError\nif self.b:\n    raise ValueError", ["a", "b"]),
        ("if os.environ.get('X') or self.a:\n    raise ValueError", ["a"]),
        ("if self.name not in ['x', 'y'] and self.a:\n    raise ValueError", ["name not in ['x', 'y'] and a"]),
        ("with open('x'):\n    if self.a:\n        raise ValueError", ["a"]),
        ("def f():\n    return 1\nif self.a:\n    raise ValueError", ["a"]),
    ],
)
def test_a_check_is_the_condition_to_get_to_the_raise(body: str, expected: list[str]) -> None:
    assert checks(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "if os.environ.get('X'):\n    raise ValueError",
        "if os.environ.get('X') and self.a:\n    raise ValueError",
        "if self.a > limit():\n    raise ValueError",
        "if os.environ.get('X'):\n    return\nif self.a:\n    raise ValueError",
        "try:\n    if self.a:\n        raise ValueError\nexcept ValueError:\n    pass",
        "for one in range(3):\n    if self.a:\n        raise ValueError",
        "if isinstance(self.a, str):\n    raise ValueError",
        "for one in range(self.a):\n    return\nif self.a:\n    raise ValueError",
    ],
)
def test_what_depends_on_something_else_is_no_check(body: str) -> None:
    assert checks(body) == []


@pytest.mark.parametrize(
    "body",
    [
        "self.a = compute()",
        "self.a += 1",
        "setattr(self, 'a', 1)",
        "for name in ('a', 'b'):\n    setattr(self, name, 1)",
        "change(self)",
        "try:\n    self.a = 1\nexcept OSError:\n    pass",
        "while True:\n    self.a = 3",
        "other = self\nother.a = 3",
        "self.a, self.b = pair()",
        "def later():\n    self.a = 3\nlater()",
        "self.a.append(1)",
        "self.a['x'] = 1",
        "names = ['a']\nfor name in names:\n    setattr(self, name, 1)",
    ],
)
def test_a_setting_that_may_have_been_changed_is_not_what_the_user_gave(body: str) -> None:
    assert checks(f"{body}\nif self.a:\n    raise ValueError") == []


@pytest.mark.parametrize(
    "body",
    [
        "print(self.a)",
        "self.b = 3",
        "setattr(self, 'b', 1)",
        "for name in ('b', 'c'):\n    setattr(self, name, 1)",
        "if isinstance(self, dict):\n    self.b = 1",
        "warnings.warn(f'{self}')",
    ],
)
def test_a_setting_that_is_not_changed_is_what_the_user_gave(body: str) -> None:
    assert checks(f"{body}\nif self.a:\n    raise ValueError") == ["a"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("if self.c is None:\n    self.c = compute()", ["c is not None and c > 3"]),
        ("self.c = compute() if self.c is None else self.c", ["c is not None and c > 3"]),
        ("if self.b:\n    self.c = compute()\nelse:\n    self.c = 4", ["not b"]),
        ("if self.b:\n    self.c = self.a", ["not b and c > 3"]),
        ("if self.a:\n    if self.b:\n        self.c = compute()", ["(a and (not b) or not a) and c > 3"]),
        ("if compute():\n    self.c = 5", []),
    ],
)
def test_a_setting_that_is_replaced_in_some_cases_counts_in_the_others(body: str, expected: list[str]) -> None:
    found = checks(f"{body}\nif self.c > 3:\n    raise ValueError")
    assert found == expected


def test_methods_of_the_object_are_followed() -> None:
    body = "a: int = 1\nb: int = 1\ndef __post_init__(self):\n    self._set()\n    self._check(self.b)\n"
    methods = "def _set(self):\n    self.a = 5\n\ndef _check(self, value):\n    if self.a or value:\n        raise ValueError\n"
    assert config(body + methods)["checks"] == []
    body = "a: int = 1\nb: int = 1\ndef __post_init__(self):\n    self._check(self.b)\n"
    assert config(body + methods)["checks"] == ["a or b"]


def test_a_return_in_a_method_does_not_end_the_constructor() -> None:
    body = (
        "a: int = 1\nb: int = 1\ndef __post_init__(self):\n    self._set()\n    if self.b:\n        raise ValueError\n"
    )
    methods = "def _set(self):\n    if self.a:\n        return\n    self.b = 5\n"
    assert config(body + methods)["checks"] == ["a and b"]


def test_reading_a_property_may_change_the_object() -> None:
    body = "a: int = 1\ndef __post_init__(self):\n    self.device\n    if self.a:\n        raise ValueError\n"
    assert config(body + "@property\ndef device(self):\n    self.a = 2\n    return 1\n")["checks"] == []
    assert config(body + "@property\ndef device(self):\n    return 1\n")["checks"] == ["a"]


def test_what_the_base_in_another_package_may_change_is_unknown_after_its_constructor() -> None:
    body = (
        "a: int = 1\ndef __post_init__(self):\n    super().__post_init__()\n    if self.seed > 1:\n        raise ValueError\n"
        "    if self.fp16 and self.a:\n        raise ValueError\n"
    )
    before = "from transformers import TrainingArguments"
    assert config(body, TRAINING, "TrainingArguments", before)["checks"] == ["fp16 and a"]


def test_what_changes_before_the_bases_check_is_recorded_with_where_it_does_not() -> None:
    before = "from transformers import TrainingArguments"
    body = "def __post_init__(self):\n    self.bf16 = not self.fp16 if self.bf16 is None else self.bf16\n    super().__post_init__()\n"
    assert config(body, TRAINING, "TrainingArguments", before)["before_bases"] == {"bf16": "bf16 is not None"}
    body = "def __post_init__(self):\n    self.bf16 = True\n    super().__post_init__()\n"
    assert config(body, TRAINING, "TrainingArguments", before)["before_bases"] == {"bf16": ""}
    assert config("def __post_init__(self):\n    pass\n", TRAINING, "TrainingArguments", before)["before_bases"] is None
    body = "def __post_init__(self):\n    if self.fp16:\n        super().__post_init__()\n"
    assert config(body, TRAINING, "TrainingArguments", before)["before_bases"] is None
    body = "def __post_init__(self):\n    super().__post_init__()\n    self.bf16 = True\n"
    assert "before_bases" not in config(body, TRAINING, "TrainingArguments", before)


def test_the_checks_of_a_base_in_the_package_are_its_own() -> None:
    text = HEADER + (
        "@dataclass\nclass BaseConfig:\n    a: int = 1\n    def __post_init__(self):\n        if self.a < 0:\n            raise ValueError\n"
        "@dataclass\nclass AConfig(BaseConfig):\n    b: int = 1\n    def __post_init__(self):\n        super().__post_init__()\n"
        "        if self.b < 0:\n            raise ValueError\n"
    )
    found = inspected("trl", {"trl/__init__.py": "", "trl/a_config.py": text})
    assert (found["BaseConfig"]["checks"], found["AConfig"]["checks"]) == (["a < 0"], ["b < 0"])


TRAINER = """
from transformers import Trainer
from .a_config import GRPOConfig
class GRPOTrainer(Trainer):
    def __init__(self, model, args: GRPOConfig | None = None, train_dataset=None):
        if args is None:
            args = GRPOConfig()
        self.use_vllm = args.use_vllm
        self.vllm_mode = args.vllm_mode
        if train_dataset is None:
            raise ValueError
        super().__init__(model=model, args=args)
        if self.use_vllm:
            self.generation = VLLMGeneration(mode=self.vllm_mode, beta=self.args.beta)
        if args.seed:
            raise ValueError
class VLLMGeneration:
    def __init__(self, mode="server", beta=0.0):
        self.mode = mode
        if self.mode == "server":
            pass
        elif mode == "colocate" and beta > 1:
            raise ValueError
        elif self.mode != "colocate":
            raise ValueError
"""


def test_a_trainer_checks_the_configuration_that_it_gets() -> None:
    arguments = HEADER + (
        "from transformers import TrainingArguments\n@dataclass\nclass GRPOConfig(TrainingArguments):\n    use_vllm: bool = False\n"
        "    vllm_mode: str = 'server'\n    beta: float = 0.0\n    def __post_init__(self):\n        super().__post_init__()\n"
    )
    package = "from .trainer import GRPOTrainer\nfrom .a_config import GRPOConfig\n"
    files = {"trl/__init__.py": package, "trl/a_config.py": arguments, "trl/trainer.py": TRAINER}
    assert inspected("trl", files, TRAINING)["GRPOTrainer"]["checks"] == [
        "use_vllm and vllm_mode != 'server' and (vllm_mode == 'colocate') and (beta > 1)",
        "use_vllm and vllm_mode != 'server' and (vllm_mode != 'colocate')",
    ]


ENGINE = """
from dataclasses import dataclass
from vllm.config import CacheConfig, OldConfig
@dataclass
class EngineArgs:
    model: str = "m"
    utilization: float = 0.9
    size: int | None = None
    kind: str = "a"
    seed: int = 0
    def create_engine_config(self):
        if self.size is None:
            size = 1
        else:
            size = self.size
        cache = CacheConfig(utilization=self.utilization, size=self.size, kind=self.kind, block=self.seed)
        old = OldConfig(self.seed, limit=size)
"""
CONFIG = """
from typing import Literal
from pydantic import Field, field_validator, model_validator
from pydantic.dataclasses import dataclass
def config(cls):
    return dataclass(cls)
@config
class CacheConfig:
    utilization: float = Field(default=0.9, gt=0, le=1)
    size: int | None = Field(default=None, ge=1)
    kind: Literal["a", "b"] = "a"
    block: int = Field(default=1, gt=0)
    @field_validator("block", mode="before")
    @classmethod
    def _block(cls, value):
        return value or 1
    @model_validator(mode="after")
    def _check(self):
        if self.size and self.utilization > 0.95:
            raise ValueError
        return self
class OldConfig:
    def __init__(self, seed, limit=3):
        self.seed = seed
        self.limit = limit
        self._verify()
    def _verify(self):
        if self.seed < 0 or self.limit > 100:
            raise ValueError
"""


def test_the_engine_checks_what_it_passes_on_to_its_configurations() -> None:
    files = {"vllm/__init__.py": "", "vllm/engine/arg_utils.py": ENGINE, "vllm/config.py": CONFIG}
    found = inspected("vllm", files)["EngineArgs"]
    assert found["checks"] == [
        "utilization <= 0",
        "utilization > 1",
        "size is not None and size < 1",
        "size and utilization > 0.95",
        "seed < 0 or (size is not None and size > 100)",
    ]
    assert (found["fields"]["kind"]["choices"], found["fields"]["kind"]["enforced"]) == (["a", "b"], True)
