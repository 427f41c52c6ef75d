"""Model of ``hydra.utils.instantiate``: a configuration names what to call, and has the arguments."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from vcompat.sources.reading.python.libraries.omegaconf_models import CONTAINER
from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import (
    AT_RUN_TIME,
    NONE,
    Held,
    Lib,
    Obj,
    Partial,
    Seq,
    Table,
    Unknown,
    Value,
    text_of,
    truth,
)

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run

_TARGET, _ARGUMENTS, _PARTIAL, _RECURSIVE = "_target_", "_args_", "_partial_", "_recursive_"
#: Keys of a configuration that are no arguments.
_OWN = frozenset((_TARGET, _ARGUMENTS, _PARTIAL, _RECURSIVE, "_convert_"))


def _instantiate(run: Run, site: Site) -> Value:
    """Model ``instantiate(config, *args, **kwargs)``: keywords replace what the configuration has."""
    config = site.argument(0, "config")
    if config is None or site.why_open:
        return run.calls.unknown_call(site, AT_RUN_TIME)
    given = {name: held for name, held in site.keywords.items() if name != "config"}
    return _made(run, site, config, site.arguments[1:], given)


def _made(run: Run, site: Site, config: Value, arguments: tuple[Held, ...], given: Mapping[str, Held]) -> Value:
    """Return what a configuration stands for: the result of its call, or itself with what its items stand for."""
    if isinstance(config, Seq):
        items = config.items
        return config if items is None else Seq("list", [_item(run, site, held) for held in items])
    if not isinstance(config, Table) and not (isinstance(config, Obj) and config.kind == Lib(CONTAINER)):
        return config
    cells = {str(name): held for name, held in config.cells.items() if isinstance(name, str)} | dict(given)
    is_deep = _flag(cells.get(_RECURSIVE), default=True)
    if is_deep is None:
        return run.calls.unknown_call(site, AT_RUN_TIME)
    if is_deep:
        cells = {name: held if name in _OWN - {_ARGUMENTS} else _item(run, site, held) for name, held in cells.items()}
    if _TARGET not in cells:
        return _container(config, cells)
    return _called(run, site, config, cells, arguments)


def _item(run: Run, site: Site, held: Held) -> Held:
    return held._replace(value=_made(run, site, held.value, (), {}))


def _container(config: Table | Obj, cells: Mapping[str, Held]) -> Value:
    made: Table | Obj = Table() if isinstance(config, Table) else Obj(config.kind, config.place)
    made.cells = dict(config.cells) | dict(cells)
    return made


def _called(run: Run, site: Site, config: Table | Obj, cells: Mapping[str, Held], arguments: tuple[Held, ...]) -> Value:
    """Return the result of the call that a configuration describes."""
    listed, is_partial = cells.get(_ARGUMENTS), _flag(cells.get(_PARTIAL), default=False)
    callee = _resolved(run, site, cells[_TARGET].value)
    if listed is not None and not arguments:
        items = listed.value.items if isinstance(listed.value, Seq) else None
        callee, arguments = (callee, items) if items is not None else (None, ())
    if callee is None or is_partial is None:
        return run.calls.unknown_call(site, AT_RUN_TIME)
    keywords = {name: held for name, held in cells.items() if name not in _OWN}
    if is_partial:
        return Partial(callee, arguments, keywords)
    called = site._replace(arguments=arguments, keywords=keywords, why_open=config.why_open)
    return run.calls.call(callee, called)


def _flag(held: Held | None, default: bool) -> bool | None:
    """Return a setting of the configuration's own; None if it is not known."""
    return default if held is None else None if held.optional else truth(held.value)


def _resolved(run: Run, site: Site, target: Value) -> Value | None:
    """Return what a dotted name stands for, such as ``trl.GRPOConfig``; None if it is not known."""
    name = text_of(target)
    module, _, last = (name or "").rpartition(".")
    if name is None or not module:
        return target if not isinstance(target, Unknown) and target != NONE and name is None else None
    return run.objects.attribute(run.imports.imported(module, site.node, site.frame), last)


def _object(run: Run, site: Site) -> Value:
    """Model ``get_class(path)`` and its like."""
    return _resolved(run, site, site.argument(0, "path") or Unknown()) or Unknown()


#: The models, by the name of the function.
MODELS: Mapping[str, Callable[[Run, Site], Value]] = {
    "hydra.utils.instantiate": _instantiate,
    "hydra.utils.call": _instantiate,
    "hydra.utils.get_class": _object,
    "hydra.utils.get_method": _object,
    "hydra.utils.get_object": _object,
}
