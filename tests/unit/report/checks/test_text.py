"""The text report: certain findings in full, everything else in a line or two."""

from __future__ import annotations

import re

import pytest
from click import unstyle

from tests.unit.report.outcomes import (
    POSSIBLE,
    POSSIBLE_UNPLACED,
    RULE,
    SUPPRESSIONS,
    UNPLACED,
    outcome_of,
)
from vcompat.evaluation.outcome import Outcome
from vcompat.report.checks.text import render


@pytest.fixture
def outcome() -> Outcome:
    return outcome_of("train it.py", suppressions=SUPPRESSIONS)


def text(outcome: Outcome) -> str:
    return unstyle(render(outcome))


def block(outcome: Outcome, beginning: str) -> list[str]:
    """The lines of the block of the report that begins like this."""
    (found,) = [part for part in text(outcome).split("\n\n") if part.startswith(beginning)]
    return found.splitlines()


def test_the_first_line_tells_what_was_checked(outcome: Outcome) -> None:
    head = " ".join(block(outcome, "Checked "))
    assert head.startswith(
        "Checked train it.py, with trl 1.9.0, vllm 0.24.0, transformers 4.57.6, on unknown GPUs. The run: GRPOConfig, Qwen/Qwen2.5"
    )
    assert "vLLM in colocate mode" in head and "vllm_enable_sleep_mode=true" in head


def test_a_certain_finding_is_printed_in_full(outcome: Outcome) -> None:
    lines = block(outcome, "error: Sleep mode keeps generating with the initial weights")
    assert lines[1] == "  at train it.py:4:44"
    labels = [line[2:11].strip() for line in lines[2:] if line[2:11].strip() and line[2] != " " and line[9:11] == "  "]
    assert labels[0] == "effect" and labels[1] == "because" and labels[2] == "fix" and labels[-1] == "more"
    joined = " ".join(" ".join(lines).split())
    assert "packages.trl = 1.9.0 (--set)" in joined
    assert "plan.vllm_enable_sleep_mode = true (train it.py:4:44)" in joined
    assert lines[-1] == f"  more     vcompat explain {RULE}"
    assert len(outcome.certain) == 3
    assert [finding.rule.id for finding in outcome.certain if finding.rule.title in text(outcome)] == [
        finding.rule.id for finding in outcome.certain
    ]


def test_a_certain_finding_that_no_file_states_has_no_place(outcome: Outcome) -> None:
    title = next(finding.rule.title for finding in outcome.certain if finding.rule.id == UNPLACED)
    assert not [line for line in block(outcome, f"error: {title}") if line.startswith("  at ")]


def test_possible_findings_are_one_line_per_input_that_would_decide_them(outcome: Outcome) -> None:
    first, *lines = block(outcome, "possible: ")
    assert first == f"possible: {len(outcome.possible)} rules might apply, depending on what is not known"
    assert sum(int(line.split()[0]) for line in lines) == len(outcome.possible)
    titles = [finding.rule.title for finding in outcome.possible]
    assert [title for title in titles if title in text(outcome)] == []


def test_without_run_files_the_best_possible_findings_are_named(outcome: Outcome) -> None:
    outcome = outcome._replace(files=())
    first, *lines = block(outcome, "possible: ")
    assert first == f"possible: {len(outcome.possible)} rules might apply, depending on what is not known"
    named = [line.split(":")[0].strip() for line in lines if re.match(r"    [a-z0-9-]+(:|$)", line)]
    assert named == [finding.rule.id for finding in outcome.possible[:5]]
    (rest,) = [number for number, line in enumerate(lines) if " more with --all" in line]
    assert lines[rest].startswith(f"  and {len(outcome.possible) - 5} more")
    groups = lines[rest + 1 :]
    assert sum(int(line.split()[0]) for line in groups) == len(outcome.possible)
    assert any(
        re.fullmatch(r"  \d+ rules depend on the GPUs: pass --target, such as --target 8xH100", g) for g in groups
    )
    counts = [int(line.split()[0]) for line in groups]
    assert counts == sorted(counts, reverse=True)
    shown = " ".join(text(outcome).split())
    assert [finding.rule.id for finding in outcome.possible[5:] if finding.failure in shown] == []


def test_a_possible_finding_names_what_would_decide_it_as_far_as_one_line_has_room(outcome: Outcome) -> None:
    lines = block(outcome._replace(width=60, files=()), "possible: ")
    assert all(len(line) <= 60 for line in lines if re.match(r"    [a-z0-9-]+: depends on ", line))
    assert not [line for line in lines if line.endswith("depends on ...")]
    assert [line for line in lines if re.match(r"    [a-z0-9-]+: depends on \S+", line)]


def test_all_prints_possible_findings_in_full_and_what_was_not_judged(outcome: Outcome) -> None:
    full = text(outcome._replace(everything=True))
    for rule in (POSSIBLE, POSSIBLE_UNPLACED):
        finding = next(finding for finding in outcome.possible if finding.rule.id == rule)
        assert f"possible: {finding.rule.title}" in full
        assert f"more     vcompat explain {rule}" in full
    assert "depends on" in full
    assert "might apply" not in full
    first = sorted(outcome.not_judged)[0]
    assert f"not judged {first}: not known: {outcome.not_judged[first][0]}" in full
    assert all(f"{rule}: not known: " in full for rule in outcome.not_judged)
    assert "not judged" not in text(outcome)


def test_suppressions_have_a_line_each(outcome: Outcome) -> None:
    report = " ".join(text(outcome).split())
    assert "(sleep-crashes-at-exit): suppressed until 2100-01-01: it is | <known>" in report
    assert "expired vcompat.toml: suppress[1]: the suppression of volta-not-built expired on 2020-01-01" in report
    assert "unused vcompat.toml: suppress[2]: sleep-level-2-loses-buffers has no finding to suppress" in report
    starts = [line.split()[0] for line in text(outcome).splitlines() if line[:1].islower() and line[:1] != " "]
    assert [word for word in starts if word in ("suppressed", "expired", "unused")] == [
        "suppressed",
        "expired",
        "unused",
    ]


def test_the_last_lines_are_the_count_and_the_next_command(outcome: Outcome) -> None:
    *_, total, command = text(outcome).splitlines()
    assert total == (
        f"2 errors, 1 warning, {len(outcome.possible)} possible, 1 suppressed, 1 expired suppression "
        f"({len(outcome.rules)} rules)"
    )
    assert command.startswith("Next: vcompat fix 'train it.py' --set packages.trl=1.9.0")


def test_what_the_script_s_patches_fix_is_one_line_and_does_not_count() -> None:
    outcome = outcome_of("patched.py", packages__transformers="5.10.0")
    assert outcome.fixed and not outcome.certain and not outcome.fails
    report = text(outcome)
    assert report.count("\nfixed      ") == len(outcome.fixed)
    assert "initial weights (patch trl_fresh_weights_after_sleep)" in " ".join(report.split())
    assert f"{len(outcome.fixed)} fixed by patches" in report
    assert f"vcompat explain {RULE}" not in report
    full = text(outcome._replace(everything=True))
    assert (
        f"fixed by patch trl_fresh_weights_after_sleep, which the run applies more vcompat explain {RULE}"
        in " ".join(full.split())
    )


@pytest.mark.parametrize(("target", "settings", "expected"), [
    ("", {}, False),
    ("8xH100", {}, True),
    ("", {"gpu__count": "8"}, True),
    ("", {"gpu__count": "0"}, False),
])  # fmt: skip
def test_there_is_a_line_of_memory_whenever_there_is_a_gpu(
    target: str, settings: dict[str, str], expected: bool
) -> None:
    report = text(outcome_of("train it.py", target=target, **settings))
    assert ("\nmemory     " in report) is expected


def test_a_run_without_findings_says_so() -> None:
    names = ("trl", "vllm", "torch", "transformers", "accelerate", "peft", "deepspeed")
    outcome = outcome_of(gpu__count="0", plan__use_vllm="false", **{f"packages__{name}": "none" for name in names})
    outcome = outcome._replace(judgement=outcome.judgement._replace(findings=()))
    assert text(outcome).splitlines()[-1] == f"No known failure applies ({len(outcome.rules)} rules)."


@pytest.mark.parametrize("width", [60, 80, 110])
def test_sentences_are_wrapped_to_the_width(outcome: Outcome, width: int) -> None:
    lines = text(outcome._replace(width=width)).splitlines()
    whole = ("  fix", "  or", "possible: ", "Next: ", "2 errors, 1 warning, ")
    long = [line for line in lines if len(line) > width and not line.startswith(whole) and " depend" not in line]
    assert long == []


def test_a_title_that_is_longer_than_the_line_is_wrapped(outcome: Outcome) -> None:
    title = outcome.certain[0].failure
    lines = text(outcome._replace(width=30)).splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith("error: "))
    end = next(index for index in range(start + 1, len(lines)) if not lines[index].startswith("    "))
    assert end > start + 1
    assert " ".join(line.strip() for line in lines[start:end]) == f"error: {title}"
    assert all(len(line) <= 30 for line in lines[start:end])


def test_color_changes_nothing_but_the_color(outcome: Outcome) -> None:
    report = render(outcome)
    assert "\x1b[31m" in report
    assert "\x1b" not in unstyle(report)
