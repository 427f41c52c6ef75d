"""The compiled file of a wheel has the same rules as the TOML files, and reads their details when they are used."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from tests.each import each
from tests.unit.facts_for_tests import TABLES, generated
from tests.unit.rules_for_tests import make_rule, rule_table
from vcompat.evaluation.evaluate import evaluate
from vcompat.facts.facts import Facts
from vcompat.foundation.errors import InputError
from vcompat.rules.condition import Comparison, Condition, FactTest, NamesTest, Not, SettingsTest
from vcompat.rules.database import load_rules
from vcompat.rules.rule import INDEX, Rule
from vcompat.rules.rules_file import compiled_text, read_compiled

RULES = load_rules()
ATTRIBUTES = sorted(
    {name for name in vars(RULES[0]) if not name.startswith("_")}
    | {name for name, value in vars(Rule).items() if isinstance(value, cached_property) and name[0] != "_"}
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    written = tmp_path_factory.mktemp("wheel") / "compiled.jsonl"
    written.write_text(compiled_text(TABLES), encoding="utf-8")
    return written


def structure(condition: Condition) -> Any:
    """What a condition states, without the functions that test it."""
    if isinstance(condition, FactTest):
        return condition.fact, condition.expected
    if isinstance(condition, Comparison | NamesTest | SettingsTest):
        return tuple(condition)
    if isinstance(condition, Not):
        return "not", structure(condition.part)
    return type(condition).__name__, [structure(part) for part in condition.parts]  # type: ignore[attr-defined]


def test_the_rules_are_those_of_the_toml_files_in_their_order(path: Path) -> None:
    assert [rule.id for rule in read_compiled(str(path))] == [rule.id for rule in RULES]


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_every_attribute_of_every_rule_is_that_of_its_toml_file(path: Path, attribute: str) -> None:
    for compiled, parsed in zip(read_compiled(str(path)), RULES, strict=True):
        one, other = getattr(compiled, attribute), getattr(parsed, attribute)
        if attribute == "when":
            one, other = structure(one), structure(other)
        assert one == other, parsed.id


def test_no_attribute_is_forgotten() -> None:
    keys = {key for table in TABLES for key in table}
    assert keys <= set(ATTRIBUTES)


def test_the_findings_are_the_same(path: Path) -> None:
    compiled = read_compiled(str(path))
    for number in range(30):
        facts = generated(f"findings {number}")
        assert [(f.rule.id, f.certainty, f.because, f.needs) for f in evaluate(compiled, facts)] == [
            (f.rule.id, f.certainty, f.because, f.needs) for f in evaluate(RULES, facts)
        ]


def test_a_line_for_the_index_and_one_for_each_rule(path: Path) -> None:
    index, *details = path.read_text(encoding="utf-8").splitlines()
    assert len(details) == len(RULES) == len(json.loads(index))
    assert all(set(entry) <= set(INDEX) for entry in json.loads(index))
    assert not any(set(json.loads(line)) & set(INDEX) for line in details)


def test_the_order_of_the_files_does_not_matter(path: Path) -> None:
    assert compiled_text(reversed(TABLES)) == path.read_text(encoding="utf-8")


def test_the_details_of_a_rule_are_read_once_and_only_when_they_are_used() -> None:
    reads = []
    table = rule_table()

    def read() -> dict[str, Any]:
        reads.append(1)
        return table

    rule = Rule({key: table[key] for key in INDEX if key in table}, read, "a-rule")
    assert rule.severity == "error" and rule.when.truth(Facts()) is None and not rule.excludes(Facts())
    assert reads == []
    assert (rule.title, rule.summary, rule.references) == (
        "Something breaks",
        "It breaks.",
        ("https://example.org/thread",),
    )
    assert reads == [1]


def test_a_check_reads_the_details_of_the_rules_that_apply_and_of_no_other(path: Path) -> None:
    index, *details = path.read_text(encoding="utf-8").splitlines()
    from packaging.version import Version

    facts = Facts()
    for name, version in (("vllm", "0.8.4"), ("trl", "0.18.0")):
        facts.set(f"packages.{name}", Version(version), "here")
    applying = {finding.rule.id for finding in evaluate(RULES, facts)}
    assert 0 < len(applying) < len(RULES)
    broken = [line if rule.id in applying else "not JSON" for rule, line in zip(RULES, details, strict=True)]
    path.with_name("partly.jsonl").write_text("\n".join([index, *broken]) + "\n", encoding="utf-8")
    rules = read_compiled(str(path.with_name("partly.jsonl")))
    assert {finding.rule.id for finding in evaluate(rules, facts)} == applying


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        lambda text: text[:100],
        lambda text: text.partition("\n")[0],
        lambda text: text.partition("\n")[2],
        lambda text: text.replace("\n", "\n\n", 1),
        lambda text: text + "{}\n",
        lambda text: "[]\n",
        lambda text: "[[1]]\n{}\n",
        lambda text: "{}\n{}\n",
        lambda text: "[{}]\n{}\n",
        lambda text: "null\n",
    ],
)
def test_a_damaged_file_is_refused_in_one_line(path: Path, tmp_path: Path, damage: Any) -> None:
    damaged = tmp_path / "compiled.jsonl"
    damaged.write_text(damage(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(InputError, match=r"compiled\.jsonl: damaged; expected .*install") as caught:
        read_compiled(str(damaged))
    assert "\n" not in str(caught.value)


def test_damaged_details_are_one_line_when_they_are_used(path: Path, tmp_path: Path) -> None:
    index, first, *others = path.read_text(encoding="utf-8").splitlines()
    damaged = tmp_path / "compiled.jsonl"
    damaged.write_text("\n".join([index, first[:-20], *others]) + "\n", encoding="utf-8")
    rules = read_compiled(str(damaged))
    with pytest.raises(InputError, match=r"compiled\.jsonl: damaged; expected .*install"):
        _ = rules[0].title
    assert rules[1].title == RULES[1].title


def test_a_file_that_is_missing_or_not_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_compiled(str(tmp_path / "nowhere.jsonl"))
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="damaged"):
        read_compiled(str(tmp_path / "binary.jsonl"))


@pytest.mark.long
@each(RULES, name=lambda rule: rule.id)
def test_a_rule_excludes_only_facts_on_which_its_condition_is_false(rule: Rule) -> None:
    names = sorted(set(rule.when.names()))
    excluded = 0
    for number in range(300):
        facts = generated(f"{rule.id} {number}", names)
        if rule.excludes(facts):
            excluded += 1
            assert rule.when.truth(facts) is False
    ranges = [
        name for name, expected in _table(rule)["when"].items() if name[:9] == "packages." and type(expected) is str
    ]
    assert excluded or not ranges


@each(RULES, name=lambda rule: rule.id)
def test_a_release_outside_a_range_excludes_the_rule(rule: Rule) -> None:
    ranges = {
        name: text for name, text in _table(rule)["when"].items() if name[:9] == "packages." and type(text) is str
    }
    for name, text in ranges.items():
        alone = make_rule(when={name: text})
        for number in range(60):
            facts = generated(f"{rule.id} {name} {number}", [name], known=0.9)
            assert alone.excludes(facts) is (alone.when.truth(facts) is False)
            if alone.excludes(facts):
                assert rule.excludes(facts)


def _table(rule: Rule) -> dict[str, Any]:
    return next(table for table in TABLES if table["id"] == rule.id)
