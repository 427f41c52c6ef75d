"""The symptoms of the shipped rules in the engine that searches logs, and how a log shows one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import tomli

from tests.unit.rules_for_tests import make_rule
from vcompat.diagnosis.logs.excerpts import Excerpt
from vcompat.diagnosis.logs.literals import SHORTEST, literals
from vcompat.diagnosis.logs.prefixes import parse_line
from vcompat.diagnosis.logs.re2_engine import compiled
from vcompat.diagnosis.symptoms import Shown, examine, sought
from vcompat.rules.database import load_rules

CASES = tomli.loads((Path(__file__).parents[2] / "cases" / "cases.toml").read_text(encoding="utf-8"))
LOGS = [case["log"] for case in [*CASES["case"], *CASES["unrelated"]] if "log" in case]
PATTERNS = sorted(
    {pattern for rule in load_rules() for one in rule.symptoms for pattern in (one.pattern, one.unless) if pattern}
)


def test_the_engine_finds_the_same_as_python_in_all_reported_logs() -> None:
    differ = [
        (pattern, log)
        for pattern in PATTERNS
        for log in LOGS
        if bool(compiled(pattern).search(log)) is not bool(re.search(pattern, log))
    ]
    assert differ == []


def test_each_symptom_contains_a_text_that_most_lines_do_not() -> None:
    without = [one.symptom.pattern for one in sought(load_rules()) if not one.literals]
    assert without == []


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("no kernel image", ("no kernel image",)),
        (r"Error \d+: forward compatibility", (": forward compatibility",)),
        ("cannot import name '(first|second)'", ("cannot import name '",)),
        ("(first one|second one)", ("first one", "second one")),
        (r"(?:optional text)?needed text", ("needed text",)),
        (r"(?:repeated text)+ x", ("repeated text",)),
        (r"\d+ (a|long text)", ()),
        (r"[a-z]+", ()),
    ],
)
def test_the_texts_of_a_pattern_are_those_that_each_match_contains(pattern: str, texts: tuple[str, ...]) -> None:
    assert literals(pattern) == texts
    assert all(len(text) >= SHORTEST for text in texts)


def shown(text: str, pattern: str, unless: str = "", effect: str = "crash") -> list[Shown]:
    symptom = {"pattern": pattern, **({"unless": unless} if unless else {})}
    rule = make_rule(effect=effect, symptoms=[symptom])
    lines = tuple(parse_line(number, line) for number, line in enumerate(text.splitlines(), 1))
    return list(examine(Excerpt(lines), sought([rule])).shown)


TRACEBACK = 'Traceback (most recent call last):\n  File "/a/wake_up.py", line 1, in x\nMemoryError: no memory\n'


def test_a_symptom_is_shown_by_the_line_and_the_failure_that_have_its_text() -> None:
    (one,) = shown(f"before\n{TRACEBACK}", "no memory")
    assert [line.number for line in one.lines] == [4]
    assert one.failure is not None and one.failure.cause.error == "MemoryError: no memory"


def test_a_symptom_over_several_lines_is_shown_by_the_first_and_the_last() -> None:
    (one,) = shown(TRACEBACK, r"wake_up[\s\S]*no memory")
    assert [line.number for line in one.lines] == [2, 3]


def test_the_error_shows_a_symptom_rather_than_the_code_that_raises_it() -> None:
    text = 'Traceback (most recent call last):\n  File "/a.py", line 1, in x\n    raise E("no memory")\nOSError: no memory\n'
    assert [line.number for one in shown(text, "no memory") for line in one.lines] == [4]


def test_a_failure_with_a_text_that_a_symptom_excludes_does_not_show_it() -> None:
    assert shown(TRACEBACK, "no memory", unless="wake_up") == []


def test_a_text_that_a_symptom_excludes_counts_only_in_the_same_failure() -> None:
    other = 'Traceback (most recent call last):\n  File "/a/other.py", line 1, in y\nMemoryError: no memory\n'
    (one,) = shown(f"{TRACEBACK}\n{other}", "no memory", unless="wake_up")
    assert [line.number for line in one.lines] == [7]


def test_a_text_that_a_library_prints_before_the_error_counts_as_part_of_it() -> None:
    text = "CUDA Error: wake_up failed\nMemoryError: no memory\n"
    assert shown(text, "no memory", unless="wake_up") == []


@pytest.mark.parametrize(("package", "count"), [("a", 1), ("b", 0)])
def test_a_text_counts_only_in_a_traceback_that_passes_the_code_of_its_frames(package: str, count: int) -> None:
    rule = make_rule(symptoms=[{"pattern": "no memory", "frames": [f"{package}/"]}])
    lines = tuple(parse_line(number, line) for number, line in enumerate(TRACEBACK.splitlines(), 1))
    assert len(examine(Excerpt(lines), sought([rule])).shown) == count


@pytest.mark.parametrize(("effect", "count"), [("crash", 0), ("hang", 1)])
def test_an_informative_line_is_no_sign_of_a_crash(effect: str, count: int) -> None:
    text = "INFO 06-05 02:45:37 [a.py:1] the setting is logprobs_mode\n"
    assert len(shown(text, "logprobs_mode", effect=effect)) == count


def test_a_symptom_of_waiting_counts_at_any_level() -> None:
    rule = make_rule(effect="crash", symptoms=[{"pattern": "no answer yet", "any_level": True}])
    lines = (parse_line(1, "INFO 06-05 02:45:37 [a.py:1] no answer yet"),)
    assert len(examine(Excerpt(lines), sought([rule])).shown) == 1


@pytest.mark.parametrize("wrapped", ["ValueError: no more\nmemory is left\n", "ValueError: no more mem\nory is left\n"])
def test_a_message_that_a_terminal_wraps_shows_a_symptom(wrapped: str) -> None:
    (one,) = shown(wrapped, "no more memory is left")
    assert [line.number for line in one.lines] == [1]


def test_lines_of_different_messages_are_not_put_together() -> None:
    assert shown("ValueError: no more\n\nmemory is left\n", "no more memory is left") == []
