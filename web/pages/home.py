"""The first page."""

from __future__ import annotations

from collections.abc import Iterator

from web.page import Page


def pages() -> Iterator[Page]:
    """Yield the first page."""
    yield Page(
        "index",
        "home.html",
        "What will go wrong in a GRPO run with TRL and vLLM",
        "Known failures of GRPO training with TRL and vLLM in the same processes: their errors, the affected releases "
        "and the fixes.",
    )
