"""Changes of TOML files, with tomlkit, which keeps everything else as it is."""

from __future__ import annotations

from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from vcompat.fixes.editing.change import Cannot, Edit


def change(data: bytes, edit: Edit) -> bytes:
    """The file with the change. Raises Cannot where the setting is no longer there, or wants an expression."""
    if edit.is_expression:
        raise Cannot(f"{edit.place}: {edit.setting} wants an expression, {edit.value}")
    try:
        document: Any = tomlkit.parse(data.decode("utf-8"))
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise Cannot(f"{edit.place}: tomlkit does not read this file: {error}") from None
    table = document if edit.adds or edit.setting in document else document.get("env", {})
    if edit.adds == (edit.setting in table):
        raise Cannot(f"{edit.place}: {edit.setting} is {'there already' if edit.adds else 'not there any more'}")
    table[edit.setting] = edit.value
    return tomlkit.dumps(document).encode()
