"""What common programs print, and the files that they write."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence

from vcompat.facts.facts import Place
from vcompat.facts.presumption import FILE, Presumption
from vcompat.sources.reading.invocation import Others
from vcompat.sources.reading.shell.running.execution import Machine, key_of
from vcompat.sources.reading.shell.running.redirections import write
from vcompat.sources.reading.shell.running.stream_editor import edit_of
from vcompat.sources.reading.shell.words.shell_values import MOST_WORDS, ONE, bounded, matchable, program_of, texts_of
from vcompat.sources.reading.shell.words.state import State
from vcompat.sources.reading.word import UNKNOWN, Gap, Word, base_name, concat, has, joined, path_in

#: Programs that print one word that is not known.
_ONE_WORD = frozenset("nproc whoami mktemp uname arch logname uuidgen tty".split())
_LONGEST = 100_000
_HARMLESS = frozenset("echo rm kill cat ls mkdir basename dirname grep cp mv".split())


def is_harmless(name: Word) -> bool:
    """Return whether a program does not train."""
    return base_name(name) in _HARMLESS


def run(words: Sequence[Word], state: State) -> bool:
    """Follow what a program prints and writes. Returns whether its output is known, or known to be one word."""
    name = program_of(words[0])
    if name in _ONE_WORD and len(words) <= 2:
        state.output += ONE + "\n"
        return True
    effect = _EFFECTS.get(name)
    return effect(words, state) if effect is not None else False


def of_files(machine: Machine, words: Sequence[Word], state: State, place: Place) -> bool:
    """Run a program that reads files that are in the project. Returns whether there are any."""
    read = {}
    for word in _operands(words):
        key = key_of(word, state)
        found = None if word == "-" or key in state.files else machine.find(word, state, beside=False)
        if found is not None and len(found.text) <= _LONGEST:
            read[key] = found.text
    if not read:
        return False
    machine.invoke(words, state, place, state.environment())
    state.files.update(read)
    if not run(words, state):
        state.output = bounded(state.output + UNKNOWN)
    for key, text in read.items():
        if state.files.get(key) is text:
            del state.files[key]
    return True


def _printed(state: State, text: Word) -> bool:
    state.output = bounded(state.output + text)
    return True


def _operands(words: Sequence[Word]) -> list[Word]:
    return [word for word in words[1:] if not word.startswith("-") or word == "-"]


def _cat(words: Sequence[Word], state: State) -> bool:
    operands = _operands(words)
    if len(operands) != len(words) - 1:
        return False
    texts = [state.stdin if name == "-" else state.files.get(key_of(name, state)) for name in operands or ["-"]]
    return _printed(state, concat(UNKNOWN if text is None else text for text in texts))


def _tee(words: Sequence[Word], state: State) -> bool:
    text = state.stdin
    appends = "-a" in words or "--append" in words
    for name in _operands(words):
        write(state, key_of(name, state), text, appends)
    return _printed(state, UNKNOWN if text is None else text)


def _copied(words: Sequence[Word], state: State) -> bool:
    operands = _operands(words)
    if len(operands) == 2:
        source, target = (key_of(name, state) for name in operands)
        state.files[target] = state.files.get(source)
        # The target may be a folder.
        state.files[path_in(target, base_name(source))] = None
        if base_name(words[0]) == "mv":
            state.files[source] = None
    else:
        _forget(operands[-1:], state)
    return True


def _forget(names: Sequence[Word], state: State) -> None:
    for name in names:
        if isinstance(name, str):
            state.files[key_of(name, state)] = None
        else:
            state.files = dict.fromkeys(state.files)


def _sed(words: Sequence[Word], state: State) -> bool:
    """Run `sed`, of known texts."""
    edit = edit_of(words)
    keys = [key_of(name, state) for name in edit.files] if edit is not None else []
    texts = texts_of(
        [state.files.get(key) or UNKNOWN for key in keys] or [UNKNOWN if state.stdin is None else state.stdin]
    )
    if edit is None or texts is None or (edit.in_place and not keys):
        return _edited(words, state)
    if not edit.in_place:
        return _printed(state, "".join(map(edit.changed, texts)))
    for key, text in zip(keys, texts, strict=True):
        if edit.suffix:
            state.files[key + edit.suffix] = text
        state.files[key] = bounded(edit.changed(text))
    return True


def _substituted(words: Sequence[Word], state: State) -> bool:
    """Run `envsubst`: variables of the environment in the place of their names."""
    if len(words) > 1 or not isinstance(state.stdin, str):
        return False
    environment = state.environment()
    other = "" if environment.others is Others.UNSET else UNKNOWN
    parts: list[Word] = []
    for index, part in enumerate(re.split(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))", state.stdin)):
        if index % 3 == 0:
            parts.append(part)
        elif part is not None:
            value = environment.values.get(part, other)
            parts.append("" if value is None else value)
    return _printed(state, concat(parts))


def _edited(words: Sequence[Word], state: State) -> bool:
    """Run `sed -i` or `yq -i`: all files that it names change."""
    if any(re.match(r"-[a-zA-Z]*i|--in-?place", matchable(word)) for word in words[1:]):
        _forget([word for word in words[1:] if not word.startswith("-")], state)
        return True
    return False


def _sequence(words: Sequence[Word], state: State) -> bool:
    """Run `seq`, also with a separator: ``seq -s, 0 3``."""
    separator: Word = "\n"
    operands = list(words[1:])
    if operands and operands[0].startswith(("-s", "--separator=")):
        option = operands.pop(0)
        separator = option.partition("=")[2] if option.startswith("--") else option[2:] or concat(operands[:1])
        operands = operands[1:] if option == "-s" else operands
    numbers = list(map(matchable, operands))
    if not 1 <= len(numbers) <= 3 or not all(re.fullmatch(r"-?\d{1,6}", number) for number in numbers):
        return False
    last = int(numbers[-1])
    first = int(numbers[0]) if len(numbers) > 1 else 1
    step = int(numbers[1]) if len(numbers) == 3 else 1
    values = range(first, last + (1 if step > 0 else -1), step) if step else ()
    return (
        _printed(state, joined(separator, map(str, values)) + "\n")
        if 0 < len(values) <= MOST_WORDS
        else not values and bool(step)
    )


#: The options of programs for paths that do not change what they print, but that of `readlink` to print a path at all.
_PATH_OPTIONS = {"realpath": {"--", "-e", "-m", "-s"}, "readlink": {"--", "-f"}}


def _path(words: Sequence[Word], state: State) -> bool:
    """Run `dirname`, `basename`, `realpath` or `readlink -f`."""
    name, operands = program_of(words[0]), texts_of(_operands(words))
    options = {word for word in words[1:] if word.startswith("-")}
    if operands is None or not options <= _PATH_OPTIONS.get(name, {"--"}):
        return False
    if name == "basename" and len(operands) == 2:
        base = os.path.basename(operands[0].rstrip("/"))
        text: str | None = base if base == operands[1] else base.removesuffix(operands[1])
    elif len(operands) != 1 or not operands[0].strip("/"):
        return False
    else:
        text = _path_from(operands[0].rstrip("/"), name, options)
    return text is not None and _printed(state, text + "\n")


def _path_from(path: str, program: str, options: Collection[Word]) -> str | None:
    """Return what a program prints for one path; None if that is not known."""
    if program == "dirname":
        return os.path.dirname(path).rstrip("/") or ("/" if path.startswith("/") else ".")
    if program == "basename":
        return os.path.basename(path)
    return os.path.normpath(path) if os.path.isabs(path) and (program == "realpath" or "-f" in options) else None


def _counted(words: Sequence[Word], state: State) -> bool:
    """Run `wc`: a number, if it counts one thing of its standard input."""
    if len(words) == 2 and re.fullmatch(r"-[lwc]|--lines|--words", matchable(words[1])):
        text = state.stdin
        if isinstance(text, str) and words[1] in ("-l", "--lines"):
            return _printed(state, f"{text.count(chr(10))}\n")
        if isinstance(text, str) and words[1] in ("-w", "--words"):
            return _printed(state, f"{len(text.split())}\n")
        return _printed(state, ONE + "\n")
    return False


def _host(words: Sequence[Word], state: State) -> bool:
    if len(words) > 2:
        return False
    if len(words) == 1 or words[1] in ("-s", "-f", "-i", "--short", "--fqdn", "--ip-address"):
        return _printed(state, ONE + "\n")
    return _printed(state, ONE + " " + UNKNOWN + "\n") if words[1] in ("-I", "--all-ip-addresses") else False


def _scontrol(words: Sequence[Word], state: State) -> bool:
    return _printed(state, ONE + "\n" + UNKNOWN) if any(word.startswith("hostname") for word in words) else False


def _first_line(words: Sequence[Word], state: State) -> bool:
    if list(words[1:]) not in (["-n", "1"], ["-n1"], ["-1"], ["--lines=1"]) or state.stdin is None:
        return False
    first, newline, _ = state.stdin.partition("\n")
    return _printed(state, first + "\n") if newline and not has(first, Gap.PART) else False


def _first_field(words: Sequence[Word], state: State) -> bool:
    if len(words) != 2 or words[1].replace(" ", "") != "{print$1}" or state.stdin is None:
        return False
    first, newline, rest = state.stdin.partition("\n")
    field = first.split()[0] if first.split() else ""
    known = newline and not rest and field and not has(field, Gap.PART)
    return _printed(state, field + "\n") if known else False


def _translated(words: Sequence[Word], state: State) -> bool:
    """Run `tr a b` with one plain character each."""
    if len(words) != 3 or not isinstance(state.stdin, str):
        return False
    old, new = (word.replace("\\n", "\n").replace("\\t", "\t") for word in words[1:])
    if not isinstance(old, str) or not len(old) == len(new) == 1:
        return False
    return _printed(state, joined(new, state.stdin.split(old)))


def _listed(words: Sequence[Word], state: State) -> bool:
    """Run ``find FOLDER -name PATTERN``: presumably, the files that are there now are those of the run."""
    plain = texts_of(words)
    if state.presumed is None or plain is None or len(words) % 2 or not isinstance(state.folder, str):
        return False
    folder, options = plain[1], dict(zip(plain[2::2], plain[3::2], strict=True))
    if options.keys() - _FINDING or options.get("-type", "f") != "f" or options.get("-maxdepth") != "1":
        return False
    names = _files_in(path_in(folder, state.folder), options.get("-name", "*"))
    if not 0 < len(names) <= _MOST_FOUND:
        return False
    state.presumed.append(Presumption(FILE, f"the files in {folder} are those that are there now"))
    return _printed(state, "".join(f"{folder.rstrip('/')}/{name}\n" for name in names))


def _files_in(folder: Word, pattern: str) -> list[str]:
    if not isinstance(folder, str) or not os.path.isdir(folder):
        return []
    try:
        names = sorted(fnmatch.filter(os.listdir(folder), pattern))
    except OSError:
        return []
    return [name for name in names if os.path.isfile(os.path.join(folder, name))]


#: The options of `find` that are followed, and the number of files that it may find.
_FINDING, _MOST_FOUND = frozenset({"-mindepth", "-maxdepth", "-type", "-name"}), 30


def _written(words: Sequence[Word], state: State) -> bool:
    _forget(_operands(words), state)
    return True


_EFFECTS: Mapping[str, Callable[[Sequence[Word], State], bool]] = {
    "cat": _cat,
    "tee": _tee,
    **dict.fromkeys(("cp", "mv", "ln", "install"), _copied),
    "sed": _sed,
    **dict.fromkeys(("yq", "perl"), _edited),
    "envsubst": _substituted,
    **dict.fromkeys(("rm", "touch", "truncate"), _written),
    "seq": _sequence,
    "find": _listed,
    **dict.fromkeys(("dirname", "basename", "realpath", "readlink"), _path),
    "wc": _counted,
    "hostname": _host,
    "scontrol": _scontrol,
    "head": _first_line,
    **dict.fromkeys(("awk", "gawk"), _first_field),
    "tr": _translated,
}
#: The programs that are known here by their names.
PROGRAMS = frozenset({*_EFFECTS, *_ONE_WORD, *_HARMLESS, *"find which nvidia-smi sort cut jq".split()})
