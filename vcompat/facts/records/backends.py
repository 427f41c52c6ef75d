"""The record of what vLLM chooses on each GPU: the engine, the attention backend, and the kernels that it calls.

``evidence/backends.toml`` is written by `vcompat rules verify --kernels --update`, which runs the code of each release
with the platform stated (`vcompat.kernels.backends`). A variant is a run of releases with the same choices.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from packaging.version import InvalidVersion, Version

from vcompat.foundation.errors import InputError
from vcompat.foundation.shipped import evidence_folder

#: The oldest release whose choices are recorded.
SINCE = "0.5.5"
CAPABILITIES = ("7.0", "7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "12.0")
HEADS = (64, 128, 256)
#: The values of VLLM_USE_V1 for which the engine is recorded; empty: the variable is not set.
VARIABLES = ("", "1", "0")
#: Words of a table besides engines and backends: the release ends with an error; the card does not get there; the
#: choice was not measured, or depends on the machine.
REFUSED, NOT_REACHED, OPEN = "refused", "-", "?"
FILE = "backends.toml"
_WRITTEN_BY = "a file written by `vcompat rules verify --kernels --update`"


class Choices(NamedTuple):
    """What the releases of one variant choose."""

    first: Version
    last: Version
    code: str
    """The hash of the code that decides, of the first release."""
    engines: Mapping[str, Mapping[str, str]]
    """By the value of VLLM_USE_V1, by capability: v0, v1, refused or ?."""
    backends: Mapping[tuple[str, int], Mapping[str, str]]
    """By engine and head size, by capability: a backend, - or ?."""

    def covers(self, version: Version) -> bool:
        """Whether the release is one of the variant's."""
        return self.first <= version <= self.last


class Calls(NamedTuple):
    """Functions over Triton kernels that a backend's code calls, in a run of releases."""

    first: Version
    last: Version
    engine: str
    backend: str
    functions: tuple[str, ...]


class BackendRecord(NamedTuple):
    """The whole record."""

    variants: tuple[Choices, ...] = ()
    calls: tuple[Calls, ...] = ()

    def variant_of(self, version: Version) -> Choices | None:
        """Return the choices of a release; None if it is not recorded."""
        return next((one for one in self.variants if one.covers(version)), None)

    def engine(self, version: Version, capability: str, variable: str = "") -> str | None:
        """Return v0, v1 or refused for a value of VLLM_USE_V1; None if it is not measured."""
        one = self.variant_of(version)
        return _measured(one.engines.get(variable, {}).get(capability)) if one else None

    def backend(self, version: Version, capability: str, engine: str, head_size: int) -> str | None:
        """Return the backend of an engine for a plain decoder model; None if it is not measured."""
        one = self.variant_of(version)
        return _measured(one.backends.get((engine, head_size), {}).get(capability)) if one else None

    def functions(self, version: Version, engine: str, backend: str) -> tuple[str, ...] | None:
        """Return the functions over Triton kernels that a backend's code calls; None if it is not recorded."""
        fitting = (calls for calls in self.calls if (calls.engine, calls.backend) == (engine, backend))
        return next((calls.functions for calls in fitting if calls.first <= version <= calls.last), None)


def _measured(word: str | None) -> str | None:
    return None if word in (OPEN, NOT_REACHED) else word


@cache
def load(folder: str = "") -> BackendRecord:
    """Return the record of this installation, or of `folder`; empty if there is none. Raises InputError."""
    path = os.path.join(folder or evidence_folder(), FILE)
    import tomli  # Imported here: it takes a while, and not every check asks for a backend.

    try:
        with open(path, "rb") as file:
            table = tomli.load(file)
        return BackendRecord(tuple(map(_choices, table["variants"])), tuple(_calls(table["calls"])))
    except FileNotFoundError:
        return BackendRecord()
    except (OSError, KeyError, ValueError, TypeError, AttributeError, InvalidVersion) as error:
        raise InputError(path, f"malformed: {error}", _WRITTEN_BY) from None


def _span(text: str) -> tuple[Version, Version]:
    first, _, last = text.partition(" - ")
    return Version(first), Version(last or first)


def _choices(table: Mapping[str, Any]) -> Choices:
    engines: dict[str, dict[str, str]] = {}
    backends: dict[tuple[str, int], dict[str, str]] = {}
    heading, *rows = [line.split() for line in table["cells"].splitlines() if line.strip()]
    for name, sizes, *words in rows:
        cells = dict(zip(heading, words, strict=True))
        if name == "engine":
            engines[sizes.rpartition("=")[2] if "=" in sizes else ""] = cells
        else:
            backends.update({(name, int(size)): cells for size in sizes.split(",")})
    return Choices(*_span(table["releases"]), table["code"], engines, backends)


def _calls(text: str) -> Iterator[Calls]:
    for line in text.splitlines():
        first, last, engine, backend, *functions = line.split() or [""]
        if first:
            yield Calls(Version(first), Version(last), engine, backend, tuple(f for f in functions if f != "-"))


def rows(choices: Choices) -> Sequence[tuple[str, str, tuple[str, ...]]]:
    """Return the rows of a variant's table: what it is about, for which variable or head sizes, a word per capability.

    Rows that differ only in the head size are one row.
    """
    engines = [
        ("engine", f"VLLM_USE_V1={variable}" if variable else "default", tuple(choices.engines[variable].values()))
        for variable in VARIABLES
    ]
    merged: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for (engine, size), cells in choices.backends.items():
        merged.setdefault((engine, tuple(cells.values())), []).append(size)
    return [*engines, *((engine, ",".join(map(str, sizes)), words) for (engine, words), sizes in merged.items())]
