"""What vcompat uses of google-re2, which has no build for WebAssembly: texts over `re`, bytes over the page's `RegExp`.

Neither is linear in time. The page ends what takes too long.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from vcompat_page import positions  # the page's script registers it
from vcompat_patterns import NotTranslated, for_javascript, for_re

error = re.error
escape = re.escape


class Options:
    """The options that vcompat sets. None of them changes what is matched."""

    class Encoding(Enum):
        """The encoding of patterns and texts."""

        UTF8 = 1
        LATIN1 = 2

    def __init__(self) -> None:
        self.max_mem = 8 << 20
        self.log_errors = True
        self.encoding = Options.Encoding.UTF8


class _Found(NamedTuple):
    """A match in bytes, of which vcompat asks where it starts."""

    position: int

    def start(self) -> int:
        return self.position


class _OfBytes:
    """A pattern over bytes. There is one: what begins an excerpt of a log, with hundreds of alternatives.

    `re` tries each of them at each byte, and takes ten times as long as the page's `RegExp`, which compiles.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern

    def finditer(self, data: bytes) -> Iterator[_Found]:
        return map(_Found, positions(self.pattern, data.decode("latin-1")).to_py())


def compile(pattern: str | bytes, options: Options | None = None) -> re.Pattern[str] | re.Pattern[bytes] | _OfBytes:
    """Return `pattern` compiled. Raises `error` if it is not a regular expression."""
    if isinstance(pattern, bytes):
        try:
            return _OfBytes(for_javascript(pattern.decode("latin-1")))
        except NotTranslated:
            return re.compile(pattern)
    # RE2's classes, such as \w, have ASCII characters only.
    return re.compile(for_re(pattern), re.ASCII)
