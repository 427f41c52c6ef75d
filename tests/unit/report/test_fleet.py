from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.unit.fleet_reports import TIME, fleet, report
from vcompat.evaluation.config import Config
from vcompat.evaluation.fleet.fleet_finding import Entry, Group
from vcompat.evaluation.fleet.judge_fleet import Asked, FleetOutcome, judge
from vcompat.report.fleets import fleet_html, fleet_json, fleet_text
from vcompat.report.fleets.fleet_wording import nodes, shown_groups
from vcompat.rules.database import load_rules
from vcompat.sources.nodes.collect import validated
from vcompat.sources.nodes.stream import Document

SCHEMA = json.loads(Path(fleet_json.__file__).with_name("fleet.schema.json").read_text(encoding="utf-8"))


def judged(reports: list[dict[str, Any]], **asked: Any) -> FleetOutcome:
    collected = validated(("all.jsonl", Document(one)) for one in reports)
    return judge(collected, Asked(now=TIME + 60, **asked), Config(), load_rules(thorough=False))


@pytest.fixture(scope="module")
def deviating() -> FleetOutcome:
    reports = fleet(64)
    for number in (17, 23):
        reports[number - 1]["facts"]["packages.vllm"] = "0.25.1"
    reports[39]["nvml"]["devices"][3]["health"]["uncorrected_errors"] = 2
    reports[50]["node"]["host"] = "no/name"
    return judged(reports, settings=(("plan.vllm_sleep_level", "2"),))


def test_the_text_says_on_which_nodes_values_differ(deviating: FleetOutcome) -> None:
    text = re.sub(r"\x1b\[[0-9;]*m", "", fleet_text.render(deviating))
    assert (
        "warning: Package versions differ between nodes\n  vllm: node17, node23: 0.25.1; the other 61: 0.31.0" in text
    )
    assert "  GPU 3: node40: 2 uncorrected errors" in text
    assert "report 51: node.host: 'no/name' is not a host name" in re.sub(r"\s+", " ", text)
    assert text.startswith("Checked 63 nodes; most frequent, on 61 of them: trl 1.16.0, vllm 0.31.0")
    assert max(map(len, text.splitlines())) <= 100


def test_a_sound_fleet_is_a_short_text() -> None:
    text = fleet_text.render(judged(fleet(3)))
    assert text.startswith("Checked 3 nodes: trl 1.16.0, vllm 0.31.0, torch 2.13.0")
    assert "error" not in text


def test_the_json_follows_its_schema(deviating: FleetOutcome) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    table = json.loads(fleet_json.render(deviating))
    jsonschema.validate(table, SCHEMA)
    assert table["fails"]
    assert table["findings"][0]["entries"][0]["groups"]
    assert {one["certainty"] for one in table["rules"]} <= {"certain", "possible"}
    jsonschema.validate(json.loads(fleet_json.render(judged(fleet(1)))), SCHEMA)


def test_the_page_has_a_cell_for_each_node_and_colors_those_that_deviate(deviating: FleetOutcome) -> None:
    page = fleet_html.render(deviating)
    cells = re.findall(r'<a (?:href="#([\w-]+)" class="(g\d)" )?title="(node\d+)', page)
    assert len(cells) == 63
    colored = {node: (kind, color) for kind, color, node in cells if color}
    assert set(colored) == {"node17", "node23", "node40"}
    assert colored["node17"] == colored["node23"]
    assert colored["node17"][1] != colored["node40"][1]
    for kind, _ in colored.values():
        assert f'id="{kind}"' in page


def test_values_of_reports_are_escaped_and_cannot_steer_a_terminal() -> None:
    reports = fleet(3)
    reports[1]["facts"]["env.NCCL_ALGO"] = "<script>alert(1)</script>\x1b[2J"
    outcome = judged(reports)
    assert "<script>" not in fleet_html.render(outcome)
    assert "\x1b[2J" not in fleet_text.render(outcome)
    assert "\\x1b[2J" in fleet_text.render(outcome)


@pytest.mark.long
def test_the_page_of_4096_nodes_stays_small() -> None:
    reports = fleet(4096)
    for number in range(0, 4096, 50):
        reports[number]["facts"]["packages.vllm"] = "0.25.1"
    page = fleet_html.render(judged(reports))
    nodes = page[page.index('class="fleet"') : page.index("</div><ul")]
    assert nodes.count("<a ") == 4096
    assert len(page) < 1_000_000


def test_a_long_list_of_nodes_is_cut_between_names() -> None:
    text = nodes(tuple(f"node{number}" for number in range(1, 400, 2)))
    assert text.startswith("node[1,3,5,")
    assert text.endswith("], ... (200 nodes)")
    assert len(text) < 200


def test_many_different_values_are_summarized() -> None:
    groups = [Group(str(number), (f"node{number}",)) for number in range(20)]
    entry = Entry("x", (*groups, Group("same", ("a", "b"))), True)
    shown = shown_groups(entry)
    assert shown[-1] == "the other 2: same"
    assert shown[-2] == "14 others: 14 further values"
    assert len(shown) == 8


def test_one_process_of_a_node_that_deviates_colors_the_node() -> None:
    reports = [report("node1", 1), report("node1", 1, packages__trl="1.15.0"), report("node2", 2)]
    reports[1]["node"]["pid"] = 7
    page = fleet_html.render(judged(reports))
    assert re.search(r'class="g1" title="node1: ', page)
    assert '<a title="node2">' in page


def test_a_table_of_many_values_ends_with_what_most_nodes_have() -> None:
    reports = fleet(70)
    for number in range(60):
        reports[number]["facts"]["packages.wandb"] = f"0.{number}"
    page = fleet_html.render(judged(reports))
    assert "10 others</td><td>10 further values" in page
    assert "the other 10</td>" in page


def test_the_page_has_a_cell_for_a_node_that_slurm_lists_and_that_did_not_report() -> None:
    page = fleet_html.render(judged(fleet(2, env__SLURM_JOB_NODELIST="node[1-3]")))
    assert 'class="gone" title="node3: did not report"' in page
    assert "did not report: 1" in page
