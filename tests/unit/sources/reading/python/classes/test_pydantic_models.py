"""Models of pydantic: their fields have the defaults and values that the script states."""

from __future__ import annotations

import pytest

from vcompat.sources.reading.scripts.script import read_source

_HEAD = """\
from __future__ import annotations
from pydantic import BaseModel, ConfigDict, Field
from trl import GRPOConfig, GRPOTrainer
"""
_MODELS = """\
class Training(BaseModel):
    model_config = ConfigDict(extra="forbid")
    generations: int = Field(default=8, ge=2)
    temperature: float = Field(0.9, gt=0.0)
    rank: int = 16
class Project(BaseModel):
    training: Training = Field(default_factory=Training)
"""
_TRAINER = """
GRPOTrainer(args=GRPOConfig(num_generations=c.generations, temperature=c.temperature), model="m")
"""


def _settings(text: str) -> tuple[object, object]:
    facts = read_source("run.py", (_HEAD + text + _TRAINER).encode()).facts
    names = ("plan.num_generations", "plan.temperature")
    found = {name: fact.value for name, fact in facts.all_known()}
    return found.get(names[0]), found.get(names[1])


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("c = Training()", (8, 0.9)),
        ("c = Project().training", (8, 0.9)),
        ("c = Training(generations=4)", (4, 0.9)),
        ("c = Training(**{'generations': 4, 'temperature': 1})", (4, 1.0)),
        ("c = Project(training={'generations': 4}).training", (4, 0.9)),
        ("c = Project(**{'training': {'temperature': 0.5}}).training", (8, 0.5)),
        ("c = Training.model_validate({'generations': 4, 'none': 1})", (4, 0.9)),
        ("c = Project.parse_obj({'training': {'temperature': 0.5}}).training", (8, 0.5)),
        ("c = Training(generations=4).model_copy(update={'temperature': 'x', 'generations': 2})", (2, None)),
        ("b = Project()\nc = b.model_copy(deep=True).training\nb.training.generations = 4", (8, 0.9)),
        ("b = Project()\nc = b.copy().training\nb.training.generations = 4", (4, 0.9)),
        ("class Small(Training):\n    generations: int = 2\nc = Small()", (2, 0.9)),
    ],
)
def test_fields_have_their_values(made: str, expected: tuple[object, object]) -> None:
    assert _settings(_MODELS + made) == expected


@pytest.mark.parametrize(
    "made",
    [
        "c = Training(generations='4', temperature='1')",
        "import os\nc = Training(generations=os.environ['N'], temperature=os.environ['N'])",
        "c = Training.model_validate({'generations': '4'})",
        "c = Training.model_validate(load())",
        "c = Training.model_validate({'generations': 4}, strict=True)",
        "c = Training().model_copy(update=load())",
        "c = Training().copy(exclude={'rank'})",
        "class Checked(Training):\n    @field_validator('*')\n    def check(cls, v):\n        return v * 2\nc = Checked()",
        "class Changed(Training):\n    def model_post_init(self, _):\n        change(self)\nc = Changed()",
        "class Named(Training):\n    other: int = Field(default=1, alias='generations')\nc = Named(generations=4)",
    ],
)
def test_what_pydantic_may_convert_is_not_known(made: str) -> None:
    generations, temperature = _settings(f"from pydantic import field_validator\n{_MODELS}{made}")
    assert generations is None
    assert temperature in (None, 0.9)


_OTHERS = """\
class Event(BaseModel):
    name: str = Field(default="", validation_alias="title")
"""


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (f"{_OTHERS}c = Training()", (8, 0.9)),
        ("c = Training()\nc.model_dump_json()", (8, 0.9)),
        # Options and fields that are defined elsewhere may be any that the script names.
        (
            f"{_OTHERS}OPTIONS = ConfigDict()\nclass Small(Training):\n    model_config = OPTIONS\nc = Small()",
            (None, None),
        ),
        (f"{_OTHERS}class Small(Training):\n    other: int = made()\nc = Small()", (8, 0.9)),
        (
            f"{_OTHERS}def made():\n    return Field(default=1)\nclass Small(Training):\n    other: int = made()\nc = Small()",
            (None, None),
        ),
    ],
)
def test_options_of_one_class_change_no_other(made: str, expected: tuple[object, object]) -> None:
    assert _settings(_MODELS + made) == expected
