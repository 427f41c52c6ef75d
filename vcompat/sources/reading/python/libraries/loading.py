"""Files that a script loads its settings from: YAML, JSON and TOML, OmegaConf and Hydra.

They are read as plain data, from the place at which the script would find them. A file that is not there, or that the
launch script writes in a way that cannot be followed, is unknown.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from vcompat.facts import presumption
from vcompat.facts.facts import Place
from vcompat.foundation.bounded_reading import read_text
from vcompat.foundation.errors import InputError
from vcompat.sources.reading import invocation
from vcompat.sources.reading.document import Document, NotATable, parse_document, read_document
from vcompat.sources.reading.project import as_given, top_of
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    NONE,
    Const,
    Held,
    Lib,
    Obj,
    Table,
    Unknown,
    Value,
    from_plain,
    text_of,
)
from vcompat.sources.reading.word import Word, normal_path, path_in, readable

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
    if start.by_end is None:
        return ""
    # A file of that name in another folder, such as a result of another run, is another file.
    above = os.path.basename(os.path.dirname(os.path.normpath(name))) if isinstance(name, str) else ""
    has_folder = above not in ("", os.pardir) and not os.path.isabs(readable(name))
    return start.by_end(name, run.path, start.folder, start.place, 1 + has_folder)


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
