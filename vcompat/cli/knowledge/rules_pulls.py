"""``vcompat rules pulls``."""

from __future__ import annotations

from pathlib import Path

import click

from vcompat.cli.shared.options import color_option
from vcompat.cli.shared.progress import progress
from vcompat.cli.shared.terminal import say
from vcompat.foundation.errors import InputError
from vcompat.foundation.repositories import REPOSITORIES
from vcompat.foundation.suggest import did_you_mean
from vcompat.index.store import open_index
from vcompat.upstream.pulls.clone import Clone
from vcompat.upstream.pulls.pull_records import Surveyed, is_recorded, survey, write


@click.command()
@click.argument("package")
@click.argument("clone", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--update", is_flag=True, help="Write the record in evidence/pulls.")
@color_option
def command(package: str, clone: Path, update: bool) -> int:
    """Find the pull requests that changed functions of PACKAGE in each release.

    CLONE is a full clone of the repository of PACKAGE, with its tags. It is read with git, without the network. A
    change is recorded if each commit that changed the function between two releases merges a pull request.

    Exit code: 0 if the record has what the clone states or was written, 1 if it differs, 2 if the clone cannot be
    read.
    """
    index = open_index(package)
    if index is None or package not in REPOSITORIES:
        near = did_you_mean(package, REPOSITORIES) or ", ".join(REPOSITORIES)
        raise InputError(package, "not a package whose repository and names are recorded", near)
    with progress(len(index.releases) - 1) as each:
        surveyed = survey(index, Clone(clone), each)
    if not surveyed.found:
        raise InputError(str(clone), f"states no pull request of a release of {package}", f"a clone of {package}")
    say(_total(package, surveyed))
    if update:
        path = write(package, surveyed.pulls)
        say(f"Wrote {path}." if path else "The record is up to date.")
        return 0
    if is_recorded(package, surveyed.pulls):
        return 0
    say(f"{package}: the record of pull requests differs; `--update` writes it")
    return 1


def _total(package: str, found: Surveyed) -> str:
    text = f"{package}: the pull requests of {found.found} of {found.every} changes of functions are known"
    untagged = ", ".join(map(str, found.untagged))
    return f"{text}; the clone has no tag of {untagged}" if untagged else text
