"""What all run files together say: the plan, and its runs. A check without run files needs no more of this package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from vcompat.facts.facts import Facts, Place

if TYPE_CHECKING:
    from vcompat.facts.presumption import Presumption
    from vcompat.sources.reading.part import Configuration, Mention


class Run(NamedTuple):
    """One training command, or one script, with all that its files say about it."""

    name: str
    """The position of the command, or the path of the script; empty if there is nothing to tell apart."""
    command: str
    """The command, shortened; empty if it is not known."""
    facts: Facts
    takes_defaults: bool
    """True if every setting that is not set has its default."""
    overridable: Mapping[str, Place | None] = {}
    """Environment variables that are set only if the caller has not set them, by fact."""
    presumes: tuple[Presumption, ...] = ()
    """What the presuming reading presumed; empty in the certain reading."""
    presumes_of_variables: tuple[Presumption, ...] = ()
    """What it presumed of environment variables."""


class Plan(NamedTuple):
    """The contents of all run files together."""

    facts: Facts
    """What all runs share."""
    takes_defaults: bool
    """True if in every run, every setting that is not set has its default."""
    configurations: tuple[Configuration, ...]
    """The positions of the trainer's configurations."""
    files: tuple[str, ...]
    """The paths of the files that were read."""
    runs: tuple[Run, ...] = ()
    missing: tuple[Mention, ...] = ()
    """Files that a run file names and that were not found."""
    given_up: tuple[str, ...] = ()
    """What was not followed since it takes too many steps, with the place."""


#: The plan without run files.
NO_PLAN = Plan(Facts(), False, (), ())
