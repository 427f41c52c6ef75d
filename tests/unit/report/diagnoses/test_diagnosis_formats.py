"""A diagnosis as Markdown and as a page: nothing that a log contains is lost, and none of it becomes markup."""

from __future__ import annotations

import json
import re

import pytest

from tests.unit.report.html_pages import Tags, parsed
from tests.unit.rules_for_tests import make_rule
from vcompat.diagnosis.diagnosing import Diagnosis, diagnose_text
from vcompat.report.diagnoses import diagnosis as diagnosis_text
from vcompat.report.diagnoses import diagnosis_html, diagnosis_json, diagnosis_markdown
from vcompat.report.parts.page_style import SCRIPT

RULES = [
    make_rule(id="first", title="First | <cause>", symptoms=[{"pattern": "out of <b>memory"}]),
    make_rule(id="second", title="Second cause", symptoms=[{"pattern": "out of"}], when={"packages.trl": ">=1.0"}),
    make_rule(id="other", title="Another cause", symptoms=[{"pattern": "out of"}], when={"packages.vllm": "<0.7"}),
]
FRAMES = 'Traceback (most recent call last):\n  File "/opt/train.py", line 3, in main\n    start("```", "<i>")\n'
FAILURE = f"{FRAMES}MemoryError: out of <b>memory\n"
#: An early line that is not near, the failure of one process, and what another process makes of it.
LOG = "".join(
    [
        "vllm==0.7.2\n",
        *(f"step {number}\n" for number in range(50)),
        *(f"[rank1]: {line}\n" for line in FAILURE.splitlines()),
        *(f"[rank0]: {line}\n" for line in f"{FRAMES}RuntimeError: Broken pipe".splitlines()),
    ]
)


def diagnose(text: str = LOG) -> Diagnosis:
    return diagnose_text(text, RULES)


def page(text: str = LOG) -> Tags:
    return parsed(diagnosis_html.render(diagnose(text)))


def test_the_page_needs_no_other_file_and_has_no_script_but_ours() -> None:
    shown = page()
    assert not {tag for tag, _ in shown.seen} & {"link", "img", "iframe", "b", "i"}
    assert shown.scripts == [SCRIPT] and all("src" not in attributes for _, attributes in shown.seen)
    assert ("meta", {"name": "color-scheme", "content": "light dark"}) in shown.seen


def test_the_page_shows_the_log_around_the_line_that_matches_and_marks_it() -> None:
    text = diagnosis_html.render(diagnose())
    (marked, *_) = re.findall(r'<div class="hit">(.*?)</div>', text)
    assert marked == ('<span class="number">55</span><span class="text">MemoryError: out of &lt;b&gt;memory</span>')
    evidence = text[text.index('class="log"') : text.index("Effect")]
    assert re.findall('class="number">(\\d+)', evidence) == ["52", "53", "54", "55"]


def test_the_page_has_the_cause_first_then_the_others_then_what_is_ruled_out() -> None:
    text = page().text
    order = ["First | <cause>", "Processes that failed", "Second cause", "Ruled out", "Another cause", "What is known"]
    assert sorted(order, key=text.index) == order
    assert "packages.vllm = 0.7.2" in text[text.index("Ruled out") :]


def test_the_page_states_which_process_failed_first_and_what_only_follows() -> None:
    text = page().text
    processes = text[text.index("Processes that failed") : text.index("Second cause")]
    assert processes.index("rank1<text>:55MemoryError") < processes.index("rank0<text>:59RuntimeError: Broken pipe")
    assert processes.count("follows from another failure") == 1


def test_processes_with_times_are_in_the_order_of_time() -> None:
    lines = [f"ERROR 06-05 02:45:{second} [a.py:1] [rank{rank}]: " for rank, second in ((0, 30), (1, 20))]
    text = "".join(f"{before}{line}\n" for before in lines for line in FAILURE.splitlines())
    assert [(each.failure.cause.line.process, each.failure.cause.line.time) for each in diagnose(text).ended] == [
        ("rank1", "06-05 02:45:20"),
        ("rank0", "06-05 02:45:30"),
    ]


def test_a_single_process_has_no_table_of_processes() -> None:
    assert "Processes that failed" not in page(FAILURE).text


def test_without_a_cause_the_page_has_the_traceback_and_the_command_that_reports_it() -> None:
    shown = page(f"{FRAMES}KeyError: '<script>'\n")
    assert "Nothing known matches (3 rules" in shown.text
    assert "vcompat report LOG --anonymize" in shown.text
    assert 'start("```", "<i>")' in shown.text
    assert ("details", {"open": None}) in shown.seen


def test_what_a_log_contains_is_no_markup_in_a_page() -> None:
    attack = "</pre></div><script>alert(1)</script>\x07 &lt;"
    shown = page(f"{FRAMES}MemoryError: out of {attack}\nvllm==0.7.2\n")
    assert shown.scripts == [SCRIPT]
    assert "<script>alert(1)</script>\\x07 <" in shown.text


@pytest.mark.parametrize("text", [LOG, FAILURE, f"{FRAMES}KeyError: 'a'\n", "step 1\n", ""])
def test_every_answer_is_a_page_and_a_markdown_text(text: str) -> None:
    found = diagnose(text)
    assert parsed(diagnosis_html.render(found)).text.count("vcompat") >= 2
    assert diagnosis_markdown.render(found).startswith("## ")


def test_markdown_quotes_the_log_in_a_block_that_it_cannot_end() -> None:
    text = diagnosis_markdown.render(diagnose(f"{FRAMES}KeyError: 'a'\n"))
    assert f"````text\n{FRAMES}KeyError: 'a'\n````\n" in text


def test_markdown_has_the_cause_the_reasons_the_fix_and_the_others() -> None:
    lines = diagnosis_markdown.render(diagnose()).splitlines()
    assert lines[0] == "## Cause: First | &lt;cause> (`first`)"
    assert "In the log (`<text>:55, rank1`):" in lines
    assert "MemoryError: out of <b>memory" in lines
    assert "- because `packages.vllm = 0.7.2` (the log, line 1)" in lines
    assert '- fix: `pip install "vllm>=0.8.5"`' in lines
    assert "- possible: Second cause (`second`, `<text>:55`)" in lines
    assert "- Another cause (`other`): `packages.vllm = 0.7.2` (the log, line 1)" in lines


def test_each_format_names_rules_that_apply_although_the_log_does_not_show_them() -> None:
    found = diagnose(f"vllm==0.6.2\n{FRAMES}KeyError: 'a'\n")
    assert [finding.rule.id for finding in found.applying] == ["other"]
    for text in (
        diagnosis_text.render(found, 80),
        diagnosis_markdown.render(found),
        parsed(diagnosis_html.render(found)).text,
    ):
        before, _, after = text.partition("No text in the log shows these")
        assert "Another cause" in after and "0.6.2" in after and "Another cause" not in before
    (one, *_) = json.loads(diagnosis_json.render(found))["applying"]
    assert (one["rule"], one["because"][0]["value"]) == ("other", "0.6.2")
