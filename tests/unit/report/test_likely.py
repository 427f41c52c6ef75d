"""Likely findings and facts in every format of a check's report."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import click
import jsonschema
import pytest

from tests.unit.report.html_pages import parsed
from tests.unit.report.outcomes import RULE, SCRIPT, SUPPRESSED, SUPPRESSIONS, UNPLACED, outcome_of
from tests.unit.report.schemas import stored
from vcompat.evaluation.outcome import Outcome
from vcompat.report.checks.stated_settings import render as render_plan
from vcompat.report.parts.formats import level, message, renderer

SCHEMA = json.loads((Path(__file__).parents[3] / "vcompat" / "report" / "checks" / "report.schema.json").read_text())
#: A call that cannot be followed gets the configuration of SCRIPT before the trainer does.
PRESUMED = "track() does not change config (likely it.py:6:1)"
LIKELY_SCRIPT = "from tracker import track\n" + SCRIPT.replace("GRPOTrainer(", "track(config)\nGRPOTrainer(")


@pytest.fixture
def outcome(folder: Path) -> Outcome:
    """A likely error and a likely warning beside certain and possible findings."""
    (folder / "likely it.py").write_text(LIKELY_SCRIPT)
    found = outcome_of("likely it.py")
    assert [finding.rule.id for finding in found.likely] == [RULE, SUPPRESSED]
    assert UNPLACED in {finding.rule.id for finding in found.certain} and found.possible
    return found


def rendered(outcome: Outcome, name: str) -> str:
    return click.unstyle(renderer(name)(outcome))


def test_text_has_likely_findings_in_full_after_the_certain_ones(outcome: Outcome) -> None:
    lines = rendered(outcome, "text").splitlines()
    heads = [line for line in lines if line.startswith(("error: ", "warning: ", "likely ", "possible: "))]
    assert [head.partition(":")[0] for head in heads] == [
        "error",
        "warning",
        "likely error",
        "likely warning",
        "possible",
    ]
    start = lines.index(next(line for line in lines if line.startswith("likely error: ")))
    block = lines[start : lines.index("", start)]
    assert f"  presumes {PRESUMED}" in block
    assert any(line.startswith("  fix ") for line in block) and any("because" in line for line in block)
    assert sum("presumes" in line for line in lines) == 2
    assert ", 2 likely, " in lines[-2]
    assert "; likely: vLLM in colocate mode" in " ".join(" ".join(lines).split())


def test_json_has_likely_findings_and_facts_and_keeps_to_its_schema(outcome: Outcome) -> None:
    table = json.loads(rendered(outcome, "json"))
    jsonschema.Draft202012Validator(SCHEMA).validate(table)
    findings = {finding["rule"]: finding for finding in table["findings"]}
    assert (findings[RULE]["certainty"], findings[RULE]["presumes"]) == ("likely", [PRESUMED])
    assert findings[RULE]["place"] == {"path": "likely it.py", "line": 5, "column": 44}
    assert findings[UNPLACED]["presumes"] == []
    stated = {"value": "colocate", "source": "likely it.py:4:46", "presumes": [PRESUMED]}
    assert table["likely"]["plan.vllm_mode"] == stated
    assert not table["likely"].keys() & (table["facts"].keys() | table["unknown"].keys())
    assert "plan.vllm_mode" not in table["facts"] and table["facts"]["plan.trainer"] == "GRPOTrainer"
    findings[RULE]["certainty"] = "probable"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate(table)


def test_sarif_has_a_likely_error_as_a_warning_with_what_it_presumes(outcome: Outcome) -> None:
    log = json.loads(rendered(outcome, "sarif"))
    schema = stored(log["$schema"])
    jsonschema.validators.validator_for(schema)(schema).validate(log)
    results = {result["ruleId"]: result for result in log["runs"][0]["results"]}
    likely = results[RULE]
    assert likely["level"] == "warning" and results[UNPLACED]["level"] == "error"
    assert likely["properties"] == {"certainty": "likely", "presumes": [PRESUMED]}
    assert (
        likely["message"]["text"].startswith("Likely: ")
        and f"It presumes that {PRESUMED}." in likely["message"]["text"]
    )
    assert likely["locations"][0]["physicalLocation"]["region"] == {"startLine": 5, "startColumn": 44}
    assert "presumes" not in results[UNPLACED].get("properties", {})


def cases(outcome: Outcome) -> dict[str, ElementTree.Element]:
    return {str(case.get("name")): case for case in ElementTree.fromstring(rendered(outcome, "junit")).iter("testcase")}


def test_junit_fails_for_a_likely_finding_only_if_the_check_does(outcome: Outcome) -> None:
    case = cases(outcome)[RULE]
    told = case.find("system-out")
    assert case.find("failure") is None and told is not None and f"It presumes that {PRESUMED}." in str(told.text)
    for failing in (outcome._replace(fail_on_likely=True), outcome._replace(strict=True)):
        found = cases(failing)
        failure = found[RULE].find("failure")
        assert failure is not None and "Likely: " in str(failure.text)
        # A warning is below the threshold.
        assert found[SUPPRESSED].find("failure") is None
    possible = next(finding for finding in outcome.possible if finding.rule.severity == "error")
    assert cases(outcome._replace(fail_on_likely=True))[possible.rule.id].find("failure") is None


def test_github_has_a_likely_error_as_a_warning_at_its_line(outcome: Outcome) -> None:
    (line,) = [line for line in rendered(outcome, "github").splitlines() if f"({RULE})" in line]
    assert line.startswith("::warning title=") and ",file=likely it.py,line=5,col=44::Likely: " in line
    assert f"%0AIt presumes that {PRESUMED}." in line


def test_markdown_has_likely_findings_in_its_table_and_in_full(outcome: Outcome) -> None:
    text = rendered(outcome, "markdown")
    (row,) = [line for line in text.splitlines() if line.startswith("|") and f"`{RULE}`" in line]
    assert row.split("|")[1].endswith(" likely error ")
    assert text.count("\n- presumes that ") == 2
    assert text.count("<details>") == len(outcome.certain) + len(outcome.likely)
    assert ", 2 likely, " in text.splitlines()[0]


def test_html_has_likely_findings_unfolded_and_likely_facts_as_such(outcome: Outcome) -> None:
    text = rendered(outcome, "html")
    page = parsed(text)
    before = text[: text.index("<details>")]
    assert f'id="{RULE}"' in before
    assert text.index(f'id="{UNPLACED}"') < text.index(f'id="{RULE}"')
    assert "likely error" in page.text and PRESUMED in page.text
    assert "colocate (likely)" in page.text and f"presumes that {PRESUMED}" in page.text


def test_the_level_of_a_likely_finding_is_below_that_of_a_failure(outcome: Outcome) -> None:
    assert [level(finding) for finding in outcome.likely] == ["warning", "warning"]
    assert all(message(finding).startswith("Likely: ") for finding in outcome.likely)
    assert not any(message(finding).startswith("Likely: ") for finding in (*outcome.certain, *outcome.possible))


def test_the_plan_has_likely_facts_in_their_own_block_by_what_they_presume(outcome: Outcome) -> None:
    lines = render_plan(outcome.facts, False, 200).splitlines()
    start = next(index for index, line in enumerate(lines) if f"if {PRESUMED}:" in line)
    block = lines[start + 1 :]
    assert any("plan.vllm_mode = colocate" in line and "likely it.py:4:46" in line for line in block)
    assert not any("plan.vllm_mode" in line for line in lines[:start])
    assert any("plan.trainer" in line for line in lines[:start])


def test_a_likely_finding_is_suppressed_like_any_other(folder: Path) -> None:
    (folder / "likely it.py").write_text(LIKELY_SCRIPT)
    found = outcome_of("likely it.py", suppressions=SUPPRESSIONS)
    assert [finding.rule.id for finding in found.likely] == [RULE]
    assert [one.finding.rule.id for one in found.judgement.suppressed] == [SUPPRESSED]


def test_the_memory_line_says_that_likely_settings_were_counted(folder: Path) -> None:
    (folder / "likely it.py").write_text(LIKELY_SCRIPT)
    known = {"plan__peft": "false", "plan__deepspeed_stage": "0", "plan__world_size": "8"}
    text = rendered(outcome_of("likely it.py", target="8xH100", **known), "text")
    (line,) = [line for line in text.splitlines() if "GiB per GPU" in line]
    assert "(with likely settings)" in line
    table = json.loads(rendered(outcome_of("likely it.py", target="8xH100", **known), "json"))
    assert table["memory"]["is_likely"] is True
    jsonschema.Draft202012Validator(SCHEMA).validate(table)
    certain = json.loads(rendered(outcome_of("train it.py", target="8xH100", **known), "json"))
    assert certain["memory"]["is_likely"] is False
