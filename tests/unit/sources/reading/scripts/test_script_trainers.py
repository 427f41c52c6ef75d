"""What trainers of a script's own classes leave open, and settings that no trainer reads."""

from __future__ import annotations

import pytest

from vcompat.facts.facts import Facts
from vcompat.sources.reading.python.values.core import Start
from vcompat.sources.reading.scripts.script import read_source

OWN = b"""\
from transformers import AutoModelForCausalLM, Trainer
from trl import GRPOConfig, GRPOTrainer
class Own(GRPOTrainer):
    def __init__(self, model, args):
        model = AutoModelForCausalLM.from_pretrained(model, torch_dtype='bfloat16')
        Trainer.__init__(self, model=model, args=args)
Own('a/b', GRPOConfig())
"""
ENGINE = b"""\
from trl import GRPOConfig, GRPOTrainer
from vllm import LLM
class Own(GRPOTrainer):
    def __init__(self, model, args):
        args.use_vllm = False
        super().__init__(model=model, args=args)
        self.llm = LLM(model='a/b')
Own('a/b', GRPOConfig(use_vllm=True))
"""
LATER = b"""\
from trl import GRPOConfig, GRPOTrainer
from vllm import LLM
class Own(GRPOTrainer):
    def generate(self):
        return LLM(model='a/b').generate()
Own('a/b', args=GRPOConfig(use_vllm=False))
"""
BESIDE = b"""\
from trl import GRPOConfig, GRPOTrainer
from vllm import LLM
LLM(model='a/b').generate('before the training')
GRPOTrainer('a/b', args=GRPOConfig(use_vllm=False))
"""
PARSED = b"""\
from trl import GRPOConfig, GRPOTrainer, ModelConfig, TrlParser
model_args, training_args = TrlParser((ModelConfig, GRPOConfig)).parse_args_and_config()
"""
STOPS = b"""\
from dataclasses import dataclass
from trl import GRPOConfig, GRPOTrainer
@dataclass
class TrainingConfig:
    vllm_mode: str = 'colocate'
    name: str = None
own = TrainingConfig()
if own.name is None:
    raise ValueError('no name')
GRPOTrainer('a/b', args=GRPOConfig(vllm_mode=own.vllm_mode))
"""
UNSLOTH = b"""\
import trl
try:
    import unsloth
except ImportError:
    pass
from trl import GRPOConfig, GRPOTrainer
from unsloth import FastLanguageModel
model, tokenizer = FastLanguageModel.from_pretrained('a/b')
if not hasattr(model, 'peft_config'):
    model = FastLanguageModel.get_peft_model(**{'model': model, 'r': 8})
GRPOTrainer(model, args=GRPOConfig())
"""


def _facts(source: bytes, *words: str, presuming: bool = False) -> Facts:
    return read_source("x.py", source, Start(words, presuming=presuming)).facts


def test_a_trainer_that_loads_the_model_itself_hands_no_name_on() -> None:
    facts = _facts(OWN)
    assert (facts.value("plan.model_by_name"), facts.value("plan.dtype")) == (False, "bfloat16")


def test_an_engine_that_a_trainer_makes_leaves_open_whether_vllm_generates() -> None:
    for presuming in (False, True):
        facts = _facts(ENGINE, presuming=presuming)
        assert facts.reasons["plan.use_vllm"] == "x.py:7:20: the script makes an engine of its own; it may be True"


def test_an_engine_in_a_method_of_the_trainer_may_be_made_later() -> None:
    assert _facts(LATER).is_open("plan.use_vllm")
    assert _facts(LATER.replace(b"LLM(", b"Other(")).value("plan.use_vllm") is False


def test_an_engine_that_a_constructor_makes_only_for_use_vllm_is_not_made_without_it() -> None:
    source = ENGINE.replace(
        b"        self.llm", b"        def collate(x): pass\n        if args.use_vllm:\n            self.llm"
    )
    assert _facts(source).value("plan.use_vllm") is False


def test_an_engine_beside_the_trainer_is_presumably_used_for_something_else() -> None:
    assert _facts(BESIDE).is_open("plan.use_vllm")
    assert _facts(BESIDE, presuming=True).value("plan.use_vllm") is False
    assert _facts(BESIDE.replace(b"=False", b"=True")).value("plan.use_vllm") is True


GLOBAL = """from trl import GRPOConfig, GRPOTrainer
from vllm import LLM
class Rollout:
    def __init__(self):
        self.llm = LLM(model='a/b')
rollout = Rollout()
class Own(GRPOTrainer):
    def _generate(self, prompts):
        return rollout.llm.generate(prompts)
Own('a/b', args=GRPOConfig(use_vllm=False))
"""


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (GLOBAL, "x.py:9:16: the trainer generates with an engine of the script"),
        (GLOBAL.replace("_generate", "evaluate"), None),
        (GLOBAL.replace("rollout.llm.", "self."), None),
        (LATER.decode(), "x.py:5:16: the trainer generates with an engine of the script"),
        (LATER.decode().replace("def generate", "def predict"), None),
        (
            BESIDE.decode().replace("LLM(", "llm = LLM(").replace(".generate('before the training')", "")
            .replace("args=", "rollout_func=lambda p, trainer: llm.generate(p), args="),
            "x.py:4:52: the trainer generates with an engine of the script",
        ),
        (
            ENGINE.decode().replace("LLM(", "build("),
            "x.py:7:20: the trainer has an engine of its own as llm",
        ),
        (ENGINE.decode().replace("self.llm = LLM(", "self.deepspeed_engine = build("), None),
        (
            ENGINE.decode().replace("from vllm import LLM", "import sglang as sgl").replace("LLM(model=", "sgl.Engine("),
            "x.py:7:20: the script makes an engine of its own",
        ),
    ],
)  # fmt: skip
def test_presumably_the_trainer_generates_with_an_engine_that_its_code_uses(source: str, reason: str | None) -> None:
    facts = _facts(source.encode(), presuming=True)
    assert facts.reasons.get("plan.use_vllm") == (reason and f"{reason}; it may be True")
    assert reason is not None or facts.value("plan.use_vllm") is False
    if reason is not None:
        assert _facts(source.encode()).is_open("plan.use_vllm")


def test_a_trainer_of_a_module_that_is_not_found_may_make_an_engine() -> None:
    source = b"from own import GRPOTrainer\nfrom trl import GRPOConfig\nGRPOTrainer('a/b', args=GRPOConfig(use_vllm=False))\n"
    assert "own.GRPOTrainer was not found" in _facts(source).reasons["plan.use_vllm"]
    assert _facts(source, presuming=True).value("plan.use_vllm") is False


def test_model_options_that_nothing_reads_are_not_those_of_the_model() -> None:
    words = ("--torch_dtype", "float16", "--attn_implementation", "sdpa", "--beta", "0.5")
    by_name = _facts(PARSED + b"GRPOTrainer(model_args.model_name_or_path, args=training_args)\n", *words)
    assert "plan.dtype" not in by_name.names()
    assert "plan.attn_implementation" not in by_name.names()
    assert by_name.value("plan.beta") == 0.5
    handed = b"training_args.model_init_kwargs = {'dtype': model_args.torch_dtype, 'attn_implementation': 'eager'}\n"
    passed = _facts(PARSED + handed + b"GRPOTrainer('a/b', args=training_args)\n", *words)
    assert (passed.value("plan.dtype"), passed.value("plan.attn_implementation")) == ("float16", "eager")


def test_what_is_not_followed_presumably_loads_the_model_as_its_options_say() -> None:
    words = ("--torch_dtype", "float16", "--attn_implementation", "sdpa")
    script = b"from elsewhere import load\n" + PARSED + b"GRPOTrainer(load(model_args), args=training_args)\n"
    assert "plan.dtype" not in _facts(script, *words).names()
    facts = _facts(script, *words, presuming=True)
    assert (facts.value("plan.dtype"), facts.value("plan.attn_implementation")) == ("float16", "sdpa")
    by_name = PARSED + b"GRPOTrainer(model_args.model_name_or_path, args=training_args)\n"
    assert "plan.dtype" not in _facts(by_name, "--model_name_or_path", "a/b", *words, presuming=True).names()


def test_the_name_of_a_configuration_of_the_project_s_own_is_that_of_no_library() -> None:
    facts = _facts(STOPS)
    assert facts.value("plan.vllm_mode") == "colocate"
    assert "its class is not that of a library" in facts.reasons["plan.configuration"]
    assert _facts(STOPS.replace(b"str = None", b"str = 'a'")).value("plan.configuration") == "GRPOConfig"


def test_an_adapter_of_unsloth_that_is_not_followed_leaves_open_whether_one_is_trained() -> None:
    facts = _facts(UNSLOTH, presuming=True)
    assert facts.is_open("plan.framework")
    assert facts.value("plan.peft") is not False
