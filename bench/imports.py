"""The shipped index against real imports of many releases: ``python -m bench.imports [PACKAGE]...``.

For random names and releases, and for releases beside the edges of the intervals of further names, a process that
has the release asks ``from module import name``, and `inspect.signature` where the name is a function. Its dependencies
are those of this environment, so modules of old releases that need others cannot be imported, and are not counted.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from vcompat.index.names import Names
from vcompat.index.rows import CLASS, FUNCTION, VARIABLE, intervals
from vcompat.index.store import Index, open_index
from vcompat.upstream.store import Store, release_of

PACKAGES = ("kernels", "accelerate", "huggingface-hub", "peft")
#: Random pairs of a name and a release, and names whose edges are asked for, of each package.
_PAIRS, _EDGES = 1500, 80
#: What the process of a release runs. It prints for each name whether it is there, and the keywords that it takes.
_ASK = """
import importlib, inspect, json, sys
folder, asked = sys.argv[1], json.load(sys.stdin)
sys.path.insert(0, folder)
found = []
for module, name in asked:
    try:
        there = importlib.import_module(module)
        if not (getattr(there, "__file__", None) or folder).startswith(folder):
            continue
    except ModuleNotFoundError as error:
        # A package without its metadata raises a subclass that names it, too.
        absent = error.name or "?" if type(error) is ModuleNotFoundError else "?"
        if absent == module or module.startswith(absent + "."):
            found.append((module, name, False, None))
        continue
    except BaseException:
        continue
    try:
        space = {}
        exec(f"from {module} import {name} as it", space)
        it = space["it"]
        each = inspect.signature(it).parameters.values() if inspect.isfunction(it) else None
        named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        parameters = [one.name for one in each if one.kind in named] if each is not None else None
        found.append((module, name, True, parameters))
    except ImportError as error:
        if "cannot import name" in str(error) and repr(name) in str(error):
            found.append((module, name, False, None))
    except BaseException:
        pass
print("\\n" + json.dumps(found))
"""


class Asked(NamedTuple):
    """A name of a module, and the number of a release."""

    module: str
    name: str
    release: int


def main() -> int:
    """Print the counts; return 1 if an answer is false."""
    parser = argparse.ArgumentParser()
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    false = compared = edges = 0
    for package in options.packages:
        index = open_index(package)
        if index is None:
            continue
        names = list(_names(index))
        seed = random.Random(f"{package} {options.seed}")
        pairs = [Asked(*seed.choice(names), seed.randrange(len(index.releases))) for _ in range(_PAIRS)]
        near = [one for name in seed.sample(names, min(_EDGES, len(names))) for one in _edges(index, *name)]
        for sort, asked in (("random pairs", pairs), ("edges", near)):
            counted, wrong = _compare(index, asked)
            print(f"{package}, {sort}: {counted} answers compared of {len(asked)}, {len(wrong)} false", flush=True)
            for line in wrong:
                print(f"  {line}")
            false += len(wrong)
            compared += counted
            edges += counted if sort == "edges" else 0
    print(f"{compared} answers compared, of them {edges} at edges of intervals: {false} false")
    return 1 if false else 0


def _names(index: Index) -> Iterator[tuple[str, str]]:
    """The names that any release defines, in the modules that do, and as often one that another module has."""
    modules = [module for chunk in index.chunks for module in _modules(index, chunk)]
    seed = random.Random(index.package)
    every = []
    for module in modules:
        here = index.module(module)
        for kind in (CLASS, FUNCTION, VARIABLE) if here else ():
            for name in here.names(kind) if here else ():
                every.append((module, name))
    yield from every
    for module, _ in every[::3]:
        yield module, seed.choice(every)[1]


def _modules(index: Index, chunk: str) -> list[str]:
    return [line[1:] for line in index.stored(chunk)[0].split("\n") if line.startswith("@")]


def _edges(index: Index, module: str, name: str) -> Iterator[Asked]:
    for first, last in intervals(Names(index).name(module, name).has):
        for number in {first - 1, first, last, last + 1}:
            if 0 <= number < len(index.releases):
                yield Asked(module, name, number)


def _compare(index: Index, asked: list[Asked]) -> tuple[int, list[str]]:
    by_release: dict[int, list[Asked]] = defaultdict(list)
    for one in asked:
        by_release[one.release].append(one)
    counted, wrong = 0, []
    for release, some in sorted(by_release.items()):
        for module, name, there, parameters in _imported(index, release, some):
            names = Names(index)
            answer, exists = names.name(module, name), names.module(module)
            has = bool(answer.has & exists.has & 1 << release)
            may = bool((answer.may | exists.may) & 1 << release)
            if may and not has:
                continue
            counted += 1
            what = f"{module}.{name} in {index.releases[release]}"
            if has != there:
                wrong.append(f"{what}: the index says {has}")
            else:
                wrong += [f"{what}: it takes {one}" for one in parameters or () if _denies(names, what, one, release)]
    return counted, wrong


def _denies(names: Names, what: str, parameter: str, release: int) -> bool:
    module, _, name = what.partition(" ")[0].rpartition(".")
    answer = names.takes(module, name, parameter, 1 << release)
    return not (answer.has | answer.may) & 1 << release


def _imported(index: Index, number: int, asked: list[Asked]) -> list[Any]:
    release = release_of(index.package, index.releases[number], "bench.imports")
    with tempfile.TemporaryDirectory() as folder:
        source = Store().open(release)
        for path in source.names():
            for start in ("", "src/"):
                if path.startswith(f"{start}{index.root}/") and (text := source.read(path)) is not None:
                    target = Path(folder, path.removeprefix(start))
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", _ASK, folder],
            input=json.dumps([(one.module, one.name) for one in asked]),
            capture_output=True, text=True, check=False, timeout=600,
        )  # fmt: skip
    lines = done.stdout.splitlines()
    return json.loads(lines[-1]) if lines and lines[-1].startswith("[") else []


if __name__ == "__main__":
    sys.exit(main())
