"""The nearest name of a vocabulary to one that a user mistyped."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ``"'packages.vllm'"`` for ``packages.vlm``; an empty string where nothing is near."""
    # Imported here: difflib is only paid for by someone who mistyped.
    from difflib import get_close_matches

    near = get_close_matches(word, list(known), n=1)
    return f"'{near[0]}'" if near else ""
