"""The state of a shell: variables, positional parameters, functions, folder, options and written files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import NamedTuple, TypeVar

from vcompat.facts.facts import Place
from vcompat.facts.presumption import CALLER, Presumption
from vcompat.sources.reading.invocation import Environment, Others
from vcompat.sources.reading.shell.tree.nodes import Statement
from vcompat.sources.reading.shell.words.shell_values import Value, joined, joined_text, public
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS, PartlyKnown, Word

_T = TypeVar("_T", "Word | None", "Function | None")

#: Variables that bash itself sets or computes; their values are not known.
_OF_THE_SHELL = frozenset(
    "BASH BASHOPTS BASHPID BASH_ALIASES BASH_ARGC BASH_ARGV BASH_CMDS BASH_COMMAND BASH_LINENO BASH_REMATCH "
    "BASH_SOURCE BASH_SUBSHELL BASH_VERSINFO BASH_VERSION COLUMNS DIRSTACK EPOCHREALTIME EPOCHSECONDS EUID FUNCNAME "
    "GROUPS HOSTNAME HOSTTYPE LINENO LINES MACHTYPE OLDPWD OPTARG OPTERR OPTIND OSTYPE PATH PIPESTATUS PPID PWD RANDOM "
    "REPLY SECONDS SHELL SHELLOPTS SHLVL SRANDOM TERM UID _ HOME".split()
)


#: How likely a command succeeds. EXPECTED: a run without its success makes no sense (`cd`, `mkdir`). LIKELY: what
#: follows after `&&` is meant to run, but may not (`python prepare.py`).
NO_MATTER, LIKELY, EXPECTED = 0, 1, 2


class Variable(NamedTuple):
    """A shell variable."""

    value: Value
    exported: bool | None = False
    """None: perhaps."""
    place: Place | None = None
    special: bool = False
    """True if an assignment does not simply replace the value: read-only and integer variables, references."""


class Function(NamedTuple):
    """A shell function."""

    body: Statement
    path: str
    line: int
    """The number of lines before the text that contains it."""


@dataclass(slots=True)
class State:
    """The state of a shell at one point of its execution."""

    variables: dict[str, Variable] = field(default_factory=dict)
    others: Others = Others.INHERITED
    why_open: str = ""
    positional: tuple[Word, ...] | None = None
    script: Word = UNKNOWN
    """The path of the script, ``$0``."""
    source: Word = UNKNOWN
    """The path of the file that contains the current command."""
    folder: Word = ""
    previous_folder: Word = UNKNOWN
    files: dict[Word, Word | None] = field(default_factory=dict)
    functions: dict[Word, Function | None] = field(default_factory=dict)
    """None: not known which of several."""
    functions_open: bool = False
    """True if functions may exist that are not listed."""
    status: int | None = 0
    success: int = NO_MATTER
    """Whether the last command is expected to succeed: NO_MATTER, LIKELY or EXPECTED."""
    output: Word = ""
    stdin: Word | None = None
    errexit: bool | None = False
    allexport: bool | None = False
    pipefail: bool | None = False
    noglob: bool | None = False
    scopes: tuple[dict[str, Variable | None], ...] = ()
    """For each function that is being run: the variables that `local` hides."""
    presumed: list[Presumption] | None = None
    """What the presuming reading has presumed so far; None in the certain reading."""

    def copy(self) -> State:
        """Return an independent copy."""
        return replace(
            self,
            variables=dict(self.variables),
            files=dict(self.files),
            functions=dict(self.functions),
            scopes=tuple(dict(scope) for scope in self.scopes),
        )

    def become(self, other: State) -> None:
        """Take over everything from `other`."""
        if other is not self:
            for item in fields(self):
                setattr(self, item.name, getattr(other, item.name))

    def get(self, name: str) -> Value:
        """Return the value of a variable; UNKNOWN if it may have any value, or none."""
        found = self.variables.get(name)
        if found is not None:
            return found.value
        if name == "IFS":
            return " \t\n"
        return None if self.others is Others.UNSET and name not in _OF_THE_SHELL else UNKNOWN

    def is_exported(self, name: str) -> bool | None:
        """Return whether a variable is exported. One that the caller may have exported stays so when it is assigned."""
        found = self.variables.get(name)
        if found is not None:
            return found.exported
        return False if self.others is Others.UNSET else None

    def set(self, name: str, value: Value, place: Place | None, exported: bool | None = False) -> None:
        """Assign `value`. The variable is exported if it was, or if `exported`."""
        before = self.variables.get(name)
        if before is not None and before.special:
            value = UNKNOWN
        elif before is not None and isinstance(value, (str, PartlyKnown)) and value != UNKNOWN:
            value = _of_first(before.value, value)
        was = self.is_exported(name)
        if exported is True or self.allexport is True:
            was = True
        elif was is False and (exported is None or self.allexport is None):
            was = None
        self.variables[name] = Variable(value, was, place, before is not None and before.special)

    def unset(self, name: str, place: Place | None) -> None:
        """Remove a variable."""
        before = self.variables.get(name)
        value = UNKNOWN if before is not None and before.special else None
        self.variables[name] = Variable(value, None if value else False, place)

    def presumes_unset(self, name: str) -> bool:
        """Return whether to presume that the caller leaves `name` unset, which the script has not assigned."""
        if self.presumed is None or name in self.variables or self.positional_is_known(name):
            return False
        what = f"adds no argument {name}" if name.isdecimal() else f"does not set {name}"
        self.presumed.append(Presumption(CALLER, f"the caller {what}"))
        return True

    def positional_is_known(self, name: str) -> bool:
        """Return whether `name` is the number of an argument, and the arguments are known."""
        return name.isdecimal() and self.positional is not None

    def open_all(self, why: str) -> None:
        """Record that every variable and function may have changed."""
        self.variables.clear()
        self.others, self.why_open = Others.UNKNOWN, self.why_open or why
        self.functions = dict.fromkeys(self.functions)
        self.functions_open = True
        self.scopes = tuple({} for _ in self.scopes)
        self.errexit = self.allexport = self.pipefail = self.noglob = None
        self.status = None

    def environment(self) -> Environment:
        """Return the environment of a program that is started now."""
        values: dict[str, Word | None] = {}
        places = {}
        for name, variable in self.variables.items():
            value = variable.value
            if variable.exported is False or value is None:
                values[name] = None
            elif variable.exported is None or not isinstance(value, (str, PartlyKnown)):
                values[name] = UNKNOWN
            else:
                values[name] = public(value)
            if variable.place is not None:
                places[name] = variable.place
        return Environment(values, self.others, places, self.why_open)


def _of_first(before: Value, text: Word) -> Value:
    """Return the value of a variable after a text is assigned to it: of an array, that is the first element."""
    if isinstance(before, Mapping):
        return {**before, "0": text}
    if isinstance(before, tuple) and before[1:]:
        return (text, *before[1:])
    return (text, *before) if before == (UNKNOWN_WORDS,) else text


def of_environment(environment: Environment) -> State:
    """Return the state of a shell that is started with `environment`."""
    variables = {}
    for name, value in environment.values.items():
        exported = value is not None and (value != UNKNOWN or None)
        variables[name] = Variable(value, exported, environment.places.get(name))
    return State(variables, environment.others, environment.why_open)


def merged(states: Iterable[State | None]) -> State | None:
    """Return a state that stands for all of `states` but None; None if there are none."""
    result: State | None = None
    for state in states:
        if state is not None:
            result = state if result is None else _both(result, state)
    return result


def _both(left: State, right: State) -> State:
    if left is right:
        return left
    result = left.copy()
    opened = Others.UNKNOWN in (left.others, right.others)
    result.others = Others.UNKNOWN if opened else left.others
    result.why_open = left.why_open or right.why_open
    result.variables = _variables(left, right)
    result.positional = left.positional if left.positional == right.positional else None
    result.script = joined_text(left.script, right.script)
    result.source = joined_text(left.source, right.source)
    result.folder = left.folder if left.folder == right.folder else UNKNOWN
    result.previous_folder = joined_text(left.previous_folder, right.previous_folder)
    result.files = _merged_tables(left.files, right.files)
    result.functions = _merged_tables(left.functions, right.functions)
    result.functions_open = left.functions_open or right.functions_open
    result.status = left.status if left.status == right.status else None
    failed = left.status != right.status and (left.status or right.status)
    result.success = NO_MATTER if failed else min(left.success, right.success)
    result.output = left.output if left.output == right.output else UNKNOWN
    result.stdin = left.stdin if left.stdin == right.stdin else None
    for option in ("errexit", "allexport", "pipefail", "noglob"):
        if getattr(left, option) != getattr(right, option):
            setattr(result, option, None)
    result.scopes = _merged_scopes(left, right)
    return result


def _variables(left: State, right: State) -> dict[str, Variable]:
    variables = {}
    for name in {**left.variables, **right.variables}:
        a, b = (
            state.variables.get(name) or Variable(state.get(name), state.is_exported(name)) for state in (left, right)
        )
        exported = a.exported if a.exported == b.exported else None
        place = a.place if a == b else (b.place or a.place)
        variables[name] = Variable(joined(a.value, b.value), exported, place, a.special or b.special)
    return variables


def _merged_tables(left: dict[Word, _T], right: dict[Word, _T]) -> dict[Word, _T]:
    return {
        name: left[name] if name in left and name in right and left[name] == right[name] else None
        for name in {**left, **right}
    }


def _merged_scopes(left: State, right: State) -> tuple[dict[str, Variable | None], ...]:
    scopes = []
    for a, b in zip(left.scopes, right.scopes, strict=False):
        scope: dict[str, Variable | None] = {}
        for name in {**a, **b}:
            one = a[name] if name in a else left.variables.get(name)
            other = b[name] if name in b else right.variables.get(name)
            scope[name] = one if one == other else Variable(UNKNOWN, None)
        scopes.append(scope)
    return tuple(scopes)
