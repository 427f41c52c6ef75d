"""The contents of one run file, the files that it names, and the plan of all run files together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from vcompat.facts.facts import Facts, Place


class Mention(NamedTuple):
    """A file that a run file names."""

    path: str
    """The path as written in the run file."""
    kind: str
    """The required kind, one of those in ``plan.recognize``; empty to detect it."""
    place: Place


class CommandLine(NamedTuple):
    """The command line that starts a script."""

    script: str
    """The script as written; empty for subcommands such as `trl grpo`, which have their own script."""
    options: Mapping[str, str | bool]
    """The script's options by name, with ``_`` for ``-``; True for an option without a value."""
    place: Place


class Configuration(NamedTuple):
    """The position of the trainer's configuration, where settings can be added."""

    kind: str
    """``python``, ``yaml`` or ``toml``."""
    place: Place
    name: str
    """The name of the called class, such as GRPOConfig; empty for a configuration file."""


class Part(NamedTuple):
    """The contents of one run file."""

    facts: Facts
    takes_defaults: bool = False
    """True if the file sets all settings of the trainer, so that other settings have their defaults."""
    reads_command_line: bool = False
    """True if the script reads the trainer's settings from its command line or a file that is named there."""
    mentions: tuple[Mention, ...] = ()
    command_line: CommandLine | None = None
    configuration: Configuration | None = None
    overridable: frozenset[str] = frozenset()
    """Environment variables that the file sets only if they are not set yet."""


class Plan(NamedTuple):
    """The contents of all run files together."""

    facts: Facts
    takes_defaults: bool
    """True if every setting that is not set has its default."""
    configurations: tuple[Configuration, ...]
    """The positions of the trainer's configurations."""
    files: tuple[str, ...]
    """The paths of the files that were read."""


#: The plan without run files.
NO_PLAN = Plan(Facts(), False, (), ())
