"""``vcompat patches``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from vcompat.cli.shared.options import color_option
from vcompat.cli.shared.terminal import columns, say
from vcompat.patches import load_patches
from vcompat.patching.patch import Patch


@click.command()
@click.option(
    "--against",
    multiple=True,
    metavar="RELEASE",
    help="A release such as vllm==0.25.1, or vllm for all releases that are recorded. May be repeated.",
)
@color_option
def command(against: Sequence[str]) -> int:
    """List the patches that `vcompat.patch()` can apply: id, the process in which each runs, and what it does.

    Each is one file of the package vcompat.patches, whose docstring states why, how, the upstream change, and when it
    can be removed. With --against, report what each would do to the source of a release: apply, nothing, or refuse
    because the code is not the code that it was written for. Nothing of the release is run.

    Exit code with --against: 0, or 1 if a patch would refuse.
    """
    patches = load_patches()
    if against:
        return _against(against, patches)
    longest = max(len(patch.id) for patch in patches)
    # As `vcompat rules`: a line per patch for a program, two for a person with a narrow terminal.
    between = "\n    " if sys.stdout.isatty() and columns() < longest + 100 else "  "
    for patch in patches:
        say(f"{patch.id:<{longest}}  {patch.process:<18}{between}{patch.title}")
    return 0


def _against(texts: Sequence[str], patches: Sequence[Patch]) -> int:
    # Imported here: a list of patches needs none of it.
    from vcompat.patching.guard import REFUSE
    from vcompat.report.rules import verification
    from vcompat.upstream import verify_claims
    from vcompat.upstream.against import outcomes, parse_target

    refused = False
    for package, version in [parse_target(text, patches) for text in texts]:
        if version is None:
            lines = list(verification.matrix(package, patches, verify_claims.recorded([package])))
        else:
            found = outcomes(package, version, patches)
            refused = refused or any(outcome.word == REFUSE for outcome in found)
            lines = list(verification.against(package, version, found))
        say("\n".join(lines))
    return 1 if refused else 0
