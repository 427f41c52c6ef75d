"""Values of facts: parsing from text and JSON, and formatting as text and JSON."""

import math
from collections.abc import Mapping

from packaging.version import InvalidVersion, Version

from vcompat.facts.vocabulary import FLAG, NUMBER, TEXT, VERSION, Spec
from vcompat.foundation.errors import InputError
from vcompat.foundation.suggest import did_you_mean

#: A fact's value. None means known to be absent. A tuple holds one value per visible GPU or per list item.
Value = Version | int | float | bool | str | None
FactValue = Value | tuple[Value, ...]

_ABSENT_WORDS = ("none", "absent")
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0")


#: Facts of text that have few values.
CHOICES: Mapping[str, tuple[str, ...]] = {
    "vllm.backend": ("cuda", "cpu", "rocm", "tpu", "xpu"),
    "vllm.engine": ("v0", "v1"),
    "gpu.vendor": ("nvidia", "amd", "intel"),
    "gpu.peer_access": ("nvlink", "pcie"),
    "run.fails": ("crash", "hang", "silent-corruption", "degraded"),
    "plan.vllm_mode": ("colocate", "server"),
    "plan.mixed_precision": ("no", "fp16", "bf16", "fp8"),
}


def parse_stated(spec: Spec, text: str, where: str) -> FactValue:
    """Parse the value of a fact that a user states. Raises InputError like `parse_value`, also for misspelled words.

    A text in double quotes is taken as it is, so that ``"none"`` is the text and not the absence of a value.
    """
    word = text.strip()
    if spec.kind == TEXT and not spec.many and len(word) > 1 and word[0] == word[-1] == '"':
        return word[1:-1]
    value = parse_value(spec, text, where)
    choices = CHOICES.get(spec.name)
    if choices and isinstance(value, str) and value not in choices:
        expected = did_you_mean(value.lower(), choices) or f"{', '.join(choices)} or none"
        raise InputError(where, f"'{value}' is not a value of {spec.name}", expected)
    return value


def parse_value(spec: Spec, text: str, where: str) -> FactValue:
    """Parse the text of a fact's value, such as ``7.0``, ``true``, ``7.0,8.0`` or ``none`` (known to be absent).

    Raises InputError, with `where` as the location, if the text does not match the fact's kind.
    """
    if text.strip().lower() in _ABSENT_WORDS:
        return () if spec.many else None
    if spec.name.startswith("env."):
        return text
    if spec.many:
        return tuple(_scalar(spec, part.strip(), where) for part in text.split(","))
    return _scalar(spec, text.strip(), where)


def _scalar(spec: Spec, text: str, where: str) -> Value:
    if spec.kind == VERSION:
        return version(spec, text, where)
    if spec.kind == NUMBER:
        try:
            return int(text)
        except ValueError:
            pass
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise InputError(where, f"'{text}' for {spec.name} is not a number", "a number such as 8")
        return number
    if spec.kind == FLAG:
        if text.lower() in _TRUE:
            return True
        if text.lower() in _FALSE:
            return False
        raise InputError(where, f"'{text}' for {spec.name} is not a flag", "true or false")
    return text


def version(spec: Spec, text: str, where: str) -> Version:
    """Parse `text` as a PEP 440 version. Raises InputError, with `where` as the location, if it is not one."""
    try:
        return Version(text)
    except InvalidVersion:
        raise InputError(where, f"'{text}' for {spec.name} is not a version", "a version such as 0.8.5.post1") from None


def from_json(spec: Spec, value: object, where: str) -> FactValue:
    """Convert a JSON value from a facts file or a rule to a fact's value. Raises InputError for a wrong type."""
    if spec.many and isinstance(value, list):
        return tuple(_scalar_from_json(spec, item, where) for item in value)
    if spec.many:
        raise InputError(where, f"{spec.name} is {value!r}", "a list")
    return _scalar_from_json(spec, value, where)


def _scalar_from_json(spec: Spec, value: object, where: str) -> Value:
    if value is None:
        return None
    if spec.kind == VERSION and isinstance(value, str):
        return version(spec, value, where)
    if spec.kind == NUMBER and isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if spec.kind == FLAG and isinstance(value, bool):
        return value
    if spec.kind == TEXT and isinstance(value, str):
        return value
    raise InputError(where, f"{spec.name} is {value!r}", f"a {spec.kind}")


def to_json(value: FactValue) -> object:
    """Convert a fact's value to JSON; the inverse of :func:`from_json`."""
    if isinstance(value, tuple):
        return [to_json(item) for item in value]
    return str(value) if isinstance(value, Version) else value


def show(value: FactValue) -> str:
    """Format a fact's value as text."""
    if value is None:
        return "none"
    if value is True or value is False:
        return str(value).lower()
    if isinstance(value, tuple):
        distinct = list(dict.fromkeys(show(item) for item in value))
        return ", ".join(distinct) or "none"
    return str(value)


def show_candidates(values: tuple[FactValue, ...]) -> str:
    """Format all values that a fact can have: releases as a range, others in a list."""
    if len(values) > 2 and all(isinstance(value, Version) for value in values):
        ordered = sorted(value for value in values if isinstance(value, Version))
        return f"{ordered[0]} - {ordered[-1]}"
    return " or ".join(map(show, values))
