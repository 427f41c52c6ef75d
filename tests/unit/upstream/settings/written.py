"""Releases that a test writes by hand, inspected for their settings."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from vcompat.upstream.settings.release_settings import settings_of
from vcompat.upstream.settings.side_effects import Foreign

NOTHING = Foreign({}, {})
HEADER = """
from __future__ import annotations
import os, warnings
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar, Literal, Optional, Union
"""


def inspected(package: str, files: Mapping[str, str], foreign: Foreign = NOTHING) -> dict[str, Any]:
    """Return what is recorded of a release with these files."""
    texts = {path: textwrap.dedent(text) for path, text in files.items()}
    return settings_of(package, texts.get, frozenset(texts), foreign)


def config(body: str, foreign: Foreign = NOTHING, base: str = "", before: str = "") -> Any:
    """Return what is recorded of TRL's class ``AConfig`` with this body."""
    head = f"{HEADER}\n{textwrap.dedent(before)}\n@dataclass\nclass AConfig{f'({base})' if base else ''}:\n"
    text = head + textwrap.indent(textwrap.dedent(body), "    ")
    return inspected("trl", {"trl/__init__.py": "", "trl/a_config.py": text}, foreign)["AConfig"]


def checks(body: str, foreign: Foreign = NOTHING) -> list[str]:
    """Return the checks of a class with fields ``a``, ``b``, ``c`` and ``name``, whose ``__post_init__`` has this body."""
    fields = "a: int = 1\nb: int = 2\nc: Optional[int] = None\nname: str = 'x'\n"
    method = "def __post_init__(self):\n" + textwrap.indent(textwrap.dedent(body), "    ")
    found: list[str] = config(fields + method, foreign)["checks"]
    return found
