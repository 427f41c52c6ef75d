"""Tells to how many bits a script quantizes the trainer's model while loading it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from vcompat.sources.reading.python.classes.configurations import settings_of
from vcompat.sources.reading.python.values.core import Event
from vcompat.sources.reading.python.values.values import LOADED, Const, Held, Loaded, Obj, Table, Unknown, Value

#: Words without which a script does not quantize what it loads, in lower case. unsloth does so if nothing is said.
_QUANTIZES = (b"quantization_config", b"load_in_", b"bitsandbytes", b"quantiz", b"bnb", b"unsloth")
_OPTIONS = {"load_in_4bit": 4, "load_in_8bit": 8}
#: Classes of models that are not trained with GRPO.
REWARD_MODELS = ("AutoModelForSequenceClassification", "AutoModelForTokenClassification")
#: Why the bits are not known.
MAY = "the script may quantize the model while loading it"


def loads_of(
    model: Held, inits: Sequence[tuple[Held | None, str]], events: Sequence[Event]
) -> list[Mapping[str, Held]] | None:
    """Return the arguments with which the trainer's model is loaded; None if they are not known.

    `model` is what the trainer gets: a name, or what the script loaded. `inits` are the model_init_kwargs of the
    configurations that the trainer may get, each with why it may have other settings. `events` are those of the run.
    """
    if isinstance(model.value, Loaded) and model.value.load is not None:
        load = model.value.load
        return None if load.why_open else [load.settings]
    if not (isinstance(model.value, Const) and isinstance(model.value.value, str)):
        if not is_loaded(model.value):
            return None
        loads = [e for e in events if e.kind == "model" and e.name.startswith("AutoModelFor")]
        policies = [event for event in loads if event.name not in REWARD_MODELS]
        return None if any(e.uncertain or e.why_open for e in policies) else [e.settings for e in policies]
    found: list[Mapping[str, Held]] = []
    for held, why_open in inits:
        cells = _cells(held)
        if why_open or cells is None:
            return None
        found.append(cells)
    return found


def _cells(held: Held | None) -> Mapping[str, Held] | None:
    """Return the entries of model_init_kwargs; None if they are not known."""
    if held is None or _is(held, None):
        return {}
    if held.optional or not isinstance(held.value, Table) or held.value.why_open:
        return None
    return {str(key): cell for key, cell in held.value.cells.items()}


def is_loaded(model: Value) -> bool:
    """Return whether the script has loaded what the trainer gets."""
    return isinstance(model, Unknown) and model.why == LOADED


def divided_by(loads: Sequence[Mapping[str, Held]] | None) -> Const | Unknown:
    """Return the ``device_map`` with which the trainer's model is loaded; None if none is stated.

    `loads` are the arguments of the calls that may load it, None if they are not known.
    """
    found = [arguments.get("device_map", Held(_NOTHING)) for arguments in loads or ()]
    plain = {held.value.value for held in found if isinstance(held.value, Const) and not held.optional}
    if len(plain) == 1 and all(isinstance(held.value, Const) and not held.optional for held in found):
        return Const(plain.pop())
    return Unknown("the script may state a device_map while loading the model")


def quantized_to(
    source: bytes, loads: Sequence[Mapping[str, Held]] | None, name_of: Callable[[Obj], str]
) -> Const | Unknown:
    """Return the bits per weight as loaded; None if the model is not quantized.

    `source` is the script in lower case. `loads` are the arguments of the calls that may load the trainer's model, None
    if they are not known. `name_of` returns the name of an object's class.
    """
    if not any(word in source for word in _QUANTIZES):
        return Const(None)
    found = [_bits(arguments, name_of) for arguments in loads or ()]
    values = {one.value for one in found if isinstance(one, Const)}
    if len(values) == 1 and all(isinstance(one, Const) for one in found):
        return Const(values.pop())
    return Unknown(MAY, tuple(sorted(value for value in values if value)))


def _bits(arguments: Mapping[str, Held], name_of: Callable[[Obj], str]) -> Const | Unknown:
    """Return the bits that the arguments of `from_pretrained`, or of a BitsAndBytesConfig, ask for."""
    for option, bits in _OPTIONS.items():
        held = arguments.get(option)
        if held is None or _is(held, False):
            continue
        return Const(bits) if _is(held, True) else Unknown(MAY)
    held = arguments.get("quantization_config")
    if held is None or _is(held, None):
        return Const(None)
    made = held.value
    if held.optional or not isinstance(made, Obj) or made.why_open or name_of(made) != "BitsAndBytesConfig":
        return Unknown(MAY)
    return _bits({**settings_of(made), "quantization_config": Held(_NOTHING)}, name_of)


_NOTHING: Value = Const(None)


def _is(held: Held, value: object) -> bool:
    return not held.optional and isinstance(held.value, Const) and held.value.value is value
