"""Changes TOML files with tomlkit, which keeps comments and layout."""

from __future__ import annotations

from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from vcompat.fixes.editing.change import Cannot, Edit


def change(data: bytes, edit: Edit) -> bytes:
    """Return the file with the change. Raises Cannot if the setting has moved or the new value is an expression."""
    if edit.is_expression:
        raise Cannot(f"{edit.place}: {edit.setting} requires a Python expression, {edit.value}")
    try:
        document: Any = tomlkit.parse(data.decode("utf-8"))
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise Cannot(f"{edit.place}: tomlkit cannot parse this file: {error}") from None
    table = document if edit.adds or edit.setting in document else document.get("env", {})
    if edit.adds == (edit.setting in table):
        raise Cannot(f"{edit.place}: {edit.setting} {'is already set' if edit.adds else 'was not found'}")
    table[edit.setting] = edit.value
    return tomlkit.dumps(document).encode()
