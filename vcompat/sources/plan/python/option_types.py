"""What transformers' parser makes of the texts of options, by the annotations of the fields."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from vcompat.sources.plan.invocation import UNKNOWN
from vcompat.sources.plan.python.values import Unknown


def kind_of(annotation: ast.expr) -> str:
    """Return the kind of a field by its annotation: flag, int, float, list, text or optional flag."""
    text = ast.unparse(annotation).strip("'\"").replace("typing.", "")
    optional = "Optional" in text or "None" in text
    if text.startswith(("list", "List", "Optional[list", "Optional[List")):
        return "list"
    for name in ("bool", "int", "float"):
        if name in text and "str" not in text:
            return f"optional {name}" if optional and name == "bool" else name
    return "text"


def text_of(text: str) -> Any:
    """Return the text of an option."""
    return Unknown("the launch script computes it") if UNKNOWN in text else text


def flag(text: str) -> Any:
    """Return the truth value that a text stands for. Raises ValueError."""
    if UNKNOWN in text:
        return Unknown("the launch script computes it", (True, False))
    words = {"yes": True, "true": True, "t": True, "y": True, "1": True}
    words |= {"no": False, "false": False, "f": False, "n": False, "0": False}
    if text.lower() not in words:
        raise ValueError(text)
    return words[text.lower()]


def _int(text: str) -> Any:
    return Unknown("the launch script computes it") if UNKNOWN in text else int(text)


def _float(text: str) -> Any:
    return Unknown("the launch script computes it") if UNKNOWN in text else float(text)


def _number(text: str) -> Any:
    if UNKNOWN in text:
        return Unknown("the launch script computes it")
    return int(text) if text.lstrip("+-").isdigit() else float(text)


#: Conversions of the texts of single values, by kind. They raise ValueError.
CONVERTERS: Mapping[str, Callable[[str], Any]] = {
    "int": _int,
    "float": _float,
    "number": _number,
    "bool": flag,
    "optional bool": flag,
}
