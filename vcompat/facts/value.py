"""Values of facts: parsing from text and JSON, and formatting as text and JSON."""

from packaging.version import InvalidVersion, Version

from vcompat.facts.vocabulary import FLAG, NUMBER, TEXT, VERSION, Spec
from vcompat.foundation.errors import InputError

#: A fact's value. None means known to be absent. A tuple holds one value per visible GPU or per list item.
Value = Version | int | float | bool | str | None
FactValue = Value | tuple[Value, ...]

_ABSENT_WORDS = ("none", "absent")
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0")


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
            return float(text)
        except ValueError:
            raise InputError(where, f"'{text}' for {spec.name} is not a number", "a number such as 8") from None
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
