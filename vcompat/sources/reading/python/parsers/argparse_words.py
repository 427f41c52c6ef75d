"""Parses the words of a command line with the real parser, and says what words that are not known leave open."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from vcompat.facts.facts import Place
from vcompat.facts.presumption import CALLER
from vcompat.sources.reading.python.parsers.argparse_builder import FROM_COMMAND_LINE, Builder, ParsingError, Unseen
from vcompat.sources.reading.python.parsers.argparse_texts import text_of_word, word_of_text
from vcompat.sources.reading.python.values.values import (
    Const,
    Function,
    Held,
    Lib,
    Mutable,
    Obj,
    Seq,
    Unknown,
    Value,
    candidates,
    from_plain,
)
from vcompat.sources.reading.word import UNKNOWN, Word, begins_with_gap, has_words, readable

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run

#: What is presumed of words that stand for any number of others.
OTHER_WORDS = "arguments that are not known change nothing that is stated"


class Parsing(NamedTuple):
    """A parser and the words that it gets."""

    run: Run
    builder: Builder
    parser: argparse.ArgumentParser
    words: tuple[Word, ...] | None
    """None if the command line is not known."""
    from_list: bool
    """Whether the script itself names the words."""
    keeps_others: bool
    """Whether words that the parser does not know are allowed, as for ``parse_known_args``."""


def fill(parsing: Parsing, namespace: Obj) -> list[Word] | None:
    """Set the attributes of `namespace` to what the real parser returns.

    Return the words that it does not know; None if those are not known. Raises what argparse raises.
    """
    run, parser = parsing.run, parsing.parser
    if parsing.words is None:
        for dest, default in defaults_of(parser).items():
            run.state.write(namespace, dest, _unseen(parsing, dest, default))
        return None
    kept, after = resolved(parser, parsing.words)
    if run.presuming:
        return _presumed(parsing, namespace, kept, after is not None)
    if after is not None:
        _fill_open(parsing, namespace, kept, after)
        return None
    result, rest = parser.parse_known_args(kept)
    if rest and not parsing.keeps_others:
        raise ParsingError(f"unrecognized arguments {' '.join(readable(word_of_text(text)) for text in rest)}")
    seen = seen_in(parser, kept, defaults_of(parser))
    for dest, value in vars(result).items():
        run.state.write(namespace, dest, _held(parsing, dest, value, dest in seen))
    return list(map(word_of_text, rest))


def _fill_open(parsing: Parsing, namespace: Obj, kept: list[str], after: list[str]) -> None:
    """Set the attributes if the `kept` words are not all: those `after` the last words that are not known outweigh."""
    parser, defaults = parsing.parser, defaults_of(parsing.parser)
    for action in actions(parser):
        action.required = False
    result, _ = parser.parse_known_args(kept, argparse.Namespace(**{dest: Unseen() for dest in defaults}))
    seen = seen_in(parser, kept, defaults)
    # A subparser gives its options their defaults, whether or not something unknown may set them.
    certain = seen_in(parser, after, defaults) - _below(parser) - _adding(parser)
    for dest, value in vars(result).items():
        if dest in certain:
            held = _held(parsing, dest, value, dest in seen)
        else:
            held = _unseen(parsing, dest, value if not isinstance(value, Unseen) or value else defaults.get(dest))
        parsing.run.state.write(namespace, dest, held)


def _presumed(parsing: Parsing, namespace: Obj, kept: list[str], has_more: bool) -> list[Word] | None:
    """Set the attributes to what the words that are known give. A required option that is not given stays unknown."""
    run, parser = parsing.run, parsing.parser
    if has_more:
        run.presume(CALLER, OTHER_WORDS, run.start.place)
    required = {action.dest for action in actions(parser) if action.required}
    for action in actions(parser):
        action.required = False
    result, rest = parser.parse_known_args(kept)
    seen = seen_in(parser, kept, defaults_of(parser))
    for dest, value in vars(result).items():
        if has_more and dest not in seen:
            held = _unseen(parsing, dest, value)
        elif dest in required and dest not in seen:
            held = _unseen(parsing, dest, None)._replace(value=Unknown("a required option, which the caller gives"))
        else:
            held = _held(parsing, dest, value, dest in seen)
        run.state.write(namespace, dest, held)
    return None if has_more else list(map(word_of_text, rest))


def _unseen(parsing: Parsing, dest: str, default: Any) -> Held:
    shown = parsing.builder.places.get(dest)
    return Held(Unknown(FROM_COMMAND_LINE, candidates(abstract(default))), shown.place if shown else None)


def _held(parsing: Parsing, dest: str, plain: Any, seen: bool) -> Held:
    """Return the value of an option, with the place that sets it and a remark that tells the option."""
    value = abstract(plain)
    shown = parsing.builder.places.get(dest, Held(Const(dest)))
    option = shown.value.value if isinstance(shown.value, Const) else dest
    start: Place | None = parsing.run.start.place if seen and not parsing.from_list else None
    if isinstance(value, Const):
        given = f"{option} in {start}" if start else option
        value = Const(value.value, given if seen else f"default of {option}")
    return Held(value, start or shown.place)


def _below(parser: argparse.ArgumentParser) -> set[str]:
    """Return the attributes that only subparsers set."""
    own = {action.dest for action in parser._actions}
    return {dest for child in _subparsers(parser) for dest in defaults_of(child)} - own


def _adding(parser: argparse.ArgumentParser) -> set[str]:
    """Return the attributes of options that add to what the words before them set."""
    kinds = (argparse._AppendAction, argparse._AppendConstAction, argparse._CountAction)
    return {action.dest for action in actions(parser) if isinstance(action, kinds)}


def abstract(value: Any) -> Value:
    """Return what a value of the real parser stands for; lists can hold abstract values."""
    if isinstance(value, Unseen):
        return Unknown(FROM_COMMAND_LINE)
    if isinstance(value, list | tuple):
        return Seq("tuple" if isinstance(value, tuple) else "list", [Held(abstract(item)) for item in value])
    if value is None or isinstance(value, bool | int | float | str | bytes | dict):
        return from_plain(value)
    return value if isinstance(value, Unknown | Mutable | Lib | Function) else Unknown()


def actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the options of a parser and of its subparsers."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for child in {id(p): p for p in action.choices.values()}.values():
                yield from actions(child)


def defaults_of(parser: argparse.ArgumentParser) -> dict[str, Any]:
    """Return the attributes that a parser and its subparsers set, with their defaults."""
    defaults: dict[str, Any] = {}
    for action in actions(parser):
        if argparse.SUPPRESS not in (action.dest, action.default):
            defaults.setdefault(action.dest, action.default)
    return defaults | dict(parser._defaults)


def _subparsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.values()


def resolved(parser: argparse.ArgumentParser, words: tuple[Word, ...]) -> tuple[list[str], list[str] | None]:
    """Return the texts of the words but those that stand for any number, and of the words after the last of these.

    None if there are none of these.
    After an option that takes at least one value they stand for that value.
    """
    kept: list[str] = []
    after: list[str] | None = None
    prefixes = parser.fromfile_prefix_chars or ""
    for word in words:
        wants_value = _wants_value(parser, kept)
        is_file = bool(prefixes) and word.startswith(tuple(prefixes))
        if is_file or (not wants_value and (has_words(word) or begins_with_gap(word))):
            after = []
            continue
        known = text_of_word(UNKNOWN if has_words(word) else word)
        kept.append(known)
        if after is not None:
            after.append(known)
    return kept, after


def _wants_value(parser: argparse.ArgumentParser, kept: list[str]) -> bool:
    """Return whether the last word is an option that takes a value: one, or several of which this is the first."""
    if not kept or not kept[-1].startswith("-"):
        return False
    matching = [a for a in actions(parser) for option in a.option_strings if option.startswith(kept[-1])]
    exact = [a for a in matching if kept[-1] in a.option_strings]
    return any(action.nargs in (None, "+") for action in exact or matching)


def seen_in(parser: argparse.ArgumentParser, words: list[str], defaults: dict[str, Any]) -> set[str]:
    """Return the attributes that the command line sets."""
    marked = argparse.Namespace(**{dest: Unseen() for dest in defaults})
    try:
        result, _ = parser.parse_known_args(words, marked)
    except (ParsingError, argparse.ArgumentError, TypeError, ValueError, AttributeError):
        return set()
    return {dest for dest, value in vars(result).items() if not (isinstance(value, Unseen) and not value)}
