"""Every format of a check's report, checked against its schema or parsed as its reader would."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from tests.unit.report.html_pages import parsed
from tests.unit.report.outcomes import (
    POSSIBLE,
    POSSIBLE_UNPLACED,
    RULE,
    SUPPRESSED,
    SUPPRESSIONS,
    UNPLACED,
    outcome_of,
)
from tests.unit.report.schemas import stored
from vcompat.evaluation.checking import check
from vcompat.evaluation.config import Config
from vcompat.evaluation.outcome import Outcome
from vcompat.facts.facts import Place
from vcompat.report.checks.html import fragment
from vcompat.report.parts.formats import FORMATS, level, message, place_of, renderer
from vcompat.report.parts.page_style import SCRIPT
from vcompat.rules.database import load_rules
from vcompat.sources.gather import Sources

SCHEMA = json.loads((Path(__file__).parents[4] / "vcompat" / "report" / "checks" / "report.schema.json").read_text())


@pytest.fixture
def outcome() -> Outcome:
    """Certain and possible findings with and without a place, one suppressed, an expired suppression and an unused one."""
    found = outcome_of("train it.py", suppressions=SUPPRESSIONS)
    findings = {finding.rule.id: finding for finding in found.judgement.findings}
    assert [findings[rule].certainty for rule in (RULE, UNPLACED)] == ["certain"] * 2
    assert [findings[rule].certainty for rule in (POSSIBLE, POSSIBLE_UNPLACED)] == ["possible"] * 2
    assert [findings[rule].place is None for rule in (RULE, UNPLACED, POSSIBLE, POSSIBLE_UNPLACED)] == [
        False, True, False, True,
    ]  # fmt: skip
    assert (len(found.judgement.suppressed), len(found.judgement.expired), len(found.judgement.unused)) == (1, 1, 1)
    return found


def rendered(outcome: Outcome, name: str) -> str:
    return renderer(name)(outcome)


def valid_json(outcome: Outcome) -> dict[str, Any]:
    table: dict[str, Any] = json.loads(rendered(outcome, "json"))
    jsonschema.Draft202012Validator(SCHEMA).validate(table)
    return table


def test_json_keeps_to_its_published_schema(outcome: Outcome) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    table = valid_json(outcome)
    assert set(table) == set(SCHEMA["required"])
    finding = next(finding for finding in table["findings"] if finding["rule"] == RULE)
    assert set(finding) == set(SCHEMA["$defs"]["finding"]["required"])
    assert finding["place"] == {"path": "train it.py", "line": 4, "column": 44}
    assert table["fails"] is True
    assert [one["rule"] for one in table["suppressed"]] == [SUPPRESSED]
    assert table["suppressed"][0]["reason"] == "suppressed until 2100-01-01: it is | <known>"
    assert [text.partition(": the")[0] for text in table["expired_suppressions"]] == ["vcompat.toml: suppress[1]"]
    assert table["unused_suppressions"] == [
        "vcompat.toml: suppress[2]: sleep-level-2-loses-buffers has no finding to suppress"
    ]
    assert table["memory"] is None
    assert table["files"] == ["train it.py"]
    assert set(table["not_judged"]) == set(outcome.not_judged) != set()
    del finding["certainty"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate(table)


def test_json_has_the_memory_budget_of_a_run_with_gpus() -> None:
    memory = valid_json(outcome_of("train it.py", target="8xH100"))["memory"]
    assert memory["total"] == 81920
    assert memory["vllm_share"] == 24576
    assert memory["peak"] is None and memory["left"] is None
    assert memory["takes_turns"] is True
    assert memory["missing"] == ["plan.deepspeed_stage", "plan.world_size"]
    known = {"plan__peft": "false", "plan__deepspeed_stage": "0", "plan__world_size": "8"}
    memory = valid_json(outcome_of("train it.py", target="8xH100", **known))["memory"]
    assert memory["left"] == memory["total"] - memory["peak"]
    assert memory["missing"] == []


def test_json_names_the_patch_that_fixes_a_finding() -> None:
    table = valid_json(outcome_of("patched.py"))
    fixed = {finding["rule"]: finding["fixed_by"] for finding in table["findings"]}
    assert fixed[RULE] == "trl_fresh_weights_after_sleep"
    assert fixed[UNPLACED] is None


def sarif_run(outcome: Outcome) -> dict[str, Any]:
    log = json.loads(rendered(outcome, "sarif"))
    schema = stored(log["$schema"])
    jsonschema.validators.validator_for(schema)(schema).validate(log)
    (run,) = log["runs"]
    found: dict[str, Any] = run
    return found


def test_sarif_keeps_to_its_schema_and_points_at_the_setting(outcome: Outcome) -> None:
    run = sarif_run(outcome)
    result = next(result for result in run["results"] if result["ruleId"] == RULE)
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "train%20it.py"},
                "region": {"startLine": 4, "startColumn": 44},
            }
        }
    ]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == RULE
    assert all(run["tool"]["driver"]["rules"][r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"])
    assert {result["ruleId"]: result["level"] for result in run["results"]}[RULE] == "error"
    # Code scanning takes no result without a place, and none without an identity of its own.
    assert all(result["locations"] for result in run["results"])
    prints = [result["partialFingerprints"]["vcompat/v1"] for result in run["results"]]
    assert len(set(prints)) == len(prints)
    assert [r["ruleId"] for r in run["results"] if "suppressions" in r] == [SUPPRESSED]
    (notification,) = run["invocations"][0]["toolConfigurationNotifications"]
    assert "volta-not-built expired on 2020-01-01" in notification["message"]["text"]
    log = json.loads(rendered(outcome, "sarif"))
    del log["runs"][0]["results"][0]["message"]
    schema = stored(log["$schema"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validators.validator_for(schema)(schema).validate(log)


def test_sarif_has_a_possible_finding_without_a_place_as_a_notification(outcome: Outcome) -> None:
    run = sarif_run(outcome)
    results = {result["ruleId"]: result for result in run["results"]}
    assert results[POSSIBLE]["level"] == "note"
    assert results[POSSIBLE]["locations"][0]["physicalLocation"]["region"]["startLine"] == 4
    assert POSSIBLE_UNPLACED not in results
    noted = run["invocations"][0]["toolExecutionNotifications"]
    rules = run["tool"]["driver"]["rules"]
    assert all(rules[note["associatedRule"]["index"]]["id"] == note["associatedRule"]["id"] for note in noted)
    assert {note["level"] for note in noted} == {"note"}
    assert {note["associatedRule"]["id"] for note in noted} == {
        finding.rule.id for finding in outcome.possible if finding.place is None
    }
    assert len(run["results"]) + len(noted) == len(outcome.judgement.all_findings)


def test_sarif_has_a_certain_finding_without_a_place_at_the_run_file(outcome: Outcome) -> None:
    results = {result["ruleId"]: result for result in sarif_run(outcome)["results"]}
    assert results[UNPLACED]["level"] == "error"
    assert results[UNPLACED]["locations"] == [{"physicalLocation": {"artifactLocation": {"uri": "train%20it.py"}}}]


def junit_cases(outcome: Outcome) -> dict[str, ElementTree.Element]:
    root = ElementTree.fromstring(rendered(outcome, "junit"))
    for suite in root.iter("testsuite"):
        assert suite.get("tests") == str(len(suite))
        assert suite.get("failures") == str(len(suite.findall("testcase/failure")))
        assert suite.get("skipped") == str(len(suite.findall("testcase/skipped")))
    return {str(case.get("name")): case for case in root.iter("testcase")}


def failing(outcome: Outcome) -> set[str]:
    return {name for name, case in junit_cases(outcome).items() if case.find("failure") is not None}


def test_junit_has_a_case_for_each_rule(outcome: Outcome) -> None:
    cases = junit_cases(outcome)
    assert {name for name in cases if " " not in name} == {rule.id for rule in outcome.rules}
    case = cases[RULE]
    assert (case.get("file"), case.get("line")) == ("train it.py", "4")
    failure = case.find("failure")
    assert failure is not None and str(failure.text).startswith("train it.py:4: ")
    assert "vllm_enable_sleep_mode" in str(failure.text)
    assert cases[SUPPRESSED].find("skipped") is not None
    assert (cases[UNPLACED].get("file"), cases[UNPLACED].get("line")) == ("train it.py", None)
    assert (cases[POSSIBLE_UNPLACED].get("file"), cases[POSSIBLE_UNPLACED].get("line")) == (None, None)
    assert cases["aimv2-registered-twice"].find("failure") is None


def test_junit_fails_for_what_fails_the_check_and_for_nothing_else(outcome: Outcome) -> None:
    certain = {finding.rule.id for finding in outcome.certain if finding.rule.severity == "error"}
    (expired,) = outcome.judgement.expired
    assert failing(outcome) == {*certain, expired}
    cases = junit_cases(outcome)
    assert all(cases[finding.rule.id].find("system-out") is not None for finding in outcome.possible)
    strict = outcome._replace(strict=True)
    possible = {finding.rule.id for finding in outcome.possible if finding.rule.severity == "error"}
    assert failing(strict) == {*certain, *possible, expired}
    assert failing(outcome._replace(threshold="never")) == {expired}
    assert failing(outcome._replace(threshold="note", strict=True)) == {
        *(finding.rule.id for finding in outcome.judgement.findings),
        expired,
    }
    patched = outcome_of("patched.py")
    assert RULE in {finding.rule.id for finding in patched.fixed}
    assert RULE not in failing(patched)


def annotations(outcome: Outcome) -> dict[str, tuple[str, dict[str, str]]]:
    """For each rule, its command and its properties."""
    found = {}
    for line in rendered(outcome, "github").splitlines():
        match = re.fullmatch(r"::(error|warning|notice) ([^:]*)::(.+)", line)
        assert match is not None, line
        properties = dict(item.split("=", 1) for item in match[2].split(","))
        found[properties["title"].rpartition("(")[2].rstrip(")")] = (match[1], properties)
    return found


def test_github_s_annotations_are_one_line_each(outcome: Outcome) -> None:
    lines = rendered(outcome, "github").splitlines()
    assert len(lines) == len(outcome.judgement.findings) + 2
    first = next(line for line in lines if RULE in line)
    assert first.startswith("::error title=Sleep mode keeps generating with the initial weights (")
    assert ",file=train it.py,line=4,col=44::" in first
    assert "%0AFix: " in first
    assert lines[-2].startswith("::error title=expired suppression::vcompat.toml: suppress[1]")
    assert lines[-1].startswith("::notice title=unused suppression::vcompat.toml: suppress[2]")


def test_github_s_annotation_of_a_possible_finding_is_a_notice_without_a_foreign_file(outcome: Outcome) -> None:
    found = annotations(outcome)
    assert found[RULE][0] == found[UNPLACED][0] == "error"
    assert (found[UNPLACED][1]["file"], "line" in found[UNPLACED][1]) == ("train it.py", False)
    assert found[POSSIBLE][0] == found[POSSIBLE_UNPLACED][0] == "notice"
    assert found[POSSIBLE][1]["line"] == "4"
    assert "file" not in found[POSSIBLE_UNPLACED][1]


def test_markdown_escapes_the_contents_of_run_files(outcome: Outcome) -> None:
    text = rendered(outcome, "markdown")
    errors = sum(finding.rule.severity == "error" for finding in outcome.certain)
    assert text.startswith(f"## vcompat fails: {errors} errors, ")
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len(table) == 2 + len(outcome.certain)
    assert all(line.replace("\\|", "").count("|") == 5 for line in table)
    assert "<script>" not in text and "it is \\| &lt;known>" in text
    assert text.count("<details>") == text.count("</details>") == len(outcome.certain)
    assert text.rstrip().splitlines()[-1].startswith("Next: `vcompat fix 'train it.py'")


def test_markdown_has_possible_findings_as_lines_and_in_full_on_request(outcome: Outcome) -> None:
    text = rendered(outcome, "markdown")
    lines = [line for line in text.splitlines() if line.startswith("- ⚪ ")]
    assert sum(int(line.split()[2]) for line in lines) == len(outcome.possible)
    full = rendered(outcome._replace(everything=True), "markdown")
    assert full.count("⚪ possible") == len(outcome.possible)
    assert not [line for line in full.splitlines() if line.startswith("- ⚪ ")]


def test_html_is_one_file_that_needs_no_other(outcome: Outcome) -> None:
    page = parsed(rendered(outcome, "html"))
    tags = {tag for tag, _ in page.seen}
    assert not tags & {"link", "img", "iframe"} and page.scripts == [SCRIPT]
    assert not [attributes for _, attributes in page.seen if "src" in attributes]
    assert all(attributes["href"].startswith("https://") for tag, attributes in page.seen if tag == "a")
    assert "Qwen/Qwen2.5-7B-Instruct<&|`>" in page.text and "it is | <known>" in page.text
    assert "train it.py:4:44" in page.text and "vLLM in colocate mode" in page.text
    assert "the check fails" in page.text


def test_html_has_every_finding_once_and_folds_possible_ones(outcome: Outcome) -> None:
    page = parsed(rendered(outcome, "html"))
    ids = [attributes["id"] for tag, attributes in page.seen if tag == "article" and "id" in attributes]
    assert sorted(ids) == sorted(finding.rule.id for finding in outcome.judgement.findings)
    classes = {attributes["id"]: attributes["class"] for tag, attributes in page.seen if "id" in attributes}
    assert (classes[RULE], classes[POSSIBLE]) == ("error", "possible")
    text = rendered(outcome, "html")
    folded = text[text.index("<details>") :]
    assert f'id="{POSSIBLE}"' in folded and f'id="{RULE}"' not in folded


def test_html_draws_the_memory_of_a_gpu_to_scale() -> None:
    known = {"plan__peft": "false", "plan__deepspeed_stage": "3", "plan__world_size": "8"}
    page = parsed(rendered(outcome_of("train it.py", target="8xH100", **known), "html"))
    shares = [
        float(attributes["style"].split()[1].rstrip("%")) for tag, attributes in page.seen if "title" in attributes
    ]
    titles = [attributes["title"] for tag, attributes in page.seen if "title" in attributes]
    assert len(shares) >= 4
    for share, title in zip(shares, titles, strict=True):
        assert share == pytest.approx(100 * float(title.split()[-2]) / 80, abs=0.1)


def test_html_as_a_fragment_brings_its_style_and_no_page(outcome: Outcome) -> None:
    text = fragment(outcome)
    page = parsed(text)
    assert not {"html", "body", "head", "title"} & {tag for tag, _ in page.seen}
    assert page.seen[0] == ("div", {"class": "vcompat"})
    assert text in rendered(outcome, "html")
    style = text[text.index("<style>") + 7 : text.index("</style>")]
    selectors = [selector.strip() for part in re.findall(r"([^{}]+)\{[^{}]*\}", style) for selector in part.split(",")]
    assert selectors
    assert [one for one in selectors if not one.startswith((".vcompat", "@media"))] == []


@pytest.mark.parametrize("name", FORMATS)
def test_a_check_without_findings_has_a_report_too(name: str) -> None:
    settings = {"packages.trl": "none", "packages.vllm": "none", "packages.torch": "none"}
    rules = tuple(rule for rule in load_rules() if rule.component == "vllm")
    made = check(Sources((), settings, probe=False), Config(), rules)
    assert made.judgement.findings == ()
    text = rendered(made, name)
    assert not made.fails
    assert bool(text) is (name != "github")


@pytest.mark.parametrize("name", FORMATS)
def test_a_check_without_files_has_a_report_too(name: str) -> None:
    made = outcome_of(plan__vllm_sleep_level="2", packages__vllm="0.8.4")
    assert made.fails and made.files == ()
    assert rendered(made, name)


def test_a_certain_finding_is_shown_at_its_setting_else_at_the_first_file(outcome: Outcome) -> None:
    findings = {finding.rule.id: finding for finding in outcome.judgement.findings}
    assert place_of(findings[RULE], outcome) == Place("train it.py", 4, 44)
    assert place_of(findings[UNPLACED], outcome) == Place("train it.py")
    assert place_of(findings[UNPLACED], outcome._replace(files=())) is None


def test_a_possible_finding_is_a_note_and_gets_no_file_that_does_not_mention_it(outcome: Outcome) -> None:
    for finding in outcome.possible:
        assert level(finding) == "note"
        assert place_of(finding, outcome) == finding.place
        assert message(finding).startswith("Possible: ")
        assert "\nIt depends on " in message(finding)


def test_a_finding_that_a_patch_fixes_is_a_note_that_names_the_patch() -> None:
    (fixed,) = [finding for finding in outcome_of("patched.py").fixed if finding.rule.id == RULE]
    assert level(fixed) == "note"
    assert message(fixed).endswith("\nFixed by patch trl_fresh_weights_after_sleep.")
