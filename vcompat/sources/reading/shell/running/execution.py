"""What the parts of the shell reader share: the programs that were started, limits, and the frames of execution."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from vcompat.facts.facts import Place
from vcompat.facts.presumption import FILE, Presumption
from vcompat.sources.reading.invocation import COMMAND, Environment, Invocation
from vcompat.sources.reading.part import Mention
from vcompat.sources.reading.project import ProjectFiles
from vcompat.sources.reading.shell.tree.nodes import Located, Statement
from vcompat.sources.reading.shell.tree.spelling import is_of_the_caller
from vcompat.sources.reading.shell.words.shell_values import public
from vcompat.sources.reading.shell.words.state import State, merged
from vcompat.sources.reading.word import UNKNOWN, Gap, Word, base_name, has, normal_path, path_in, readable

#: Maximum number of commands that are followed, of programs that are recorded, and of texts and characters parsed.
MOST_STEPS, MOST_INVOCATIONS, MOST_TEXTS, MOST_CHARACTERS = 20_000, 3_000, 200, 400_000
#: Maximum number of reasons why one program may not be started.
_MOST_REASONS = 4
#: Maximum nesting of functions, sourced files and `bash -c`.
DEEPEST = 16
#: Programs that do not train and whose effect on files is not followed.
_INCIDENTAL = frozenset(
    "cat cp date dirname basename chmod curl df du env find free git grep head hostname id kill ln ls lscpu mkdir mv "
    "nproc nvidia-smi pip pip3 pkill ps pwd realpath rm sed sleep sort sync tail tee touch tput tr uname wc wget which "
    "whoami".split()
)


class TooMuch(Exception):
    """The script is too long to be followed to its end."""


class Left(Exception):
    """An expansion ended the script, such as ``${X:?}``."""


class Found(NamedTuple):
    """A file that is read while the script is followed."""

    path: str
    text: Word


class Frame:
    """A shell, function, sourced file or loop that is being run, and the states in which it is left early."""

    def __init__(self, kind: str, conditions: int, is_last: bool) -> None:
        self.kind = kind
        """``shell``, ``function``, ``source`` or ``loop``."""
        self.is_last = is_last
        """Whether nothing runs after it."""
        self.left: list[State] = []
        """The states at `exit`, `return` or `break`."""
        self.continued: list[State] = []
        self.conditions = conditions
        """The number of reasons for which it may not run at all."""
        self.reason = ""
        """Why later commands may not run."""


class Machine:
    """The bookkeeping of one run. `statements.Interpreter` adds the execution."""

    def __init__(
        self, path: str, line: int, *, reads: Callable[[str], str | None] | None, follows_jobs: bool = True
    ) -> None:
        self.path = path
        self.line = line - 1
        """The number of lines before the text that is being run."""
        self.reads = reads
        """Returns the text of a file; None if it does not exist or cannot be read."""
        self.follows_jobs = follows_jobs
        """Whether the scripts of jobs that are submitted to a batch system are followed."""
        self.job: Mapping[str, Word] | None = None
        """The options of the submitted job that is being followed, by long name."""
        self._project = ProjectFiles()
        self.found: dict[str, None] = {}
        """The paths of the files that were read."""
        self.invocations: list[Invocation] = []
        self.missing: list[Mention] = []
        self.why_incomplete = ""
        self.frames: list[Frame] = []
        self.reasons: list[str] = []
        self.spelled: Mapping[Word, Word] = {}
        """How the words of the present command are spelled of which a part is not known."""
        self.prefix: tuple[Word, ...] = ()
        """The words of a launcher around `bash -c`, such as `srun`."""
        self.background = False
        self.has_own_input = False
        """Whether the standard input of the present command is its own, of which no other command reads a part."""
        self.muted = 0
        self.in_condition = 0
        self.before_or = 0
        """Above 0 in the left part of `||`."""
        self.substituted: tuple[int | None, int] = (0, 0)
        """Status and success of the last command substitution."""
        self.steps = self.texts = self.characters = self.nested = self.depth = 0

    def place(self, node: Located) -> Place:
        """Return the position of a node."""
        if self.path == COMMAND:
            return Place(COMMAND)
        return Place(self.path, self.line + node.line, 1)

    def tick(self) -> None:
        """Count a command. Raises TooMuch at the limit."""
        self.steps += 1
        if self.steps > MOST_STEPS or len(self.invocations) > MOST_INVOCATIONS:
            raise TooMuch

    def invoke(self, words: Sequence[Word], state: State, place: Place, environment: Environment) -> None:
        """Record a program that is started."""
        if self.muted:
            return
        reasons = [*self.reasons, *(frame.reason for frame in self.frames)]
        why = "; ".join(list(dict.fromkeys(filter(None, reasons)))[:_MOST_REASONS])
        self.invocations.append(
            Invocation(
                tuple(map(public, (*self.prefix, *words))),
                place,
                environment,
                public(state.folder),
                why,
                self.background,
                _files(words, state),
                self.job,
            )
        )

    def mention(self, path: Word, kind: str, place: Place) -> None:
        """Record a file that was not found, as it is spelled."""
        mention = Mention(self.spelling(path), kind, place)
        if not self.muted and mention not in self.missing:
            self.missing.append(mention)

    def spelling(self, word: Word) -> str:
        """Return a word of the present command as it is spelled, if what it stands for is not known."""
        return readable(self.spelled.get(word, word))

    @contextmanager
    def uncertain(self, reason: str) -> Iterator[None]:
        """Mark the programs that are started inside as perhaps not started."""
        self.reasons.append(reason)
        try:
            yield
        finally:
            self.reasons.pop()

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """Record no programs."""
        self.muted += 1
        try:
            yield
        finally:
            self.muted -= 1

    @contextmanager
    def condition(self) -> Iterator[None]:
        """Run a condition, whose failure does not end the script under `set -e`."""
        self.in_condition += 1
        try:
            yield
        finally:
            self.in_condition -= 1

    # What `statements` adds.

    def run_text(self, text: Word, path: str, line: int, state: State) -> State | None:
        """Run shell text that starts at `line` of `path`."""
        raise NotImplementedError

    def block(self, statements: Sequence[Statement], state: State) -> State | None:
        """Run statements one after another."""
        raise NotImplementedError

    def branch(self, run: Callable[[State], State | None], state: State, reason: str) -> State | None:
        """Run something on a copy that may not run."""
        raise NotImplementedError

    def isolated(self, state: State, run: Callable[[State], State | None], keep_output: bool = True) -> State | None:
        """Run something in a subshell. Files that it writes, its output and its status remain."""
        raise NotImplementedError

    def call(self, name: Word, words: Sequence[Word], state: State, place: Place) -> State | None:
        """Run the function `name` with the arguments `words`."""
        raise NotImplementedError

    def substitute(self, statements: Sequence[Statement], state: State) -> Word:
        """Return the output of ``$(...)``."""
        raise NotImplementedError

    def run_inside(self, statements: Sequence[Statement], state: State) -> None:
        """Run the commands of ``<(...)``."""
        raise NotImplementedError

    # Frames.

    def is_last(self) -> bool:
        """Return whether nothing runs after the present command: it is the user's, which is one simple command."""
        # A text of `eval` may have several.
        return self.path == COMMAND and len(self.frames) == self.texts == 1

    def framed(self, kind: str, run: Callable[[], State | None], is_last: bool = False) -> State | None:
        """Run something that can be left early. Returns a state for every way in which it ends.

        After the outermost shell nothing runs, nor after one that `is_last`.
        """
        frame = Frame(kind, len(self.reasons), is_last or not self.frames)
        self.frames.append(frame)
        try:
            state = run()
        except Left:
            state = None
        finally:
            self.frames.pop()
        return merged([state, *frame.left])

    def leave(self, state: State) -> None:
        """Record that the script ends with an error."""
        state.status = 1
        self.escape(state)
        raise Left

    def escape(self, state: State, kinds: Sequence[str] = ()) -> None:
        """Leave the innermost frame of one of `kinds`, or the shell."""
        for frame in reversed(self.frames):
            if frame.kind in kinds or frame.kind == "shell":
                frame.left.append(state)
                # After the last shell nothing goes on that could differ.
                if not frame.is_last and len(self.reasons) > frame.conditions:
                    frame.reason = frame.reason or self.reasons[-1]
                return

    def may_end(self, before: int, place: Place) -> None:
        """Record that a branch ended the frame after it started programs other than incidental ones."""
        started = (invocation.words[0] for invocation in self.invocations[before:] if invocation.words)
        if any(base_name(name) not in _INCIDENTAL for name in started):
            frame = next((frame for frame in reversed(self.frames) if frame.kind != "loop"), None)
            if frame is not None:
                frame.reason = frame.reason or f"{place} may end the script before"

    # Files.

    def find(self, name: Word, state: State, beside: bool = True) -> Found | None:
        """Return the file `name`: one that the script has written, or one in its folder or beside the script."""
        if not isinstance(name, str):
            return None
        key = key_of(name, state)
        if key in state.files:
            text = state.files[key]
            return Found(name, text) if isinstance(text, str) else None
        if self.reads is None:
            return None
        folders = [state.folder] if isinstance(state.folder, str) else []
        if beside:
            folders.append(os.path.dirname(self.path))
        for folder in folders:
            path = os.path.normpath(os.path.join(folder, name))
            text = self.reads(path)
            if text is not None:
                self.found[path] = None
                return Found(path, text)
        return None

    def presumed_file(self, name: Word, state: State, place: Place) -> Found | None:
        """Return the only file of the project whose path ends like `name`; None in the certain reading."""
        if self.reads is None or state.presumed is None or is_of_the_caller(self.spelling(name)):
            return None
        path = self._project.by_end(public(name), self.path, public(state.folder))
        text = self.reads(path) if path else None
        if text is None:
            return None
        self.found[path] = None
        state.presumed.append(Presumption(FILE, f"{self.spelling(name)} is the file at {path}", place))
        return Found(path, text)


def known_files(state: State) -> dict[Word, str | None]:
    """Return the texts of the written files; None for a text that is known in part."""
    named = ((name, text) for name, text in state.files.items() if not has(name, Gap.ONE))
    return {name: text if isinstance(text, str) else None for name, text in named}


def _files(words: Sequence[Word], state: State) -> dict[Word, str | None]:
    """Return the texts of the written files, and as ``-`` that of standard input for a program that may read it."""
    files = known_files(state)
    if state.stdin is not None and (len(words) == 1 or "-" in words):
        files["-"] = state.stdin if isinstance(state.stdin, str) else None
    return files


def key_of(name: Word, state: State) -> Word:
    """Return the key of a file in `State.files`: its path from the folder in which the script was started."""
    if has(state.folder, Gap.PART) or not state.folder:
        return normal_path(name) if name else name
    return normal_path(path_in(state.folder, name))


def into(folder: Word, target: Word) -> Word:
    """Return the folder after a change to `target`; UNKNOWN if it is not known."""
    known = isinstance(target, str) and (isinstance(folder, str) or target.startswith("/"))
    return normal_path(path_in(folder, target)) if known else UNKNOWN
