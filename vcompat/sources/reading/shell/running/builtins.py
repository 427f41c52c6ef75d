"""The builtin commands of the shell."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from vcompat.facts.facts import Place
from vcompat.sources.reading.shell.running import programs, sourcing
from vcompat.sources.reading.shell.running.execution import Machine, into
from vcompat.sources.reading.shell.running.variable_assignments import Declaring, declare_word
from vcompat.sources.reading.shell.words import conditions, printing, read_lines
from vcompat.sources.reading.shell.words.shell_values import ONE, bounded, counted, matchable
from vcompat.sources.reading.shell.words.state import EXPECTED, LIKELY, NO_MATTER, State
from vcompat.sources.reading.word import (
    UNKNOWN,
    UNKNOWN_WORDS,
    Gap,
    Word,
    begins_with_gap,
    has,
    has_words,
    joined,
    readable,
)

_SETTING = re.compile(r"trap [^-\0].*|umask \d+|ulimit (-\w+ )?\w+|alias \w+=.*|shopt -[su] .*", re.DOTALL)
_NAME, _STATUS = re.compile(r"[A-Za-z_]\w*"), re.compile(r"\d{1,4}")

Builtin: TypeAlias = "Callable[[Machine, Sequence[Word], State, Place], State | None]"


def _done(state: State, status: int | None = 0, success: int = EXPECTED) -> State:
    state.status, state.success = status, success
    return state


def _nothing(machine: Machine, words: Sequence[Word], state: State, place: Place) -> State:
    """Run a builtin that changes nothing that matters: `trap`, `wait`, `ulimit`."""
    if _SETTING.fullmatch(matchable(joined(" ", words))):
        return _done(state)
    if words[0] != "wait":
        state.output += UNKNOWN
    return _done(state, None, LIKELY if words[0] == "wait" else NO_MATTER)


def _declare(machine: Machine, words: Sequence[Word], state: State, place: Place) -> State:
    declaration = Declaring(readable(words[0]), bool(state.scopes))
    if words[0] == "local" and not state.scopes:
        return _done(state, 1, NO_MATTER)
    for word in words[1:]:
        declare_word(word, declaration, state, place)
    declaration.end(state)
    return state


def _unset(machine: Machine, words: Sequence[Word], state: State, place: Place) -> State:
    for word in words[1:]:
        if not isinstance(word, str):
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
_OPTIONS = frozenset(("errexit", "allexport", "noglob", "pipefail"))


def _set(machine: Machine, words: Sequence[Word], state: State, place: Place) -> State:
    index = 1
    while index < len(words):
        word = words[index]
        index += 1
        if not isinstance(word, str):
            state.errexit = state.allexport = state.noglob = state.pipefail = state.positional = None
            return _done(state)
        if word in ("--", "-") or word[:1] not in ("-", "+"):
            state.positional = tuple(words[index:] if word in ("--", "-") else words[index - 1 :])
            return _done(state)
        for letter in word[1:]:
            if letter in _LETTERS:
                setattr(state, _LETTERS[letter], word[0] == "-")
            elif letter == "o" and index < len(words):
                option = words[index]
                if isinstance(option, str) and option in _OPTIONS:
                    setattr(state, option, word[0] == "-")
                index += 1
    return _done(state)


def _number(text: Word) -> int | None:
    return int(text) if isinstance(text, str) and text.isascii() and text.isdecimal() and len(text) < 10 else None


def _shift(machine: Machine, words: Sequence[Word], state: State, place: Place) -> State:
    number = _number(words[1] if len(words) > 1 else "1")
    positional = state.positional
    if positional is None or number is None or any(map(has_words, positional[:number])):
        state.positional = None
        return _done(state, None)
    if number > len(positional):
        return _done(state, 1)
    state.positional = positional[number:]
    return _done(state)


def _cd(machine: Machine, words: Sequence[Word], state: State, place: Place) -> State:
    operands = [word for word in words[1:] if word not in ("-P", "-L", "--", "-n")]
    if words[0] == "popd":
        target: Word = UNKNOWN
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


def _folder(folder: Word, target: Word) -> Word:
    after = into(folder, target) if target or not isinstance(folder, str) else folder
    return "" if after == "." else after


def _pwd(machine: Machine, words: Sequence[Word], state: State, place: Place) -> State:
    state.output += (state.folder if state.folder.startswith("/") else ONE) + "\n"
    return _done(state)


def _eval(machine: Machine, words: Sequence[Word], state: State, place: Place) -> State | None:
    # Any number of words stay apart from the word before them, as in the text that eval reads.
    text = bounded(joined(" ", words[1:]))
    if not text.strip():
        return _done(state)
    if not has(text, Gap.PART) and not has_words(text):
        return machine.run_text(text, machine.path, place.line, state)
    with machine.uncertain(f"{place}: eval of a text that is not known"):
        result = machine.run_text(text, machine.path, place.line, state.copy())
    after = result or state
    after.open_all(f"{place}: eval of a text that is not known")
    after.folder = UNKNOWN
    return after


def _exec(machine: Machine, words: Sequence[Word], state: State, place: Place) -> State | None:
    words = words[1:]
    while words and words[0] in ("-c", "-l", "-a"):
        words = words[2:] if words[0] == "-a" else words[1:]
    if not words:
        return _done(state)
    after = programs.start(machine, words, state, place)
    if after is not None:
        machine.escape(after)
    return None


def _exit(machine: Machine, words: Sequence[Word], state: State, place: Place) -> None:
    if len(words) > 1:
        state.status = _status(words[1])
    machine.escape(state)


def _status(text: Word) -> int | None:
    return int(text) & 255 if isinstance(text, str) and _STATUS.fullmatch(text) else None


def _return(machine: Machine, words: Sequence[Word], state: State, place: Place) -> State | None:
    if not any(frame.kind in ("function", "source") for frame in machine.frames):
        return _done(state, 2, NO_MATTER)  # An error, after which the script goes on.
    if len(words) > 1:
        state.status = _status(words[1])
    machine.escape(state, ("function", "source"))
    return None


def _break(machine: Machine, words: Sequence[Word], state: State, place: Place) -> State | None:
    number = matchable(words[1]) if len(words) > 1 else ""
    level = int(number) if re.fullmatch(r"\d{1,3}", number) else 1
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


def _read(machine: Machine, words: Sequence[Word], state: State, place: Place) -> State:
    names: list[Word] = []
    index, array = 1, False
    whole = read_lines.whole_input(words, state)
    if whole is not None:
        state.set(*whole, place)
        return _done(state, None, 0)
    line = read_lines.line(words, state) if machine.has_own_input else None
    if line is not None:
        for variable, value in line.items():
            state.set(variable, value, place)
        return _done(state, None, 0)
    while index < len(words):
        word = words[index]
        index += 1
        if re.fullmatch(r"-\w*a", matchable(word)):
            array = True
        elif re.fullmatch(r"-\w*[dinNptu]", matchable(word)):
            index += 1
        elif not word.startswith("-"):
            names.append(word)
    for name in names or ["REPLY"]:
        if not isinstance(name, str):
            state.open_all(f"{place}: read into names that are not known")
        elif _NAME.fullmatch(name):
            state.set(name, (UNKNOWN_WORDS,) if array else UNKNOWN, place)
    return _done(state, None, 0)


def _mapfile(machine: Machine, words: Sequence[Word], state: State, place: Place) -> State:
    name = words[-1] if len(words) > 1 and not words[-1].startswith("-") else "MAPFILE"
    if isinstance(name, str):
        state.set(name, (UNKNOWN_WORDS,), place)
    else:
        state.open_all(f"{place}: mapfile into a name that is not known")
    return _done(state)


def _getopts(machine: Machine, words: Sequence[Word], state: State, place: Place) -> State:
    name = words[2] if len(words) > 2 else "opt"
    first = "" if not state.positional else state.positional[0]
    none = state.positional is not None and not (first.startswith("-") or begins_with_gap(first, Gap.PART, Gap.ONE))
    if none and len(words) == 3 and counted(state.positional or ()) is not None:
        if isinstance(name, str):
            state.set(name, "?", place)
        return _done(state, 1)
    for variable in (name, "OPTARG", "OPTIND"):
        if isinstance(variable, str):
            state.set(variable, UNKNOWN, place)
    return _done(state, None, 0)


def _test(machine: Machine, words: Sequence[Word], state: State, place: Place) -> State:
    operands = list(words[1:])
    if words[0] == "[":
        if not operands or operands[-1] != "]":
            return _done(state, None, 0)
        operands.pop()
    value = conditions.test(operands, state.get)
    return _done(state, None if value is None else int(not value), 0)


def _command(machine: Machine, words: Sequence[Word], state: State, place: Place) -> State | None:
    words = words[1:]
    while words and words[0] in ("-p", "--"):
        words = words[1:]
    if not words or words[0] in ("-v", "-V"):
        state.output += UNKNOWN
        return _done(state, None, 0)
    builtin = builtin_of(words[0])
    return builtin(machine, words, state, place) if builtin else programs.start(machine, words, state, place)


def _echo(machine: Machine, words: Sequence[Word], state: State, place: Place) -> State:
    state.output = bounded(state.output + printing.echo(words[1:]))
    return _done(state)


def _printf(machine: Machine, words: Sequence[Word], state: State, place: Place) -> State:
    words = list(words[1:])
    name: Word = ""
    if len(words) < (3 if words[:1] == ["-v"] else 1):
        return _done(state, 2, NO_MATTER)
    if words[0] == "-v":
        name, words = words[1], words[2:]
    text = printing.printf([word for word in words if word != "--"])
    if not name:
        state.output = bounded(state.output + text)
    elif isinstance(name, str) and _NAME.fullmatch(name):
        state.set(name, text, place)
    else:
        state.open_all(f"{place}: printf -v into a name that is not plain")
    return _done(state)


def builtin_of(name: Word) -> Builtin | None:
    """Return what runs a builtin command; None if there is none of that name, or the name is not known."""
    return BUILTINS.get(name) if isinstance(name, str) else None


#: Builtins that change nothing that matters. They may print something, and fail, unless they set something.
_PLAIN = (
    "trap wait type hash alias unalias ulimit umask shopt times jobs kill bg fg disown help enable history bind caller "
    "compgen complete dirs logout suspend"
).split()

BUILTINS: Mapping[str, Builtin] = {
    **dict.fromkeys(_PLAIN, _nothing),
    **dict.fromkeys((":", "true"), lambda machine, words, state, place: _done(state)),
    "false": lambda machine, words, state, place: _done(state, 1, NO_MATTER),
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
