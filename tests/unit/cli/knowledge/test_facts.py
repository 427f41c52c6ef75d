"""``vcompat facts``: every fact with its meaning, its source and the rules that use it."""

from __future__ import annotations

import json

import pytest

from tests.unit.cli.command_line import vcompat
from vcompat.facts.vocabulary import VOCABULARY
from vcompat.rules.database import load_rules


def listed(*arguments: str) -> list[dict[str, object]]:
    done = vcompat("facts", *arguments, "--format", "json")
    assert (done.code, done.stderr) == (0, "")
    table: list[dict[str, object]] = json.loads(done.stdout)
    return table


def test_json_lists_every_fact_with_the_rules_that_use_it() -> None:
    table = listed()
    assert [fact["name"] for fact in table] == list(VOCABULARY)
    uses = {rule.id: set(rule.when.names()) for rule in load_rules(thorough=False)}
    for fact in table:
        assert set(fact) == {"name", "kind", "many", "meaning", "unit", "source", "rules"}
        assert fact["meaning"] and fact["source"]
        assert fact["rules"] == [rule for rule, names in uses.items() if fact["name"] in names]


def test_markdown_is_a_table_with_a_row_for_each_fact() -> None:
    header, line, *rows = vcompat("facts", "--format", "markdown").stdout.splitlines()
    assert header.count("|") == 6 and set(line) <= set("| -")
    assert [row.split("`")[1] for row in rows] == list(VOCABULARY)
    assert {row.count("|") for row in rows} == {6}


@pytest.mark.parametrize("width", ["60", "110"])
def test_the_text_names_every_fact_within_the_width(width: str) -> None:
    shown = vcompat("facts", COLUMNS=width).stdout
    words = set(shown.split())
    assert [name for name in VOCABULARY if name.partition(".")[2] not in words] == []
    assert [
        line for line in shown.splitlines() if len(line) > int(width) and not line.startswith(("env.", "vcompat "))
    ] == []


@pytest.mark.parametrize("family", ["plan", "gpu", "packages", "torch"])
def test_the_beginning_of_a_name_lists_its_facts(family: str) -> None:
    expected = [name for name in VOCABULARY if name.startswith(f"{family}.")]
    assert [fact["name"] for fact in listed(family)] == expected
    shown = vcompat("facts", family).stdout.splitlines()
    assert [line for line in shown if line in VOCABULARY] == expected


def test_one_fact_is_listed_with_all_that_is_known_about_it() -> None:
    shown = vcompat("facts", "plan.vllm_enable_sleep_mode").stdout
    assert shown.startswith("plan.vllm_enable_sleep_mode\n")
    assert "sleep-mode-generates-with-first-checkpoint" in shown
    assert [line.split()[0] for line in shown.splitlines() if line and line[0] != " "] == [
        "plan.vllm_enable_sleep_mode",
        "meaning",
        "kind",
        "from",
        "rules",
    ]


def test_an_environment_variable_is_a_fact() -> None:
    done = vcompat("facts", "env.VLLM_USE_V1")
    assert done.code == 0 and "env.VLLM_USE_V1" in done.stdout


def test_a_fact_that_does_not_exist_is_refused_with_the_nearest_name() -> None:
    done = vcompat("facts", "gpu.cuont")
    assert (done.code, done.stdout, done.stderr) == (
        2,
        "",
        "vcompat: facts: unknown fact 'gpu.cuont'; expected 'gpu.count'\n",
    )
