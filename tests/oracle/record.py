"""Records what the readers state about examples, once their execution has confirmed it.

``python -m tests.oracle.record`` writes ``recorded.json``; with ``--case NAME``, what it has of one kept case. The fast tests read the examples again and compare
(``tests/unit/sources/reading/test_recorded_runs.py``), without the packages that an execution needs.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import given, seed, settings

from tests.oracle.compare import judge
from tests.oracle.example import Example, load
from tests.oracle.generate import GENERATION, examples
from tests.oracle.reviewed import HEAD, SCRIPTS
from tests.oracle.stated import stated
from tests.oracle.truth import Sandbox

CASES = Path(__file__).parent / "cases"
RECORDED = Path(__file__).with_name("recorded.json")

#: An example is kept if it has a spelling that fewer than so many examples before it have.
_ENOUGH = 2


def record(count: int, sandbox: Sandbox) -> list[dict[str, Any]]:
    """Return what the readers state about the kept cases and the reviewed scripts, and about generated examples.

    Of `count` generated ones, those are kept that add a spelling.
    """
    found: list[dict[str, Any]] = []
    for folder in sorted(path.parent for path in CASES.glob("*/case.toml")):
        found += _of_case(folder.name, sandbox)
    for text in SCRIPTS:
        example = Example({"train.py": f"{HEAD}{text}\n"}, ("train.py",), ())
        found.append({"files": example.files, "given": ["train.py"], **_read(example)})
    seen: Counter[str] = Counter()

    @seed(1)
    @settings(GENERATION, max_examples=count)
    @given(examples())
    def add(example: Example) -> None:
        new = [name for name in example.spellings if seen[name] < _ENOUGH]
        if new and _is_confirmed(example, sandbox):
            seen.update(set(example.spellings))
            found.append({"files": example.files, "given": list(example.given), **_read(example)})

    add()
    return found


def _of_case(name: str, sandbox: Sandbox) -> list[dict[str, Any]]:
    """Return the record of one kept case; none if its execution contradicts what is stated."""
    example = load(CASES / name)
    is_right = not example.command or _is_confirmed(example, sandbox)
    return [{"case": name, **_read(example)}] if is_right else []


def _with_case(name: str, sandbox: Sandbox) -> list[dict[str, Any]]:
    """Return the present record with that of one kept case replaced or added."""
    recorded: list[dict[str, Any]] = json.loads(RECORDED.read_text(encoding="utf-8"))
    cases = [each for each in recorded if "case" in each and each["case"] != name]
    cases = sorted([*cases, *_of_case(name, sandbox)], key=lambda each: str(each["case"]))
    return cases + [each for each in recorded if "case" not in each]


def _is_confirmed(example: Example, sandbox: Sandbox) -> bool:
    verdict = judge(example, sandbox)
    return verdict.trained and not verdict.false and not verdict.refused


def _read(example: Example) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        example.write(Path(folder))
        with contextlib.chdir(folder):  # type: ignore[attr-defined] # of Python 3.11
            return {"stated": stated(example.given)}


def main() -> None:
    """Write the record."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle.record", description=__doc__)
    parser.add_argument("--examples", type=int, default=1500)
    parser.add_argument(
        "--case", choices=sorted(path.parent.name for path in CASES.glob("*/case.toml")), metavar="NAME"
    )
    options = parser.parse_args()
    with contextlib.closing(Sandbox()) as sandbox:
        found = _with_case(options.case, sandbox) if options.case else record(options.examples, sandbox)
    lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in found)
    RECORDED.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    print(f"{len(found)} examples, {RECORDED.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
