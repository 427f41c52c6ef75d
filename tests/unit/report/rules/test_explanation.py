"""A rule explained: its releases as words and as a bar, its fixes, symptoms and evidence."""

from __future__ import annotations

import pytest
from click import unstyle
from packaging.version import Version

from tests.unit.rules_for_tests import make_rule
from vcompat.report.rules.explanation import Span, explain

RELEASES = [Version(f"0.{minor}") for minor in range(1, 11)]


def explained(*spans: Span, width: int = 80, ascii_only: bool = False, **changes: object) -> str:
    return unstyle(explain(make_rule(**changes), width, spans, ascii_only))


def bar(affected: list[Version], releases: list[Version] = RELEASES, width: int = 80, ascii_only: bool = False) -> str:
    text = explained(Span("vllm", releases, affected, True), width=width, ascii_only=ascii_only)
    (line,) = [line for line in text.splitlines() if line.startswith(" " * 11 + str(releases[0]))]
    return line.strip()


def test_the_bar_goes_from_the_oldest_release_to_the_newest() -> None:
    assert bar(RELEASES[2:5]) == "0.1 ░░███░░░░░ 0.10"
    assert bar([RELEASES[0], RELEASES[-1]]) == "0.1 █░░░░░░░░█ 0.10"
    assert bar([]) == "0.1 ░░░░░░░░░░ 0.10"


def test_the_bar_is_drawn_without_block_characters_where_they_cannot_be_shown() -> None:
    text = bar(RELEASES[2:5], ascii_only=True)
    assert text == "0.1 ..###..... 0.10"
    assert text.isascii()


@pytest.mark.parametrize("count", [2, 11, 60, 61, 101, 500])
@pytest.mark.parametrize("width", [60, 80, 110])
def test_the_bar_fits_the_width_and_shows_every_affected_release(count: int, width: int) -> None:
    releases = [Version(f"0.{number}") for number in range(1, count + 1)]
    for affected in (releases[:1], releases[-1:], [releases[count // 2]]):
        line = bar(affected, releases, width)
        assert len(line) + 11 <= width
        assert line.split()[1].count("█") >= 1
    assert set(bar(releases, releases, width).split()[1]) == {"█"}


def test_a_single_release_has_no_bar() -> None:
    text = explained(Span("vllm", RELEASES[:1], RELEASES[:1], True))
    assert "versions   vllm 0.1 affected, of 1 releases" in text
    assert "█" not in text


def test_a_range_that_was_not_measured_is_marked_as_declared() -> None:
    measured = explained(Span("vllm", RELEASES, RELEASES[2:5], True))
    declared = explained(Span("vllm", RELEASES, RELEASES[2:5], False))
    assert "versions   vllm 0.3 - 0.5 affected, of 10 releases" in measured
    assert "versions   vllm 0.3 - 0.5 affected, as declared, of 10 releases" in declared


def test_each_package_has_its_own_bar() -> None:
    text = explained(Span("vllm", RELEASES, RELEASES[:2], True), Span("trl", RELEASES, RELEASES[2:], False))
    assert text.count("versions   ") == 2 and text.count("█") == 10


def test_everything_that_the_rule_states_is_printed() -> None:
    text = explained(
        wrong_advice="Reinstall everything.",
        symptoms=[{"pattern": "it (broke|breaks)"}, {"pattern": "it stops", "unless": "waits"}],
        references=["https://example.org/one", "https://example.org/two"],
        fixes=[{"kind": "version", "package": "vllm", "range": ">=0.8.5"}, {"kind": "advice", "advice": "Wait."}],
    )
    lines = text.splitlines()
    assert lines[:2] == ["error: Something breaks", "a-rule (vllm): the run crashes"]
    assert "It breaks." in lines
    labels = [line.split()[0] for line in lines if line.strip()]
    for label in ("fix", "or", "wrong", "unmeasured"):
        assert label in labels
    assert 'pip install "vllm>=0.8.5"' in text and "Wait." in text and "Reinstall everything." in text
    assert "In a log (regular expressions):\n  it (broke|breaks)\n  it stops  (not with waits)\n" in text
    assert [line for line in lines if line.startswith("see ")] == [
        "see        https://example.org/one",
        "see        https://example.org/two",
    ]


def test_a_rule_without_wrong_advice_or_symptoms_does_not_mention_them() -> None:
    text = explained()
    assert "wrong" not in text and "In a log" not in text


def test_fingerprints_and_requirements_are_the_evidence() -> None:
    text = explained(
        evidence={
            "fingerprints": [
                {"package": "vllm", "module": "vllm/a.py", "object": "A.b", "has": ["self.sleep("]},
                {"package": "vllm", "module": "vllm/gone.py", "missing": True},
            ],
            "requirements": [{"package": "trl", "of": "vllm", "since": "0.20.0"}],
        },
        width=200,
    )
    assert "measured   vllm: vllm/a.py, A.b contains `self.sleep(`" in text
    assert "measured   vllm: vllm/gone.py does not exist" in text
    assert "measured   what each release of trl 0.20.0 and later requires of vllm, from its metadata" in text
