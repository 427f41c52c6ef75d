"""Stand-ins for models, adapters, trainers and engines, and for vcompat.patch(). They record what they get."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable
from typing import Any

from tests.oracle.standins.anything import Anything
from tests.oracle.standins.recorder import plain, record, settings_of

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


class Loader(Anything):
    """unsloth's classes of models, with the parameters that come first in all releases."""

    @staticmethod
    def from_pretrained(
        model_name: object = None,
        max_seq_length: object = 2048,
        dtype: object = None,
        load_in_4bit: object = True,
        load_in_8bit: object = False,
        fast_inference: object = False,
        gpu_memory_utilization: object = 0.5,
        **others: Any,
    ) -> tuple[Model, Anything]:
        quantized = {"load_in_4bit": load_in_4bit, "load_in_8bit": load_in_8bit, "max_seq_length": max_seq_length}
        engine = {"fast_inference": fast_inference, "gpu_memory_utilization": gpu_memory_utilization}
        return Model(model_name, {**others, **quantized, **engine}), Anything()

    @staticmethod
    def get_peft_model(model: Any, r: int = 16, **others: Any) -> Any:
        return with_adapter(model, Adapter(r=r, **others))


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


def adapter_from(model_args: Any) -> Any:
    """Return what TRL's get_peft_config() returns."""
    return Adapter(modules_to_save=model_args.lora_modules_to_save) if model_args.use_peft else None


class Engine(Anything):
    """vLLM's LLM and its arguments."""

    def __init__(self, model: Any = None, *_: object, **arguments: Any) -> None:
        record("engine", model=plain(model), arguments=plain(arguments))
