"""Write the record of compiled code, and compare new releases with it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from packaging.version import Version

from vcompat.facts.records.wheels import FILE, Compiled, Wheels, load_wheels
from vcompat.foundation.shipped import evidence_folder
from vcompat.foundation.writing import write_changed
from vcompat.upstream.settings.verify_settings import Difference
from vcompat.upstream.wheels.compiled_code import NOT_RECORDED


def news(read: Wheels) -> Iterator[Difference]:
    """Yield what is new in releases that are not recorded, each compared with the release before."""
    recorded = load_wheels()
    for library, releases in read.items():
        known = {**recorded.get(library, {}), **releases}
        for version in sorted(releases.keys() - recorded.get(library, {}).keys()):
            before = max((one for one in known if one < version), default=None)
            if before is not None and known[before] != known[version]:
                text = f"{_described(known[version])}; {before}: {_described(known[before])}"
                yield Difference(library.partition("/")[0], version, library, text)


def _described(code: Compiled) -> str:
    further = f"; also {' '.join(code.further)}" if code.further else ""
    ptx = f"; PTX {' '.join(code.ptx)}" if code.ptx else ""
    return f"CUDA {code.cuda or 'none'}, {' '.join(code.common)}{further}{ptx}"


def save_wheels(read: Wheels, folder: Path | None = None) -> list[Path]:
    """Add releases to the record; return the file if it changed. Raises InputError if it cannot be written."""
    path = (folder or Path(evidence_folder())) / FILE
    recorded = load_wheels(folder)
    libraries = sorted({*recorded, *read})
    text = _written({name: {**recorded.get(name, {}), **read.get(name, {})} for name in libraries})
    return [path] if write_changed(path, text, "a checkout") else []


def _written(wheels: Wheels) -> str:
    """JSON with a line for each run of consecutive releases with the same code."""
    blocks = []
    for name, releases in wheels.items():
        lines = ",\n".join(f"      {json.dumps(run)}" for run in _runs(releases))
        blocks.append(f"    {json.dumps(name)}: [\n{lines}\n    ]")
    head = '  "columns": "releases, CUDA runtime, architectures of the common kernels, of other kernels, PTX",\n'
    reasons = ",\n".join(f"    {json.dumps(name)}: {json.dumps(why)}" for name, why in NOT_RECORDED.items())
    tail = '  "not recorded": {\n' + reasons + "\n  }\n}\n"
    return "{\n" + head + '  "libraries": {\n' + ",\n".join(blocks) + "\n  },\n" + tail


def _runs(releases: Mapping[Version, Compiled]) -> list[tuple[str, ...]]:
    runs: list[tuple[list[str], Compiled]] = []
    for version in sorted(releases):
        if runs and runs[-1][1] == releases[version]:
            runs[-1][0].append(str(version))
        else:
            runs.append(([str(version)], releases[version]))
    return [(" ".join(names), *_fields(code)) for names, code in runs]


def _fields(code: Compiled) -> tuple[str, ...]:
    ptx = (" ".join(code.ptx),) if code.ptx else ()
    return (code.cuda, " ".join(code.common), " ".join(code.further), *ptx)
