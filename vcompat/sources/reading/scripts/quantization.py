"""Tells to how many bits a script quantizes the trainer's model while loading it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vcompat.sources.reading.python.classes.configurations import settings_of
from vcompat.sources.reading.python.values.values import (
    LOADED,
    NONE,
    Const,
    Held,
    Loaded,
    Obj,
    Table,
    Unknown,
    Value,
    text_of,
)
from vcompat.sources.reading.scripts.executed import Executed

#: Words without which a script does not quantize what it loads, in lower case. unsloth does so if nothing is said.
_QUANTIZES = (b"quantization_config", b"load_in_", b"bitsandbytes", b"quantiz", b"bnb", b"unsloth")
_OPTIONS = {"load_in_4bit": 4, "load_in_8bit": 8}
#: Why the bits are not known.
MAY = "the script may quantize the model while loading it"


def loads_of(ran: Executed, model: Held, inits: Sequence[tuple[Held | None, str]]) -> list[Mapping[str, Held]] | None:
    """Return the arguments with which the trainer's model is loaded; None if they are not known.

    `model` is what the trainer gets: a name, or what the script loaded. `inits` are the model_init_kwargs of the
    configurations that the trainer may get, each with why it may have other settings.
    """
    if isinstance(model.value, Loaded) and model.value.load is not None:
        load = model.value.load
        return None if load.why_open else [load.settings]
    if is_loaded(model.value):
        policies = ran.policies("AutoModelFor")
        return None if any(e.uncertain or e.why_open for e in policies) else [e.settings for e in policies]
    if text_of(model.value) is None:
        return None
    cells = [_cells(held) for held, why_open in inits if not why_open]
    known = [arguments for arguments in cells if arguments is not None]
    return known if len(known) == len(inits) else None


def _cells(held: Held | None) -> Mapping[str, Held] | None:
    """Return the entries of model_init_kwargs; None if they are not known."""
    if held is None or held.is_certainly(None):
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
    maps = [arguments.get("device_map", Held(NONE)) for arguments in loads or ()]
    return _shared([Unknown() if held.optional else held.value for held in maps]) or Unknown(
        "the script may state a device_map while loading the model"
    )


def quantized_to(ran: Executed, loads: Sequence[Mapping[str, Held]] | None) -> Const | Unknown:
    """Return the bits per weight as loaded; None if the model is not quantized.

    `loads` are the arguments of the calls that may load the trainer's model, None if they are not known.
    """
    if not any(word in ran.source for word in _QUANTIZES):
        return NONE
    bits = [_bits(ran, arguments) for arguments in loads or ()]
    possible = {each.value for each in bits if isinstance(each, Const) and each.value}
    return _shared(bits) or Unknown(MAY, tuple(sorted(possible)))


def _shared(values: Sequence[Value]) -> Const | None:
    """Return the constant that each of several values is; None if there is none."""
    plain = {value.value for value in values if isinstance(value, Const)}
    return Const(plain.pop()) if len(plain) == 1 and all(isinstance(value, Const) for value in values) else None


def _bits(ran: Executed, arguments: Mapping[str, Held]) -> Const | Unknown:
    """Return the bits that the arguments of `from_pretrained`, or of a BitsAndBytesConfig, ask for."""
    for option, bits in _OPTIONS.items():
        held = arguments.get(option)
        if held is not None and not held.is_certainly(False):
            return Const(bits) if held.is_certainly(True) else Unknown(MAY)
    held = arguments.get("quantization_config")
    if held is None or held.is_certainly(None):
        return NONE
    made = held.value
    if held.optional or not isinstance(made, Obj) or made.why_open or ran.class_name(made) != "BitsAndBytesConfig":
        return Unknown(MAY)
    return _bits(ran, {**settings_of(made), "quantization_config": Held(NONE)})
