"""One test for many items."""

from __future__ import annotations

import re

import pytest

from tests.each import each


def test_it_runs_with_each_item() -> None:
    seen = []
    each([3, 1, 2])(seen.append)()
    assert seen == [3, 1, 2]


def test_it_names_all_that_fail_and_why() -> None:
    @each(["a", "b", "c", "d"], name=str.upper)
    def test_letters(letter: str) -> None:
        assert letter != "b", "no b"
        if letter == "c":
            with pytest.raises(ValueError, match="none"):
                pass
        {"a": 1, "c": 1}[letter]

    with pytest.raises(pytest.fail.Exception) as caught:
        test_letters()
    text = str(caught.value)
    assert text.startswith("3 of 4: B, C, D\n")
    assert re.search(r"^B: .*test_each\.py:\d+: AssertionError: no b$", text, re.MULTILINE)
    assert re.search(r"^C: .*: Failed: DID NOT RAISE", text, re.MULTILINE)
    assert re.search(r"^D: .*test_each\.py:\d+: KeyError: 'd'$", text, re.MULTILINE)


def test_two_items_of_one_name_are_both_reported() -> None:
    with pytest.raises(pytest.fail.Exception, match="2 of 2"):
        each([1, 1])(lambda number: [][number])()


def test_the_test_has_the_name_of_the_function() -> None:
    def test_something(item: int) -> None:
        """It is so."""

    made = each([1])(test_something)
    assert (made.__name__, made.__doc__, made.__module__) == ("test_something", "It is so.", __name__)
