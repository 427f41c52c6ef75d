"""Tells to how many bits a script quantizes the trainer's model while loading it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from vcompat.sources.plan.python.configurations import settings_of
from vcompat.sources.plan.python.values import Const, Held, Obj, Unknown, Value

#: Words without which a script does not quantize what it loads, in lower case.
_QUANTIZES = (b"quantization_config", b"load_in_", b"bitsandbytes", b"quantiz", b"bnb")
_OPTIONS = {"load_in_4bit": 4, "load_in_8bit": 8}
_MAY = "the script may quantize the model while loading it"


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
    return Unknown(_MAY, tuple(sorted(value for value in values if value)))


def _bits(arguments: Mapping[str, Held], name_of: Callable[[Obj], str]) -> Const | Unknown:
    """Return the bits that the arguments of `from_pretrained`, or of a BitsAndBytesConfig, ask for."""
    for option, bits in _OPTIONS.items():
        held = arguments.get(option)
        if held is None or _is(held, False):
            continue
        return Const(bits) if _is(held, True) else Unknown(_MAY)
    held = arguments.get("quantization_config")
    if held is None or _is(held, None):
        return Const(None)
    made = held.value
    if held.optional or not isinstance(made, Obj) or made.why_open or name_of(made) != "BitsAndBytesConfig":
        return Unknown(_MAY)
    return _bits({**settings_of(made), "quantization_config": Held(_NOTHING)}, name_of)


_NOTHING: Value = Const(None)


def _is(held: Held, value: object) -> bool:
    return not held.optional and isinstance(held.value, Const) and held.value.value is value
