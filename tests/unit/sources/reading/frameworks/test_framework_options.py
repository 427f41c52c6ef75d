"""Options among words that are partly unknown."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.marked_words import word
from vcompat.facts.facts import Facts, Place
from vcompat.sources.reading.frameworks.framework_options import flag, read_options, state_options
from vcompat.sources.reading.word import UNKNOWN

PLACE = Place("run.sh", 3)
NAMES = {
    "model": "plan.model",
    "beta": "plan.beta",
    "use_vllm": "plan.use_vllm",
    "num_generations": "plan.num_generations",
}


def stated(words: str) -> dict[str, object]:
    given = tuple(word(each, words="??") for each in words.split())
    options = read_options(given, PLACE, {"model", "dataset"}, {"quiet"})
    facts = Facts()
    state_options(facts, options, NAMES)
    return {name.removeprefix("plan."): known.value for name, known in facts.all_known()}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("--model a --beta 0.5", {"model": "a", "beta": 0.5}),
        ("--model=a --num-generations=4", {"model": "a", "num_generations": 4}),
        ("--model a --model b", {"model": "b"}),
        ("--use_vllm", {"use_vllm": True}),
        ("--use_vllm --model a", {"use_vllm": True, "model": "a"}),
        ("--use_vllm False", {"use_vllm": False}),
        ("--use_vllm perhaps", {}),
        ("--beta -1", {"beta": -1}),
        ("--beta many", {}),
        ("--model a b", {}),
        ("--model", {}),
        ("--quiet --model a", {"model": "a"}),
        ("--model a -- --beta 1", {"model": "a"}),
    ],
)
def test_options_state_facts_with_their_last_value(words: str, expected: object) -> None:
    assert stated(words) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        # The value of one option is not known.
        ("--model ? --beta 1", {"beta": 1}),
        ("--model a/? --beta 1", {"beta": 1}),
        ("--beta 1 --dataset ??", {"beta": 1}),
        ("--beta ? --model a", {"model": "a"}),
        # Words that are not known may be options, and set again what comes before them.
        ("--beta 1 ?? --model a", {"model": "a"}),
        ("--beta 1 --dataset x ?", {}),
        ("--beta 1 --log ?? --model a", {"model": "a"}),
        ("--beta 1 --? 2 --model a", {"model": "a"}),
        ("--beta 1 --??", {}),
        ("--quiet ?? --model a", {"model": "a"}),
    ],
)
def test_words_that_are_not_known_leave_open_what_they_may_set(words: str, expected: object) -> None:
    assert stated(words) == expected


def test_an_option_that_may_be_short_for_another_leaves_it_open() -> None:
    assert stated("--num_gen 4 --beta 1") == {"beta": 1}
    assert stated("--num_generations 8 --num_gen 4") == {}
    assert stated("--model a --m b") == {}


def test_a_flag_that_is_not_known_is_neither_true_nor_false() -> None:
    options = read_options(("--a", "--b", "no", "--c", UNKNOWN), PLACE, ())
    assert [flag(options.get(name)) for name in "abcd"] == [True, False, None, None]
