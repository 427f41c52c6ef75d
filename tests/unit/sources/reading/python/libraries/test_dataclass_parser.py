"""Command lines that transformers' and TRL's parsers read into dataclasses."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.facts.facts import Place
from vcompat.sources.reading.invocation import Environment
from vcompat.sources.reading.part import Part
from vcompat.sources.reading.python.values.core import Start
from vcompat.sources.reading.scripts.script import read_script, read_source
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS

SCRIPT = """
from dataclasses import dataclass, field
from typing import List, Optional
from transformers import HfArgumentParser
from trl import GRPOConfig, GRPOTrainer, ModelConfig, get_peft_config

@dataclass
class Own:
    names: list[str] = field(default_factory=list)
    more: Optional[List[str]] = None
    count: int = 3
    rate: float = 0.5
    flag: bool = False
    on: bool = True
    maybe: Optional[bool] = None
    text: str = "t"
    number: Optional[int] = None

own, args, model = HfArgumentParser((Own, GRPOConfig, ModelConfig)).parse_args_into_dataclasses()
args.vllm_mode = f"{[own.names, own.more, own.count, own.rate, own.flag, own.on, own.maybe, own.text, own.number]!r}"
GRPOTrainer(model=model.model_name_or_path, args=args, reward_funcs=len, peft_config=get_peft_config(model))
"""
DEFAULTS = ["[]", "None", "3", "0.5", "False", "True", "None", "'t'", "None"]


def read(tmp_path: Path, *words: str) -> Part:
    path = tmp_path / "train.py"
    path.write_text(SCRIPT)
    return read_script(str(path), Start(words, Place("run.sh", 3), Environment()))


def own(index: int, value: str) -> str:
    return f"[{', '.join([*DEFAULTS[:index], value, *DEFAULTS[index + 1 :]])}]"


@pytest.mark.parametrize(
    ("words", "index", "value"),
    [
        ("--names a b", 0, "['a', 'b']"),
        ("--more a", 1, "['a']"),
        ("--count 4", 2, "4"),
        ("--rate 1e-3", 3, "0.001"),
        ("--flag", 4, "True"),
        ("--flag true", 4, "True"),
        ("--flag=False", 4, "False"),
        ("--no_on", 5, "False"),
        ("--on no", 5, "False"),
        ("--maybe 1", 6, "True"),
        ("--text x", 7, "'x'"),
        ("--number 7", 8, "7"),
    ],
)
def test_fields_of_a_dataclass_are_options_of_their_kind(tmp_path: Path, words: str, index: int, value: str) -> None:
    assert read(tmp_path, *words.split()).facts.value("plan.vllm_mode") == own(index, value)


@pytest.mark.parametrize(
    ("word", "value"),
    [(word, True) for word in ("yes", "true", "t", "y", "1", "True", "YES")]
    + [(word, False) for word in ("no", "false", "f", "n", "0", "False")],
)
def test_a_flag_has_ten_spellings(tmp_path: Path, word: str, value: bool) -> None:
    known = read(tmp_path, "--use_vllm", word).facts.get("plan.use_vllm")
    assert known is not None and known.value is value and known.place == Place("run.sh", 3)


def test_settings_of_trl_and_of_the_model_are_options(tmp_path: Path) -> None:
    words = "--output_dir o --bf16 --num_generations 4 --vllm-tensor-parallel-size 2 --learning_rate 1e-6"
    words += " --model_name_or_path q/w --use_peft --lora_modules_to_save a b --report_to none"
    facts = read(tmp_path, *words.split()).facts
    expected = {"bf16": True, "num_generations": 4, "vllm_tensor_parallel_size": 2, "peft": True, "model": "q/w"}
    assert {name: facts.value(f"plan.{name}") for name in expected} == expected
    assert facts.value("plan.modules_to_save") == ("a", "b")
    assert facts.value("plan.vllm_mode") == f"[{', '.join(DEFAULTS)}]"


@pytest.mark.parametrize(
    ("words", "known"),
    [
        (("--num_generations", UNKNOWN, "--bf16"), {"num_generations": None, "bf16": True}),
        (("--bf16", UNKNOWN), {"bf16": None}),
        (("--num_generations", "4", UNKNOWN_WORDS), {"num_generations": None}),
        ((UNKNOWN_WORDS, "--num_generations", "4"), {"num_generations": 4, "bf16": None}),
        (("--learning_rate", UNKNOWN, "--num_generations", "4"), {"num_generations": 4}),
        (("--num_generations", "four"), {"num_generations": None, "bf16": None}),
        (("--bf16", "perhaps"), {"bf16": None}),
    ],
)
def test_words_that_are_not_known_leave_their_settings_unknown(
    tmp_path: Path, words: tuple[str, ...], known: dict[str, object]
) -> None:
    facts = read(tmp_path, *words).facts
    assert {name: facts.value(f"plan.{name}") for name in known} == known


def test_use_peft_decides_whether_there_is_an_adapter(tmp_path: Path) -> None:
    assert read(tmp_path, "--use_peft").facts.value("plan.peft", "unknown") is True
    assert read(tmp_path, "--use_peft", UNKNOWN).facts.value("plan.peft", "unknown") == "unknown"
    assert read(tmp_path, UNKNOWN_WORDS).facts.value("plan.peft", "unknown") == "unknown"


@pytest.mark.parametrize(
    ("parse", "expected"),
    [
        ("TrlParser((Mine, GRPOConfig)).parse_args_and_config()", (0.5, 8)),
        ("HfArgumentParser((Mine, GRPOConfig)).parse_yaml_file('a.yaml')", (None, None)),
    ],
)
def test_only_trls_parser_makes_numbers_of_the_texts_in_a_file(
    tmp_path: Path, parse: str, expected: tuple[object, object]
) -> None:
    (tmp_path / "a.yaml").write_text("vllm_gpu_memory_utilization: 5e-1\nmine: '8'\n")
    text = (
        "from dataclasses import dataclass\nfrom transformers import HfArgumentParser\n"
        "from trl import GRPOConfig, GRPOTrainer, TrlParser\n@dataclass\nclass Mine:\n    mine: int = 1\n"
        f"own, config = {parse}\nconfig.num_generations = own.mine\nGRPOTrainer(args=config)\n"
    )
    script = tmp_path / "train.py"
    script.write_text(text)
    facts = read_script(str(script), Start(("--config", "a.yaml"), Place(str(tmp_path / "go.sh")))).facts
    found = tuple(facts.value(f"plan.{name}") for name in ("vllm_gpu_memory_utilization", "num_generations"))
    assert found == expected


@pytest.mark.parametrize(("rank", "expected"), [("4", 4), ("'4'", 4), ("4e0", 4), ("None", None)])
def test_the_text_of_a_rank_becomes_a_number(tmp_path: Path, rank: str, expected: object) -> None:
    words = ("--use_peft", "--lora_r", rank.strip("'"), "--bf16")
    text = (
        "from trl import GRPOConfig, GRPOTrainer, ModelConfig, TrlParser, get_peft_config\n"
        "config, model = TrlParser((GRPOConfig, ModelConfig)).parse_args_and_config()\n"
        "GRPOTrainer(args=config, peft_config=get_peft_config(model))\n"
    )
    place, file = Place(str(tmp_path / "go.sh")), f"use_peft: true\nbf16: true\nlora_r: {rank}\n"
    written = Start(("--config", "a.yaml"), place, files={"a.yaml": file})
    for start in (Start(words, place), written):
        facts = read_source(str(tmp_path / "train.py"), text.encode(), start).facts
        assert facts.value("plan.bf16") is True
        assert facts.value("plan.lora_rank", 0) == (0 if expected is None else expected)


def test_a_rank_that_is_not_known_leaves_the_other_options_as_they_are(tmp_path: Path) -> None:
    text = (
        "from trl import GRPOConfig, GRPOTrainer, ModelConfig, TrlParser, get_peft_config\n"
        "config, model = TrlParser((GRPOConfig, ModelConfig)).parse_args_and_config()\n"
        "GRPOTrainer(args=config, peft_config=get_peft_config(model))\n"
    )
    start = Start(("--use_peft", "--lora_r", UNKNOWN, "--bf16"), Place(str(tmp_path / "go.sh")))
    facts = read_source(str(tmp_path / "train.py"), text.encode(), start).facts
    assert (facts.value("plan.bf16"), facts.value("plan.lora_rank", 0)) == (True, 0)


def test_a_flag_of_a_file_that_the_launch_script_computes_is_not_known(tmp_path: Path) -> None:
    text = (
        "from dataclasses import dataclass\nfrom trl import GRPOConfig, GRPOTrainer, TrlParser\n"
        "@dataclass\nclass Mine:\n    mine: bool = False\n"
        "own, config = TrlParser((Mine, GRPOConfig)).parse_args_and_config()\n"
        "config.use_vllm = True if own.mine else False\nGRPOTrainer(args=config)\n"
    )
    start = Start(("--config", "a.yaml"), Place("go.sh"), files={"a.yaml": None})
    assert read_source(str(tmp_path / "train.py"), text.encode(), start).facts.value("plan.use_vllm") is None


ADDED = """
from transformers import HfArgumentParser
from trl import GRPOConfig, GRPOTrainer, TrlParser

parser = HfArgumentParser(GRPOConfig)
parser.add_argument("--level", choices=["a", "b"], default="a")
parser.add_argument("--size", type=int, default="2")
parser.add_argument("--fast", action="store_true")
args, own = parser.parse_args_into_dataclasses()
args.vllm_mode = f"{[own.level, own.size, own.fast]!r}"
GRPOTrainer(args=args)
"""


def of_added(words: tuple[str, ...], change: tuple[str, str] = ("", ""), presuming: bool = False) -> list[object]:
    """Return the settings num_generations and vllm_mode; the latter shows the options that the script adds."""
    start = Start(words, Place("run.sh", 3), Environment(), presuming=presuming)
    facts = read_source("train.py", ADDED.replace(*change).encode(), start).facts
    return [facts.value(f"plan.{name}") for name in ("num_generations", "vllm_mode")]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), [None, "['a', 2, False]"]),
        (("--num_generations", "4"), [4, "['a', 2, False]"]),
        (("--level", "b", "--num_generations=4", "--size=3", "--fast"), [4, "['b', 3, True]"]),
        (("--lev", "b", "--num_generations", "4"), [4, "['b', 2, False]"]),
        (("--level", "c", "--num_generations", "4"), [None, None]),
        (("--size", "x", "--num_generations", "4"), [None, None]),
        (("--level", UNKNOWN, "--num_generations", "4"), [4, None]),
        ((UNKNOWN_WORDS, "--num_generations", "4"), [4, None]),
    ],
)
def test_options_that_the_script_adds_to_the_parser_are_one_more_object(
    words: tuple[str, ...], expected: list[object]
) -> None:
    assert of_added(words) == expected


@pytest.mark.parametrize(
    "change",
    [
        # What two options set, or an option whose name a release of TRL may have, is not known.
        ('"--size"', '"--beta"'),
        ('"--size"', '"--size", dest="level"'),
        ('"--size"', '"--size", dest="use_vllm"'),
        ('"--size"', '"size"'),
        ('default="2"', "default=argparse.SUPPRESS"),
        ('parser.add_argument("--fast"', 'parser.add_argument_group("x").add_argument("--fast"'),
        ("args, own", "parser.set_defaults(size=3)\nargs, own"),
        ("parser.add_argument(", "if unknown():\n    parser.add_argument("),
        ("HfArgumentParser(GRPOConfig)", "H4ArgumentParser(GRPOConfig)"),
    ],
)
def test_options_that_are_not_plain_leave_all_settings_unknown(change: tuple[str, str]) -> None:
    text = ("from trl", "import argparse\nfrom alignment import H4ArgumentParser\nfrom trl")
    start = Start(("--num_generations", "4"), Place("run.sh", 3), Environment())
    facts = read_source("train.py", ADDED.replace(*text).replace(*change, 1).encode(), start).facts
    assert facts.value("plan.num_generations") is None


def test_a_required_option_that_is_added_is_presumably_given() -> None:
    change = ('default="2"', "required=True")
    assert of_added(("--num_generations", "4"), change) == [None, None]
    assert of_added(("--num_generations", "4"), change, presuming=True) == [4, None]
    assert of_added((UNKNOWN_WORDS, "--num_generations", "4"), change) == [4, None]
    assert of_added(("--size", "5", "--num_generations", "4"), change) == [4, "['a', 5, False]"]


def test_a_file_that_sets_an_option_that_is_added_is_not_followed(tmp_path: Path) -> None:
    change = ("HfArgumentParser(GRPOConfig)", "TrlParser(GRPOConfig)")
    text = ADDED.replace(*change).replace("parse_args_into_dataclasses", "parse_args_and_config").encode()
    for file, expected in (("num_generations: 4\n", 4), ("num_generations: 4\nsize: 3\n", None)):
        start = Start(("--config", "a.yaml"), Place(str(tmp_path / "go.sh")), files={"a.yaml": file})
        assert read_source(str(tmp_path / "train.py"), text, start).facts.value("plan.num_generations") == expected
