"""Methods of loaded models that return the model itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.facts.facts import Facts
from vcompat.sources.gather import Sources, gather
from vcompat.sources.reading.python.values.core import Start
from vcompat.sources.reading.scripts.script import read_source

LOADED = """\
import torch
from transformers import AutoModelForCausalLM
from peft import PeftModel
from trl import GRPOConfig, GRPOTrainer
model = AutoModelForCausalLM.from_pretrained('a/b', torch_dtype='bfloat16', device_map='auto')
"""
TRAINS = "GRPOTrainer(model, args=GRPOConfig())\n"


def _facts(code: str, presuming: bool = False) -> Facts:
    return read_source("x.py", (LOADED + code + TRAINS).encode(), Start((), presuming=presuming)).facts


@pytest.mark.parametrize(
    "code",
    [
        "model = model.to('cuda')",
        "model = model.to('cuda:1').train()",
        "model = model.to(0)",
        "model = model.to(device)",
        "model = model.to(device=torch.device('cuda', rank))",
        "model = model.cuda().eval().requires_grad_(False)",
        "model = PeftModel.from_pretrained(model, 'c')\nmodel = model.merge_and_unload()",
        "if given:\n    model = PeftModel.from_pretrained(model, 'c').merge_and_unload()",
    ],
)
def test_a_method_that_returns_the_model_leaves_what_is_known_of_it(code: str) -> None:
    facts = _facts(f"{code}\n")
    known = [facts.value(f"plan.{name}") for name in ("model", "model_by_name", "dtype", "device_map")]
    assert known == ["a/b", False, "bfloat16", "auto"]


@pytest.mark.parametrize(
    "code", ["model = model.to(torch.float16)", "model = model.to(kind)", "model = model.half()", "model.to('cuda', x)"]
)
def test_a_method_that_may_change_the_data_type_leaves_it_open(code: str) -> None:
    facts = _facts(f"model = {code.removeprefix('model = ')}\n")
    assert (facts.value("plan.model"), facts.value("plan.model_by_name")) == ("a/b", False)
    assert facts.is_open("plan.dtype")


def test_a_method_that_the_script_replaces_may_return_anything() -> None:
    assert "plan.model_by_name" not in _facts("model.to = f\nmodel = model.to('cuda')\n").names()


def test_an_adapter_that_is_added_to_a_model_is_trained() -> None:
    code = "from peft import LoraConfig\nmodel = model.to('cuda')\n"
    facts = _facts(f"{code}model.add_adapter(LoraConfig(r=8), adapter_name='a')\n")
    assert (facts.value("plan.peft"), facts.value("plan.lora_rank")) == (True, 8)
    assert _facts(f"{code}if given:\n    model.add_adapter(LoraConfig())\n").is_open("plan.peft")


def test_the_attention_of_a_model_has_two_names() -> None:
    code = "model = AutoModelForCausalLM.from_pretrained('a/b', _attn_implementation='sdpa')\n"
    assert _facts(code).value("plan.attn_implementation") == "sdpa"


def test_a_model_that_is_loaded_with_arguments_that_are_not_known_may_have_any_data_type() -> None:
    facts = _facts("model = AutoModelForCausalLM.from_pretrained('a/b', **more)\n")
    assert (facts.value("plan.model_by_name"), facts.is_open("plan.dtype")) == (False, True)


@pytest.mark.parametrize(
    ("lines", "is_open"),
    [
        ("", False),
        ("for p in trainer.model.model.layers[:40].parameters():\n    p.requires_grad = False\n", True),
        ("trainer.model.lm_head.requires_grad_(False)\n", True),
        ("model_freeze.freeze_vision(trainer.model)\n", True),
        ("for p in trainer.model.parameters():\n    p.requires_grad = True\n", False),
    ],
)
def test_the_memory_of_a_trainer_of_which_weights_are_frozen_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: str, is_open: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    made = "GRPOTrainer(model='Qwen/Qwen2.5-32B-Instruct', args=GRPOConfig(use_vllm=False), reward_funcs=len)"
    Path("train.py").write_text(f"from trl import GRPOConfig, GRPOTrainer\ntrainer = {made}\n{lines}trainer.train()\n")
    settings = {"packages.trl": "1.9.0", "packages.transformers": "5.10.0"}
    sources = Sources(settings=settings, probe=False, target="1xH100", command=("python", "train.py"))
    facts = gather(sources)
    assert (facts.value("plan.memory_share", None) is None) is is_open
