"""``vcompat install``."""

from __future__ import annotations

from collections.abc import Sequence

import click

from vcompat.cli.shared.options import color_option
from vcompat.cli.shared.patch_options import chosen, patch_options
from vcompat.cli.shared.terminal import say
from vcompat.patching.installing import install


@click.command()
@patch_options
@click.option("--python", default="", metavar="PATH", type=click.Path(), help="Install for another interpreter.")
@color_option
def command(only: Sequence[str], skip: Sequence[str], python: str) -> int:
    """Apply the patches in each Python process of this environment, until `vcompat uninstall`.

    Writes one file to site-packages, vcompat_patches.pth. A process gets the patches when it imports a package that
    they change; other processes stay as they are. The file also works for a Python that is started with -I or -E, but
    not with -S. VCOMPAT_PATCH=none switches it off for a process, VCOMPAT_DISABLE switches off single patches. `vcompat
    check` states that the file is there.

    Exit code: 0, or 2 if the file cannot be written.
    """
    patches = chosen(only, skip) if only or skip else None
    say(f"Wrote {install(python, patches)}. To undo it: vcompat uninstall" + (f" --python {python}" if python else ""))
    return 0
