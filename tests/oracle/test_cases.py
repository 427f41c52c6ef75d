"""The kept cases: run if they can be run, and compared with ``expected.toml`` where they have one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import tomli

from tests.oracle.compare import judge
from tests.oracle.example import load
from tests.oracle.truth import Sandbox
from vcompat.facts.facts import Facts
from vcompat.facts.value import FactValue
from vcompat.foundation.errors import InputError
from vcompat.sources.gather import Sources, collect

CASES = sorted(path.parent for path in Path(__file__).parent.joinpath("cases").glob("*/case.toml"))
RUNNABLE = [case for case in CASES if load(case).command]
EXPECTED = [case for case in CASES if (case / "expected.toml").exists()]


@pytest.mark.parametrize("case", RUNNABLE, ids=lambda case: case.name)
def test_stated_facts_are_what_happens(case: Path, sandbox: Sandbox) -> None:
    verdict = judge(load(case), sandbox)
    assert verdict.trained, verdict.output
    assert not verdict.false, "\n".join(map(str, verdict.false))


@pytest.mark.parametrize("case", EXPECTED, ids=lambda case: case.name)
def test_stated_facts_are_as_expected(case: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`known` gives values that hold if stated, `must_know` names facts to be stated, `unknown` facts not to be."""
    expected = tomli.loads((case / "expected.toml").read_text(encoding="utf-8"))
    monkeypatch.chdir(case)
    facts = _facts(load(case).given)
    stated = {name: _plain(facts, name) for name in (*expected.get("known", {}), *expected.get("must_know", ()))}
    values = expected.get("known", {})
    false = {name: value for name, value in stated.items() if facts.get(name) and value != values.get(name, value)}
    assert not false
    assert [name for name in expected.get("must_know", ()) if facts.get(name) is None] == []
    assert [name for name in expected.get("unknown", ()) if facts.get(name) is not None] == []


def _facts(given: Sequence[str]) -> Facts:
    """Return what the readers state; nothing if they refuse the files."""
    try:
        return collect(Sources(files=list(given), probe=False)).facts
    except InputError:
        return Facts()


def _plain(facts: Facts, name: str) -> FactValue | list[object]:
    value = facts.value(name)
    if value is None:
        return "none"
    return list(value) if isinstance(value, tuple) else value
