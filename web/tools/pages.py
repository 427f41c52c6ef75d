"""The pages of the tools, and the files that they load."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from vcompat.facts.records.known_releases import recorded_releases
from vcompat.sources.targets.target import known_gpus
from web.page import Page
from web.tools.bundle import bundle
from web.tools.bundle import write as write_bundle
from web.tools.npm_packages import missing

#: The packages whose releases one chooses.
_PACKAGES = ("trl", "vllm", "torch", "transformers")


def pages() -> Iterator[Page]:
    """Yield the pages of the tools; none, with a line on standard error, if what they need is missing."""
    if missing():
        print(f"The site has no tools. {missing()}.", file=sys.stderr)
        return
    megabytes = f"{bundle().megabytes:.0f}"
    yield Page(
        "diagnose",
        "diagnose.html",
        "Diagnose a failed run",
        "Paste or drop the log of a failed GRPO run with TRL and vLLM: its cause and the fix, found in your browser.",
        {
            "tool": {
                "command": "diagnose",
                "lead": "Paste or drop the log of a failed GRPO run: you get its cause and the fix.",
                "action": "Diagnose",
                "nothing": "No log; expected a text in the field above, or files.",
                "reading": "Reading the log …",
                "megabytes": megabytes,
            }
        },
        {"@type": "WebApplication"},
    )
    yield Page(
        "check",
        "check.html",
        "Check a run before the launch",
        "Paste or drop the scripts and configurations of a GRPO run with TRL and vLLM: what will go wrong on your GPUs "
        "and what to change.",
        {
            "tool": {
                "command": "check",
                "lead": "Paste or drop what starts your GRPO run: you get what will go wrong on your GPUs, and fixes.",
                "action": "Check",
                "nothing": "No run; expected a text in the field above, or files.",
                "reading": "Reading the files …",
                "megabytes": megabytes,
                "gpus": known_gpus(),
                "releases": [(package, _newest_first(package)) for package in _PACKAGES],
            }
        },
        {"@type": "WebApplication"},
    )


def _newest_first(package: str) -> list[str]:
    return [str(release) for release in reversed(recorded_releases(package))]


def write(site: Path, made: Sequence[Page]) -> None:
    """Write what the tools load, if the site has them."""
    if any(page.name == "diagnose" for page in made):
        write_bundle(site)
