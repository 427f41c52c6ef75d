"""Every format of a check's report, held against its schema or read as its reader would."""

from __future__ import annotations

import json
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from tests.unit.report.schemas import stored
from vcompat.evaluation.check import check
from vcompat.evaluation.config import Config, Suppression
from vcompat.evaluation.outcome import Outcome
from vcompat.report.formats import FORMATS, renderer
from vcompat.rules.database import load_rules
from vcompat.sources.gather import Sources

SCRIPT = """\
from trl import GRPOConfig, GRPOTrainer
# <script>alert("&")</script> | `x` ]]> % :
config = GRPOConfig(use_vllm=True, vllm_mode="colocate",
                    vllm_enable_sleep_mode=True)
GRPOTrainer(model="Qwen/Qwen2.5-7B-Instruct<&|`>", args=config).train()
"""
RULE = "sleep-mode-generates-with-first-checkpoint"


@pytest.fixture
def report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Outcome:
    """A check with certain and possible findings, one that is suppressed, and a suppression that has expired."""
    from datetime import date

    monkeypatch.chdir(tmp_path)
    (tmp_path / "train it.py").write_text(SCRIPT)
    settings = {"packages.trl": "1.9.0", "packages.vllm": "0.24.0", "packages.transformers": "5.10.0"}
    config = Config(
        suppressions=(
            Suppression("sleep-crashes-at-exit", "it is | <known>", date(2100, 1, 1), "vcompat.toml: suppress[0]"),
            Suppression("volta-not-built", "was", date(2020, 1, 1), "vcompat.toml: suppress[1]"),
        )
    )
    sources = Sources(["train it.py"], settings, probe=False)
    made = check(sources, config, load_rules())
    assert {finding.certainty for finding in made.judgement.findings} == {"certain", "possible"}
    return made


def rendered(report: Outcome, name: str) -> str:
    return renderer(name)(report)


def test_json_keeps_to_its_published_schema(report: Outcome) -> None:
    schema = json.loads((Path(__file__).parents[3] / "vcompat" / "report" / "report.schema.json").read_text())
    table = json.loads(rendered(report, "json"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(table)
    assert set(table) == set(schema["required"])
    finding = next(finding for finding in table["findings"] if finding["rule"] == RULE)
    assert finding["place"] == {"path": "train it.py", "line": 4, "column": 44}
    assert table["fails"] is True
    assert [quiet["rule"] for quiet in table["quiet"]] == ["sleep-crashes-at-exit"]
    del finding["certainty"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(table)


def test_sarif_keeps_to_its_schema_and_points_at_the_setting(report: Outcome) -> None:
    log = json.loads(rendered(report, "sarif"))
    schema = stored(log["$schema"])
    validator = jsonschema.validators.validator_for(schema)(schema)
    validator.validate(log)
    (run,) = log["runs"]
    result = next(result for result in run["results"] if result["ruleId"] == RULE)
    location = result["locations"][0]["physicalLocation"]
    assert location == {
        "artifactLocation": {"uri": "train%20it.py"},
        "region": {"startLine": 4, "startColumn": 44},
    }
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == RULE
    # Code scanning takes no result without a place, and none without an identity of its own.
    assert all(result["locations"] for result in run["results"])
    prints = [result["partialFingerprints"]["vcompat/v1"] for result in run["results"]]
    assert len(set(prints)) == len(prints)
    assert [r["ruleId"] for r in run["results"] if "suppressions" in r] == ["sleep-crashes-at-exit"]
    (notification,) = run["invocations"][0]["toolConfigurationNotifications"]
    assert "volta-not-built expired on 2020-01-01" in notification["message"]["text"]
    del result["message"]
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(log)


def test_junit_has_a_case_for_each_rule(report: Outcome) -> None:
    root = ElementTree.fromstring(rendered(report, "junit"))
    cases = {case.get("name"): case for case in root.iter("testcase")}
    assert len([name for name in cases if " " not in str(name)]) == len(report.rules)
    struck = cases[RULE]
    assert struck.get("file") == "train it.py" and struck.get("line") == "4"
    failure = struck.find("failure")
    assert failure is not None and "vllm_enable_sleep_mode" in str(failure.text)
    assert cases["sleep-crashes-at-exit"].find("skipped") is not None
    assert cases["aimv2-registered-twice"].find("failure") is None
    for suite in root.iter("testsuite"):
        assert suite.get("tests") == str(len(suite))
        assert suite.get("failures") == str(len(suite.findall("testcase/failure")))
    assert sum(int(str(suite.get("failures"))) for suite in root.iter("testsuite")) == 1 + sum(
        finding.reaches("error") for finding in report.judgement.findings
    )


def test_github_s_annotations_are_one_line_each(report: Outcome) -> None:
    lines = rendered(report, "github").splitlines()
    assert len(lines) == len(report.judgement.findings) + 1
    first = next(line for line in lines if RULE in line)
    assert first.startswith("::error title=Sleep mode generates every rollout with the first checkpoint (")
    assert ",file=train it.py,line=4,col=44::" in first
    assert "%0AFix: " in first
    assert lines[-1].startswith("::error title=suppression expired::")


def test_gitlab_s_code_quality(report: Outcome) -> None:
    issues = json.loads(rendered(report, "gitlab"))
    issue = next(issue for issue in issues if issue["check_name"] == RULE)
    assert issue["location"] == {"path": "train it.py", "lines": {"begin": 4}}
    assert {issue["severity"] for issue in issues} <= {"info", "minor", "major", "critical", "blocker"}
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    assert all(issue["description"] and issue["location"]["path"] for issue in issues)


def test_markdown_keeps_what_users_wrote_in_its_cells(report: Outcome) -> None:
    text = rendered(report, "markdown")
    assert text.startswith("## vcompat fails: ")
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len(table) == 2 + len(report.judgement.findings)
    assert all(line.replace("\\|", "").count("|") == 5 for line in table)
    assert "<script>" not in text and "it is \\| &lt;known>" in text
    assert text.count("<details>") == text.count("</details>")


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, Any]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_html_is_one_file_that_needs_no_other(report: Outcome) -> None:
    page = Tags()
    page.feed(rendered(report, "html"))
    assert page.open == []
    tags = {tag for tag, _ in page.seen}
    assert not tags & {"script", "link", "img", "iframe"}
    assert not [attributes for _, attributes in page.seen if "src" in attributes]
    assert "Qwen/Qwen2.5-7B-Instruct<&|`>" in page.text
    assert "train it.py:4:44" in page.text and "vLLM in colocate mode" in page.text


def test_text_says_what_is_quiet_and_what_has_expired(report: Outcome) -> None:
    text = rendered(report, "text")
    assert "quiet       The process crashes at its end after sleep mode" in text
    assert "expired     vcompat.toml: suppress[1]: the suppression of volta-not-built expired on 2020-01-01" in text
    assert "1 quiet, 1 expired suppression" in text


@pytest.mark.parametrize("name", FORMATS)
def test_a_check_with_nothing_to_say_has_a_report_too(name: str) -> None:
    settings = {"packages.trl": "none", "packages.vllm": "none", "packages.torch": "none"}
    rules = tuple(rule for rule in load_rules() if rule.component == "vllm")
    made = check(Sources((), settings, probe=False), Config(), rules)
    assert made.judgement.findings == ()
    text = rendered(made, name)
    assert not made.fails
    assert bool(text) is (name != "github")


def vcompat(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vcompat", "check", "--no-probe", "--set", "packages.vllm=0.8.4", *arguments],
        capture_output=True, text=True, cwd=folder, check=False,
    )  # fmt: skip


def test_several_reports_at_once(tmp_path: Path) -> None:
    done = vcompat(
        tmp_path, "--format", "sarif", "-o", "a.sarif", "-o", "b.xml", "--format", "github", "--format", "text"
    )
    assert done.returncode == 1
    assert done.stdout.startswith("::") and "checked     " in done.stdout
    assert json.loads((tmp_path / "a.sarif").read_text())["version"] == "2.1.0"
    assert ElementTree.parse(tmp_path / "b.xml").getroot().tag == "testsuites"
    assert "\x1b" not in (tmp_path / "a.sarif").read_text()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("-o", "report.docx"), "the file's ending names no format"),
        (("-o", "nowhere/report.json"), "cannot be written"),
        (("--format", "yaml"), "invalid choice"),
    ],
)
def test_a_report_that_cannot_be_written_is_refused(tmp_path: Path, arguments: tuple[str, ...], complaint: str) -> None:
    done = vcompat(tmp_path, *arguments)
    assert done.returncode == 2
    assert complaint in done.stderr and done.stderr.count("\n") == 1
