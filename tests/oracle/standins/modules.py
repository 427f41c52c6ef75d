"""Stand-in modules for the libraries that training scripts import.

TRL's and transformers' parsers, and the fields of TRL's configurations, are the real ones. A trainer records what it
gets instead of training.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.abc
import importlib.machinery
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any, get_type_hints

from tests.oracle.standins.anything import Anything
from tests.oracle.standins.recorder import plain, record, settings_of

#: The libraries whose modules exist only as stand-ins, under every name.
LIBRARIES = (
    "trl transformers peft vllm datasets accelerate vcompat deepspeed wandb ray bitsandbytes unsloth liger_kernel "
    "flash_attn math_verify latex2sympy2_extended huggingface_hub evaluate safetensors sentencepiece tensorboard"
).split()

_REPLACED: list[ModuleType] = []
#: What happened before the trainer was constructed.
STATE: dict[str, Any] = {"patches": [], "trl_imported": False, "vllm_imported": False, "trainers": 0}


class Model(Anything):
    """A model: remembers its name, the arguments that it was loaded with, and whether it has an adapter."""

    def __init__(self, name: object, arguments: dict[str, Any]) -> None:
        self.name_or_path = name
        self.arguments = arguments
        self.adapter: Any = None
        self.config = Anything()

    @classmethod
    def from_pretrained(cls, name: object = None, *_: object, **arguments: Any) -> Model:
        return Model(name, arguments)

    @classmethod
    def from_config(cls, config: object = None, **arguments: Any) -> Model:
        return Model(None, arguments)

    def to(self, *_: object, **__: object) -> Model:
        return self


class Adapter(Anything):
    """LoraConfig and the like."""

    def __init__(self, *_: object, **arguments: Any) -> None:
        self.__dict__.update(arguments)
        self.modules_to_save = arguments.get("modules_to_save")


def with_adapter(model: Any, adapter: Any = None, **_: object) -> Any:
    """Return the model as peft's functions return it."""
    if isinstance(model, Model):
        model.adapter = adapter or Adapter()
    return model


class Trainer(Anything):
    """Records its arguments when it is constructed and when it trains."""

    _defaults: Callable[[], Any] | None = None

    def __init__(self, model: Any = None, *positional: Any, args: Any = None, peft_config: Any = None, **rest: Any):
        self.model = model
        if args is None:
            args = next((item for item in positional if dataclasses.is_dataclass(item)), None)
        if args is None and self._defaults is not None:
            args = type(self)._defaults()  # type: ignore[misc]
        self.args = args
        self.peft_config = peft_config
        self._patched = list(STATE["patches"])
        STATE["trainers"] += 1
        self._number = STATE["trainers"]
        self._record("construct")

    def train(self, *_: object, **__: object) -> Any:
        self._record("train")
        return Anything()

    def _record(self, event: str) -> None:
        adapter = self.peft_config or getattr(self.model, "adapter", None)
        model = self.model.name_or_path if isinstance(self.model, Model) else self.model
        record(
            event,
            number=self._number,
            deepspeed=deepspeed_configuration(getattr(self.args, "deepspeed", None)),
            trainer=_names(type(self)),
            configuration=_names(type(self.args)),
            settings=settings_of(self.args),
            model=plain(model),
            model_arguments=plain(self.model.arguments) if isinstance(self.model, Model) else None,
            peft=adapter is not None and adapter is not False,
            modules_to_save=plain(getattr(adapter, "modules_to_save", None)),
            patched=self._patched,
        )


def _names(cls: type) -> list[str]:
    """Return the names by which a fact may state a class: TRL's, and those of the script's classes below it."""
    names = []
    for base in cls.__mro__:
        names.append(base.__name__)
        if base.__module__ == "trl":
            break
    return names


def deepspeed_configuration(setting: Any) -> dict[str, Any] | None:
    """Return DeepSpeed's configuration as the trainer uses it: its setting's, or accelerate's; None if there is none."""
    if not setting and os.environ.get("ACCELERATE_USE_DEEPSPEED", "false") != "true":
        return None
    source = setting or os.environ.get("ACCELERATE_DEEPSPEED_CONFIG_FILE", "none")
    if isinstance(source, str) and source != "none":
        with open(source) as file:
            return dict(json.load(file))
    if isinstance(source, dict):
        return source
    zero: dict[str, Any] = {"stage": int(os.environ["ACCELERATE_DEEPSPEED_ZERO_STAGE"])}
    for key, variable in (("offload_optimizer", "OPTIMIZER"), ("offload_param", "PARAM")):
        device = os.environ.get(f"ACCELERATE_DEEPSPEED_OFFLOAD_{variable}_DEVICE")
        zero |= {key: {"device": device}} if device else {}
    return {"zero_optimization": zero}


def patch(only: Any = None, skip: Any = (), strict: bool = False) -> Any:
    """Record the call with its moment."""
    early = not (STATE["trl_imported"] or STATE["vllm_imported"])
    STATE["patches"].append({"only": plain(only), "skip": plain(skip), "early": early})
    return Anything()


def unpatch() -> Any:
    """Take back what was applied."""
    STATE["patches"].clear()
    return Anything()


class Engine(Anything):
    """vLLM's LLM and its arguments."""

    def __init__(self, model: Any = None, *_: object, **arguments: Any) -> None:
        record("engine", model=plain(model), arguments=plain(arguments))


#: Fields that older releases of TRL have.
_OLDER_FIELDS = [
    ("max_prompt_length", "int | None", 512),
    ("vllm_guided_decoding_regex", "str | None", None),
    ("vllm_device", "str | None", "auto"),
    ("vllm_dtype", "str | None", "auto"),
]


def _resolve(real: type) -> None:
    """Replace annotations that are text by types: later, the modules that give them meaning are replaced."""
    hints = get_type_hints(real)
    for cls in real.__mro__[:-1]:
        for name in cls.__dict__.get("__annotations__", {}):
            cls.__annotations__[name] = hints[name]
    for field in dataclasses.fields(real):
        field.type = hints[field.name]


def _configuration(real: type) -> type:
    """Derive a configuration from the real one: the same fields, without the checks of this machine's hardware."""

    def __post_init__(self: Any) -> None:  # noqa: N807 - the name that dataclasses call
        if self.bf16 is None:
            self.bf16 = not self.fp16
        for name in ("model_init_kwargs", "lr_scheduler_kwargs"):
            value = getattr(self, name, None)
            if isinstance(value, str) and value.startswith("{"):
                setattr(self, name, json.loads(value))

    @contextlib.contextmanager
    def main_process_first(self: Any, *_: object, **__: object) -> Iterator[None]:
        yield

    _resolve(real)
    body: dict[str, Any] = {"__post_init__": __post_init__, "__module__": "trl", "__annotations__": {}}
    fields = {field.name for field in dataclasses.fields(real)}
    for name, kind, default in _OLDER_FIELDS:
        if name not in fields and real.__name__ == "GRPOConfig":
            body["__annotations__"][name] = {"int | None": int | None, "str | None": str | None}[kind]
            body[name] = default
    body["main_process_first"] = main_process_first
    for name, variable in (("world_size", "WORLD_SIZE"), ("process_index", "RANK"), ("local_process_index", "LOCAL_RANK")):
        default_value = "1" if name == "world_size" else "0"
        body[name] = property(lambda self, v=variable, d=default_value: int(os.environ.get(v, d)))
    body["device"] = property(lambda self: "cpu")
    body["n_gpu"] = property(lambda self: 1)
    body["get_process_log_level"] = lambda self: 20
    body["__str__"] = body["__repr__"] = lambda self: real.__name__
    return dataclasses.dataclass(type(real.__name__, (real,), body))


def _peft_from(model_args: Any) -> Any:
    return Adapter(modules_to_save=getattr(model_args, "lora_modules_to_save", None)) if model_args.use_peft else None


def contents() -> dict[str, dict[str, Any]]:
    """Return the names that each stand-in library defines. Imports the real TRL and transformers."""
    import transformers
    import trl
    from trl.scripts.utils import DatasetMixtureConfig, ScriptArguments, TrlParser

    configurations = {name: _configuration(getattr(trl, name)) for name in ("GRPOConfig", "SFTConfig", "DPOConfig", "RLOOConfig")}
    of_trl: dict[str, Any] = {
        **configurations,
        "TrlParser": TrlParser,
        "ScriptArguments": ScriptArguments,
        "DatasetMixtureConfig": DatasetMixtureConfig,
        "ModelConfig": trl.ModelConfig,
        "get_peft_config": _peft_from,
        "get_quantization_config": lambda *_: None,
        "__version__": trl.__version__,
    }
    for name in ("GRPOTrainer", "SFTTrainer", "DPOTrainer", "RLOOTrainer"):
        defaults = configurations[name.replace("Trainer", "Config")]
        of_trl[name] = type(name, (Trainer,), {"__module__": "trl", "_defaults": defaults})
    of_transformers = {
        "HfArgumentParser": transformers.HfArgumentParser,
        "TrainingArguments": _configuration(transformers.TrainingArguments),
        "TrainerCallback": type("TrainerCallback", (), {}),
        "__version__": transformers.__version__,
    }
    for name in ("AutoModelForCausalLM", "AutoModel", "Qwen2ForCausalLM", "LlamaForCausalLM", "AutoModelForImageTextToText"):
        of_transformers[name] = Model
    adapters = {name: Adapter for name in ("LoraConfig", "PeftConfig", "IA3Config", "AdaLoraConfig")}
    peft = {**adapters, "get_peft_model": with_adapter, "PeftModel": type("PeftModel", (), {"from_pretrained": with_adapter})}
    ours = {"patch": patch, "unpatch": unpatch, "status": Anything, "__version__": "0"}
    vllm = {"LLM": Engine, "EngineArgs": Engine, "AsyncEngineArgs": Engine}
    return {"trl": of_trl, "transformers": of_transformers, "peft": peft, "vcompat": ours, "vllm": vllm}


class StandIn(ModuleType):
    """A module of a stand-in library. Every name exists in every module of the library."""

    def __init__(self, name: str, names: dict[str, Any]) -> None:
        super().__init__(name)
        self.__path__: list[str] = []
        self.__dict__["_names"] = names
        if name == "vllm":
            STATE["vllm_imported"] = True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__version__":
            raise AttributeError(name)
        if self.__name__.startswith("trl") and name.endswith("Trainer"):
            STATE["trl_imported"] = True
        found = self.__dict__["_names"].get(name)
        if found is None:
            # A class, since scripts inherit from what they import.
            found = type(name, (Anything,), {}) if name[:1].isupper() else Anything()
        return found


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds every module of the stand-in libraries, and none of the real ones."""

    def __init__(self, names: dict[str, dict[str, Any]]) -> None:
        self._names = names

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        if name.partition(".")[0] not in LIBRARIES:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> ModuleType:
        return StandIn(spec.name, self._names.get(spec.name.partition(".")[0], {}))

    def exec_module(self, module: ModuleType) -> None:
        """Everything is there already."""


def install(names: dict[str, dict[str, Any]]) -> None:
    """Replace the real libraries by the stand-ins in this process."""
    for name in [name for name in sys.modules if name.partition(".")[0] in LIBRARIES]:
        # Kept, since taking a module apart costs more than the whole run.
        _REPLACED.append(sys.modules.pop(name))
    sys.meta_path.insert(0, Finder(names))
