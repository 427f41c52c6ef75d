"""``vcompat patches``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from vcompat.cli.terminal import say
from vcompat.patches import load_patches
from vcompat.patching.patch import Patch

DESCRIPTION = """\
List the patches that `vcompat.patch()` can apply: name, where each must run, and what it does.

Each is one file of the package vcompat.patches, whose first lines say why, how, what became of it upstream, and when
it can go. With --against, say what each would do to the source of a release: apply, nothing, or refuse because the
code is not the one that it was written for. Nothing of the release is run.

Exit code with --against: 0, or 1 if a patch would refuse.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "--against",
        action="append",
        default=[],
        metavar="RELEASE",
        help="a release such as vllm==0.25.1, or vllm for all that are recorded (repeat for more)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Print a line for each patch, or for each release and patch."""
    patches = load_patches()
    if arguments.against:
        return _against(arguments.against, patches)
    width = max(len(patch.id) for patch in patches)
    for patch in patches:
        say(f"{patch.id:<{width}}  {patch.process:<18}  {patch.title}")
    return 0


def _against(texts: Sequence[str], patches: Sequence[Patch]) -> int:
    # Only here: a list of patches needs none of it.
    from vcompat.patching.guard import REFUSE
    from vcompat.report import verification
    from vcompat.upstream import verify
    from vcompat.upstream.against import outcomes, parse_target

    refused = False
    for package, version in [parse_target(text, patches) for text in texts]:
        if version is None:
            lines = list(verification.matrix(package, patches, verify.recorded([package])))
        else:
            found = outcomes(package, version, patches)
            refused = refused or any(outcome.word == REFUSE for outcome in found)
            lines = list(verification.against(package, version, found))
        say("\n".join(lines))
    return 1 if refused else 0
