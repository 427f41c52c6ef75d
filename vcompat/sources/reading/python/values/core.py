"""What all parts of the abstract execution share: the state, the limits, the events, and the ways into each part."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from packaging.version import Version

from vcompat.facts.facts import Place
from vcompat.facts.presumption import Presumption
from vcompat.facts.use import Used
from vcompat.sources.reading.invocation import Environment
from vcompat.sources.reading.python.values.values import NONE, Frame, Held, Value
from vcompat.sources.reading.python.values.writes import Diff
from vcompat.sources.reading.word import Word

#: Limits: evaluated nodes, nested calls of the script's functions, passes of one loop.
MOST_STEPS, DEEPEST_CALL, MOST_PASSES = 60_000, 20, 64
#: Evaluated nodes from which on a call is one that is not followed, if all are used up.
SHARE_OF_CALL = 10_000
#: Why a script is given up.
TOO_COMPLEX = "the script is too complex to follow"
#: Limit of evaluated nodes in functions that a script does not call.
MOST_UNCALLED_STEPS = 8_000


class Jump(NamedTuple):
    """The end of a block that does not run to its last statement."""

    kind: str
    """``return``, ``break``, ``continue``, ``raise`` or ``exit``."""
    value: Value = NONE


Outcomes = dict[str, tuple[Value, Diff]]
"""How a block can end, by kind (``normal`` or the kind of a Jump), with the value and the writes until then."""

NORMAL = "normal"

Done = Jump | Outcomes | None
"""How a block ended: at its last statement, by a jump, or in one of several ways with the writes of each."""


class Stopped(Exception):
    """An expression ended the block: a called function always raises, or exits."""

    def __init__(self, jump: Jump) -> None:
        super().__init__(jump.kind)
        self.jump = jump


class TooComplexError(Exception):
    """The script takes more steps than the reader has."""


class Gpus(NamedTuple):
    """The GPUs that the run is checked for, as far as they are known."""

    number: int | None = None
    capability: Version | None = None
    """The compute capability that all of them have; None if they differ."""
    torch_sees_them: bool = False
    """Whether torch is known to be a build for them."""


class Start(NamedTuple):
    """How the script is started."""

    words: tuple[Word, ...] | None = None
    """Its arguments, ``sys.argv[1:]``; None: the caller's."""
    place: Place | None = None
    """The position of the command."""
    environment: Environment = Environment()
    folder: Word = ""
    files: Mapping[Word, str | None] = {}
    lines: Sequence[int] = ()
    """For the code of a notebook: the line of the file that holds each line of it."""
    settings: str = ""
    """A file of settings that is handed over with the script, whose command line is not known."""
    is_command: bool = False
    """Whether a subcommand of `trl` starts TRL's own script."""
    presuming: bool = False
    """Whether to read as a careful reader does: what cannot be followed changes nothing, the caller adds nothing."""
    starts_here: bool = False
    """Whether the run is known to start in the current folder, by a command."""
    required: frozenset[str] = frozenset()
    """In the presuming reading: environment variables that the caller sets, since the script stops without them."""
    by_end: Callable[[Word, str, Word, Place | None, int], str] | None = None
    """Returns the one file of the project whose path ends like a name: by the name, the file that names it, the folder,
    the place, and how many parts of the path must fit; None in the certain reading."""
    gpus: Gpus = Gpus()
    entry: str | None = None
    """The function of the script that `modal run` starts; empty for the only one; None if the script itself runs."""
    uses: dict[tuple[str, bytes], tuple[Used, ...]] | None = None
    """What the code of scripts uses, by path and source: the same in each reading of them."""
    heavy: set[tuple[str, int, str]] | None = None
    """The functions and, of line 0, the scripts that take too many steps, by file, line and name: what one run finds,
    the next ones use."""


class Site(NamedTuple):
    """A call with its evaluated arguments."""

    arguments: tuple[Held, ...]
    keywords: dict[str, Held]
    why_open: str
    """Why there may be other arguments; empty if there are not."""
    place: Place
    node: ast.AST
    frame: Frame
    parsed: bool = False
    """Whether a parser calls, with what its caller may have meant for other classes."""

    def argument(self, index: int, name: str) -> Value | None:
        """Return the argument at `index` or named `name`; None if it is not given."""
        held = self.held(index, name)
        return held.value if held else None

    def held(self, index: int, name: str) -> Held | None:
        """Return the argument at `index` or named `name`, with its place; None if it is not given."""
        if 0 <= index < len(self.arguments):
            return self.arguments[index]
        return self.keywords.get(name)

    @property
    def values(self) -> Iterable[Value]:
        """Return all arguments."""
        return [held.value for held in (*self.arguments, *self.keywords.values())]


class Event(NamedTuple):
    """Something that happened and has to do with the run: an object was made, `vcompat.patch()` was called."""

    kind: str
    """``configuration``, ``trainer``, ``engine``, ``adapter``, ``model``, ``patch``, ``import``, ``file``, or
    ``unsloth`` if that loads a model."""
    name: str
    settings: Mapping[str, Held]
    place: Place
    uncertain: str
    """Why it may not happen; empty if it does."""
    subject: Value | None = None
    """The object that was made."""
    why_open: str = ""
    """Why there may be other settings."""


class Presumed(NamedTuple):
    """Something that was presumed, and what it is about."""

    presumption: Presumption
    births: frozenset[int] = frozenset()
    """The objects that it is about, by their `birth`; empty if it is about the whole run."""

    # The other parts
