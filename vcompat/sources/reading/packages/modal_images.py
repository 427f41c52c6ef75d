"""Finds what the image of a Modal app installs: calls of `pip_install` and alike in a script that makes one image."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Iterator

from vcompat.facts.facts import Place
from vcompat.foundation.bounded_reading import read_text
from vcompat.foundation.syntax.blocks import parsed
from vcompat.foundation.syntax.terms import called, text_of
from vcompat.sources.reading.invocation import Invocation
from vcompat.sources.reading.word import UNKNOWN, Word

_LARGEST = 1_000_000
_INSTALLS = frozenset({"pip_install", "uv_pip_install"})
_INDEXES = {"index_url": "--index-url", "extra_index_url": "--extra-index-url", "find_links": "--find-links"}


def commands_of_image(path: str) -> list[Invocation]:
    """Return the commands of pip that make the one image of a script; none if there is none, or several.

    Raises InputError if the file cannot be read.
    """
    text = read_text(path, _LARGEST, "a script")
    tree = parsed(text) if "modal" in text and "pip_install" in text else None
    if tree is None:
        return []
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    images = [call for call in calls if ast.unparse(call.func).rpartition(".")[0] in ("modal.Image", "Image")]
    if len(images) != 1:
        return []
    # Of calls in a row, what is written first is called first.
    installs = [call for call in calls if called(call) in _INSTALLS]
    installs.sort(key=lambda call: (call.end_lineno or 0, call.end_col_offset or 0))
    return [Invocation(("pip", "install", *_words(call)), Place(path, _line(call))) for call in installs]


def _line(call: ast.Call) -> int:
    """Return the line of the first argument: the expression itself begins where the image does."""
    return call.args[0].lineno if call.args else call.end_lineno or call.lineno


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return []


def _words(call: ast.Call) -> Iterator[Word]:
    for argument in call.args:
        items = argument.elts if isinstance(argument, ast.List | ast.Tuple) else [argument]
        for item in items:
            text = text_of(item)
            yield UNKNOWN if text is None else text
    for keyword in call.keywords:
        value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
        if keyword.arg == "extra_options" and isinstance(value, str):
            yield from _split(value)
        elif keyword.arg in _INDEXES and value is not None:
            yield from (_INDEXES[keyword.arg], value if isinstance(value, str) else UNKNOWN)
        elif keyword.arg is None:
            yield UNKNOWN
