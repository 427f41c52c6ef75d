"""Stand-in modules for the libraries that training scripts import.

TRL's and transformers' parsers, and the fields of TRL's configurations, are the real ones.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from tests.oracle.standins import objects
from tests.oracle.standins.anything import Anything
from tests.oracle.standins.configurations import derive

#: The libraries whose modules exist only as stand-ins, under every name.
LIBRARIES = (
    "trl transformers peft vllm datasets accelerate vcompat deepspeed wandb ray bitsandbytes unsloth liger_kernel "
    "flash_attn math_verify latex2sympy2_extended huggingface_hub evaluate safetensors sentencepiece tensorboard"
).split()


_TRAINERS = ("GRPO", "SFT", "DPO", "RLOO")
_MODELS = "AutoModelForCausalLM AutoModel AutoModelForImageTextToText Qwen2ForCausalLM LlamaForCausalLM".split()
_ADAPTERS = ("LoraConfig", "PeftConfig", "IA3Config", "AdaLoraConfig")

_REPLACED: list[ModuleType] = []

Names = dict[str, dict[str, Any]]


def contents() -> Names:
    """Return the names that each stand-in library defines. Imports the real TRL and transformers."""
    return {
        "trl": _trl(),
        "transformers": _transformers(),
        "peft": {
            **dict.fromkeys(_ADAPTERS, objects.Adapter),
            "get_peft_model": objects.with_adapter,
            "PeftModel": type("PeftModel", (), {"from_pretrained": objects.with_adapter}),
        },
        "vcompat": {"patch": objects.patch, "unpatch": objects.unpatch, "status": Anything, "__version__": "0"},
        "unsloth": dict.fromkeys(("FastLanguageModel", "FastModel", "FastVisionModel"), objects.Loader),
        "vllm": dict.fromkeys(("LLM", "EngineArgs", "AsyncEngineArgs"), objects.Engine),
    }


def _trl() -> dict[str, Any]:
    import trl

    names: dict[str, Any] = {
        "get_peft_config": objects.adapter_from,
        "get_quantization_config": lambda *_: None,
        "__version__": trl.__version__,
    }
    for name in ("TrlParser", "ScriptArguments", "DatasetMixtureConfig", "ModelConfig"):
        names[name] = getattr(trl, name)
    for name in _TRAINERS:
        names[f"{name}Config"] = configuration = derive(getattr(trl, f"{name}Config"))
        body = {"__module__": "trl", "_defaults": configuration}
        names[f"{name}Trainer"] = type(f"{name}Trainer", (objects.Trainer,), body)
    return names


def _transformers() -> dict[str, Any]:
    import transformers

    return {
        **dict.fromkeys(_MODELS, objects.Model),
        "HfArgumentParser": transformers.HfArgumentParser,
        "TrainingArguments": derive(transformers.TrainingArguments),
        "TrainerCallback": type("TrainerCallback", (), {}),
        "__version__": transformers.__version__,
    }


class StandIn(ModuleType):
    """A module of a stand-in library. Every name exists in every module of the library."""

    def __init__(self, name: str, names: dict[str, Any]) -> None:
        super().__init__(name)
        self.__path__: list[str] = []
        self.__dict__["_names"] = names
        if name == "vllm":
            objects.STATE["vllm_imported"] = True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__version__":
            raise AttributeError(name)
        if self.__name__.startswith("trl") and name.endswith("Trainer"):
            objects.STATE["trl_imported"] = True
        found = self.__dict__["_names"].get(name)
        if found is None:
            # A class, since scripts inherit from what they import.
            found = type(name, (Anything,), {}) if name[:1].isupper() else Anything()
        return found


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds every module of the stand-in libraries, and none of the real ones."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        if name.partition(".")[0] not in LIBRARIES:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> ModuleType:
        return StandIn(spec.name, self._names.get(spec.name.partition(".")[0], {}))

    def exec_module(self, module: ModuleType) -> None:
        """Everything is there already."""


def install(names: Names) -> None:
    """Replace the real libraries by the stand-ins in this process."""
    for name in [name for name in sys.modules if name.partition(".")[0] in LIBRARIES]:
        # Kept, since taking a module apart costs more than the whole run.
        _REPLACED.append(sys.modules.pop(name))
    sys.meta_path.insert(0, Finder(names))
