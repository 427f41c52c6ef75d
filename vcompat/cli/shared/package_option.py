"""The option ``--package`` of commands that look at upstream's releases."""

from __future__ import annotations

from collections.abc import Sequence

import click

from vcompat.foundation.errors import InputError
from vcompat.foundation.suggest import did_you_mean

package_option = click.option(
    "--package",
    "only",
    multiple=True,
    metavar="NAME",
    help="Look only at releases of this package, such as vllm. May be repeated.",
)


def among(packages: Sequence[str], only: Sequence[str]) -> list[str]:
    """Return the packages that the option names, all if it names none. Raises InputError for one not in `packages`."""
    for name in only:
        if name not in packages:
            near = did_you_mean(name, packages) or ", ".join(packages)
            raise InputError(f"--package {name}", "nothing is measured in this package", near)
    return list(only or packages)
