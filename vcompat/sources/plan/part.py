"""What one file of a plan says, and where else it leads; and what all of them say together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from vcompat.facts.facts import Facts, Place


class Mention(NamedTuple):
    """Another file that a file names."""

    path: str
    """As it is written there."""
    kind: str
    """What it must be, one of the kinds of ``plan.files``; empty where its contents tell."""
    place: Place


class CommandLine(NamedTuple):
    """How a script is started: the options behind its name."""

    script: str
    """As it is written; empty for `trl grpo` and its like, which bring their own script."""
    options: Mapping[str, str | bool]
    """Values by name, with ``_`` for ``-``; True for an option without a value."""
    place: Place


class Configuration(NamedTuple):
    """The place where the trainer's settings are made, so that another can be added there."""

    kind: str
    """``python``, ``yaml`` or ``toml``."""
    place: Place
    name: str
    """What is called, such as GRPOConfig; empty for a configuration file."""


class Part(NamedTuple):
    """What one file says."""

    facts: Facts
    takes_defaults: bool = False
    """Whether all settings of the trainer are here, so that the others have their defaults."""
    reads_command_line: bool = False
    """Whether a script takes the trainer's settings from its command line or a file that it names there."""
    mentions: tuple[Mention, ...] = ()
    command_line: CommandLine | None = None
    configuration: Configuration | None = None
    overridable: frozenset[str] = frozenset()
    """Variables that this file sets only where nothing set them before."""


class Plan(NamedTuple):
    """What the files say of the run."""

    facts: Facts
    takes_defaults: bool
    """Whether every setting that nobody stated has its default."""
    configurations: tuple[Configuration, ...]
    """Where the trainer's settings are made."""
    files: tuple[str, ...]
    """What was read."""


#: Where no files are named.
NO_PLAN = Plan(Facts(), False, (), ())
