"""Changes YAML files. ruamel.yaml provides the position of a value; the text around it is not changed."""

from __future__ import annotations

import json
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode

from vcompat.fixes.editing.change import Cannot, Edit


def change(data: bytes, edit: Edit) -> bytes:
    """Return the file with the change. Raises Cannot if the value is not a plain scalar or has moved."""
    if edit.is_expression:
        raise Cannot(f"{edit.place}: {edit.setting} requires a Python expression, {edit.value}")
    try:
        text = data.decode("utf-8")
        top: Any = YAML().compose(text)
    except (YAMLError, UnicodeDecodeError) as error:
        raise Cannot(f"{edit.place}: ruamel.yaml cannot parse this file: {error}".splitlines()[0]) from None
    if edit.adds:
        return _added(text, top, edit).encode()
    for key, value in _pairs(top):
        mark = key.start_mark
        if (mark.line + 1, mark.column + 1) == (edit.place.line, edit.place.column) and key.value == edit.setting:
            if not isinstance(value, ScalarNode) or value.anchor is not None or value.style in ("|", ">"):
                raise Cannot(f"{edit.place}: {edit.setting} is not a plain scalar")
            start, end = value.start_mark.index, value.end_mark.index
            shown = _shown(edit.value)
            return (text[:start] + ("" if start != end else " ") + shown + text[end:]).encode()
    raise Cannot(f"{edit.place}: {edit.setting} was not found")


def _pairs(node: Any) -> list[tuple[Any, Any]]:
    if not isinstance(node, MappingNode):
        return []
    found = list(node.value)
    return found + [pair for _, value in node.value for pair in _pairs(value)]


def _added(text: str, top: Any, edit: Edit) -> str:
    if top is not None and (not isinstance(top, MappingNode) or top.flow_style):
        raise Cannot(f"{edit.place}: not a block mapping")
    if any(key.value == edit.setting for key, _ in (top.value if top is not None else ())):
        raise Cannot(f"{edit.place}: {edit.setting} is already set")
    if "\n..." in text or text.count("\n---") > 0:
        raise Cannot(f"{edit.place}: contains several documents")
    body = text if text.endswith("\n") or not text else text + "\n"
    return f"{body}{edit.setting}: {_shown(edit.value)}\n"


def _shown(value: Any) -> str:
    """Format a plain value as YAML: like JSON, but strings are quoted only if necessary."""
    if isinstance(value, str) and value.replace("_", "").replace("-", "").isalnum() and not _is_ambiguous(value):
        return value
    return json.dumps(value)


def _is_ambiguous(text: str) -> bool:
    return not text[0].isalpha() or text.lower() in ("true", "false", "null", "yes", "no", "on", "off", "y", "n")
