"""The options of the launchers, and how their command lines are parsed. A test compares them with the real parsers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from vcompat.facts.records.recorded_settings import load_class
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS, Word, as_one, readable


class Launcher(NamedTuple):
    """The options of a launcher."""

    flags: frozenset[str]
    """Options without a value."""
    valued: frozenset[str]
    """Options with one value."""
    abbreviates: bool = False
    """Whether a long option can be shortened as long as it is unique."""
    letters: Mapping[str, str] = {}
    """The long names of options with one letter, and of synonyms."""
    ends: frozenset[str] = frozenset()
    """Options with a value that is the last option: what follows belongs to the program."""


#: The records with the options of launchers, and one letter or a synonym for a long name.
_RECORDED: Mapping[str, tuple[str, str, str]] = {
    "accelerate": ("accelerate", "launch", "m=module q=quiet t=tee h=help"),
    "torchrun": ("torch", "torchrun", "m=module r=redirects t=tee h=help"),
    "deepspeed": ("deepspeed", "runner", "H=hostfile i=include e=exclude q=quiet h=help num_accelerators=num_gpus"),
}
#: Flags without a record: of `python -m torch.distributed.launch`, and the help of argparse.
_MORE_FLAGS = {
    "torchrun": frozenset({"use_env", "help"}),
    "accelerate": frozenset({"help"}),
    "deepspeed": frozenset({"help"}),
}
_MODAL = (
    "d detach q quiet i interactive timestamps m module h help",
    "e env w write_result n name",
    "d=detach q=quiet i=interactive m=module e=env w=write_result n=name h=help",
)
_PYTHON = ("u B E I O s S v q b d x i P R h V version help", "W X check_hash_based_pycs m c", "h=help")


@cache
def launcher_of(name: str) -> Launcher:
    """Return the options of `accelerate`, `torchrun`, `deepspeed`, `modal` or `python`, in any release."""
    if name not in _RECORDED:
        flags, valued, letters = (text.split() for text in (_MODAL if name == "modal" else _PYTHON))
        ends = frozenset({"m", "c"} if name == "python" else ())
        return Launcher(frozenset(flags), frozenset(valued), False, dict(pair.split("=") for pair in letters), ends)
    package, record_name, listed = _RECORDED[name]
    record = load_class(package, record_name)
    names = record.names() if record is not None else ()
    is_flag = {
        each: record is not None and any("bool" in run[2].types for run in record.history(each)) for each in names
    }
    is_flag.update(dict.fromkeys(_MORE_FLAGS[name], True))
    shorter = dict(pair.split("=") for pair in listed.split())
    is_flag.update({short: is_flag.get(long, False) for short, long in shorter.items()})
    without_value = frozenset(each for each, flag in is_flag.items() if flag)
    return Launcher(without_value, frozenset(is_flag) - without_value, name != "accelerate", shorter)


class Parsed(NamedTuple):
    """The options of a launcher on a command line."""

    options: Mapping[str, Word | bool]
    """By long name; True for an option without a value. The last one counts."""
    rest: tuple[Word, ...]
    """The words from the script on."""
    why_open: str = ""
    """Why there can be other options than those."""
    unknown: str = ""
    """The first long option that no release of the launcher has, as it is written; what follows may be the script's."""


def parse_launcher(name: str, words: Sequence[Word]) -> Parsed:
    """Parse the options of the launcher `name`, up to the script that it starts."""
    launcher = launcher_of(name)
    options: dict[str, Word | bool] = {}
    index, why, unknown = 0, "", ""
    while index < len(words):
        word = words[index]
        if _may_be_options(words, index):
            why = why or f"words that are not known are options of {name}"
            if word == UNKNOWN_WORDS or record_option(launcher, words, index + 1, {}) is not None:
                outweighed(options)
            # Otherwise, the one word is the script: what follows is none of the launcher's options.
            index += 1
            continue
        if word == "--":
            index += 1
            break
        if not word.startswith("-") or word == "-":
            break
        step = record_option(launcher, words, index, options)
        if step is None:
            if why:
                # The script is among the words that are not known.
                return Parsed(options, (UNKNOWN, *words[index:]), why, unknown)
            unknown = _long_name(word)
            why = f"{name} is not known to have the option {readable(word)}"
            if not isinstance(word, str):
                outweighed(options)
            step = 1 if "=" in word or not _may_be_value(words[index + 1 : index + 3]) else 2
        index += step
        if options.keys() & launcher.ends:
            break
    return Parsed(options, tuple(words[index:]), why, unknown)


def outweighed(options: dict[str, Word | bool]) -> None:
    """Forget the values of options that words after them may set again. An option without a value remains set."""
    options.update((name, UNKNOWN) for name, value in options.items() if value is not True)


def _long_name(word: Word) -> str:
    """Return a long option without dashes and value; empty for another word, or if it is not known."""
    name = word.partition("=")[0]
    return name[2:] if isinstance(name, str) and re.fullmatch(r"--[A-Za-z][\w-]*", name) else ""


def _may_be_options(words: Sequence[Word], index: int) -> bool:
    """Return whether what is not known at `index` can be options: any words, or one before an option."""
    if words[index] == UNKNOWN:
        return index + 1 < len(words) and words[index + 1].startswith("-")
    return words[index] == UNKNOWN_WORDS


def _may_be_value(words: Sequence[Word]) -> bool:
    """Return whether the first of two words is the value of an option rather than the script."""
    return len(words) == 2 and not words[0].startswith("-") and not words[0].endswith(".py")


def record_option(launcher: Launcher, words: Sequence[Word], index: int, options: dict[str, Word | bool]) -> int | None:
    """Record the option at `index`. Returns the number of its words; None if the launcher has no such option."""
    word = words[index]
    if not word.startswith("--"):
        return _letters(launcher, words, index, options)
    name, equals, value = word[2:].partition("=")
    found = _long(launcher, name.replace("-", "_")) if isinstance(name, str) else None
    if found is None:
        return None
    long = launcher.letters.get(found, found)
    if found in launcher.flags:
        options[long] = True
        return 1
    if equals:
        options[long] = as_one(value)
        return 1
    options[long] = _value(words, index + 1)
    return 2


def _long(launcher: Launcher, name: str) -> str | None:
    """Return the option that `name` stands for, which may be abbreviated."""
    names = {option for option in launcher.flags | launcher.valued if len(option) > 1}
    if name in names:
        return name
    if not launcher.abbreviates or not name:
        return None
    matching = [option for option in names if option.startswith(name)]
    return matching[0] if len(matching) == 1 else None


def _letters(launcher: Launcher, words: Sequence[Word], index: int, options: dict[str, Word | bool]) -> int | None:
    """Record options with one letter, such as ``-m`` or ``-uB``."""
    text = words[index][1:]
    while text:
        letter, rest = text[:1], text[1:]
        if not isinstance(letter, str):
            return None
        long = launcher.letters.get(letter, letter)
        if letter in launcher.valued:
            if rest:
                options[long] = as_one(rest.removeprefix("="))
                return 1
            options[long] = _value(words, index + 1)
            return 2
        if letter not in launcher.flags:
            return None
        options[long] = True
        text = rest
    return 1


def _value(words: Sequence[Word], index: int) -> Word:
    """Return a value. A variable without quotes is taken to be one word where an option needs one."""
    return as_one(words[index]) if index < len(words) else UNKNOWN
