"""The script reader on real scripts: a manually checked sample, and every Python file of whole releases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tomli

from tests.upstream.releases import release
from vcompat.facts.value import FactValue, to_json
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.python.values.values import OPEN, Held, NotPlainError, to_plain
from vcompat.sources.reading.scripts.script import read_configurations, read_script

SAMPLE = tomli.loads(Path(__file__).with_name("plan_sample.toml").read_text(encoding="utf-8"))
#: Releases whose tests build hundreds of configurations, and one later release of each package.
WHOLE = [
    pytest.param("trl 0.14.0", marks=pytest.mark.slow),
    pytest.param("trl 0.18.2", marks=pytest.mark.slow),
    pytest.param("trl 1.16.0", marks=pytest.mark.slow),
    "vllm 0.10.2",
]


def path(item: dict[str, Any]) -> str:
    return str(release(*item["release"].split()) / item["file"])


def name(item: dict[str, Any]) -> str:
    return f"{item['release']} {item['file']}:{item.get('line', '')}"


def test_the_sample_has_at_least_fifty_items() -> None:
    assert len(SAMPLE["call"]) + len(SAMPLE["script"]) >= 50


@pytest.mark.parametrize("item", SAMPLE["call"], ids=name)
def test_a_call_sets_the_expected_settings(item: dict[str, Any]) -> None:
    call, *_ = [c for c in read_configurations(path(item)) if c.place.line == item["line"]]
    known = {name: plain for name, held in call.settings.items() if (plain := constant(held)) is not OPEN}
    assert call.name == item["name"]
    # TRL's own files import its classes from beside them: to the reader they are classes of the project, named after the
    # nearest class of a library, and their defaults are known, too.
    assert known.items() >= item["settings"].items()
    assert set(call.settings) - set(known) >= set(item["open"])


@pytest.mark.parametrize("item", SAMPLE["script"], ids=name)
def test_a_script_has_the_expected_facts(item: dict[str, Any]) -> None:
    facts = read_script(path(item)).facts
    known = {name: plain(fact.value) for name, fact in facts.known.items() if fact.place and name != "plan.patched"}
    assert known == item["facts"]
    assert {name for name in facts.names() if facts.open_at(name)} == set(item["open"])


def constant(held: Held) -> object:
    """Return the constant of a setting; OPEN if it is not one."""
    try:
        return OPEN if held.optional else to_plain(held.value)
    except NotPlainError:
        return OPEN


def plain(value: FactValue) -> object:
    """Return a value as stored in TOML, which has no null."""
    return "none" if value is None else to_json(value)


@pytest.mark.parametrize("which", WHOLE)
def test_every_python_file_of_a_release_can_be_read(which: str) -> None:
    folder = release(*which.split())
    # vLLM has a thousand files of models; its examples are what scripts look like.
    files = sorted((folder / "examples" if which.startswith("vllm") else folder).rglob("*.py"))
    assert len(files) >= 100
    rejected = []
    for file in files:
        try:
            read_script(str(file))
        except InputError as error:
            rejected.append(str(error))
    # Only files that are not valid in this version of Python are rejected, each in one line.
    assert all("not valid Python" in reason and "\n" not in reason for reason in rejected)
    assert len(rejected) < 0.01 * len(files)
