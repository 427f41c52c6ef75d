"""The contents of one run file, and the files that it names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from vcompat.facts.facts import Facts, Place
from vcompat.facts.presumption import Presumption
from vcompat.sources.reading.word import Word


class Mention(NamedTuple):
    """A file that a run file names."""

    path: Word
    """The path as written in the run file."""
    kind: str
    """The required kind, one of those in ``plan.recognize``; empty to detect it."""
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
    why_open: str = ""
    """Why settings of the trainer that are not stated may have other values than their defaults."""
    mentions: tuple[Mention, ...] = ()
    configuration: Configuration | None = None
    overridable: Mapping[str, Place | None] = {}
    """Environment variables that the file sets only if the caller has not set them, by fact."""
    clears_variables: bool = False
    """Whether a script removes all environment variables, by which launchers pass on their settings."""
    trains: bool = True
    """Whether a script makes a configuration, a trainer or an engine."""
    files: tuple[str, ...] = ()
    """Configuration files that a script loads, which were read."""
    missing: tuple[Mention, ...] = ()
    """Those that were not found."""
    presumes: tuple[Presumption, ...] = ()
    """What the presuming reading presumed; empty in the certain reading."""
    presumes_of_variables: tuple[Presumption, ...] = ()
    """What it presumed of environment variables."""
    given_up: tuple[str, ...] = ()
    """What was not followed since it takes too many steps, with the place."""
    may_start: bool = False
    """Whether a script, or a module that it imports, may start another program."""
    generates_only: bool = False
    """Whether a script makes an engine, but no trainer and no configuration: it evaluates, or is a server."""
    may_train: bool = False
    """Whether a script that makes none of them may train in a way that is not followed."""
