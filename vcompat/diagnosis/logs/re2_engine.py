"""RE2, which matches in linear time whatever the log contains; imported only when a log is read."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from vcompat.foundation.errors import InputError

#: Bytes for one automaton. Beyond that, RE2 is slower and still right.
_MEMORY = 32 << 20


@lru_cache(maxsize=2048)
def compiled(pattern: str) -> Any:
    """Return `pattern` compiled for texts. Raises InputError if RE2 does not take it."""
    return _compile(pattern, None)


@lru_cache(maxsize=16)
def compiled_bytes(pattern: str) -> Any:
    """Return `pattern` compiled for bytes, which it takes as Latin-1. Raises InputError if RE2 does not take it."""
    return _compile(pattern.encode("latin-1"), "LATIN1")


def escape(text: str) -> str:
    """Return the pattern that matches `text`."""
    return str(_module().escape(text))


def _compile(pattern: str | bytes, encoding: str | None) -> Any:
    re2 = _module()
    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    if encoding:
        options.encoding = getattr(re2.Options.Encoding, encoding)
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        raise InputError(f"pattern {pattern!r}", str(error), "a regular expression that RE2 takes") from None


def _module() -> Any:
    try:
        import re2  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        raise InputError("vcompat", "google-re2 is not installed", "pip install google-re2") from None
    return re2
