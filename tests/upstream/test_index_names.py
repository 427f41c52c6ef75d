"""The index against real imports: names of the installed releases, there and absent, asked and imported.

The names that are asked for in a module are some of its own, and some that other modules of the package have.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib import metadata, util
from pathlib import Path

import pytest
from packaging.version import Version

from vcompat.index.names import Names
from vcompat.index.packages import IMPORTED
from vcompat.index.store import Index
from vcompat.upstream.index import Release
from vcompat.upstream.names.build import build
from vcompat.upstream.names.sources import modules_in
from vcompat.upstream.names.write import write_index

#: Imports what it can of the modules that it reads, and prints for names of each whether `from module import name` works.
IMPORTER = """
import importlib, json, random, sys
seed, names = random.Random(7), {}
for module in json.load(sys.stdin):
    try:
        names[module] = sorted(dir(importlib.import_module(module)))
    except BaseException:
        pass
every = sorted({name for inside in names.values() for name in inside})
found = []
for module, inside in names.items():
    for name in {*seed.sample(every, min(40, len(every))), *seed.sample(inside, min(20, len(inside)))}:
        try:
            exec(f"from {module} import {name}", {})
            found.append((module, name, True))
        except ImportError:
            found.append((module, name, False))
        except BaseException:
            pass
print("\\n" + json.dumps(found))
"""


@pytest.mark.parametrize(
    "package", ["huggingface-hub", *(pytest.param(one, marks=pytest.mark.slow) for one in ("accelerate", "trl"))]
)
def test_no_answer_about_a_name_is_false(package: str, tmp_path: Path) -> None:
    index = Index(str(indexed(package, tmp_path)))
    asked = imported(sorted(modules_in(package, python_files(tmp_path / "source"))))
    answers = [(Names(index).name(module, name), there, module, name) for module, name, there in asked]
    assert [(module, name) for answer, there, module, name in answers if answer.has and not there] == []
    assert [(module, name) for answer, there, module, name in answers if there and not (answer.has or answer.may)] == []
    # Most names are decided: an index that knows nothing would not be wrong either.
    assert sum(answer.may == 0 for answer, *_ in answers) > 0.7 * len(answers) > 700


def indexed(package: str, folder: Path) -> Path:
    """The index of the installed release alone."""
    spec = util.find_spec(IMPORTED[package])
    assert spec is not None
    assert spec.origin is not None
    ignored = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(Path(spec.origin).parent, folder / "source" / IMPORTED[package], ignore=ignored)
    release = Release(package, Version(metadata.version(package)), "", "", "", False, str(folder / "source"))
    write_index(folder / "index.zip", build(package, [release], lambda _: None))
    return folder / "index.zip"


def python_files(folder: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in folder.rglob("*.py")]


def imported(modules: list[str]) -> list[tuple[str, str, bool]]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", IMPORTER],
        input=json.dumps(modules),
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    return [(module, name, there) for module, name, there in json.loads(done.stdout.splitlines()[-1])]
