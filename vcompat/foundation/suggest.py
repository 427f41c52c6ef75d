"""Suggest the known name that is nearest to a mistyped one."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the nearest name in quotes, such as ``'packages.vllm'`` for ``packages.vlm``; empty if none is near."""
    found = near(word, known)
    return f"'{found}'" if found else ""


def near(word: str, known: Iterable[str]) -> str:
    """Return the nearest name; empty if none is near."""
    # Imported here: only a mistyped name needs difflib.
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, list(known), n=1)), "")
