"""What run files give to configuration classes: the settings of each constructor call and of each parsed command line.

Facts hold the settings that rules are about. This holds all of them, by class, so that they can be compared with what a
release has.
"""

from __future__ import annotations

from typing import NamedTuple

from vcompat.facts.place import Place
from vcompat.facts.presumption import Presumption

#: How a setting is given: as a keyword of the constructor, on the command line, in a file of settings.
KEYWORD, OPTION, FILE = "keyword", "option", "file"
#: Why a setting does not fit a release: the class has no such setting, which is given as a keyword or an option, or in
#: TRL's file of settings, or to a subcommand of `trl`, or which the class ignores; the constructor refuses its value;
#: its value has a wrong type.
UNFIT = ("unknown", "unknown in file", "unknown in command", "ignored", "refused", "wrong type")


class Computed:
    """The value of a setting that is known at run time only."""

    def __repr__(self) -> str:
        return "COMPUTED"


COMPUTED = Computed()


class Setting(NamedTuple):
    """One setting as it is given."""

    name: str
    value: object
    """The plain value, or COMPUTED."""
    place: Place | None
    way: str
    """KEYWORD, OPTION or FILE."""


class Stated(NamedTuple):
    """What one constructor gets, or one parser that fills several classes."""

    classes: tuple[str, ...]
    """Dotted names of library classes, such as ``trl.GRPOConfig``."""
    settings: tuple[Setting, ...]
    place: Place | None
    own: frozenset[str] = frozenset()
    """Other names that are accepted: the fields of the script's own classes."""
    is_complete: bool = True
    """False if there may be other settings than these."""
    has_others: bool = False
    """Whether other classes may take settings, too, since the script is not known."""
    is_command: bool = False
    """Whether a subcommand of `trl` gets the settings, which hands others over to accelerate."""
    abbreviates: bool = False
    """Whether options can be shortened to a prefix that only one option has."""
    is_section: bool = False
    """Whether these are keys below one that the class reads, without a class of their own."""
    presumes: tuple[Presumption, ...] = ()
    """What was presumed for it; empty if it is certain."""
