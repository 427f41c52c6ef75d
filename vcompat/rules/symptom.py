"""What a log or metrics show when a failure happens: the tables ``[[symptoms]]`` of a rule."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from vcompat.facts.vocabulary import spec_of
from vcompat.foundation.errors import InputError
from vcompat.rules.keys import check_keys
from vcompat.rules.metric_signatures import SIGNATURES

#: What the engine that searches logs does not take, since it cannot be matched in linear time.
_NOT_LINEAR = re.compile(r"\(\?(?:<?[=!]|P=|\()|(?<!\\)(?:\\\\)*\\[1-9]")


class Symptom(NamedTuple):
    """What a log shows when the failure happens: a text, or the shape of the metrics."""

    pattern: str
    """A regular expression of RE2 to search for in a log: without lookarounds and references to groups; else empty."""
    unless: str = ""
    """A regular expression that the same failure in the log must not match; empty if there is none."""
    frames: tuple[str, ...] = ()
    """Parts of paths, such as ``vllm/``. If the failure has a traceback, it must pass code in one of them."""
    raised_in: tuple[str, ...] = ()
    """Parts of paths, too: the last frame of the traceback that is neither torch's nor the standard library's must be
    code in one of them, as other packages raise the same error by themselves."""
    is_common: bool = False
    """Whether other failures print the text as well: it then counts only if the log's facts make the rule certain."""
    any_level: bool = False
    """Whether it counts in an informative line, too, as what a program reports while it waits."""
    signature: str = ""
    """What the metrics look like, one of SIGNATURES; empty if it is a text."""
    stops_in: str = ""
    """The file and function, ``file:function``, in which the failure is raised: the last frame of its traceback that is
    neither torch's nor the standard library's. It shows the rule where a traceback was cut off before its error."""
    only_where_known: tuple[str, ...] = ()
    """Facts that must be known for a signature or a text to count, since much else looks the same."""


def parse_symptoms(items: list[Any], where: str) -> tuple[Symptom, ...]:
    """Return the symptoms of a rule. `where` names its file. Raises InputError."""
    symptoms = []
    for index, item in enumerate(items):
        here = f"{where}: symptoms[{index}]"
        if isinstance(item, dict) and "signature" in item:
            check_keys(item, {"signature": str}, {"only_where_known": list}, here)
            if item["signature"] not in SIGNATURES:
                raise InputError(f"{here}: signature", f"'{item['signature']}'", "one of " + ", ".join(SIGNATURES))
            symptoms.append(Symptom("", signature=item["signature"], only_where_known=_needed(item, here)))
            continue
        if isinstance(item, dict) and "stops_in" in item:
            check_keys(item, {"stops_in": str}, {"frames": list}, here)
            if not re.fullmatch(r"\S+\.py:\w+", item["stops_in"]):
                raise InputError(
                    f"{here}: stops_in", f"'{item['stops_in']}'", "a file and a function, such as vllm/x.py:f"
                )
            symptoms.append(Symptom("", stops_in=item["stops_in"], frames=_frames(item, here)))
            continue
        optional = {"unless": str, "frames": list, "raised_in": list, "is_common": bool, "any_level": bool}
        check_keys(item, {"pattern": str}, {**optional, "only_where_known": list}, here)
        flags = {name: item.get(name, False) for name in ("is_common", "any_level")}
        places = _frames(item, here), _frames(item, here, "raised_in")
        needed = _needed(item, here)
        symptoms.append(Symptom(item["pattern"], item.get("unless", ""), *places, **flags, only_where_known=needed))
    return tuple(symptoms)


def _needed(item: dict[str, Any], here: str) -> tuple[str, ...]:
    return tuple(spec_of(str(name), f"{here}: only_where_known").name for name in item.get("only_where_known", ()))


def _frames(item: dict[str, Any], here: str, key: str = "frames") -> tuple[str, ...]:
    frames = tuple(item.get(key, ()))
    if not all(isinstance(frame, str) and frame for frame in frames):
        raise InputError(f"{here}: {key}", f"{frames!r}", "parts of paths, such as vllm/")
    return frames


def check_symptoms(symptoms: Sequence[Symptom], where: str) -> None:
    """Raise InputError if a pattern is none that RE2 takes."""
    for index, symptom in enumerate(symptoms):
        _check_pattern(symptom.pattern, f"{where}: symptoms[{index}]: pattern")
        _check_pattern(symptom.unless, f"{where}: symptoms[{index}]: unless")


def _check_pattern(pattern: str, where: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise InputError(where, f"not a regular expression: {error}") from None
    if _NOT_LINEAR.search(pattern):
        raise InputError(where, "a lookaround or a reference to a group", "a regular expression that RE2 takes")
