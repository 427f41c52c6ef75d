"""Run the plan reader on every Python file of every cached TRL and vLLM release; print counts, errors, the slowest one.

Usage: python bench/read_all.py    (takes some minutes; reads the cache of `vcompat rules verify`)
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator
from multiprocessing import Pool
from pathlib import Path
from typing import NamedTuple

from vcompat.foundation.errors import InputError
from vcompat.sources.reading.scripts.script import read_script
from vcompat.upstream.archive import Archive
from vcompat.upstream.store import default_folder


class Outcome(NamedTuple):
    """The results for the files of one release."""

    files: int
    refused: tuple[str, ...]
    slowest: tuple[float, str]
    """Seconds, and the file."""


def read_release(path: Path) -> Outcome:
    files, refused, slowest = 0, [], (0.0, "")
    with Archive(path) as archive, tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "script.py")
        for name in sorted(archive.names()):
            if name.endswith(".py"):
                Path(script).write_text(archive.read(name) or "", encoding="utf-8")
                started = time.perf_counter()
                try:
                    read_script(script)
                except InputError as error:
                    refused.append(f"{path.stem} {name}: {error}")
                slowest = max(slowest, (time.perf_counter() - started, f"{path.stem} {name}"))
                files += 1
    return Outcome(files, tuple(refused), slowest)


def releases() -> Iterator[Path]:
    for package in ("trl", "vllm"):
        yield from sorted(default_folder().glob(f"{package}-*.zip"))


def main() -> None:
    paths = list(releases())
    if not paths:
        raise SystemExit("no cached releases; `vcompat rules verify` fetches them")
    started = time.perf_counter()
    with Pool(os.cpu_count()) as pool:
        outcomes = list(pool.imap_unordered(read_release, paths))
    refused = [reason for outcome in outcomes for reason in outcome.refused]
    seconds, name = max(outcome.slowest for outcome in outcomes)
    print(
        f"{sum(outcome.files for outcome in outcomes)} files of {len(paths)} releases in"
        f" {time.perf_counter() - started:.0f} s; slowest {seconds:.2f} s (target: under 2): {name}"
    )
    print(f"{len(refused)} are not valid Python here" + "".join(f"\n    {reason}" for reason in refused[:5]))


if __name__ == "__main__":
    main()
