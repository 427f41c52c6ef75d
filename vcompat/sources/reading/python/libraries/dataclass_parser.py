"""Models `HfArgumentParser` and `TrlParser`: dataclasses filled from the command line and from a file of settings.

The options of a class of the script are its fields. Those of a class of a library are the settings that vcompat knows;
other options of it are left out, and take no part in anything that vcompat states. The options that the script adds
to the parser are the attributes of one more object.
"""

from __future__ import annotations

import argparse
from collections.abc import Container, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from vcompat.facts.facts import Place
from vcompat.facts.presumption import CALLER
from vcompat.facts.stated import FILE, OPTION
from vcompat.facts.vocabulary import FLAG, NUMBER, VOCABULARY
from vcompat.sources.reading.document import Document
from vcompat.sources.reading.python.classes import classes, constructions
from vcompat.sources.reading.python.libraries import loading
from vcompat.sources.reading.python.libraries.option_names import option_names
from vcompat.sources.reading.python.libraries.option_types import CONVERTERS, flag, kind_of, text_of
from vcompat.sources.reading.python.parsers import argparse_model
from vcompat.sources.reading.python.parsers.argparse_builder import (
    FROM_COMMAND_LINE,
    Builder,
    Parser,
    ParsingError,
    Unseen,
)
from vcompat.sources.reading.python.parsers.argparse_texts import is_unknown, word_of_text
from vcompat.sources.reading.python.parsers.argparse_words import OTHER_WORDS, abstract, resolved
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    ITEMS,
    UNSET,
    ClassValue,
    Const,
    Held,
    Items,
    Lib,
    NotPlainError,
    Obj,
    Seq,
    Unknown,
    Value,
    candidates,
    from_plain,
    is_none,
)
from vcompat.sources.reading.settings import COUNTS_INSTEAD, fact_of
from vcompat.sources.reading.word import UNKNOWN, Word, begins_with_gap, has_words, readable

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run

PARSERS = frozenset({"HfArgumentParser", "TrlParser", "H4ArgumentParser"})
_H4 = "H4ArgumentParser"
_CLASSES = "<classes>"
#: What is known of an option that only its first letters may name.
_SHORT = Unknown("an option is short for several names, of which the release may have one")
_DOES_NOT_FIT = "the command line does not fit its parser"
_OTHERS = "the command line is not fully known"
_UNKNOWN_COMMAND = "read from the command line, which is not known"
#: Libraries whose classes have the fields that TRL, transformers and PEFT give them.
_KNOWN_ROOTS = frozenset({"trl", "transformers", "peft"})


def make(run: Run, callee: Lib, site: Site) -> Value:
    """Create a parser for dataclasses."""
    parser = Obj(callee, site.place)
    given = site.held(0, "dataclass_types")
    parser.cells[_CLASSES] = given or Held(Seq("tuple", []))
    parser.cells[ITEMS] = Held(Items(()))
    if site.why_open:
        run.open(parser, site.why_open)
    return parser


def call(run: Run, parser: Obj, name: str, site: Site) -> Value:
    """Call a method of the parser."""
    kinds = _kinds(parser)
    if name == "add_argument":
        argparse_model.add(run, parser, name, site)
        return Unknown()
    if name in ("parse_args_and_config", "parse_args_into_dataclasses", "parse", "parse_args"):
        return _parse(run, parser, kinds, name, site)
    if name in ("parse_yaml_file", "parse_yaml_and_args", "parse_json_file"):
        document = loading.document_of(run, site.argument(0, name.split("_")[1] + "_file"))
        overrides = _words(run, site.argument(1, "other_args")) if name == "parse_yaml_and_args" else ()
        refuses = OPTION if name != "parse_yaml_and_args" and not site.argument(1, "allow_extra_keys") else ""
        return _made(run, kinds, _Input(overrides, document, "" if document else AT_RUN_TIME, False, refuses), site)
    if name == "parse_dict":
        return _from_dict(run, kinds, site)
    if name in ("add_argument_group", "set_defaults"):
        run.open(parser, "options are added to it")
        return Unknown()
    run.open(parser, AT_RUN_TIME)
    return Unknown()


def _kinds(parser: Obj) -> tuple[Value, ...] | None:
    """Return the classes that the parser fills; None if they are not known."""
    held = parser.cells.get(_CLASSES)
    if parser.why_open or held is None:
        return None
    if isinstance(held.value, Seq):
        items = held.value.items
        return None if items is None else tuple(item.value for item in items)
    return (held.value,)


def _words(run: Run, given: Value | None) -> tuple[Word, ...] | None:
    """Return the words to parse; None if they are not known."""
    if given is None or is_none(given):
        if run.start.settings and run.start.words is None:
            return None
        return run.words
    items = run.objects.iterate(given)
    if items is None:
        return None
    return tuple(str(h.value.value) if isinstance(h.value, Const) else UNKNOWN for h in items)


def _parse(run: Run, parser: Obj, kinds: Any, name: str, site: Site) -> Value:
    by = _name(parser)
    words, document, why = _words(run, site.argument(0, "args")), None, ""
    if by != "HfArgumentParser" or name == "parse_args_and_config":
        words, document, why = _with_config(run, by, words)
    returns_rest = site.argument(99, "return_remaining_strings")
    strict = returns_rest is None and not site.why_open
    is_of_trl = by == "TrlParser"
    refuses_keys = FILE if strict and is_of_trl and site.argument(99, "fail_with_unknown_args") is None else ""
    more = parser if parser.cells.get(ITEMS) != Held(Items(())) else None
    if more is not None and by == _H4:
        # Whether it returns the options that are added depends on the words.
        return Unknown()
    made = _made(run, kinds, _Input(words, document, why, strict, refuses_keys, is_of_trl, more), site)
    items = made.items if isinstance(made, Seq) else None
    if returns_rest is not None and items is not None:
        return Seq("tuple", [*items, Held(Seq("list", None))])
    return items[0].value if by == _H4 and items is not None and len(items) == 1 else made


def _name(parser: Obj) -> str:
    return parser.kind.name if isinstance(parser.kind, Lib) else ""


def _with_config(
    run: Run, by: str, words: tuple[Word, ...] | None
) -> tuple[tuple[Word, ...] | None, Document | None, str]:
    """Return the words without those that name a file of settings, the file, and why it is not known."""
    if words is None:
        return ((), loading.settings_document(run), "") if run.start.settings else (None, None, "")
    if by == _H4 and words and words[0].endswith((".yaml", ".yml")):
        before, name, after = words[:0], words[0], words[1:]
    elif "--config" in words[:-1]:
        index = words.index("--config")
        before, name, after = words[:index], words[index + 1], words[index + 2 :]
    else:
        maybe = by != _H4 and any(map(has_words, words)) and not run.presuming
        return words, None, "the command line may name a file of settings" if maybe else ""
    return (*before, *after), *_named(run, name)


def _named(run: Run, name: Word) -> tuple[Document | None, str]:
    """Return the file of settings that a word names, and why it is not known."""
    if not isinstance(name, str):
        if run.start.settings:
            return loading.settings_document(run), ""
        if run.start.by_end is None or not loading.find(run, name):
            return None, "the file of settings is not known"
    document = loading.read(run, name, "settings", run.start.place)
    if document is not None:
        return document, ""
    changed, _ = loading.written(run, name)
    return None, f"{readable(name)} is changed before" if changed else f"{readable(name)} was not found"


def _from_dict(run: Run, kinds: Any, site: Site) -> Value:
    given = site.argument(0, "args")
    if kinds is None or given is None:
        return Unknown()
    made = []
    for kind in kinds:
        value = run.calls.call(kind, site._replace(arguments=(), keywords={}))
        if isinstance(value, Obj):
            run.merge_attributes(value, given)
        made.append(Held(value))
    return Seq("tuple", made)


# Filling


class _Input(NamedTuple):
    """What fills the instances."""

    words: tuple[Word, ...] | None
    """The options; None if the command line is not known."""
    document: Document | None
    """The file of settings; None if there is none, or if it is not known."""
    why: str
    """Why the file of settings is not known; empty if it is, or if there is none."""
    refuses_words: bool = False
    """Whether an option that no class has is an error."""
    refuses_keys: str = ""
    """FILE if TRL's parser reads the file, OPTION if an unknown key in it is always an error; empty if it never is."""
    is_of_trl: bool = False
    """Whether TRL's parser reads the file. It sets the variables of the section `env`, and makes the other keys the
    defaults of options, so that a text becomes what its option is declared for."""
    more: Obj | None = None
    """The parser, if the script adds options to it."""


def _made(run: Run, kinds: Any, given_by: _Input, site: Site) -> Value:
    """Return the instances of the classes, filled from the words and the document."""
    document = given_by.document
    run.raises()
    if kinds is None:
        return Unknown()
    if given_by.is_of_trl:
        _environment(run, document, bool(given_by.why) or given_by.words is None)
    try:
        given = _given(run, kinds, given_by.words, given_by.more)
    except (NotPlainError, argparse.ArgumentError, TypeError, ValueError):
        # An option that is added has the name of one that some releases of a library have.
        return Unknown()
    if document is not None and given.more.keys() & document.table.keys():
        return Unknown()
    if given.why_open.startswith(_DOES_NOT_FIT):
        # Words that were not parsed may outweigh what the file says.
        given_by = given_by._replace(why=given_by.why or given.why_open)
    constructions.parsed(run, _recorded(kinds, given_by, given), site)
    made = [Held(_filled(run, kind, given_by, given, site)) for kind in kinds]
    if given.more:
        namespace = Obj(Lib("argparse.Namespace"), site.place)
        namespace.cells.update(given.more)
        if given_by.why:
            run.open(namespace, given_by.why)
        made.append(Held(namespace))
    return Seq("tuple", made)


def _recorded(kinds: Any, given_by: _Input, given: _Given) -> constructions.Given:
    """Return what the parser is recorded to get. Without `refuses_words`, other options are no error."""
    known, is_strict = given_by.document if given_by.refuses_keys else None, given_by.refuses_words
    return constructions.Given(
        kinds,
        {name: held for name, held in given.settings.items() if held.value != _SHORT} if is_strict else {},
        given.rest if is_strict else (),
        known,
        given_by.refuses_keys,
        is_strict and not (given_by.why or given.why_open) and known is given_by.document,
    )


def _filled(run: Run, kind: Value, given_by: _Input, given: _Given, site: Site) -> Value:
    """Return an instance of a class, filled from the words and the document."""
    keywords = _keywords(run, kind, given.settings, given_by.document, given_by.is_of_trl)
    why = given_by.why or given.why_open
    if not why:
        return _instance(run, kind, keywords, site)
    # Presumably, arguments that are not known change nothing that the file of settings states.
    stated = keywords if run.presuming and not given_by.why else given.settings
    instance = _instance(run, kind, _unstated(run, kind, stated, why) | keywords, site)
    _opened(run, instance, stated, why)
    return instance


def _environment(run: Run, document: Document | None, may_be_another: bool) -> None:
    """Set the variables that the section `env` of a file of settings names; any, if the file is not known."""
    if document is None:
        if may_be_another:
            run.open_variables("a file of settings may set it")
        return
    table = document.get("env")
    for name, value in table.items() if isinstance(table, dict) else ():
        run.objects.set_item(run.environ, Const(str(name)), Held(Const(str(value)), document.place("env", str(name))))


class _Given(NamedTuple):
    """What the command line sets."""

    settings: dict[str, Held]
    rest: tuple[Word, ...]
    """The words that belong to no option."""
    why_open: str
    """Why there may be other settings; empty if there are none."""
    more: dict[str, Held]
    """The values of the options that the script adds, also of those that are not given."""


def _given(run: Run, kinds: Any, words: tuple[Word, ...] | None, more: Obj | None) -> _Given:
    """Return what the command line sets, with the options that are added to the parser `more`.

    Raises NotPlainError, or what argparse does, if one of these is not plain.
    """
    parser = _parser(run, kinds)
    added = _Added(run, parser, more)
    if words is None:
        return _Given({}, (), _UNKNOWN_COMMAND, added.unseen)
    ambiguous = _ambiguous(parser, words)
    kept, last = resolved(parser, words)
    is_open = last is not None
    if is_open and run.presuming:
        run.presume(CALLER, OTHER_WORDS, run.start.place)
    marked = _unmarked(parser)
    try:
        result, rest = parser.parse_known_args(kept, marked)
        # Of an option that is given twice, the last one counts: words that are not known outweigh those before them.
        after, _ = parser.parse_known_args(last or [], _unmarked(parser))
        added.check(result, may_be_given=is_open or run.presuming)
    except (ParsingError, argparse.ArgumentError, TypeError, ValueError) as error:
        return _Given({}, (), f"{_DOES_NOT_FIT}: {error}"[:100], added.unseen)
    for dest in _perhaps_valued(parser, words) if run.presuming else ():
        setattr(result, dest, Unknown("the launch script computes it"))
    given = _seen(run, result, after if is_open and not run.presuming else None, ambiguous)
    values = {dest: given.pop(dest, default) for dest, default in added.defaults(is_open).items()}
    return _Given(given, tuple(map(word_of_text, rest)), _OTHERS if is_open else "", values)


def _seen(
    run: Run, result: argparse.Namespace, after: argparse.Namespace | None, ambiguous: Mapping[str, list[str]]
) -> dict[str, Held]:
    """Return the options that are given. What words may outweigh that are not known is certain only `after` these."""
    given, place = {}, run.start.place
    for option, dests in ambiguous.items():
        if not isinstance(result.__dict__.pop(option), Unseen):
            given.update({dest: Held(_SHORT, place) for dest in dests})
    for dest, value in vars(result).items():
        if isinstance(value, Unseen):
            continue
        if after is not None and isinstance(getattr(after, dest), Unseen):
            given[dest] = Held(Unknown(_OTHERS, candidates(_as_value(value))))
        else:
            given[dest] = Held(_as_value(value, f"--{dest}", place), place)
    return given


class _Added:
    """The options that a script adds to a parser for dataclasses."""

    def __init__(self, run: Run, parser: Parser, more: Obj | None) -> None:
        """Add them to the real parser. Raises NotPlainError, or what argparse does, if one of them is not plain."""
        builder = Builder(run)
        self.parser = parser
        self.actions = builder.extend(parser, more) if more is not None else []
        self.required = {action.dest for action in self.actions if action.required}
        self.unseen = {
            action.dest: Held(
                Unknown(FROM_COMMAND_LINE, candidates(abstract(action.default))), builder.places[action.dest].place
            )
            for action in self.actions
        }
        """Their values if it is not known whether they are given."""
        for action in self.actions:
            # A part of the words is parsed alone, too.
            action.required = False

    def check(self, result: argparse.Namespace, may_be_given: bool) -> None:
        """Raise ParsingError if a required one is not given."""
        if not may_be_given and any(isinstance(getattr(result, dest), Unseen) for dest in self.required):
            raise ParsingError("a required option is not given")

    def defaults(self, is_open: bool) -> dict[str, Held]:
        """Return the values of those that are not given, or perhaps not, if the command line `is_open`."""
        return {action.dest: self._default(action, is_open) for action in self.actions}

    def _default(self, action: argparse.Action, is_open: bool) -> Held:
        unseen, default = self.unseen[action.dest], action.default
        if is_open or action.dest in self.required:
            return unseen
        try:
            value = self.parser._get_value(action, default) if isinstance(default, str) else default
        except argparse.ArgumentError:
            return unseen
        return Held(abstract(value), unseen.place)


def _parser(run: Run, kinds: Any) -> Parser:
    """Return a parser with the options of classes: those of the script, and settings that libraries have."""
    parser = Parser(add_help=False, allow_abbrev=all(_is_known(kind) for kind in kinds))
    for kind in kinds:
        _options(run, parser, kind)
    for fact in VOCABULARY:
        if fact.startswith("plan."):
            _library_option(parser, fact.removeprefix("plan."))
    for setting in ("torch_dtype", "lora_modules_to_save"):
        _library_option(parser, setting)
    for setting in COUNTS_INSTEAD:
        # They have no value by default, so that nothing negates them.
        _option(parser, setting, "bool", UNSET)
    names = option_names()
    for setting in sorted(names.valued):
        kind = "list" if setting in names.lists else "number" if setting in names.numbers else "text"
        _option(parser, setting, kind, UNSET)
    for setting in sorted(names.flags - COUNTS_INSTEAD.keys()):
        _option(parser, setting, "bool", Const(True))
    return parser


def _ambiguous(parser: Parser, words: tuple[Word, ...]) -> dict[str, list[str]]:
    """Add the options that are short for several names, of which one release may have one. Return these names."""
    options = parser._option_string_actions
    given = {word.partition("=")[0] for word in words if isinstance(word, str) and word.startswith("--")}
    ambiguous = {}
    for option in sorted(given - set(options)) if parser.allow_abbrev else ():
        dests = sorted({action.dest for name, action in options.items() if name.startswith(option)})
        if len(option) > len("--") and len(dests) > 1:
            ambiguous[option] = dests
    for option in ambiguous:
        parser.add_argument(option, dest=option, nargs="?", const=True)
    return ambiguous


def _perhaps_valued(parser: argparse.ArgumentParser, words: tuple[Word, ...]) -> set[str]:
    """Return the options that need no value, and that a word follows which is not known."""
    options = {word for word, after in pairwise(words) if begins_with_gap(after)}
    given = [action for option, action in parser._option_string_actions.items() if option in options]
    return {action.dest for action in given if action.nargs == "?"}


def _unmarked(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Return a namespace in which every option is marked as not given."""
    return argparse.Namespace(**{action.dest: Unseen() for action in parser._actions})


def _is_known(kind: Value) -> bool:
    return isinstance(kind, ClassValue) or (isinstance(kind, Lib) and (kind.root in _KNOWN_ROOTS or not kind.imported))


def _as_value(value: Any, option: str = "", place: Place | None = None) -> Value:
    if isinstance(value, Unknown):
        return value
    if isinstance(value, list):
        return Seq("list", [Held(_as_value(item, option, place)) for item in value])
    if isinstance(value, str) and is_unknown(value):
        return Unknown("the launch script computes it")
    return Const(value, f"{option} in {place}" if place else option)


def _options(run: Run, parser: argparse.ArgumentParser, kind: Value) -> None:
    for owner in run.objects.own_classes(kind):
        for name, annotation in owner.annotated():
            default = owner.fields.get(name)
            held = classes.default_of(run, default) if default else Held(UNSET)
            _option(parser, name, kind_of(annotation), held.value)


def _library_option(parser: argparse.ArgumentParser, setting: str) -> None:
    fact = fact_of(setting)
    if fact is None:
        return
    spec = VOCABULARY[fact]
    kind = "list" if spec.many else "bool" if spec.kind == FLAG else "number" if spec.kind == NUMBER else "text"
    _option(parser, setting, kind, Const(True) if kind == "bool" else UNSET)


def _option(parser: argparse.ArgumentParser, name: str, kind: str, default: Value) -> None:
    """Add the option of one field as transformers' parser does."""
    spellings = list(dict.fromkeys([f"--{name}", f"--{name.replace('_', '-')}"]))
    if any(spelling in parser._option_string_actions for spelling in spellings):
        return
    if kind in ("bool", "optional bool"):
        has_default = kind == "bool" or candidates(default) not in ((), (None,))
        more: dict[str, Any] = {"nargs": "?", "const": True} if has_default else {}
        parser.add_argument(*spellings, dest=name, type=flag, **more)
        if candidates(default) == (True,):
            opposite = list(dict.fromkeys([f"--no_{name}", f"--no-{name.replace('_', '-')}"]))
            parser.add_argument(*opposite, dest=name, action="store_false", default=Unseen())
    elif kind == "list":
        parser.add_argument(*spellings, dest=name, nargs="+", type=text_of)
    else:
        parser.add_argument(*spellings, dest=name, type=CONVERTERS.get(kind, text_of))


def _keywords(
    run: Run, kind: Value, given: dict[str, Held], document: Document | None, converts: bool
) -> dict[str, Held]:
    """Return what the document sets of a class, then the command line."""
    own = _fields(run, kind)
    keywords: dict[str, Held] = {}
    for key, value in document.table.items() if document is not None else ():
        if own is None or key in own:
            place = document.place(str(key)) if document is not None else None
            plain = from_plain(value, place)
            keywords[str(key)] = Held(_converted(run, kind, str(key), plain) if converts else plain, place)
    return keywords | {name: held for name, held in given.items() if own is None or name in own}


def _converted(run: Run, kind: Value, key: str, value: Value) -> Value:
    """Return what argparse makes of a default that is a text: a number for an option with numbers."""
    text = value.value if isinstance(value, Const) else None
    declared = _declared(run, kind, key)
    if not isinstance(text, str) or declared not in CONVERTERS:
        return value
    try:
        return _as_value(CONVERTERS[declared](text))
    except ValueError:
        return Unknown(f"{text!r} is no {declared}")


def _declared(run: Run, kind: Value, key: str) -> str:
    """Return the kind of a setting: that of the script's own field, or number for an option of TRL; else empty."""
    annotation = run.objects.annotation(kind, key)
    if annotation is not None:
        return kind_of(annotation[1])
    fact = fact_of(key)
    is_number = fact is not None and VOCABULARY[fact].kind == NUMBER and not VOCABULARY[fact].many
    return "number" if is_number or key in option_names().numbers else ""


def _instance(run: Run, kind: Value, keywords: dict[str, Held], site: Site) -> Value:
    """Return an instance of a class with these settings."""
    return run.calls.call(kind, Site((), keywords, "", site.place, site.node, site.frame, parsed=True))


def _opened(run: Run, made: Value, given: dict[str, Held], why: str) -> None:
    """Open what the command line does not set."""
    if not isinstance(made, Obj):
        return
    for key, held in list(made.cells.items()):
        if isinstance(key, str) and key not in given:
            run.state.write(made, key, Held(Unknown(why, candidates(held.value)), held.place))
    run.open_more(made, why)


def _unstated(run: Run, kind: Value, stated: Container[str], why: str) -> dict[str, Held]:
    """Return unknown values for the fields of the script's classes that are not `stated`: `__post_init__` sees them."""
    if not isinstance(kind, ClassValue):
        return {}
    unknown = {}
    for name, held in classes.all_fields(run, kind).items():
        default = classes.default_of(run, held)
        if name not in stated:
            unknown[name] = default._replace(value=Unknown(why, candidates(default.value)))
    return unknown


def _fields(run: Run, kind: Value) -> set[str] | None:
    """Return the names of the fields of a class of the script; None for one that extends a library's class."""
    if isinstance(kind, ClassValue) and not run.objects.library_classes(kind):
        return set(classes.all_fields(run, kind))
    return None
