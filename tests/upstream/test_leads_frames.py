"""Tracebacks of the installed releases fit these releases: each line that the compiler gives to each function."""

from __future__ import annotations

import random
from collections.abc import Iterator
from importlib import metadata, util
from pathlib import Path
from types import CodeType

import pytest
from packaging.version import Version

from vcompat.diagnosis.leads.frame_releases import releases_of
from vcompat.index.packages import IMPORTED
from vcompat.index.store import open_index
from vcompat.upstream.names.sources import modules_in

#: Modules and lines of each that are tried.
_MODULES, _LINES = 60, 25


@pytest.mark.parametrize("package", ["trl", "accelerate", "huggingface-hub", "transformers"])
def test_a_frame_of_an_installed_release_fits_it(package: str) -> None:
    index = open_index(package)
    assert index is not None
    this = index.only(Version(metadata.version(package)))
    assert this
    spec = util.find_spec(IMPORTED[package])
    assert spec is not None
    assert spec.origin is not None
    root = Path(spec.origin).parent.parent
    seed = random.Random(package)
    paths = [str(path.relative_to(root)) for path in Path(spec.origin).parent.rglob("*.py")]
    modules = sorted(modules_in(package, paths).items())
    misfits, narrowed = [], 0
    for module, path in seed.sample(modules, min(_MODULES, len(modules))):
        source = (root / path).read_text(encoding="utf-8")
        lines, found = source.splitlines(), sorted(set(_frames(compile(source, path, "exec"))))
        for function, number in seed.sample(found, min(_LINES, len(found))):
            releases, is_telling = releases_of(index, module, function, lines[number - 1].strip())
            narrowed += is_telling
            if not releases & this:
                misfits.append(f"{module}.{function}: {lines[number - 1].strip()}")
    assert misfits == []
    # An answer of 'any release' would always fit.
    assert narrowed > _MODULES


def _frames(code: CodeType) -> Iterator[tuple[str, int]]:
    """Yield the names of functions, with each line number that a traceback can print for them."""
    for _, _, number in code.co_lines():
        if number:
            yield code.co_name, number
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _frames(inner)
