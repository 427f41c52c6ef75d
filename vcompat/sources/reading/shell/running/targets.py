"""Runs what `make` runs: the commands of a Makefile's targets, each in a shell of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from vcompat.facts.facts import Place
from vcompat.facts.presumption import CALLER, Presumption
from vcompat.sources.reading.invocation import Others
from vcompat.sources.reading.makefiles.recipe import NotFollowed, Recipe
from vcompat.sources.reading.shell.running.execution import Found, Machine, into, key_of
from vcompat.sources.reading.shell.running.shells import run_in_shell
from vcompat.sources.reading.shell.words.shell_values import public, texts_of
from vcompat.sources.reading.shell.words.state import EXPECTED, State, Variable
from vcompat.sources.reading.word import UNKNOWN, PartlyKnown, Word

_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
#: Options of make that take the next word, and those with which it runs nothing.
_VALUED = frozenset("-C -f -I -o -W --directory --file --makefile --include-dir --old-file --what-if".split())
_RUNS_NOTHING = frozenset(
    "-n -q -t -p -h -v --just-print --dry-run --recon --question --touch --help --version".split()
)
#: Options that a number may follow.
_NUMBERED = frozenset({"-j", "--jobs", "-l", "--load-average"})


def make(machine: Machine, words: Sequence[Word], state: State, place: Place) -> bool:
    """Follow `make goals`. Returns whether it could be followed."""
    from vcompat.sources.reading.makefiles.makefile import Environment, Makefile

    known = texts_of(words)
    options, rest = _options(known[1:] if known else (), _VALUED)
    if not known or options.keys() & _RUNS_NOTHING:
        return False
    inner = _in_folder(state, _first(options, "-C", "--directory"))
    named = _first(options, "-f", "--file", "--makefile")
    file = _found(machine, inner, [named] if named else _MAKEFILES)
    if file is None or not isinstance(file.text, str):
        return False
    given = dict(word.split("=", 1) for word in rest if "=" in word)
    goals = [word for word in rest if "=" not in word]

    def text_of(name: str) -> str | None:
        found = machine.find(name, inner, beside=False)
        return found.text if found is not None and isinstance(found.text, str) else None

    try:
        read = Makefile(file.text, given, Environment(_lookup(inner, place), inner.is_exported), text_of)
        recipes = read.recipes(goals, lambda name: _exists(machine, name, inner))
    except (NotFollowed, RecursionError):
        return False
    return _run(machine, file, recipes, inner, state)


def _exists(machine: Machine, name: Word, state: State) -> bool:
    """Return whether a file is there, or was written."""
    if key_of(name, state) in state.files:
        return True
    if machine.reads is None or not isinstance(name, str) or not isinstance(state.folder, str):
        return False
    return os.path.exists(os.path.join(state.folder, name))


def _options(words: Sequence[str], valued: frozenset[str]) -> tuple[dict[str, str], list[str]]:
    """Return the options with their values, and the other words."""
    options: dict[str, str] = {}
    rest: list[str] = []
    pending = list(words)
    while pending:
        word = pending.pop(0)
        if not word.startswith("-") or word == "-":
            rest.append(word)
        elif word in valued:
            options[word] = pending.pop(0) if pending else ""
        else:
            if word in _NUMBERED and pending and pending[0].isdecimal():
                pending.pop(0)
            name, _, value = word.partition("=")
            options[name] = value
    return options, rest


def _first(options: Mapping[str, str], *names: str) -> str:
    """Return the value of an option that has several names; empty if it is not given."""
    return next(filter(None, map(options.get, names)), "")


def _in_folder(state: State, folder: str) -> State:
    """Return a copy of the state after a change to `folder`."""
    inner = state.copy()
    if folder:
        inner.folder = into(state.folder, folder)
    return inner


def _found(machine: Machine, state: State, names: Sequence[str]) -> Found | None:
    if not isinstance(state.folder, str):
        return None
    return next(filter(None, (machine.find(name, state, beside=False) for name in names)), None)


def _lookup(state: State, place: Place) -> Callable[[str], Word | None]:
    """Return what finds variables of the environment. Presumably, the caller sets none that is not known."""

    def lookup(name: str) -> Word | None:
        known = state.variables.get(name)
        if known is None and state.others is Others.UNSET:
            return None
        if state.presumed is not None and (known is None or known.value == UNKNOWN):
            state.presumed.append(Presumption(CALLER, f"the caller does not set {name}", place))
            return None
        if known is None or known.exported is None:
            return UNKNOWN
        return public(known.value) if known.exported and isinstance(known.value, (str, PartlyKnown)) else None

    return lookup


def _run(machine: Machine, file: Found, recipes: Sequence[Recipe], inner: State, state: State) -> bool:
    """Run recipes one after the other."""
    for recipe in recipes:
        _set(inner, recipe.variables, Place(file.path, recipe.line))
        place = Place(file.path, recipe.line, 1)
        if recipe.why_uncertain:
            with machine.uncertain(f"{place}: {recipe.why_uncertain}"):
                run_in_shell(machine, file._replace(text=recipe.text), recipe.line, inner, place)
        else:
            run_in_shell(machine, file._replace(text=recipe.text), recipe.line, inner, place)
    state.files, state.output = dict(inner.files), inner.output
    state.status, state.success = None, EXPECTED
    return True


def _set(state: State, variables: Sequence[tuple[str, Word | None]], place: Place) -> None:
    for name, value in variables:
        if value is not None:
            state.variables[name] = Variable(value, True, place)
        elif state.presumed is None:
            state.variables[name] = Variable(UNKNOWN, None, place)


#: What runs the targets of each program.
PROGRAMS: Mapping[str, Callable[[Machine, Sequence[Word], State, Place], bool]] = {"make": make, "gmake": make}
