"""``vcompat patches``."""

from __future__ import annotations

import click

from vcompat.patches import load_patches


@click.command()
def command() -> int:
    """List the patches that `vcompat.patch()` can apply: name, where each must run, and what it does."""
    patches = load_patches()
    width = max(len(patch.id) for patch in patches)
    for patch in patches:
        click.echo(f"{patch.id:<{width}}  {patch.process:<18}  {patch.title}")
    return 0
