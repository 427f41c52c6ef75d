"""Changes TOML files with tomlkit, which keeps comments and layout."""

from __future__ import annotations

import re
from typing import Any

import tomli
import tomlkit
from tomlkit.exceptions import TOMLKitError

from vcompat.fixes.editing.change import ADD, REMOVE, RENAME, Cannot, Edit
from vcompat.fixes.editing.edited_text import Text, decoded, encoded


def change(data: bytes, edit: Edit) -> bytes:
    """Return the file with the change. Raises Cannot if the setting has moved or the new value is an expression."""
    if edit.is_expression:
        raise Cannot(f"{edit.place}: {edit.setting} requires a Python expression, {edit.value}")
    try:
        text, has_mark = decoded(data)
        document: Any = tomlkit.parse(text)
    except (TOMLKitError, UnicodeDecodeError, RecursionError) as error:
        raise Cannot(f"{edit.place}: tomlkit cannot parse this file: {error}") from None
    if edit.action in (RENAME, REMOVE):
        return encoded(_by_name(Text(text), edit), has_mark)
    adds = edit.action == ADD
    table = document if adds or (edit.setting in document and not edit.is_variable) else document.get("env", {})
    if adds == (edit.setting in table):
        raise Cannot(f"{edit.place}: {edit.setting} is already set" if adds else f"change {edit.place} by hand: {edit}")
    table[edit.setting] = edit.value
    return encoded(tomlkit.dumps(document), has_mark)


def _by_name(text: Text, edit: Edit) -> str:
    """Rename or remove the key at the position."""
    start = text.offset(edit.place.line, edit.place.column)
    key = re.compile(rf"(['\"]?)({re.escape(edit.setting)})\1[ \t]*=").match(text.text, start)
    if key is None:
        raise Cannot(f"change {edit.place} by hand: {edit}")
    before = tomli.loads(text.text)
    if edit.action == RENAME:
        new = text.replaced(key.start(2), key.end(2), str(edit.value))
        if not _differs_by(before, _loaded(new), edit.setting):
            raise Cannot(f"{edit.place}: {edit.value} is already set")
        return new
    return _without_lines(text, start, before, edit)


def _without_lines(text: Text, start: int, before: dict[str, Any], edit: Edit) -> str:
    """Remove the lines of a key. Its value ends where the rest of the file is what it was without it."""
    first = end = text.line_start(start)
    while not text.text[first:start].strip() and end < len(text.text):
        end = text.line_end(end)
        rest = text.replaced(first, end, "")
        after = _loaded(rest)
        if after is not None and after != before and _differs_by(before, after, edit.setting, removed=True):
            return rest
    raise Cannot(f"{edit.place}: remove {edit.setting} by hand, it shares its line")


def _loaded(text: str) -> dict[str, Any] | None:
    try:
        return tomli.loads(text)
    except (tomli.TOMLDecodeError, RecursionError):
        return None


def _differs_by(before: Any, after: Any, key: str, removed: bool = False) -> bool:
    """Whether two tables differ only in that `key`, of one of their tables, is missing or has another name."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return False
    differing = [name for name in before if name not in after or after[name] != before[name]]
    more = [name for name in after if name not in before]
    if differing == [key] and key not in after:
        return not more if removed else len(more) == 1 and after[more[0]] == before[key]
    if len(differing) == 1 and not more:
        return _differs_by(before[differing[0]], after[differing[0]], key, removed)
    return False
