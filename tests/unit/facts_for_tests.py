"""Facts as tests need them: stated as a user types them, or generated at random around what the shipped rules name."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from packaging.version import Version

from vcompat.facts.facts import Facts, Place
from vcompat.facts.value import FactValue, Value, parse_value
from vcompat.facts.vocabulary import FLAG, NUMBER, TEXT, VERSION, VOCABULARY, Spec, spec_of
from vcompat.rules.database import read_table, rule_files

ROOT = Path(__file__).resolve().parents[2]
#: The contents of every shipped rule file.
TABLES = [read_table(path) for path in rule_files(str(ROOT / "rules"))]


def facts(**stated: str | None) -> Facts:
    """Facts with ``__`` for the dot in their names; None for one that is unknown for a reason."""
    found = Facts()
    for key, text in stated.items():
        name = key.replace("__", ".")
        if text is None:
            found.forget(name, "computed", Place("train.py", 3, 5))
        else:
            found.set(name, parse_value(spec_of(name, "test"), text, "test"), "test")
    return found


def _expectations(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Each fact of a condition with what is expected of it."""
    for key, value in table.items():
        if key in ("any", "all"):
            for part in value:
                yield from _expectations(part)
        elif key == "not":
            yield from _expectations(value)
        else:
            yield key, value


def _words(expected: Any) -> Iterator[Any]:
    """The values that an expectation names."""
    for item in expected if isinstance(expected, list) else [expected]:
        yield from item.values() if isinstance(item, dict) else [item]


#: Values of every kind that are at no edge.
_USUAL: Mapping[str, list[Value]] = {
    VERSION: [Version("0.0"), Version("99")],
    NUMBER: [0, 1, 2, 3, 8],
    FLAG: [True, False],
    TEXT: ["other"],
}


def _pool() -> dict[str, list[Value]]:
    """For each fact that a rule names: values at and beside every edge of every range."""
    pool: dict[str, list[Value]] = {}
    for table in TABLES:
        for name, expected in _expectations(table["when"]):
            if name in ("settings", "names"):
                continue  # not a fact: what such a rule finds is in the records
            spec = spec_of(name, table["id"])
            pool.setdefault(name, list(_USUAL[spec.kind]))
            pool[name] += [value for word in _words(expected) for value in _near(spec, word)]
            for other in _words(expected):
                if isinstance(other, str) and other in VOCABULARY:
                    pool.setdefault(other, list(_USUAL[VOCABULARY[other].kind]))
    return pool


def _near(spec: Spec, word: Any) -> Iterator[Value]:
    if spec.kind == VERSION and isinstance(word, str):
        for text in re.findall(r"\d+(?:\.\w+)*", word):
            release = Version(text).base_version
            yield from map(Version, (text, f"{release}rc1", f"{release}.dev1", f"{release}.post1", f"{text}+cu128"))
    elif spec.kind == NUMBER:
        for text in re.findall(r"-?\d+(?:\.\d+)?", str(word)):
            yield from (float(text), float(text) + 1, float(text) - 1)
    elif spec.kind == TEXT and isinstance(word, str):
        yield word


POOL = _pool()


def generated(seed: str, names: list[str] | None = None, known: float = 0.7) -> Facts:
    """Facts at random, `known` of them known; of the facts called `names`, by default all that rules name."""
    chance = random.Random(seed)
    found = Facts()
    for name in [name for name in names if name in POOL] if names else list(POOL):
        spec = spec_of(name, "test")
        if chance.random() < known:
            values = tuple(chance.choice([*POOL[name], None]) for _ in range(chance.randint(1, 3)))
            value: FactValue = tuple(v for v in values if v is not None) if spec.many else values[0]
            place = Place("train.py", chance.randint(1, 9), 1) if chance.random() < 0.3 else None
            found.set(name, value, "generated", place)
        elif chance.random() < 0.5:
            found.forget(name, "generated", Place("train.py", 1, 1) if chance.random() < 0.5 else None)
    if chance.random() < 0.3:
        found.close("env")
    return found
