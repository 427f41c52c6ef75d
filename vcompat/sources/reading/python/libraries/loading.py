"""Files that a script loads its settings from: YAML, JSON and TOML, OmegaConf and Hydra.

They are read as plain data, from the place at which the script would find them. A file that is not there, or that the
launch script writes in a way that cannot be followed, is unknown.
"""

from __future__ import annotations

import itertools
import json
import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vcompat.facts import presumption
from vcompat.facts.facts import Place
from vcompat.foundation.bounded_reading import read_text
from vcompat.foundation.errors import InputError
from vcompat.sources.reading import invocation
from vcompat.sources.reading.document import Document, NotATable, parse_document, read_document
from vcompat.sources.reading.project import as_given, top_of
from vcompat.sources.reading.python.parsers import argparse_words
from vcompat.sources.reading.python.values import objects
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    NONE,
    Const,
    Function,
    Held,
    Lib,
    Native,
    Obj,
    Seq,
    Table,
    Unknown,
    Value,
    from_plain,
    join,
    plain_or,
    text_of,
)
from vcompat.sources.reading.python.values.values import OPEN as OPEN_CELL
from vcompat.sources.reading.word import UNKNOWN as WORD
from vcompat.sources.reading.word import Word, as_one, begins_with_gap, has_words, normal_path, path_in, readable

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run

#: The class of the objects that stand for an opened file.
FILE = "io.TextIOWrapper"
_LARGEST = 5_000_000
_POINTER = b"version https://git-lfs"


def find(run: Run, name: Word) -> str:
    """Return the path of a file that the script names; empty if it is not there."""
    start = run.start
    folders: list[Word] = [start.folder, os.path.dirname(run.path), ""]
    if start.place is not None:
        folders.insert(int(start.starts_here), path_in(os.path.dirname(start.place.path), start.folder))
    folders.append(path_in(top_of(os.path.dirname(run.path)), start.folder))
    for folder in folders:
        path = normal_path(path_in(folder, os.path.expanduser(name) if isinstance(name, str) else name))
        if isinstance(path, str) and os.path.isfile(path):
            return as_given(path, run.path)
    return start.by_end(name, run.path, start.folder, start.place, 1) if start.by_end is not None else ""


def is_there(run: Run, path: Value) -> bool:
    """Return whether a configuration file is there. The presuming reading goes on as if it were when the run starts."""
    text = text_of(path)
    if text is None or not text.endswith((".yaml", ".yml", ".json", ".toml")) or not find(run, text):
        return False
    run.presume(presumption.FILE, f"{as_given(text, run.path)} is there", None)
    return True


def working_folder(run: Run, site: Site) -> Value:
    """Model ``Path.cwd()`` in the presuming reading: the start of a path to a file."""
    return Const(".") if run.presuming else run.calls.unknown_call(site, AT_RUN_TIME)


def written(run: Run, name: Word) -> tuple[bool, str | None]:
    """Return whether the launch script or the script writes the file, and its text; None if that is not known."""
    start, here = run.start, normal_path(name)
    if any(_may_hold(path, here) for path in run.overwritten):
        return True, None
    if isinstance(name, str) and os.path.isabs(name) and start.place is not None:
        # It may be one that the launch script names from where it is started.
        named = invocation.written(start.files, "", os.path.relpath(name, os.path.dirname(start.place.path) or "."))
        if named[0]:
            return named
    return invocation.written(start.files, start.folder, name)


def _may_hold(path: str, name: Word) -> bool:
    """Return whether a path may be that of a file, or of a folder that holds it. A relative one may be anywhere."""
    if not isinstance(name, str) or os.path.isabs(path) == os.path.isabs(name):
        return name == path or name.startswith(f"{path}{os.sep}")
    if os.path.isabs(name):
        return f"{os.sep}{path.lstrip('./')}{os.sep}" in f"{name}{os.sep}"
    above = itertools.accumulate(name.lstrip("./").split(os.sep), os.path.join)
    return any(path.endswith(f"{os.sep}{each}") for each in above)


def read(run: Run, name: Word, kind: str, place: Place | None) -> Document | None:
    """Return the contents of a configuration file that the script loads; None if it is not known."""
    is_written, text = written(run, name)
    try:
        if is_written:
            return None if text is None else parse_document(readable(name), text)
        path = find(run, name)
        if path and not _is_pointer(path):
            document = read_document(path)
            run.record("file", path, place or Place(run.path), {}, Const(kind))
            return document
    except InputError as error:
        if not is_written:
            raise
        run.record("file", str(error), place or Place(run.path), {}, Const("missing"))
        return None
    run.record("file", readable(name), place or Place(run.path), {}, Const("missing"))
    return None


def _is_pointer(path: str) -> bool:
    """Return whether a file is only the name under which Git LFS keeps the real one."""
    try:
        with open(path, "rb") as file:
            return file.read(len(_POINTER)) == _POINTER
    except OSError:
        # What reads the document states why it cannot.
        return False


def settings_document(run: Run) -> Document:
    """Return the file of settings that was handed over with the script."""
    document = read_document(run.start.settings)
    run.record("file", run.start.settings, Place(run.start.settings), {}, Const("settings"))
    return document


def document_of(run: Run, value: Value | None) -> Document | None:
    """Return the contents of the file that `value` names."""
    name = text_of(value)
    if name is not None:
        return read(run, name, "settings", None)
    return settings_document(run) if isinstance(value, Unknown) and run.start.settings else None


# open(), Path.read_text()


def open_file(run: Run, site: Site) -> Value:
    """Model ``open(path)``."""
    return _opened(run, site.argument(0, "file"), site.argument(1, "mode"), site)


def _opened(run: Run, path: Value | None, mode: Value | None, site: Site) -> Value:
    run.raises()
    file = Obj(Lib(FILE), site.place)
    if path is not None:
        file.cells["path"] = Held(path)
    if mode is not None and not (isinstance(mode, Const) and "r" in str(mode.value) and "+" not in str(mode.value)):
        if isinstance(path, Const):
            run.overwritten.add(os.path.normpath(str(path.value)))
        file.cells["path"] = Held(Unknown())
    return file


def file_method(run: Run, file: Obj, name: str) -> Value:
    """Call a method of an opened file."""
    if name == "read" and "path" in file.cells:
        return _text_of(run, file.cells["path"].value)
    return Unknown() if name != "close" else NONE


def path_method(run: Run, path: str, name: str, site: Site) -> Value:
    """Call a method of a path that opens or reads the file."""
    if name == "open":
        return _opened(run, Const(path), site.argument(0, "mode"), site)
    return _text_of(run, Const(path)) if name == "read_text" else Unknown()


def _text_of(run: Run, path: Value) -> Value:
    run.raises()
    if not isinstance(path, Const):
        return Unknown()
    is_written, text = written(run, str(path.value))
    if is_written:
        return Unknown() if text is None else Const(text)
    place = find(run, str(path.value))
    try:
        return Const(read_text(place, _LARGEST, "a text file")) if place else Unknown()
    except InputError:
        return Unknown()


# YAML, JSON, TOML


def _loaded(run: Run, value: Value | None, kind: str) -> Value:
    """Return the contents of an opened file, or of a text."""
    run.raises()
    if isinstance(value, Obj) and "path" in value.cells:
        try:
            document = document_of(run, value.cells["path"].value)
        except NotATable:
            # Data, such as the examples to train on.
            return Unknown()
        return table_of(document) if document is not None else Unknown()
    text = text_of(value)
    try:
        return from_plain(parse_document("text", text, kind).table) if text is not None else Unknown()
    except InputError:
        return Unknown()


def table_of(document: Document) -> Table:
    """Return the contents of a document, with the place of each key."""
    return _table(document, document.table, ())


def _table(document: Document, table: dict[str, Any], above: tuple[str, ...]) -> Table:
    made = Table()
    for key, value in table.items():
        keys = (*above, str(key))
        place = document.place(*keys)
        inner = _table(document, value, keys) if isinstance(value, dict) else from_plain(value, place)
        made.cells[key] = Held(inner, place)
    return made


def contents(argument: str, kind: str) -> Callable[[Run, Site], Value]:
    """Return the model of a function that gets an opened file, or a text, as `argument`."""
    return lambda run, site: _loaded(run, site.argument(0, argument), kind)


def json_text(run: Run, site: Site) -> Value:
    """Model ``json.loads``."""
    run.raises()
    return run.operations.combine((site.argument(0, "s") or Unknown(),), json.loads)


# OmegaConf and Hydra


def _config(value: Value) -> Value:
    """Return an OmegaConf container of a table: its items are attributes, too."""
    if isinstance(value, Table):
        made = Obj(Lib("omegaconf.DictConfig"))
        made.cells = {key: held._replace(value=_config(held.value)) for key, held in value.cells.items()}
        return made
    return objects.copied(value, deep=True)


def _opened_interpolations(value: Value) -> Value:
    """Return the value with unknown ones for texts that OmegaConf would interpolate."""
    if isinstance(value, Table):
        for key, held in value.cells.items():
            value.cells[key] = held._replace(value=_opened_interpolations(held.value))
        return value
    if isinstance(value, Seq) and value.items is not None:
        return Seq(value.kind, [held._replace(value=_opened_interpolations(held.value)) for held in value.items])
    text = text_of(value) or ""
    return Unknown("an interpolation") if "${" in text or text == "???" else value


def omega_load(run: Run, site: Site) -> Value:
    """Model ``OmegaConf.load``."""
    document = document_of(run, site.argument(0, "file_"))
    return _config(_opened_interpolations(table_of(document))) if document is not None else Unknown()


def omega_create(run: Run, site: Site) -> Value:
    """Model ``OmegaConf.create``."""
    value = site.argument(0, "obj")
    return _config(_opened_interpolations(value)) if isinstance(value, Table) and not value.why_open else Unknown()


def omega_merge(run: Run, site: Site) -> Value:
    """Model ``OmegaConf.merge``."""
    result = Table()
    for held in site.arguments:
        if isinstance(held.value, Obj | Table):
            _merge(run, result, held.value)
        else:
            run.open(result, "merged with something unknown")
    return _config(result)


def _merge(run: Run, table: Table, other: Obj | Table) -> None:
    if other.why_open:
        run.open(table, other.why_open)
    for key, held in other.cells.items():
        before, now = table.cells.get(key), held
        if before is not None and isinstance(before.value, Obj | Table) and isinstance(held.value, Obj | Table):
            inner = Table(dict(before.value.cells))
            _merge(run, inner, held.value)
            now = held._replace(value=inner)
        if before is not None and held.optional:
            now = now._replace(value=join(before.value, now.value), optional=before.optional)
        table.cells[key] = now


def omega_container(run: Run, site: Site) -> Value:
    """Model ``OmegaConf.to_container``."""
    value = site.argument(0, "cfg")
    return _container(value) if isinstance(value, Obj | Table) else Unknown()


def _container(value: Value) -> Value:
    if isinstance(value, Obj | Table):
        return Table({key: held._replace(value=_container(held.value)) for key, held in value.cells.items()})
    return objects.copied(value, deep=True)


def omega_dotlist(run: Run, site: Site) -> Value:
    """Model ``OmegaConf.from_dotlist``."""
    words = plain_or(site.argument(0, "dotlist") or Unknown(), None)
    return Unknown() if words is None else _from_words(tuple(map(str, words)), None)


def omega_cli(run: Run, site: Site) -> Value:
    """Model ``OmegaConf.from_cli``."""
    words = run.start.words
    known = tuple(word for word in words or () if isinstance(word, str))
    if words is None or site.arguments or len(known) < len(words):
        return Unknown("taken from the command line")
    return _from_words(known, run.start.place)


def _from_words(words: tuple[str, ...], place: Place | None) -> Value:
    table = Table()
    for word in words:
        key, equals, text = word.partition("=")
        try:
            value = parse_document("word.yaml", f"value: {text}").table.get("value") if equals else None
        except InputError:
            return Unknown()
        inner = table
        *above, last = key.split(".")
        for part in above:
            held = inner.cells.setdefault(part, Held(Table(), place))
            if not isinstance(held.value, Table):
                return Unknown()
            inner = held.value
        inner.cells[last] = Held(from_plain(value, place), place)
    return _config(_opened_interpolations(table))


def hydra_function(run: Run, function: Function, site: Site | None) -> Value:
    """Return what ``@hydra.main`` makes of a function: called without arguments, it gets the composed configuration."""

    def called(called_at: Site) -> Value:
        if called_at.arguments:
            return run.calls.call(function, called_at)
        return run.calls.call(function, called_at._replace(arguments=(Held(_composed(run, function, site)),)))

    return Native("hydra.main", called)


def _composed(run: Run, function: Function, site: Site | None) -> Value:
    """Return the configuration that Hydra composes from its folder and the command line."""
    given = {name: site.argument(index, name) if site else None for index, name in _HYDRA_ARGUMENTS}
    folder, name = given["config_path"], given["config_name"]
    if not (isinstance(folder, Const) and isinstance(name, Const) and name.value) or (site and site.why_open):
        return Unknown("composed by Hydra")
    path = os.path.normpath(os.path.join(os.path.dirname(function.frame.path), str(folder.value or ".")))
    return _of_folder(path, str(name.value), _for_hydra(run), run.start.place)


def hydra_initialize(run: Run, site: Site) -> Value:
    """Model ``hydra.initialize(config_path=...)``: `compose` reads a folder beside the module that calls it."""
    folder = site.keywords.get("config_path")
    # Releases differ in which argument is the first one.
    value = folder.value if folder is not None and not site.arguments else Unknown("composed by Hydra")
    return _initialized(run, site, os.path.dirname(site.frame.path), value)


def hydra_initialize_folder(run: Run, site: Site) -> Value:
    """Model ``hydra.initialize_config_dir(config_dir)``."""
    return _initialized(run, site, "", site.argument(0, "config_dir") or Unknown("composed by Hydra"))


def _initialized(run: Run, site: Site, beside: str, folder: Value) -> Value:
    path = text_of(folder)
    is_known = path is not None and not site.why_open
    folder = Const(os.path.normpath(os.path.join(beside, path or ""))) if is_known else Unknown("composed by Hydra")
    hydra = _hydra(run)
    run.state.write(hydra, "folder", Held(folder, site.place))
    return hydra


def hydra_compose(run: Run, site: Site) -> Value:
    """Model ``hydra.compose(config_name, overrides)``, which does not read the command line."""
    held = _hydra(run).cells.get("folder")
    folder, name = held.value if held is not None and not held.optional else None, site.argument(0, "config_name")
    overrides = site.argument(1, "overrides") or NONE
    items = () if overrides == NONE else overrides.items if isinstance(overrides, Seq) else None
    if not (isinstance(folder, Const) and isinstance(name, Const) and name.value) or items is None or site.why_open:
        return Unknown("composed by Hydra")
    texts = [text_of(item.value) for item in items]
    words = [WORD if text is None else text for text in texts]
    return _of_folder(str(folder.value), str(name.value), words, site.place)


def _hydra(run: Run) -> Obj:
    """Return the one object that keeps Hydra's folder."""
    kept = run.once("hydra.core", lambda: Obj(Lib("hydra.core")))
    assert isinstance(kept, Obj)
    return kept


def _of_folder(path: str, name: str, words: Sequence[Word] | None, place: Place | None) -> Value:
    from vcompat.sources.reading.configurations.hydra import compose_config

    try:
        composed = compose_config(path, name, words)
    except InputError:
        return Unknown("composed by Hydra")
    # What the command line sets has no place in the files.
    places: dict[tuple[str, ...], Place | None] = defaultdict(lambda: place, composed.places)
    return _of_composed(composed.table, places, (), composed.why_open or "composed by Hydra")


def _for_hydra(run: Run) -> Sequence[Word] | None:
    """Return the words of the command line. Presumably, a value that is not known is one word."""
    words = run.words
    if words is None or not run.presuming or not any(map(has_words, words)):
        return words
    run.presume(presumption.CALLER, argparse_words.OTHER_WORDS, run.start.place)
    # A word of which not even the key is known leaves open what no other word states.
    return [*filter(begins_with_gap, words), *(as_one(word) for word in words if not begins_with_gap(word))]


#: The arguments of ``hydra.main``.
_HYDRA_ARGUMENTS = ((0, "config_path"), (1, "config_name"))


def _of_composed(value: Any, places: Mapping[tuple[str, ...], Place | None], path: tuple[str, ...], why: str) -> Value:
    from vcompat.sources.reading.configurations.omegaconf_values import MISSING, OPEN, OpenTable

    if value is OPEN or value == MISSING:
        return Unknown(why)
    if isinstance(value, dict):
        made = Obj(Lib("omegaconf.DictConfig"))
        for key, inner in value.items():
            here = (*path, str(key))
            made.cells[key] = Held(_of_composed(inner, places, here, why), places[here])
        if isinstance(value, OpenTable):
            made.cells[OPEN_CELL] = Held(Const(why))
        return made
    if isinstance(value, list):
        return Seq("list", [Held(_of_composed(item, places, path, why)) for item in value])
    return Const(value)
