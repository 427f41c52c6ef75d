"""Models `argparse`: the script's parser is built with the real argparse, and parses the words of the command line.

Words that are not known open what they may set: a value of one option, or every option that is not on the command line.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from vcompat.sources.reading.python.parsers.argparse_builder import FROM_COMMAND_LINE, KIND, Builder, ParsingError
from vcompat.sources.reading.python.parsers.argparse_words import Parsing, fill
from vcompat.sources.reading.python.values.core import Jump, Site, Stopped
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    ITEMS,
    NONE,
    Const,
    Held,
    Items,
    Lib,
    NotPlainError,
    Obj,
    Seq,
    Table,
    Unknown,
    Value,
    is_none,
)
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS, Word

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run

_CHILDREN = frozenset("add_argument_group add_mutually_exclusive_group add_subparsers add_parser".split())
#: What the real parser raises for a parser or a command line that does not work.
_REFUSED = (ParsingError, argparse.ArgumentError, TypeError, ValueError, AttributeError, KeyError, IndexError)


def make(run: Run, site: Site) -> Value:
    """Create a parser."""
    parser = Obj(Lib(KIND), site.place)
    parser.cells[ITEMS] = Held(Items((_step("new", site),)))
    _open_if_suppressed(run, parser, site)
    return parser


def _open_if_suppressed(run: Run, parser: Obj, site: Site) -> None:
    """Open a parser with an option that sets no attribute unless it is given."""
    for name in ("default", "argument_default"):
        if name in site.keywords and site.keywords[name].value == Lib("argparse.SUPPRESS"):
            run.open(parser, "an option sets nothing unless it is given")


def _step(name: str, site: Site, child: Value = NONE) -> Held:
    why = Const(site.why_open)
    keywords = Table(dict(site.keywords))  # type: ignore[arg-type]
    parts = (Held(Const(name)), Held(Items(site.arguments)), Held(keywords), Held(child), Held(why))
    return Held(Items(parts), site.place)


def call(run: Run, parser: Obj, name: str, site: Site) -> Value:
    """Call a method of a parser or group."""
    if name in ("parse_args", "parse_known_args", "parse_intermixed_args", "parse_known_intermixed_args"):
        return _parse(run, parser, name, site)
    if name in ("add_argument", "set_defaults") or name in _CHILDREN:
        child: Value = NONE
        if name in _CHILDREN:
            child = Obj(Lib(KIND), site.place)
            child.cells[ITEMS] = Held(Items(()))
        add(run, parser, name, site, child)
        return child
    if name == "get_default":
        return Unknown(FROM_COMMAND_LINE)
    if name in ("print_help", "format_help", "print_usage", "format_usage"):
        return NONE
    if name in ("error", "exit"):
        raise Stopped(Jump("exit"))
    run.open(parser, AT_RUN_TIME)
    return Unknown()


def add(run: Run, parser: Obj, name: str, site: Site, child: Value = NONE) -> None:
    """Note a call that adds to the options of a parser, or opens it."""
    before = parser.cells.get(ITEMS)
    if before is not None and isinstance(before.value, Items) and not before.optional:
        run.state.write(parser, ITEMS, Held(Items((*before.value.held, _step(name, site, child)))))
    else:
        run.open(parser, "its options depend on a condition")
    _open_if_suppressed(run, parser, site)


def _parse(run: Run, parser: Obj, name: str, site: Site) -> Value:
    own_words, given = _given(site.argument(0, "args")), _given(site.argument(1, "namespace"))
    builder = Builder(run)
    known = "known" in name
    namespace = given if isinstance(given, Obj) else Obj(Lib("argparse.Namespace"), site.place)
    run.raises()
    try:
        if given is not None and (given is not namespace or namespace.cells):
            raise NotPlainError("it may have attributes before")
        parsing = Parsing(run, builder, builder.build(parser), _words(run, own_words), own_words is not None, known)
        rest = fill(parsing, namespace)
    except NotPlainError as error:
        run.open(namespace, str(error))
        rest = None
    except _REFUSED as error:
        run.open(namespace, f"the command line does not fit its parser: {error}"[:100])
        rest = None
    if not known:
        return namespace
    words = [Const(word) if isinstance(word, str) else Unknown(FROM_COMMAND_LINE) for word in rest or ()]
    remaining = Seq("list", None if rest is None else map(Held, words))
    return Seq("tuple", [Held(namespace), Held(remaining)])


def _given(value: Value | None) -> Value | None:
    """Return an argument; None if it is left out."""
    return None if value is None or is_none(value) else value


def _words(run: Run, given: Value | None) -> tuple[Word, ...] | None:
    """Return the words to parse; None if they are not known at all."""
    if given is None:
        return run.words
    items = run.objects.iterate(given)
    if items is None:
        return (UNKNOWN_WORDS,) if run.words is not None else None
    words: list[Word] = []
    for held in items:
        plain = str(held.value.value) if isinstance(held.value, Const) else UNKNOWN
        words.append(plain if not held.optional else UNKNOWN_WORDS)
    return tuple(words)
