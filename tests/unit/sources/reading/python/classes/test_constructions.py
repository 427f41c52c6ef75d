"""What configuration classes get, as the reader of scripts records it."""

from pathlib import Path

import pytest

from vcompat.facts.stated import COMPUTED, FILE, KEYWORD, OPTION, Stated
from vcompat.sources.reading.python.values.core import Start
from vcompat.sources.reading.scripts.script import read_source

_PARSER = "from trl import TrlParser, GRPOConfig, ModelConfig\n"


def _stated(text: str, start: Start | None = None) -> tuple[Stated, ...]:
    return read_source("train.py", text.encode(), start).facts.stated


def _names(stated: Stated) -> list[tuple[str, object, str]]:
    return [(setting.name, setting.value, setting.way) for setting in stated.settings]


def test_a_constructor_is_recorded_with_every_keyword_and_its_place() -> None:
    (stated,) = _stated("from trl import GRPOConfig\nGRPOConfig(no_such=1, beta=f())\n")
    assert stated.classes == ("trl.GRPOConfig",)
    assert _names(stated) == [("no_such", 1, KEYWORD), ("beta", COMPUTED, KEYWORD)]
    assert [str(setting.place) for setting in stated.settings] == ["train.py:2:20", "train.py:2:28"]
    assert stated.is_complete


def test_keywords_of_a_dictionary_have_the_places_of_its_keys() -> None:
    (stated,) = _stated('from trl import GRPOConfig\nkw = {\n  "old": 1,\n}\nGRPOConfig("out", **kw)\n')
    assert _names(stated) == [("output_dir", "out", KEYWORD), ("old", 1, KEYWORD)]
    assert stated.settings[1].place is not None and stated.settings[1].place.line == 3


@pytest.mark.parametrize(
    "text",
    [
        "if unknown():\n    GRPOConfig(a=1)",
        "try:\n    GRPOConfig(a=1)\nexcept TypeError:\n    pass",
        "def never():\n    GRPOConfig(a=1)\nGRPOTrainer = 1",
        "GRPOConfig = make()\nGRPOConfig(a=1)",
        "GRPOConfig.__init__ = make()\nGRPOConfig(a=1)",
        "with pytest.raises(TypeError):\n    GRPOConfig(a=1)",
        "with contextlib.suppress(TypeError):\n    GRPOConfig(a=1)",
        "kw = dict(a=1)\nif trl.__version__ < '1':\n    GRPOConfig(**kw)",
        "class GRPOConfig:\n    def __init__(self, **kw): pass\nGRPOConfig(a=1)",
    ],
)
def test_what_may_not_happen_is_not_recorded(text: str) -> None:
    assert _stated(f"from trl import GRPOConfig\n{text}\n") == ()


def test_a_setting_that_may_not_be_given_is_left_out_and_makes_the_others_incomplete() -> None:
    text = "from trl import GRPOConfig\nkw = {}\nif unknown():\n    kw['a'] = 1\nGRPOConfig(b=2, **kw)\n"
    (stated,) = _stated(text)
    assert _names(stated) == [("b", 2, KEYWORD)] and not stated.is_complete


@pytest.mark.parametrize(
    "change",
    [
        "kw.pop(os.environ['DROP'], None)",
        "clean(kw)",
        "for k in set(kw) - {f.name for f in dataclasses.fields(GRPOConfig)}:\n    kw.pop(k)",
        "for k in unknown():\n    del kw[k]",
    ],
)
def test_what_may_have_been_removed_from_a_dictionary_is_left_out(change: str) -> None:
    text = (
        f"import os, dataclasses\nfrom trl import GRPOConfig\nfrom mine import clean\nkw = dict(a=1, b=2)\n{change}\n"
    )
    (stated,) = _stated(f"{text}kw['c'] = 3\nGRPOConfig(**kw, d=f())\n")
    assert _names(stated) == [("c", 3, KEYWORD), ("d", COMPUTED, KEYWORD)] and not stated.is_complete


def test_fields_of_the_scripts_own_subclass_are_accepted() -> None:
    text = "from dataclasses import dataclass\nfrom trl import GRPOConfig\n@dataclass\nclass My(GRPOConfig):\n    mine: int = 1\nMy(mine=2, other=3)\n"
    (stated,) = _stated(text)
    assert stated.classes == ("trl.GRPOConfig",) and stated.own == {"mine"}


def test_a_call_in_a_loop_is_recorded_once() -> None:
    assert len(_stated("from peft import LoraConfig\nfor i in range(3):\n    LoraConfig(r=8)\n")) == 1


def test_a_parser_records_its_classes_with_options_and_keys(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text("beta: 0.1\nno_such: 2\nenv:\n  A: b\n")
    script = tmp_path / "train.py"
    text = f"{_PARSER}TrlParser((GRPOConfig, ModelConfig)).parse_args_and_config()\n"
    words = ("--config", str(tmp_path / "c.yaml"), "--odd_option", "3", "--bf16", "true")
    facts = read_source(str(script), text.encode(), Start(words)).facts
    (stated,) = facts.stated
    assert stated.classes == ("trl.GRPOConfig", "trl.ModelConfig") and stated.abbreviates
    assert _names(stated) == [
        ("bf16", True, OPTION),
        ("odd_option", COMPUTED, OPTION),
        ("beta", 0.1, FILE),
        ("no_such", 2, FILE),
    ]


@pytest.mark.parametrize("more", ["return_remaining_strings=True", "fail_with_unknown_args=False"])
def test_keys_count_only_if_unknown_ones_are_refused(tmp_path: Path, more: str) -> None:
    (tmp_path / "c.yaml").write_text("no_such: 2\n")
    text = f"{_PARSER}TrlParser((GRPOConfig,)).parse_args_and_config({more})\n"
    words = ("--config", str(tmp_path / "c.yaml"))
    stated = read_source(str(tmp_path / "t.py"), text.encode(), Start(words)).facts.stated
    assert [setting for one in stated for setting in one.settings] == []


def test_fields_of_the_scripts_own_class_are_no_unknown_options() -> None:
    text = f"from dataclasses import dataclass\n{_PARSER}@dataclass\nclass Mine:\n    data: str = 'x'\n"
    text += "TrlParser((Mine, GRPOConfig)).parse_args_and_config()\n"
    (stated,) = _stated(text, Start(("--data", "y")))
    assert stated.own == {"data"} and _names(stated) == [("data", "y", OPTION)]


def test_a_class_that_is_not_known_leaves_the_parser_out() -> None:
    text = f"{_PARSER}from elsewhere import Mine\nTrlParser((Mine, GRPOConfig)).parse_args_and_config()\n"
    assert _stated(text, Start(("--data", "y"))) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("replace(GRPOConfig(beta=0.1), max_prompt_lenght=1)", [("max_prompt_lenght", 1, KEYWORD)]),
        ("replace(GRPOConfig(), **{'beta': f()})", [("beta", COMPUTED, KEYWORD)]),
        ("@dataclass\nclass C(GRPOConfig):\n    mine: int = 1\nreplace(C(), mine=2, odd=3)", None),
        ("if f():\n    replace(GRPOConfig(), odd=1)", []),
        ("c = GRPOConfig() if f() else SFTConfig()\nreplace(c, odd=1)", []),
        ("GRPOConfig = f()\nreplace(GRPOConfig(), odd=1)", []),
        ("@dataclass\nclass C(GRPOConfig):\n    def __init__(self, **kw): pass\nreplace(C(), odd=3)", []),
    ],
)
def test_what_dataclasses_replace_changes_is_recorded_as_given_beside_others(text: str, expected: object) -> None:
    header = "from dataclasses import dataclass, replace\nfrom trl import GRPOConfig, SFTConfig\n"
    found = [stated for stated in _stated(f"{header}{text}\n") if not stated.is_complete]
    if expected is None:
        (stated,) = found
        assert stated.own == {"mine"} and [name for name, _, _ in _names(stated)] == ["mine", "odd"]
    else:
        assert [setting for stated in found for setting in _names(stated)] == expected
