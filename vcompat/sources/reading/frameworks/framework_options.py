"""Options among the words of a program that parses them with argparse or click."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from vcompat.facts.facts import Facts, Place
from vcompat.facts.presumption import CALLER, Presumption
from vcompat.facts.vocabulary import FLAG, VOCABULARY
from vcompat.sources.reading.document import Document
from vcompat.sources.reading.frameworks.framework_program import Presumed
from vcompat.sources.reading.settings import state
from vcompat.sources.reading.word import Gap, Word, as_one, begins_with_gap, has_words, readable

_OPTION = re.compile(r"--[A-Za-z].*|-[A-Za-z]", re.DOTALL)
_TRUE, _FALSE = frozenset("true t 1 yes y on".split()), frozenset("false f 0 no n off".split())


class Option(NamedTuple):
    """An option that a program gets."""

    values: tuple[str, ...] | None
    """The words after it; empty for none, None if they are not known."""
    place: Place
    why_unknown: str = ""
    """Why they are not known."""

    @property
    def value(self) -> str | None:
        """The value of an option that takes one; None if it has another number of values, or is not known."""
        return self.values[0] if self.values is not None and len(self.values) == 1 else None


Options = dict[str, Option]


def read_options(
    words: Sequence[Word],
    place: Place,
    valued: Collection[str],
    flags: Collection[str] = (),
    before: Mapping[str, Option] | None = None,
) -> Options:
    """Return the options among `words` by name, with ``_`` for ``-``; the last one counts.

    `valued` are options that take a value, so that a word that is not known is that value; `flags` take none. `before`
    are options that come before the words.
    """
    options: Options = dict(before or {})
    index = 0
    while index < len(words):
        word, index = words[index], index + 1
        if word == "--":
            break
        if not _is_option(word):
            if has_words(word) or begins_with_gap(word):
                _open(options, place)
            continue
        name, equals, value = word.lstrip("-").partition("=")
        if not isinstance(name, str):
            _open(options, place)
            continue
        name = name.replace("-", "_")
        values = [value] if equals else []
        takes = not equals and name not in flags
        while takes and index < len(words) and words[index] != "--" and not _is_option(words[index]):
            if _may_be_options(words[index], not values, name in valued):
                break
            values.append(words[index])
            index += 1
        options[name] = _option(values, place)
    return options


def _is_option(word: Word) -> bool:
    return _OPTION.fullmatch(readable(word)) is not None


def _may_be_options(word: Word, is_first: bool, takes_value: bool) -> bool:
    """Return whether a word after an option, if it is not known, may be options rather than its value."""
    if not begins_with_gap(word):
        return False
    return not is_first or (begins_with_gap(word, Gap.WORDS) and not takes_value)


def _option(values: list[Word], place: Place) -> Option:
    known = tuple(value for value in values if isinstance(value, str))
    if len(known) < len(values):
        return Option(None, place, f"{place}: computed at run time")
    return Option(known, place)


def _open(options: Options, place: Place) -> None:
    """Make unknown what words that are not known may set again."""
    why = f"{place}: words that are not known may set it"
    options.update({name: Option(None, option.place, why) for name, option in options.items()})


def overrides_among(words: Sequence[Word], place: Place, presumed: Presumed) -> tuple[Word, ...]:
    """Return words such as ``key=value``; presumably, a variable without quotes is one word of a value."""
    plain = tuple(word if has_words(word.partition("=")[0]) else as_one(word) for word in words)
    if presumed is None or plain == tuple(words):
        return tuple(words)
    presumed.append(Presumption(CALLER, "a variable without quotes is one word", place))
    return plain


def options_of(document: Document) -> Options:
    """Return the keys at the top of a file that becomes options of the command line."""
    options: Options = {}
    for key, value in document.table.items():
        if value is None:
            continue
        values = value if isinstance(value, list) else [value]
        known = all(isinstance(each, str | int | float | bool) for each in values)
        place = document.place(str(key))
        texts = tuple(str(each) for each in values) if known else None
        options[str(key).replace("-", "_")] = Option(texts, place, "" if known else f"{place}: a table")
    return options


def state_options(facts: Facts, options: Options, names: Mapping[str, str]) -> None:
    """Record the facts of options. `names` are the facts by name of the option."""
    for name, fact in names.items():
        option = options.get(name)
        shortened = [one for one in options if one not in names and name.startswith(one)]
        if option is not None:
            state_option(facts, fact, option)
        if shortened:
            # argparse takes an option also by the first letters of its name.
            place = options[shortened[0]].place
            facts.forget(fact, f"{place}: --{shortened[0]} may stand for --{name}", place)


def state_option(facts: Facts, fact: str, option: Option) -> None:
    """Record the fact that an option sets."""
    if option.values is None:
        facts.forget(fact, option.why_unknown, option.place)
        return
    spec, values = VOCABULARY[fact], option.values
    if spec.many:
        state(facts, fact, list(values), option.place)
    elif spec.kind == FLAG:
        state(facts, fact, _flag(values), option.place)
    elif len(values) == 1:
        state(facts, fact, values[0], option.place)
    else:
        facts.forget(fact, f"{option.place}: {len(values)} values", option.place)


def flag(option: Option | None) -> bool | None:
    """Return the truth of an option; None if it is not given, or not known."""
    value = _flag(option.values) if option is not None and option.values is not None else None
    return value if isinstance(value, bool) else None


def _flag(values: tuple[str, ...]) -> bool | str:
    word = "".join(values[:1]).lower()
    if not values or word in _TRUE:
        return True
    return False if word in _FALSE else values[0]
