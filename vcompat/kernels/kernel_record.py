"""The record of the kernels: one TOML file per kernel in ``evidence/kernels``.

A variant is a run of releases with the same kernel, wrapper and Triton. Its cells are a table: a row for each call,
data type and head size, a column for each compute capability. ``ok`` compiles; ``M98304`` wants that many bytes of
shared memory and does not get them; ``?`` was not measured; other words are keys of ``[outcomes]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import tomli
from packaging.version import InvalidVersion, Version

from vcompat.foundation.errors import InputError
from vcompat.foundation.shipped import evidence_folder
from vcompat.foundation.writing import write_changed
from vcompat.kernels.grid import CAPABILITIES, KERNELS, Attempt, Kernel

COMPILES, ABORTS, RAISES, NO_MEMORY, UNKNOWN = "compiles", "aborts", "raises", "shared-memory", "not measured"
#: The outcomes with which a kernel cannot run.
FAILURES = frozenset({ABORTS, RAISES, NO_MEMORY})
_OK, _OPEN, _BYTES = "ok", "?", "M"
_WRITTEN_BY = "a file written by `vcompat rules verify --kernels --update`"


class Cell(NamedTuple):
    """What became of an attempt."""

    word: str
    message: str = ""
    """What the compiler states; for shared memory, the bytes wanted."""


class Measured(NamedTuple):
    """One variant of a kernel and the outcome of each attempt."""

    first: Version
    last: Version
    triton: str
    code: str
    cells: Mapping[Attempt, Cell]

    def covers(self, version: Version) -> bool:
        """Whether the release is one of the variant's."""
        return self.first <= version <= self.last


class KernelRecord(NamedTuple):
    """What is recorded of one kernel."""

    kernel: Kernel
    torch: str
    """The torch release that ran the wrappers; empty if nothing is recorded."""
    method: str
    """The hash of how the kernel was called and compiled (see `runner.method`)."""
    variants: tuple[Measured, ...]
    others: tuple[Measured, ...] = ()
    """Outcomes with other Triton releases (see `others.joined`); several codes may be in one, separated by blanks."""

    def variant_of(self, version: Version) -> Measured | None:
        """Return the variant of a release; None if it is not recorded."""
        return next((one for one in self.variants if one.covers(version)), None)


def folder() -> Path:
    """Return the folder of the records of this installation."""
    return Path(evidence_folder()) / "kernels"


def load(kernel: Kernel, where: Path | None = None) -> KernelRecord:
    """Return the record of a kernel, empty if there is none. Raises InputError if it is malformed."""
    path = (where or folder()) / f"{kernel.name}.toml"
    try:
        table = tomli.loads(path.read_text(encoding="utf-8"))
        return KernelRecord(
            kernel,
            table["torch"],
            table["method"],
            tuple(_variant(one, table["outcomes"]) for one in table["variants"]),
            tuple(_variant(one, table["outcomes"]) for one in table.get("others", ())),
        )
    except FileNotFoundError:
        return KernelRecord(kernel, "", "", ())
    except (OSError, KeyError, ValueError, TypeError, AttributeError, InvalidVersion) as error:
        raise InputError(str(path), f"malformed: {error}", _WRITTEN_BY) from None


def load_all() -> list[KernelRecord]:
    """Return the records of all kernels."""
    return [load(kernel) for kernel in KERNELS]


def _variant(table: Mapping[str, Any], outcomes: Mapping[str, str]) -> Measured:
    first, _, last = table["releases"].partition(" - ")
    heading, *rows = [line.split() for line in table["cells"].splitlines() if line.strip()]
    cells = {}
    for call, width, sizes, *words in rows:
        for capability, word in zip(heading, words, strict=True):
            for size in sizes.split(","):
                cells[Attempt(call, capability, width, int(size))] = _cell(word, outcomes)
    return Measured(Version(first), Version(last or first), table["triton"], table["code"], cells)


def _cell(word: str, outcomes: Mapping[str, str]) -> Cell:
    if word == _OK:
        return Cell(COMPILES)
    if word == _OPEN:
        return Cell(UNKNOWN)
    if word.startswith(_BYTES) and word[1:].isdecimal():
        return Cell(NO_MEMORY, word[1:])
    kind, _, message = outcomes[word].partition(": ")
    return Cell(kind, message)


def save(record: KernelRecord, where: Path | None = None) -> Path | None:
    """Write a record atomically; return its file, or None if it is up to date. Raises InputError."""
    path = (where or folder()) / f"{record.kernel.name}.toml"
    return path if write_changed(path, "\n".join(_written(record)) + "\n", "a checkout") else None


def _written(record: KernelRecord) -> Iterator[str]:
    kernel = record.kernel
    yield "# vLLM's own wrapper, called with CPU tensors, and compiled for GPUs that were not there, by the Triton"
    yield "# release that the release's torch pins. Generated by `vcompat rules verify --kernels --update`."
    if record.others:
        yield "# others: compiled by other releases of Triton, since an environment can have one."
    yield "# ok: compiles. M and a number: wants as many bytes of shared memory, more than there are. ?: not measured."
    yield f'kernel = "{kernel.name}"'
    yield f'torch = "{record.torch}"'
    yield f'method = "{record.method}"'
    yield f'left_out = "{kernel.left_out}"'
    if kernel.below:
        yield f'ends = "{kernel.because}"'
    keys = _keys((*record.variants, *record.others))
    yield from ["", "[outcomes]", *(f"{key} = {_quoted(f'{cell.word}: {cell.message}')}" for cell, key in keys.items())]
    for name, measured in (("variants", record.variants), ("others", record.others)):
        for variant in measured:
            span = str(variant.first) if variant.first == variant.last else f"{variant.first} - {variant.last}"
            yield from ["", f"[[{name}]]", f'releases = "{span}"', f'triton = "{variant.triton}"']
            yield f'code = "{variant.code}"'
            yield from ['cells = """', *_rows(variant.cells, keys), '"""']


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _keys(variants: Iterable[Measured]) -> dict[Cell, str]:
    """A short key for each message of an abort or an exception, in the order of their first appearance."""
    keys: dict[Cell, str] = {}
    for cell in (cell for one in variants for cell in one.cells.values()):
        if cell.word in (ABORTS, RAISES) and cell not in keys:
            keys[cell] = f"{cell.word[0].upper()}{sum(key[0] == cell.word[0].upper() for key in keys.values()) + 1}"
    return keys


def _rows(cells: Mapping[Attempt, Cell], keys: Mapping[Cell, str]) -> Iterator[str]:
    """The table of a variant. Rows that differ only in the head size are one row."""
    rows: dict[tuple[str, str, tuple[str, ...]], list[int]] = {}
    for call, width, size in dict.fromkeys((one.call, one.width, one.size) for one in cells):
        words = tuple(_word(cells.get(Attempt(call, card, width, size)), keys) for card in CAPABILITIES)
        rows.setdefault((call, width, words), []).append(size)
    yield _line("", "", "", CAPABILITIES)
    for (call, width, words), sizes in rows.items():
        yield _line(call, width, ",".join(map(str, sizes)), words)


def _line(call: str, width: str, sizes: str, words: Sequence[str]) -> str:
    return f"{call:<15} {width:<8} {sizes:<11} {' '.join(f'{word:<7}' for word in words)}".rstrip()


def _word(cell: Cell | None, keys: Mapping[Cell, str]) -> str:
    if cell is None or cell.word == UNKNOWN:
        return _OPEN
    if cell.word == NO_MEMORY:
        return f"{_BYTES}{cell.message}"
    return keys.get(cell, _OK)
