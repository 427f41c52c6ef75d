"""Changes YAML files. ruamel.yaml provides the position of a value; the text around it is not changed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from vcompat.fixes.editing.change import ADD, REMOVE, RENAME, Cannot, Edit
from vcompat.fixes.editing.edited_text import Text, decoded, encoded


class _Pair(NamedTuple):
    """A key and its value."""

    key: Any
    value: Any
    owner: Any
    """The mapping that has the pair."""
    above: _Pair | None
    """The pair whose value is that mapping."""


def change(data: bytes, edit: Edit) -> bytes:
    """Return the file with the change. Raises Cannot if the value is not a plain scalar or has moved."""
    if edit.is_expression:
        raise Cannot(f"{edit.place}: {edit.setting} requires a Python expression, {edit.value}")
    try:
        plain, has_mark = decoded(data)
        top: Any = YAML().compose(plain)
    except (YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise Cannot(f"{edit.place}: ruamel.yaml cannot parse this file: {error}".splitlines()[0]) from None
    text = Text(plain)
    if edit.action == ADD:
        return encoded(_added(text, top, edit), has_mark)
    for pair in _pairs(top, None):
        mark = pair.key.start_mark
        if (mark.line + 1, mark.column + 1) == (edit.place.line, edit.place.column) and pair.key.value == edit.setting:
            return encoded(_changed(text, pair, edit), has_mark)
    raise Cannot(f"change {edit.place} by hand: {edit}")


def _changed(text: Text, pair: _Pair, edit: Edit) -> str:
    if edit.action == RENAME:
        return _renamed(text, pair, edit)
    if edit.action == REMOVE:
        return _removed(text, pair, edit)
    if not isinstance(pair.value, ScalarNode) or pair.value.anchor is not None or pair.value.style in ("|", ">"):
        raise Cannot(f"{edit.place}: {edit.setting} is not a plain scalar")
    start, end = pair.value.start_mark.index, pair.value.end_mark.index
    return text.replaced(start, end, ("" if start != end else " ") + _shown(edit.value))


def _pairs(node: Any, above: _Pair | None) -> Iterator[_Pair]:
    if isinstance(node, SequenceNode):
        for item in node.value:
            yield from _pairs(item, above)
    for key, value in node.value if isinstance(node, MappingNode) else ():
        pair = _Pair(key, value, node, above)
        yield pair
        yield from _pairs(value, pair)


def _added(text: Text, top: Any, edit: Edit) -> str:
    if top is not None and (not isinstance(top, MappingNode) or top.flow_style):
        raise Cannot(f"{edit.place}: not a block mapping")
    if any(key.value == edit.setting for key, _ in (top.value if top is not None else ())):
        raise Cannot(f"{edit.place}: {edit.setting} is already set")
    if re.search(r"^(\.\.\.|---.*\n(.*\n)*---)", text.text, re.MULTILINE):
        raise Cannot(f"{edit.place}: contains several documents")
    indent = " " * top.value[0][0].start_mark.column if top is not None else ""
    body = text.text if not text.text or text.text[-1] in "\r\n" else text.text + text.newline
    return f"{body}{indent}{edit.setting}: {_shown(edit.value)}{text.newline}"


def _renamed(text: Text, pair: _Pair, edit: Edit) -> str:
    if any(key.value == edit.value for key, _ in pair.owner.value):
        raise Cannot(f"{edit.place}: {edit.value} is already set")
    start, end = pair.key.start_mark.index, pair.key.end_mark.index
    written = text.text[start:end]
    if written.count(edit.setting) != 1 or len(written) - len(edit.setting) not in (0, 2):
        raise Cannot(f"{edit.place}: the name {edit.setting} is not written plainly")
    return text.replaced(start, end, written.replace(edit.setting, str(edit.value)))


def _removed(text: Text, pair: _Pair, edit: Edit) -> str:
    if len(pair.owner.value) == 1:
        if pair.above is None:
            raise Cannot(f"{edit.place}: {edit.setting} is the only setting of the file")
        # A key without a value is not an empty table.
        return _removed(text, pair.above, edit)
    if _has_anchor(pair.value):
        raise Cannot(f"{edit.place}: the value of {edit.setting} has an anchor")
    start, end = pair.key.start_mark.index, _end(pair.value)
    return _without_item(text, start, end, edit) if pair.owner.flow_style else _without_lines(text, start, end, edit)


def _without_lines(text: Text, start: int, end: int, edit: Edit) -> str:
    end -= text.text[end - 1] in "\r\n"
    first, last = text.line_start(start), text.line_end(end)
    rest = text.text[end:last].strip()
    if text.text[first:start].strip() or (rest and not rest.startswith("#")):
        raise Cannot(f"{edit.place}: remove {edit.setting} by hand, it shares its line")
    return text.replaced(first, last, "")


def _without_item(text: Text, start: int, end: int, edit: Edit) -> str:
    """Remove an item of a flow mapping and one comma."""
    before, rest = text.text[:start], text.text[end:]
    follows, leads = re.match(r"[ \t]*,[ \t]*", rest), re.search(r",[ \t]*\Z", before)
    if follows:
        return text.replaced(start, end + follows.end(), "")
    if leads:
        return text.replaced(leads.start(), end, "")
    raise Cannot(f"{edit.place}: remove {edit.setting} by hand")


def _end(node: Node) -> int:
    """Return the index after a value. That of a block ends with its last item, before the comments that follow it."""
    if not isinstance(node, MappingNode | SequenceNode) or node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _end(last[1] if isinstance(node, MappingNode) else last)


def _has_anchor(node: Node) -> bool:
    parts = node.value if not isinstance(node, ScalarNode) else ()
    inner = (part for item in parts for part in (item if isinstance(item, tuple) else (item,)))
    return node.anchor is not None or any(map(_has_anchor, inner))


def _shown(value: Any) -> str:
    """Format a plain value as YAML: like JSON, but strings are quoted only if necessary."""
    if isinstance(value, str) and value.replace("_", "").replace("-", "").isalnum() and not _is_ambiguous(value):
        return value
    shown = json.dumps(value)
    # YAML 1.1 reads 1e-06 as a string.
    return shown.replace("e", ".0e") if isinstance(value, float) and "e" in shown and "." not in shown else shown


def _is_ambiguous(text: str) -> bool:
    return not text[0].isalpha() or text.lower() in ("true", "false", "null", "yes", "no", "on", "off", "y", "n")
