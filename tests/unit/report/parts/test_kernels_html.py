"""The grid of a rule about a kernel, in the HTML report of a check."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from click import unstyle

from tests.unit.report.outcomes import outcome_of
from vcompat.facts.facts import Facts
from vcompat.report.checks.html import render
from vcompat.report.parts.kernels_html import table
from vcompat.report.rules.explanation import explain
from vcompat.rules.database import find_rule, load_rules
from vcompat.rules.rule import Rule

RULE = "prefix-caching-before-ampere"
KNOWN = {
    "packages__vllm": "0.9.2",
    "packages__trl": "0.19.0",
    "gpu__count": "2",
    "gpu__compute_capability": "7.5,8.0",
    "plan__use_vllm": "true",
    "plan__enable_prefix_caching": "true",
}


class Tables(HTMLParser):
    """The grids of a page: for each, its rows as lists of (tag, class, scope, text)."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[list[str]]]] = []
        self.article = ""
        self.open = False
        self.owners: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "article":
            self.article = found.get("id") or ""
        if tag == "table":
            self.tables.append([])
            self.owners.append(self.article if found.get("class") == "kernels" else "")
        if tag == "tr":
            self.tables[-1].append([])
        self.open |= tag in ("td", "th")
        if tag in ("td", "th"):
            self.tables[-1][-1].append([tag, found.get("class") or "", found.get("scope") or "", ""])

    def handle_endtag(self, tag: str) -> None:
        self.open &= tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self.open:
            self.tables[-1][-1][-1][3] += data


def rows_of(rule: str, **known: str) -> list[list[list[str]]]:
    page = Tables()
    page.feed(render(outcome_of(**(KNOWN | known))))
    (found,) = [rows for owner, rows in zip(page.owners, page.tables, strict=True) if owner == rule]
    return found


@pytest.fixture(scope="module")
def grid() -> list[list[list[str]]]:
    """The grid of RULE: the headings, then the rows."""
    return rows_of(RULE)


def test_a_finding_about_a_kernel_has_the_grid_that_explain_prints(grid: list[list[list[str]]]) -> None:
    heading, *rows = grid
    explained = unstyle(explain(find_rule(load_rules(), RULE), 80))
    assert len(rows) > 2
    for row in rows:
        span = row[0][3].removesuffix(" this run")
        (line,) = [line for line in explained.splitlines() if line.startswith(f"  {span} ")]
        assert line.removeprefix(f"  {span}").split() == [cell[3] for cell in row[1:]]
        assert len(row) == len(heading)


def test_every_row_and_column_has_a_heading_for_screen_readers(grid: list[list[list[str]]]) -> None:
    heading, *rows = grid
    assert {(cell[0], cell[2]) for cell in heading} == {("th", "col")}
    assert {(row[0][0], row[0][2]) for row in rows} == {("th", "row")}
    assert {cell[0] for row in rows for cell in row[1:]} == {"td"}


def test_a_color_stands_for_no_more_than_the_words_of_a_cell(grid: list[list[list[str]]]) -> None:
    cells = [cell for row in grid[1:] for cell in row[1:]]
    by_class: dict[str, set[str]] = {}
    for _, style, _, text in cells:
        by_class.setdefault(style.split()[0], set()).add(text)
    assert by_class["fails"] == {"FAIL"}
    assert by_class["runs"] == {"ok"}
    assert all(text for texts in by_class.values() for text in texts)


def test_the_release_and_the_gpus_of_the_run_are_marked(grid: list[list[list[str]]]) -> None:
    heading, *rows = grid
    assert [cell[3] for cell in heading if "this run" in cell[3]] == ["7.5 this run", "8.0 this run"]
    (own,) = [row for row in rows if "this run" in row[0][3]]
    assert own[0][3].startswith("0.9.0 - ")
    assert [cell[3] for cell in own if "here" in cell[1]] == ["FAIL", "ok"]
    assert not [cell for row in rows if row is not own for cell in row if "here" in cell[1]]


def test_a_release_that_was_not_recorded_is_not_marked() -> None:
    rows = rows_of(RULE, packages__vllm="0.9.1.1")
    assert not [row for row in rows[1:] if "this run" in row[0][3]]


@pytest.mark.parametrize("rule", [rule for rule in load_rules() if rule.evidence.kernels], ids=lambda rule: rule.id)
def test_every_rule_about_a_kernel_has_a_table_with_what_its_words_mean(rule: Rule) -> None:
    for claim in rule.evidence.kernels:
        text = "".join(table(claim, Facts({})))
        assert text.startswith('<div class="wide"><table class="kernels"><caption>') and "FAIL: fails" in text
        assert "this run" not in text
