"""Changes of YAML files. ruamel.yaml says where a value stands; the text around it is not touched."""

from __future__ import annotations

import json
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode

from vcompat.fixes.editing.change import Cannot, Edit


def change(data: bytes, edit: Edit) -> bytes:
    """The file with the change. Raises Cannot where the value is no plain one, or no longer where it was."""
    if edit.is_expression:
        raise Cannot(f"{edit.place}: {edit.setting} wants an expression, {edit.value}")
    try:
        text = data.decode("utf-8")
        top: Any = YAML().compose(text)
    except (YAMLError, UnicodeDecodeError) as error:
        raise Cannot(f"{edit.place}: ruamel.yaml does not read this file: {error}".splitlines()[0]) from None
    if edit.adds:
        return _added(text, top, edit).encode()
    for key, value in _pairs(top):
        mark = key.start_mark
        if (mark.line + 1, mark.column + 1) == (edit.place.line, edit.place.column) and key.value == edit.setting:
            if not isinstance(value, ScalarNode) or value.anchor is not None or value.style in ("|", ">"):
                raise Cannot(f"{edit.place}: {edit.setting} is not a plain value")
            start, end = value.start_mark.index, value.end_mark.index
            shown = _shown(edit.value)
            return (text[:start] + ("" if start != end else " ") + shown + text[end:]).encode()
    raise Cannot(f"{edit.place}: {edit.setting} is not there any more")


def _pairs(node: Any) -> list[tuple[Any, Any]]:
    if not isinstance(node, MappingNode):
        return []
    found = list(node.value)
    return found + [pair for _, value in node.value for pair in _pairs(value)]


def _added(text: str, top: Any, edit: Edit) -> str:
    if top is not None and (not isinstance(top, MappingNode) or top.flow_style):
        raise Cannot(f"{edit.place} is not laid out line by line")
    if any(key.value == edit.setting for key, _ in (top.value if top is not None else ())):
        raise Cannot(f"{edit.place} sets {edit.setting} already")
    if "\n..." in text or text.count("\n---") > 0:
        raise Cannot(f"{edit.place} holds several documents")
    body = text if text.endswith("\n") or not text else text + "\n"
    return f"{body}{edit.setting}: {_shown(edit.value)}\n"


def _shown(value: Any) -> str:
    """A plain value as YAML has it: JSON's, and texts without quotes where they need none."""
    if isinstance(value, str) and value.replace("_", "").replace("-", "").isalnum() and not _is_ambiguous(value):
        return value
    return json.dumps(value)


def _is_ambiguous(text: str) -> bool:
    return not text[0].isalpha() or text.lower() in ("true", "false", "null", "yes", "no", "on", "off", "y", "n")
