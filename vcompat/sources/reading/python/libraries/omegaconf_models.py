"""Models of OmegaConf: containers whose items are attributes, too, made of files, dictionaries and words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from vcompat.facts.facts import Place
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.document import parse_document
from vcompat.sources.reading.python.libraries.loading import document_of, table_of
from vcompat.sources.reading.python.values import objects
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import (
    NONE,
    ClassValue,
    Held,
    Lib,
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

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run

#: The class of a container of keys and values.
CONTAINER = "omegaconf.DictConfig"


def _config(value: Value) -> Value:
    """Return an OmegaConf container of a table: its items are attributes, too."""
    if isinstance(value, Table):
        made = Obj(Lib(CONTAINER))
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


def _load(run: Run, site: Site) -> Value:
    """Model ``OmegaConf.load``."""
    document = document_of(run, site.argument(0, "file_"))
    return _config(_opened_interpolations(table_of(document))) if document is not None else Unknown()


def _create(run: Run, site: Site) -> Value:
    """Model ``OmegaConf.create``."""
    value = site.argument(0, "obj")
    if value is None:
        return _config(Table())
    return _config(_opened_interpolations(value)) if isinstance(value, Table) and not value.why_open else Unknown()


def _structured(run: Run, site: Site) -> Value:
    """Model ``OmegaConf.structured``: a container of what a dataclass of the script has."""
    value = site.argument(0, "obj")
    made = run.calls.call(value, run.implicit(place=site.place)) if isinstance(value, ClassValue) else value
    if not isinstance(made, Obj) or not isinstance(made.kind, ClassValue) or run.objects.library_classes(made.kind):
        return Unknown()
    return _config(_as_tables(made))


def _as_tables(value: Value) -> Value:
    """Return objects as dictionaries, with those that they hold."""
    if isinstance(value, Obj):
        return Table({key: held._replace(value=_as_tables(held.value)) for key, held in value.cells.items()})
    return value


def _select(run: Run, site: Site) -> Value:
    """Model ``OmegaConf.select(cfg, "a.b", default=...)``."""
    value, path = site.argument(0, "cfg"), text_of(site.argument(1, "key"))
    default = site.keywords.get("default", Held(NONE)).value
    if path is None or site.why_open:
        return Unknown()
    for key in path.split("."):
        held = value.cells.get(key) if isinstance(value, Obj) else None
        if held is None or not isinstance(value, Obj):
            return default if isinstance(value, Obj) and not value.why_open else Unknown()
        value = join(held.value, default) if held.optional else held.value
    return value or Unknown()


def _update(run: Run, site: Site) -> Value:
    """Model ``OmegaConf.update(cfg, "a.b", value)``, which makes what is missing on the way."""
    made, path, held = site.argument(0, "cfg"), text_of(site.argument(1, "key")), site.held(2, "value")
    if not isinstance(made, Obj) or path is None or held is None or isinstance(held.value, Table | Obj):
        return run.calls.unknown_call(site, "changed by OmegaConf")
    *above, last = path.split(".")
    for key in above:
        inner = made.cells.get(key)
        if inner is None or not isinstance(inner.value, Obj):
            inner = Held(_config(Table()), site.place)
            run.state.write(made, key, inner)
        assert isinstance(inner.value, Obj)
        made = inner.value
    run.state.write(made, last, held)
    return NONE


def merge_with(run: Run, value: Obj, site: Site) -> Value:
    """Model ``cfg.merge_with(other, ...)``, which changes the container."""
    merged = _merged(run, site._replace(arguments=(Held(value), *site.arguments)))
    assert isinstance(merged, Obj)
    for key, held in merged.cells.items():
        run.state.write(value, key, held)
    return NONE


def _merged(run: Run, site: Site) -> Value:
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


def _to_container(run: Run, site: Site) -> Value:
    """Model ``OmegaConf.to_container``."""
    value = site.argument(0, "cfg")
    return _container(value) if isinstance(value, Obj | Table) else Unknown()


def _container(value: Value) -> Value:
    if isinstance(value, Obj | Table):
        return Table({key: held._replace(value=_container(held.value)) for key, held in value.cells.items()})
    return objects.copied(value, deep=True)


def _dotlist(run: Run, site: Site) -> Value:
    """Model ``OmegaConf.from_dotlist``."""
    words = plain_or(site.argument(0, "dotlist") or Unknown(), None)
    return Unknown() if words is None else _from_words(tuple(map(str, words)), None)


def _cli(run: Run, site: Site) -> Value:
    """Model ``OmegaConf.from_cli``."""
    words = run.words
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


#: The models, by the name of the function.
MODELS: Mapping[str, Callable[[Run, Site], Value]] = {
    f"omegaconf.OmegaConf.{name}": model
    for name, model in {
        "load": _load,
        "create": _create,
        "structured": _structured,
        "merge": _merged,
        "unsafe_merge": _merged,
        "select": _select,
        "update": _update,
        "to_container": _to_container,
        "to_object": _to_container,
        "from_cli": _cli,
        "from_dotlist": _dotlist,
    }.items()
}
