"""The builtin commands of the shell."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from vcompat.facts.facts import Place
from vcompat.sources.plan.shell import conditions, printing, programs, sourcing
from vcompat.sources.plan.shell.assignments import Declaration, declare_word
from vcompat.sources.plan.shell.machine import Machine
from vcompat.sources.plan.shell.state import EXPECTED, LIKELY, NO_MATTER, State
from vcompat.sources.plan.shell.values import ONE, UNKNOWN, UNKNOWN_WORDS, bounded, counted, is_known, together

_SETTING = re.compile(
    rf"trap [^-{UNKNOWN}{UNKNOWN_WORDS}].*|umask \d+|ulimit (-\w+ )?\w+|alias \w+=.*|shopt -[su] .*", re.DOTALL
)

Builtin: TypeAlias = "Callable[[Machine, Sequence[str], State, Place], State | None]"


def _done(state: State, status: int | None = 0, success: int = EXPECTED) -> State:
    state.status, state.success = status, success
    return state


def _nothing(machine: Machine, words: Sequence[str], state: State, place: Place) -> State:
    """Run a builtin that changes nothing that matters: `trap`, `wait`, `ulimit`."""
    if _SETTING.fullmatch(" ".join(words)):
        return _done(state)
    if words[0] != "wait":
        state.output += UNKNOWN
    return _done(state, None, LIKELY if words[0] == "wait" else NO_MATTER)


def _false(machine: Machine, words: Sequence[str], state: State, place: Place) -> State:
    return _done(state, 1, NO_MATTER)


def _declare(machine: Machine, words: Sequence[str], state: State, place: Place) -> State:
    declaration = Declaration(words[0], bool(state.scopes))
    if words[0] == "local" and not state.scopes:
        return _done(state, 1, NO_MATTER)
    for word in words[1:]:
        declare_word(word, declaration, state, place)
    declaration.end(state)
    return state


def _unset(machine: Machine, words: Sequence[str], state: State, place: Place) -> State:
    for word in words[1:]:
        if not is_known(word):
            state.open_all(f"{place}: unset of names that are not known")
        elif word.startswith("-"):
            continue
        elif match := re.fullmatch(r"(\w+)\[.*\]", word):
            state.set(match[1], UNKNOWN, place)
        elif words[1] == "-f":
            state.functions.pop(word, None)
        else:
            if words[1] != "-v" and word in state.functions:
                _unset_function(word, state)
            state.unset(word, place)
    return _done(state)


def _unset_function(name: str, state: State) -> None:
    """Remove a function if there is no variable of its name."""
    if state.get(name) is None:
        state.functions.pop(name)
    elif state.get(name) == UNKNOWN:
        state.functions[name] = None


_LETTERS = {"e": "errexit", "a": "allexport", "f": "noglob"}
_NAMES = {"errexit": "errexit", "allexport": "allexport", "noglob": "noglob", "pipefail": "pipefail"}


def _set(machine: Machine, words: Sequence[str], state: State, place: Place) -> State:
    index = 1
    while index < len(words):
        word = words[index]
        index += 1
        if not is_known(word):
            state.errexit = state.allexport = state.noglob = state.pipefail = state.positional = None
            return _done(state)
        if word in ("--", "-") or word[:1] not in ("-", "+"):
            state.positional = tuple(words[index:] if word in ("--", "-") else words[index - 1 :])
            return _done(state)
        for letter in word[1:]:
            if letter in _LETTERS:
                setattr(state, _LETTERS[letter], word[0] == "-")
            elif letter == "o" and index < len(words):
                if words[index] in _NAMES:
                    setattr(state, _NAMES[words[index]], word[0] == "-")
                index += 1
    return _done(state)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 10


def _shift(machine: Machine, words: Sequence[str], state: State, place: Place) -> State:
    number = words[1] if len(words) > 1 else "1"
    positional = state.positional
    if positional is None or not _is_number(number) or any(UNKNOWN_WORDS in w for w in positional[: int(number)]):
        state.positional = None
        return _done(state, None)
    if int(number) > len(positional):
        return _done(state, 1)
    state.positional = positional[int(number) :]
    return _done(state)


def _cd(machine: Machine, words: Sequence[str], state: State, place: Place) -> State:
    operands = [word for word in words[1:] if word not in ("-P", "-L", "--", "-n")]
    if words[0] == "popd":
        target = UNKNOWN
    elif not operands:
        home = state.get("HOME")
        target = home if isinstance(home, str) else UNKNOWN
    else:
        target = state.previous_folder if operands[0] == "-" else operands[0]
    if words[0] != "cd" or operands[:1] == ["-"]:
        state.output = bounded(state.output + UNKNOWN)  # It prints the folder.
    before = state.folder
    state.folder = _folder(before, target) if len(operands) < 2 else UNKNOWN
    state.previous_folder = before or "."
    # The folder exists, in a run that makes sense.
    return _done(state, None)


def _folder(folder: str, target: str) -> str:
    if not is_known(target) or (not is_known(folder) and not os.path.isabs(target)):
        return UNKNOWN
    joined = os.path.normpath(os.path.join(folder, target)) if target else folder
    return "" if joined == "." else joined


def _pwd(machine: Machine, words: Sequence[str], state: State, place: Place) -> State:
    state.output += (state.folder if os.path.isabs(state.folder) else ONE) + "\n"
    return _done(state)


def _eval(machine: Machine, words: Sequence[str], state: State, place: Place) -> State | None:
    text = together(words[1:])
    if not text.strip():
        return _done(state)
    if UNKNOWN not in text:
        return machine.run_text(text, machine.path, place.line, state)
    with machine.uncertain(f"{place}: eval of a text that is not known"):
        result = machine.run_text(text, machine.path, place.line, state.copy())
    after = result or state
    after.open_all(f"{place}: eval of a text that is not known")
    after.folder = UNKNOWN
    return after


def _exec(machine: Machine, words: Sequence[str], state: State, place: Place) -> State | None:
    words = words[1:]
    while words and words[0] in ("-c", "-l", "-a"):
        words = words[2:] if words[0] == "-a" else words[1:]
    if not words:
        return _done(state)
    after = programs.start(machine, words, state, place)
    if after is not None:
        machine.escape(after)
    return None


def _exit(machine: Machine, words: Sequence[str], state: State, place: Place) -> None:
    if len(words) > 1:
        state.status = int(words[1]) & 255 if re.fullmatch(r"\d{1,4}", words[1]) else None
    machine.escape(state)


def _return(machine: Machine, words: Sequence[str], state: State, place: Place) -> State | None:
    if not any(frame.kind in ("function", "source") for frame in machine.frames):
        return _done(state, 2, NO_MATTER)  # An error, after which the script goes on.
    if len(words) > 1:
        state.status = int(words[1]) & 255 if re.fullmatch(r"\d{1,4}", words[1]) else None
    machine.escape(state, ("function", "source"))
    return None


def _break(machine: Machine, words: Sequence[str], state: State, place: Place) -> State | None:
    level = int(words[1]) if len(words) > 1 and re.fullmatch(r"\d{1,3}", words[1]) else 1
    state.status = 0
    for frame in reversed(machine.frames):
        if frame.kind != "loop":
            return state  # Outside of a loop it does nothing.
        level -= 1
        if level <= 0 or machine.frames[machine.frames.index(frame) - 1].kind != "loop":
            (frame.continued if words[0] == "continue" else frame.left).append(state)
            if len(machine.reasons) > frame.conditions:
                frame.reason = frame.reason or machine.reasons[-1]
            return None
    return state


def _read(machine: Machine, words: Sequence[str], state: State, place: Place) -> State:
    names, index = [], 1
    array = False
    text = _whole_input(words, state)
    if text is not None:
        state.set(words[-1], text, place)
        return _done(state, None, 0)
    while index < len(words):
        word = words[index]
        index += 1
        if re.fullmatch(r"-\w*a", word):
            array = True
        elif re.fullmatch(r"-\w*[dinNptu]", word):
            index += 1
        elif not word.startswith("-"):
            names.append(word)
    for name in names or ["REPLY"]:
        if re.fullmatch(r"[A-Za-z_]\w*", name):
            state.set(name, (UNKNOWN_WORDS,) if array else UNKNOWN, place)
        elif not is_known(name):
            state.open_all(f"{place}: read into names that are not known")
    return _done(state, None, 0)


def _whole_input(words: Sequence[str], state: State) -> str | None:
    """Return what ``read -r -d '' NAME`` reads: the whole input without spaces around it; None if it is not known."""
    options = list(words[1:-1])
    is_whole = options in (["-r", "-d", ""], ["-rd", ""], ["-d", "", "-r"])
    if not is_whole or state.stdin is None or state.get("IFS") != " \t\n":
        return None
    return state.stdin.strip(" \t\n") if re.fullmatch(r"[A-Za-z_]\w*", words[-1]) else None


def _mapfile(machine: Machine, words: Sequence[str], state: State, place: Place) -> State:
    name = words[-1] if len(words) > 1 and not words[-1].startswith("-") else "MAPFILE"
    if is_known(name):
        state.set(name, (UNKNOWN_WORDS,), place)
    else:
        state.open_all(f"{place}: mapfile into a name that is not known")
    return _done(state)


def _getopts(machine: Machine, words: Sequence[str], state: State, place: Place) -> State:
    name = words[2] if len(words) > 2 else "opt"
    none = state.positional is not None and (not state.positional or state.positional[0][:1] not in ("-", UNKNOWN, ONE))
    if none and len(words) == 3 and counted(state.positional or ()) is not None:
        state.set(name, "?", place)
        return _done(state, 1)
    for variable in (name, "OPTARG", "OPTIND"):
        state.set(variable, UNKNOWN, place)
    return _done(state, None, 0)


def _test(machine: Machine, words: Sequence[str], state: State, place: Place) -> State:
    operands = list(words[1:])
    if words[0] == "[":
        if not operands or operands[-1] != "]":
            return _done(state, None, 0)
        operands.pop()
    value = conditions.test(operands, state.get)
    return _done(state, None if value is None else int(not value), 0)


def _command(machine: Machine, words: Sequence[str], state: State, place: Place) -> State | None:
    words = words[1:]
    while words and words[0] in ("-p", "--"):
        words = words[1:]
    if not words or words[0] in ("-v", "-V"):
        state.output += UNKNOWN
        return _done(state, None, 0)
    builtin = BUILTINS.get(words[0])
    return builtin(machine, words, state, place) if builtin else programs.start(machine, words, state, place)


def _echo(machine: Machine, words: Sequence[str], state: State, place: Place) -> State:
    state.output = bounded(state.output + printing.echo(words[1:]))
    return _done(state)


def _printf(machine: Machine, words: Sequence[str], state: State, place: Place) -> State:
    words = list(words[1:])
    name = ""
    if len(words) < (3 if words[:1] == ["-v"] else 1):
        return _done(state, 2, NO_MATTER)
    if words[0] == "-v":
        name, words = words[1], words[2:]
    text = printing.printf([word for word in words if word != "--"])
    if not name:
        state.output = bounded(state.output + text)
    elif re.fullmatch(r"[A-Za-z_]\w*", name):
        state.set(name, text, place)
    else:
        state.open_all(f"{place}: printf -v into a name that is not plain")
    return _done(state)


#: Builtins that change nothing that matters. They may print something, and fail, unless they set something.
_PLAIN = (
    "trap wait type hash alias unalias ulimit umask shopt times jobs kill bg fg disown help enable history bind caller "
    "compgen complete dirs logout suspend"
).split()

BUILTINS: Mapping[str, Builtin] = {
    **dict.fromkeys(_PLAIN, _nothing),
    **dict.fromkeys((":", "true"), lambda machine, words, state, place: _done(state)),
    "false": _false,
    **dict.fromkeys(("export", "declare", "typeset", "local", "readonly"), _declare),
    "unset": _unset,
    "set": _set,
    "shift": _shift,
    **dict.fromkeys(("cd", "pushd", "popd"), _cd),
    "pwd": _pwd,
    **dict.fromkeys(("source", "."), sourcing.source),
    "eval": _eval,
    "exec": _exec,
    "exit": _exit,
    "return": _return,
    **dict.fromkeys(("break", "continue"), _break),
    "read": _read,
    **dict.fromkeys(("mapfile", "readarray"), _mapfile),
    "getopts": _getopts,
    **dict.fromkeys(("test", "["), _test),
    **dict.fromkeys(("command", "builtin"), _command),
    "echo": _echo,
    "printf": _printf,
}
