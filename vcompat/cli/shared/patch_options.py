"""The options that select patches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from vcompat.foundation.errors import InputError
from vcompat.foundation.suggest import did_you_mean
from vcompat.patches import patch_ids

F = TypeVar("F", bound=Callable[..., Any])


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [patch for patch in patch_ids() if patch.startswith(incomplete)]


def patch_options(command: F) -> F:
    """Add ``--only`` and ``--skip``."""
    for option, text in (("--skip", "Do not apply this patch."), ("--only", "Apply this patch and no other.")):
        command = click.option(
            option, multiple=True, metavar="PATCH", shell_complete=_complete, help=f"{text} May be repeated."
        )(command)
    return command


def chosen(only: Sequence[str], skip: Sequence[str]) -> list[str]:
    """Return the patches that the options select. Raises InputError for one that does not exist."""
    known = patch_ids()
    for option, names in (("--only", only), ("--skip", skip)):
        for name in names:
            if name not in known:
                near = did_you_mean(name, known) or "an id that `vcompat patches` lists"
                raise InputError(f"{option} {name}", "there is no such patch", near)
    return [patch for patch in (only or known) if patch not in skip]
