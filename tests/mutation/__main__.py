"""``python -m tests.mutation``: change the code at random places, and report the changes that no fast test notices."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

from tests.mutation.areas import AREAS, modules
from tests.mutation.covering import measure
from tests.mutation.harmless import outdated, read_harmless
from tests.mutation.mutants import Mutant, mutants_of
from tests.mutation.trial import KILLED, TIMED_OUT, try_mutants

ROOT = Path(__file__).resolve().parents[2]

#: The share of the mutants that are of the readers, which are nine tenths of the code.
_READERS = 0.5


class Tally:
    """The counts of each area, and the survivors."""

    def __init__(self) -> None:
        self.harmless = read_harmless()
        self.counts: Counter[tuple[str, str]] = Counter()
        self.survivors: list[tuple[str, str, str, str]] = []

    def add(self, mutant: Mutant, result: str, test: str) -> None:
        """Count one mutant; print it if it survived."""
        harmless = next((entry for entry in self.harmless if entry.is_of(mutant)), None)
        kind = "killed" if result in (KILLED, TIMED_OUT) else "harmless" if harmless else "survived"
        self.counts[area_of(mutant), kind] += 1
        if kind == "killed":
            return
        if kind == "survived":
            self.survivors.append((mutant.path, mutant.function, *mutant.lines()))
        before, after = mutant.lines()
        print(f"\n{result}: {mutant.path}:{mutant.first} {mutant.function}\n  - {before}\n  + {after}", flush=True)
        if harmless:
            print(f"  harmless: {harmless.why}")

    def lines(self) -> Iterator[str]:
        """Yield the report: of all mutants, and of those that are not harmless, how many died."""
        yield f"{'':12}{'mutants':>9}{'killed':>9}{'survived':>10}{'harmless':>10}{'killed of all':>15}{'of harmful':>12}"
        for area in (*AREAS, "all"):
            areas = AREAS if area == "all" else (area,)
            killed, survived, harmless = (
                sum(self.counts[one, kind] for one in areas) for kind in ("killed", "survived", "harmless")
            )
            total = killed + survived + harmless
            if total:
                of_harmful = f"{killed / max(total - harmless, 1):.1%}"
                yield (f"{area:12}{total:9}{killed:9}{survived:10}{harmless:10}{killed / total:15.1%}{of_harmful:>12}")


def area_of(mutant: Mutant) -> str:
    """Return the area of a mutant."""
    return next(area for area in AREAS if mutant.path in modules(ROOT, area))


def choose(areas: list[str], part: str, count: int, seed: int) -> list[Mutant]:
    """Return `count` mutants at random, the same ones for the same seed and code, of modules whose path matches `part`."""
    chosen = []
    for area in areas:
        number = round(count * (_READERS if area == "readers" else (1 - _READERS) / (len(AREAS) - 1)))
        number = number if len(areas) > 1 else count
        paths = [path for path in modules(ROOT, area) if fnmatch(path, part)]
        found = [mutant for path in paths for mutant in mutants_of(ROOT, path)]
        random.Random(f"{seed} {area}").shuffle(found)
        fitting = (mutant for mutant in found if mutant.differs())
        chosen += [mutant for mutant, _ in zip(fitting, range(number), strict=False)]
    return chosen


def again(survivors: list[list[str]]) -> list[Mutant]:
    """Return the mutants that survived an earlier run, as far as their code is still there."""
    lines: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for path, function, before, after in survivors:
        lines[path, function].append((before, after))
    found = [mutant for path in sorted({path for path, _ in lines}) for mutant in mutants_of(ROOT, path)]
    near = [m for m in found if any(m.may_have_been(before) for before, _ in lines.get((m.path, m.function), ()))]
    return [mutant for mutant in near if mutant.lines() in lines[mutant.path, mutant.function]]


def copy_project(folder: Path) -> Path:
    """Copy the files of the project, as they are now, into `folder`."""
    shutil.rmtree(folder, ignore_errors=True)
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    for name in listed.stdout.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--mutants", type=int, default=300, help="how many to try")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--area", choices=AREAS, action="append", help="of which code; all if not given")
    parser.add_argument("--module", default="*", help="of modules with such a path only, such as '*/shell/convert_*'")
    parser.add_argument("--again", action="store_true", help="try the mutants that survived the last run, no others")
    options = parser.parse_args()
    kept = Path.home() / ".cache" / "vcompat-mutants" / hashlib.sha256(str(ROOT).encode()).hexdigest()[:8]
    copy = copy_project(kept / "project")
    # Tests start processes, which must import the copy, and leave no compiled files of a mutant in it.
    os.environ.update(PYTHONPATH=str(copy), PYTHONDONTWRITEBYTECODE="1")
    os.chdir(copy)
    sys.path.insert(0, str(copy))
    covering = measure(copy, kept)
    last = kept / "survivors.json"
    if options.again:
        chosen = again(json.loads(last.read_text()))
    else:
        chosen = choose(options.area or list(AREAS), options.module, options.mutants, options.seed)
    print(f"{len(chosen)} mutants", flush=True)
    tally = Tally()
    try_mutants(copy, covering, chosen, tally.add)
    last.write_text(json.dumps(tally.survivors))
    print()
    print("\n".join(tally.lines()))
    for entry in outdated(ROOT, tally.harmless):
        print(f"outdated in harmless.toml: {entry.module} {entry.function}: {entry.before}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
