"""The settings of a class, read from source that is written by hand."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.upstream.settings.written import HEADER, config, inspected

ENUM = "class Way(str, Enum):\n    NEAR = 'near'\n    FAR = 'far'\n"


@pytest.mark.parametrize(
    ("annotation", "types", "choices"),
    [
        ("int", ["int"], None),
        ("bool | None", ["bool", "none"], None),
        ("Optional[float]", ["float", "none"], None),
        ("Union[dict, str, None]", ["str", "dict", "none"], None),
        ("dict[str, Any] | str", ["str", "dict"], None),
        ("list[int]", ["list"], None),
        ("'str'", ["str"], None),
        ("Any", ["any"], None),
        ("int | Somewhere", ["any"], None),
        ("Literal['a', 'b']", ["str"], ["a", "b"]),
        ("Optional[Literal['a', 1]]", ["int", "str", "none"], ["a", 1]),
        ("Literal['a'] | str", ["str"], None),
        ("bool | Literal['a']", ["bool", "str"], [False, True, "a"]),
        ("Way", ["str"], ["near", "far"]),
        ("Alias", ["str"], ["x", "y"]),
    ],
)
def test_an_annotation_states_types_and_choices(annotation: str, types: list[str], choices: list[Any] | None) -> None:
    found = config(f"one: {annotation} = None", before=ENUM + "Alias = Literal['x', 'y']\n")["fields"]["one"]
    assert found["types"] == types
    assert found.get("choices") == choices


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("= 3", {"default": 3}),
        ("= -1", {"default": -1}),
        ("= 2 * 60", {"default": 120}),
        ("", {"required": True}),
        ("= field(default=None)", {"default": None}),
        ("= field(default_factory=list)", {"computed": True}),
        ("= field(metadata={'help': ''})", {"required": True}),
        ("= ONE", {"default": 1}),
        ("= TWICE", {"computed": True}),
        ("= Way.FAR", {"default": "far"}),
        ("= make()", {"computed": True}),
        ("= float('inf')", {"computed": True}),
    ],
)
def test_a_default_is_a_constant_computed_or_missing(value: str, expected: dict[str, Any]) -> None:
    before = ENUM + "ONE = 1\nTWICE = 1\nif os.environ:\n    TWICE = 2\n"
    found = config(f"one: Any {value}", before=before)["fields"]["one"]
    assert {key: found[key] for key in found if key != "types"} == expected


def test_what_the_constructor_does_not_take_is_no_setting() -> None:
    body = "shared: ClassVar[int] = 1\nhidden: int = field(default=1, init=False)\nplain = 2\nreal: int = 3"
    assert list(config(body)["fields"]) == ["real"]


def test_choices_in_the_metadata_bind_only_parsers() -> None:
    found = config("one: str = field(default='a', metadata={'choices': ['a', 'b']})")["fields"]["one"]
    assert (found["choices"], found.get("enforced")) == (["a", "b"], None)


@pytest.mark.parametrize(
    "check",
    [
        "self.way = Way(self.way)",
        "if self.way not in ['near', 'far']:\n        raise ValueError",
        "if self.way not in list(Way):\n        raise ValueError",
        "assert self.way in ('near', 'far')",
    ],
)
def test_choices_that_construction_enforces(check: str) -> None:
    found = config(f"way: str = 'near'\ndef __post_init__(self):\n    {check}", before=ENUM)
    assert found["fields"]["way"] == {"types": ["str"], "default": "near", "choices": ["near", "far"], "enforced": True}
    assert found["checks"] == []


def test_an_enumeration_that_accepts_other_values_enforces_nothing() -> None:
    missing = "    @classmethod\n    def _missing_(cls, value):\n        return cls.NEAR\n"
    found = config("way: str = 'near'\ndef __post_init__(self):\n    self.way = Way(self.way)", before=ENUM + missing)
    assert "choices" not in found["fields"]["way"]


def test_a_conversion_under_a_condition_enforces_nothing() -> None:
    body = "way: str = 'near'\nfast: bool = False\ndef __post_init__(self):\n    if self.fast:\n        self.way = Way(self.way)"
    assert "choices" not in config(body, before=ENUM)["fields"]["way"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("old: int = field(default=0, metadata={'help': 'Deprecated. Use `new` instead.'})", "new"),
        ("old: int = field(default=0, metadata={'help': 'This argument is deprecated.'})", ""),
        (
            "old: int = None\ndef __post_init__(self):\n    if self.old is not None:\n"
            "        warnings.warn('`old` is deprecated and will be removed.')\n        self.new = self.old",
            "new",
        ),
        (
            "old: int = None\ndef __post_init__(self):\n    if self.old:\n"
            "        warnings.warn(f'The argument `old` is deprecated. Use `new` instead.')",
            "new",
        ),
    ],
)
def test_upstream_states_that_a_setting_is_deprecated_and_what_replaces_it(body: str, expected: str) -> None:
    found = config(f"new: int = 0\n{body}")["fields"]["old"]
    assert (found["deprecated"], found.get("replaced_by", "")) == (True, expected)


@pytest.mark.parametrize(
    "body",
    [
        "old: str = field(default='a', metadata={'help': 'One of a, b. The value b is deprecated, use `new`.'})",
        "old: str = 'a'\ndef __post_init__(self):\n    if self.old == 'b':\n"
        "        warnings.warn(\"`old='b'` is deprecated. Use `old='a'`.\")",
        "old: str = None\ndef __post_init__(self):\n    if self.old is None:\n"
        "        warnings.warn('The value `None` for `old` is deprecated. Use `new`.')",
    ],
)
def test_a_deprecated_value_does_not_make_the_setting_deprecated(body: str) -> None:
    assert "deprecated" not in config(f"new: int = 0\n{body}")["fields"]["old"]


def test_bases_are_recorded_with_their_own_settings() -> None:
    text = HEADER + (
        "from transformers import TrainingArguments\n"
        "@dataclass\nclass _BaseConfig(TrainingArguments):\n    shared: int = 1\n"
        "@dataclass\nclass AConfig(_BaseConfig):\n    own: int = 2\n"
    )
    found = inspected("trl", {"trl/__init__.py": "", "trl/a_config.py": text})
    assert (found["AConfig"]["bases"], list(found["AConfig"]["fields"])) == (["trl._BaseConfig"], ["own"])
    assert found["_BaseConfig"]["bases"] == ["transformers.TrainingArguments"]


def test_of_classes_with_one_name_the_exported_one_has_the_plain_name() -> None:
    one = HEADER + "@dataclass\nclass ScriptArguments:\n    dataset: str = ''\n"
    other = HEADER + "@dataclass\nclass ScriptArguments:\n    port: int = 1\n"
    package = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .scripts import ScriptArguments\n"
    files = {"trl/__init__.py": package, "trl/scripts/__init__.py": "from .utils import ScriptArguments\n"}
    found = inspected("trl", {**files, "trl/scripts/utils.py": one, "trl/scripts/vllm_serve.py": other})
    assert {name: list(table["fields"]) for name, table in found.items()} == {
        "ScriptArguments": ["dataset"],
        "vllm_serve.ScriptArguments": ["port"],
    }


def test_keywords_of_a_constructor_are_passed_on() -> None:
    llm = "from vllm.engine.arg_utils import EngineArgs\nclass LLM:\n    def __init__(self, model: str, *, seed: int = 0, **kwargs):\n        self.args = EngineArgs(model=model, **kwargs)\n"
    arguments = HEADER + "@dataclass\nclass EngineArgs:\n    model: str = 'm'\n"
    files = {"vllm/__init__.py": "", "vllm/entrypoints/llm.py": llm, "vllm/engine/arg_utils.py": arguments}
    found = inspected("vllm", files)["LLM"]
    assert (found["extra"], found["bases"]) == ("passed on", ["vllm.EngineArgs"])
    assert found["fields"] == {"model": {"types": ["str"], "required": True}, "seed": {"types": ["int"], "default": 0}}


@pytest.mark.parametrize(
    ("config_of_model", "expected"),
    [
        ("", "ignored"),
        ("model_config = ConfigDict(extra='forbid')", "refused"),
        ("model_config = ConfigDict(extra='allow')", "kept"),
    ],
)
def test_a_model_states_what_becomes_of_unknown_keys(config_of_model: str, expected: str) -> None:
    text = "from pydantic import BaseModel, ConfigDict, Field\n" + (
        f"class DeepSpeedConfigModel(BaseModel):\n    {config_of_model or 'pass'}\n"
        "class ZeroConfig(DeepSpeedConfigModel):\n    live: int = Field(5, ge=0, alias='stage3_live')\n"
    )
    found = inspected("deepspeed", {"deepspeed/__init__.py": "", "deepspeed/config.py": text})["ZeroConfig"]
    assert found["extra"] == expected
    assert found["fields"] == {name: {"types": ["int"], "default": 5} for name in ("live", "stage3_live")}
    assert found["checks"] == ["live < 0", "stage3_live < 0"]


def test_options_of_a_parser_are_settings() -> None:
    text = (
        "KINDS = ['a', 'b']\ndef launch_command_parser():\n    parser.add_argument('--num-machines', '-n', type=int, default=None)\n"
        "    group.add_argument('--cpu', action='store_true')\n    group.add_argument('--kind', choices=KINDS, default='a')\n"
        "    parser.add_argument('script')\n"
    )
    found = inspected("accelerate", {"accelerate/__init__.py": "", "accelerate/commands/launch.py": text})["launch"]
    assert found["fields"] == {
        "num_machines": {"types": ["int", "none"], "default": None},
        "cpu": {"types": ["bool"], "default": False},
        "kind": {"types": ["str"], "choices": ["a", "b"], "enforced": True, "default": "a"},
    }


def test_deepspeed_refuses_the_keys_that_it_removed_and_ignores_others() -> None:
    text = (
        "REMOVED = {'amp': 'It was removed.'}\nGONE = {'mics': 'It was removed.'}\nNAMES = {'fp16': 'half'}\n"
        "def check(param_dict):\n    for key, why in REMOVED.items():\n        if key in param_dict:\n            raise KeyError(why)\n"
        "    zero = param_dict.get('zero')\n    for key, why in GONE.items():\n        if key in zero:\n            raise KeyError(why)\n"
        "    for key, name in NAMES.items():\n        if key in param_dict:\n            print(name)\n"
    )
    found = inspected("deepspeed", {"deepspeed/__init__.py": "", "deepspeed/runtime/config.py": text})[
        "DeepSpeedConfig"
    ]
    assert (found["extra"], found["refuses"]) == ("ignored", ["amp"])
    assert set(found["fields"]) == {"mics", "fp16", "half", "zero"}
