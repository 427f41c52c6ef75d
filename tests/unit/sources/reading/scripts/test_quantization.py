"""The bits to which a script loads the model that asks TRL's get_quantization_config()."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.facts.facts import Facts
from vcompat.sources.gather import Sources, collect

LOADED = """\
from transformers import AutoModelForCausalLM
from trl import GRPOConfig, GRPOTrainer, ModelConfig, TrlParser, get_kbit_device_map, get_quantization_config
args, model_args = TrlParser((GRPOConfig, ModelConfig)).parse_args_and_config()
quantization = get_quantization_config(model_args)
model = AutoModelForCausalLM.from_pretrained(
    model_args.model_name_or_path,
    quantization_config=quantization,
    device_map=get_kbit_device_map() if quantization is not None else None,
)
GRPOTrainer(model=model, args=args, reward_funcs=len).train()
"""
NAMED = """\
from trl import GRPOConfig, GRPOTrainer, ModelConfig, TrlParser, get_kbit_device_map, get_quantization_config
args, model_args = TrlParser((GRPOConfig, ModelConfig)).parse_args_and_config()
quantization = get_quantization_config(model_args)
args.model_init_kwargs = {"attn_implementation": "sdpa"}
if quantization is not None:
    args.model_init_kwargs["device_map"] = get_kbit_device_map()
    args.model_init_kwargs["quantization_config"] = quantization
GRPOTrainer(model=model_args.model_name_or_path, args=args, reward_funcs=len).train()
"""


@pytest.mark.parametrize("script", [LOADED, NAMED])
@pytest.mark.parametrize(
    ("options", "bits"),
    [("", None), ("--load_in_4bit", 4), ("--load_in_8bit true", 8), ("--load_in_4bit false", None)],
)
def test_what_the_options_ask_for_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, options: str, bits: int | None
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(script)
    command = ["python", "train.py", "--model_name_or_path", "a/b", *options.split()]
    facts = collect(Sources(command=command, probe=False)).facts
    known = facts.get("plan.loaded_in_bits")
    assert known is not None and known.value == bits
    device_map = facts.get("plan.device_map")
    assert (device_map is not None and device_map.value is None) if bits is None else device_map is None


def test_only_trl_s_function_is_known(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("from other import get_quantization_config\n" + LOADED.replace(", get_quantization_config", ""))
    facts = collect(Sources([str(path)], probe=False)).facts
    assert facts.get("plan.loaded_in_bits") is None


@pytest.mark.parametrize("script", [LOADED, NAMED])
def test_an_option_that_is_not_known_leaves_the_bits_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(script)
    Path("run.sh").write_text('python train.py --model_name_or_path a/b --load_in_4bit "$1"\n')
    facts = collect(Sources(["run.sh"], probe=False)).facts
    assert facts.get("plan.loaded_in_bits") is None and facts.likely("plan.loaded_in_bits") is None


@pytest.mark.parametrize(
    ("base", "body", "bits", "peft"),
    [
        ("trl.ModelConfig", "more: bool = True", None, False),
        ("trl.ModelConfig", "load_in_4bit: bool = True; use_peft: bool = True", 4, True),
        ("object", "load_in_8bit = True; use_peft = True; lora_r = 8", 8, True),
    ],
)
def test_a_class_of_the_script_has_its_own_defaults(
    tmp_path: Path, base: str, body: str, bits: int | None, peft: bool
) -> None:
    facts = _facts_of_class(tmp_path, base, body)
    assert facts.value("plan.loaded_in_bits") == bits
    assert facts.value("plan.peft") is peft


def test_the_defaults_of_another_library_s_class_are_not_known(tmp_path: Path) -> None:
    facts = _facts_of_class(tmp_path, "other.ModelConfig", "more: bool = True")
    assert facts.get("plan.loaded_in_bits") is None and facts.get("plan.peft") is None


def _facts_of_class(folder: Path, base: str, body: str) -> Facts:
    path = folder / "train.py"
    path.write_text(f"""\
import dataclasses, other, trl
@dataclasses.dataclass
class Own({base}):
    {body}
own = Own()
kwargs = {{"quantization_config": trl.get_quantization_config(own)}}
args = trl.GRPOConfig(model_init_kwargs=kwargs)
trl.GRPOTrainer(model="a/b", args=args, reward_funcs=len, peft_config=trl.get_peft_config(own)).train()
""")
    return collect(Sources([str(path)], probe=False)).facts
