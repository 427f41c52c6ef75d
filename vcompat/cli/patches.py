"""``vcompat patches``."""

from __future__ import annotations

import argparse

from vcompat.cli.terminal import say
from vcompat.patches import load_patches

DESCRIPTION = """\
List the patches that `vcompat.patch()` can apply: name, where each must run, and what it does.

Each is one file of the package vcompat.patches, whose first lines say why, how, what became of it upstream, and when
it can go.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command takes nothing."""


def run(arguments: argparse.Namespace) -> int:
    """Print a line for each patch."""
    patches = load_patches()
    width = max(len(patch.id) for patch in patches)
    for patch in patches:
        say(f"{patch.id:<{width}}  {patch.process:<18}  {patch.title}")
    return 0
