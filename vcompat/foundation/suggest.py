"""Suggest the known name that is nearest to a mistyped one."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the nearest name in quotes, such as ``'packages.vllm'`` for ``packages.vlm``; empty if none is near."""
    # Imported here: only a mistyped name needs difflib.
    from difflib import get_close_matches

    near = get_close_matches(word, list(known), n=1)
    return f"'{near[0]}'" if near else ""
