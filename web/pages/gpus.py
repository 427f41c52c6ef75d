"""The page of the GPUs that ``--target`` knows. `matrix` has a page for each compute capability."""

from __future__ import annotations

from collections.abc import Iterator

from web.page import Page
from web.pages.generations import GENERATIONS


def pages() -> Iterator[Page]:
    """Yield the page."""
    yield Page(
        "gpus",
        "releases/gpus.html",
        "GPUs and their compute capabilities",
        "The NVIDIA GPUs that vcompat knows by name, with memory and compute capability, and the releases that work.",
        {"generations": GENERATIONS},
    )
