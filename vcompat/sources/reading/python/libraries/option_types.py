"""What transformers' parser makes of the texts of options, by the annotations of the fields."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from vcompat.sources.reading.python.parsers.argparse_texts import is_unknown
from vcompat.sources.reading.python.values.values import Unknown


def kind_of(annotation: ast.expr) -> str:
    """Return the kind of a field by its annotation: flag, int, float, list, text or optional flag."""
    text = ast.unparse(annotation).strip("'\"").replace("typing.", "")
    optional = "Optional" in text or "None" in text
    if text.startswith(("list", "List", "Optional[list", "Optional[List")):
        return "list"
    if choices := re.search(r"\bLiteral\[(.*?)\]", text):
        # A text stands for the choice that is written like it.
        return "int" if re.fullmatch(r"[-\d, ]+", choices[1]) else "text"
    for name in ("bool", "int", "float"):
        if re.search(rf"\b{name}\b", text) and "str" not in text:
            return f"optional {name}" if optional and name == "bool" else name
    return "text"


def _if_known(convert: Callable[[str], Any], listed: tuple[bool, ...] = ()) -> Callable[[str], Any]:
    """Return a function that converts words that are known; `listed` are the values that others may have."""

    def converted(text: str) -> Any:
        return Unknown("the launch script computes it", listed) if is_unknown(text) else convert(text)

    # The name is in argparse's messages.
    converted.__name__ = convert.__name__
    return converted


def _flag(text: str) -> bool:
    words = {"yes": True, "true": True, "t": True, "y": True, "1": True}
    words |= {"no": False, "false": False, "f": False, "n": False, "0": False}
    if text.lower() not in words:
        raise ValueError(text)
    return words[text.lower()]


def _number(text: str) -> Any:
    if text.lower() == "none":
        # Newer releases of TRL take it for options that may be None.
        return Unknown("whether the option takes None differs between releases", (None,))
    return int(text) if text.lstrip("+-").isdecimal() else float(text)


#: The text of an option, and the truth value that a text stands for, which raises ValueError.
text_of, flag = _if_known(str), _if_known(_flag, (True, False))
#: Conversions of the texts of single values, by kind. They raise ValueError.
CONVERTERS: Mapping[str, Callable[[str], Any]] = {
    "int": _if_known(int),
    "float": _if_known(float),
    "number": _if_known(_number),
    "bool": flag,
    "optional bool": flag,
}
