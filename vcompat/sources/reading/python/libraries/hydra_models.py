"""Models of Hydra: the configuration that it composes from the files of a folder and from words."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vcompat.facts import presumption
from vcompat.facts.facts import Place
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.project import as_given
from vcompat.sources.reading.python.libraries import loading
from vcompat.sources.reading.python.parsers import argparse_words
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import (
    NONE,
    Const,
    Function,
    Held,
    Lib,
    Native,
    Obj,
    Seq,
    Unknown,
    Value,
    text_of,
)
from vcompat.sources.reading.python.values.values import OPEN as OPEN_CELL
from vcompat.sources.reading.word import UNKNOWN as WORD
from vcompat.sources.reading.word import Word, as_one, begins_with_gap, has_words

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run


def decorated(run: Run, function: Function, site: Site | None) -> Value:
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
    return _of_folder(run, path, str(name.value), _for_hydra(run), run.start.place)


def _initialize(run: Run, site: Site) -> Value:
    """Model ``hydra.initialize(config_path=...)``: `compose` reads a folder beside the module that calls it."""
    folder = site.keywords.get("config_path")
    # Releases differ in which argument is the first one.
    value = folder.value if folder is not None and not site.arguments else Unknown("composed by Hydra")
    return _initialized(run, site, os.path.dirname(site.frame.path), value)


def _initialize_folder(run: Run, site: Site) -> Value:
    """Model ``hydra.initialize_config_dir(config_dir)``."""
    return _initialized(run, site, "", site.argument(0, "config_dir") or Unknown("composed by Hydra"))


def _initialized(run: Run, site: Site, beside: str, folder: Value) -> Value:
    path = text_of(folder)
    folder = Unknown("composed by Hydra")
    if path is not None and not site.why_open:
        folder = Const(as_given(os.path.normpath(os.path.join(beside, path)), run.path))
    hydra = _hydra(run)
    run.state.write(hydra, "folder", Held(folder, site.place))
    return hydra


def _compose(run: Run, site: Site) -> Value:
    """Model ``hydra.compose(config_name, overrides)``, which does not read the command line."""
    held = _hydra(run).cells.get("folder")
    folder, name = held.value if held is not None and not held.optional else None, site.argument(0, "config_name")
    overrides = site.argument(1, "overrides") or NONE
    items = () if overrides == NONE else overrides.items if isinstance(overrides, Seq) else None
    if not (isinstance(folder, Const) and isinstance(name, Const) and name.value) or items is None or site.why_open:
        return Unknown("composed by Hydra")
    texts = [text_of(item.value) for item in items]
    words = [WORD if text is None else text for text in texts]
    return _of_folder(run, str(folder.value), str(name.value), words, site.place)


def _hydra(run: Run) -> Obj:
    """Return the one object that keeps Hydra's folder."""
    kept = run.once("hydra.core", lambda: Obj(Lib("hydra.core")))
    assert isinstance(kept, Obj)
    return kept


def _of_folder(run: Run, path: str, name: str, words: Sequence[Word] | None, place: Place | None) -> Value:
    from vcompat.sources.reading.configurations.hydra import compose_config

    try:
        composed = compose_config(path, name, words, lambda file: loading.written(run, os.path.abspath(file)))
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


#: The models, by the name of the function.
MODELS: Mapping[str, Callable[[Run, Site], Value]] = {
    "hydra.initialize": _initialize,
    "hydra.initialize_config_dir": _initialize_folder,
    "hydra.compose": _compose,
}
