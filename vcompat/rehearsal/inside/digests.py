"""Checksums of vLLM's weights, row by row: which rows changed from one synchronization to the next.

The trainer's weights are moved differently before each step. So a row of vLLM's that is as it was did not arrive.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from torch import Tensor

Digests = dict[str, "Tensor"]

#: Numbers that are converted at a time. It bounds the memory that is needed.
_AT_ONCE = 1 << 22
#: A row with fewer numbers is not judged: by chance, none of them might be moved.
_LEAST_COLUMNS = 32


def digests_of(model: Any) -> Digests:
    """Return a checksum for each row of each parameter; a vector is one row."""
    return {name: rows_of(parameter.detach()) for name, parameter in model.named_parameters()}


def rows_of(tensor: Tensor) -> Tensor:
    """Return a checksum for each row of a tensor; a vector is one row."""
    import torch

    whole = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[tensor.element_size()]
    columns = tensor.shape[-1] if tensor.ndim else 1
    rows = tensor.reshape(-1, columns) if columns else tensor.reshape(0, 1)
    # Odd random factors: a plain sum could stay the same when two numbers change.
    generator = torch.Generator("cpu").manual_seed(1)
    factors = torch.randint(1 << 40, (rows.shape[1],), generator=generator).mul_(2).add_(1).to(tensor.device)
    step = max(1, _AT_ONCE // max(1, columns))
    sums = [(part.view(whole).to(torch.int64) * factors).sum(1) for part in torch.split(rows, step)]
    return torch.cat(sums).cpu() if sums else torch.zeros(0, dtype=torch.int64)


class Place(NamedTuple):
    """Rows of one of vLLM's parameters."""

    name: str
    first: int
    length: int


class Trained(NamedTuple):
    """What the trainer trains."""

    shapes: Mapping[str, tuple[int, ...]]
    """The shape of each parameter of the model, trained or not, under the name that vLLM's `load_weights` takes."""
    names: Collection[str]
    """The trained ones, and those that a trained adapter changes."""
    adapted: Collection[str]
    """Those that an adapter changes. It may leave some of their rows as they are."""
    parallel: int
    """The tensor-parallel size."""


def stale(before: Digests, now: Digests, trained: Trained, model: Any) -> tuple[list[str], int]:
    """Return the trained parameters of which not each row changed in vLLM, and how many parameters were compared.

    A parameter that vLLM has under another name is not compared.
    """
    unchanged, compared = [], 0
    packed = _packed(model)
    for name in trained.names:
        shape = trained.shapes.get(name, ())
        place = _place(name, trained, now, packed) if shape and shape[-1] >= _LEAST_COLUMNS else None
        if place is None or place.name not in before:
            continue
        if before[place.name].shape != now[place.name].shape:
            continue
        compared += 1
        rows = slice(place.first, place.first + place.length)
        # The checksum of a row of zeros is 0. Moving zeros makes numbers that a type with a smaller range has not.
        is_same = (before[place.name] == now[place.name]) & (now[place.name] != 0)
        same = int(is_same[rows].sum())
        if same == place.length or (same and name not in trained.adapted):
            unchanged.append(name + ("" if same == place.length else f" ({same} of {place.length} rows)"))
    return unchanged, compared


def count_same(one: Digests, other: Digests) -> int:
    """Return how many parameters of the same name have the same bits."""
    return sum(name in one and is_equal(one[name], digest) for name, digest in other.items())


def different(
    before: Digests, now: Digests, names: Iterable[str], trained: Trained, model: Any
) -> tuple[list[str], int]:
    """Return which of the trainer's parameters `names` have other bits in vLLM, and how many were compared.

    A parameter that vLLM has under another name is not compared.
    """
    packed = _packed(model)
    places = {name: _place(name, trained, now, packed) for name in names}
    changed, compared = [], 0
    for name, place in places.items():
        if place is not None and place.name in before:
            rows = slice(place.first, place.first + place.length)
            compared += 1
            if not is_equal(before[place.name][rows], now[place.name][rows]):
                changed.append(name)
    return changed, compared


def is_equal(one: Tensor, other: Tensor) -> bool:
    """Return whether two digests are of the same bits."""
    return one.shape == other.shape and bool((one == other).all())


def _place(name: str, trained: Trained, now: Digests, packed: Iterable[tuple[str, list[str]]]) -> Place | None:
    """Where vLLM has a trained parameter; None if that is not known."""
    shape = trained.shapes[name]
    if name in now:
        rows, have = 1 if len(shape) < 2 else shape[0], int(now[name].shape[0])
        # A vocabulary is padded at its end. Which rank has the padding is not looked up: that many rows are left out.
        return Place(name, 0, rows if have >= rows else max(0, have - max(0, have * trained.parallel - rows)))
    for whole, parts in packed:
        for part in parts:
            inside = name.replace(f".{part}.", f".{whole}.")
            if inside != name and inside in now and len(shape) > 1:
                return _within(inside, [name.replace(f".{part}.", f".{one}.") for one in parts], name, trained, now)
    return None


def _within(inside: str, names: list[str], name: str, trained: Trained, now: Digests) -> Place | None:
    """The rows of `name` in a parameter that consists of the parameters `names`, in this order."""
    rows = [trained.shapes[one][0] for one in names if one in trained.shapes]
    # Key and value heads that are fewer than ranks are repeated; then the rows are not where they are looked for.
    if len(rows) != len(names) or sum(rows) != int(now[inside].shape[0]) * trained.parallel:
        return None
    at = names.index(name)
    return Place(inside, sum(rows[:at]) // trained.parallel, rows[at] // trained.parallel)


def _packed(model: Any) -> list[tuple[str, list[str]]]:
    mapping = getattr(model, "packed_modules_mapping", None)
    return [(str(whole), list(parts)) for whole, parts in mapping.items()] if isinstance(mapping, dict) else []
