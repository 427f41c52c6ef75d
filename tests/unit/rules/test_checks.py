"""Checks of constructors, evaluated over settings of which some are not known."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vcompat.rules.checks import holds, names_in

_NAMES = ("a", "b", "c")
_VALUES = (None, True, False, 0, 1, 2, 8, "x", "")


def _expressions() -> st.SearchStrategy[str]:
    atoms = st.sampled_from([*_NAMES, "None", "True", "0", "1", "2", "'x'", "len('xy')"])
    compared = st.tuples(atoms, st.sampled_from(["==", "!=", "<", ">="]), atoms).map(" ".join)
    # Whether equal texts or numbers are the same object is up to the interpreter.
    same = st.tuples(atoms, st.sampled_from(["is", "is not"]), st.sampled_from(["None", "True"])).map(" ".join)
    inside = st.tuples(atoms, st.sampled_from(["in", "not in"])).map(lambda part: f"{part[0]} {part[1]} ['x', 1, None]")
    computed = st.tuples(atoms, st.sampled_from(["%", "//", "*", "+", "-", "/"]), atoms).map(
        lambda part: f"({part[0]} {part[1]} {part[2]}) != 0"
    )
    leaves = st.one_of(atoms, compared, same, inside, computed)
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda part: f"({' '.join(part)})"),
            inner.map(lambda part: f"(not {part})"),
            st.tuples(inner, inner, inner).map(lambda part: f"({part[0]} if {part[1]} else {part[2]})"),
        ),
        max_leaves=6,
    )


def _python(expression: str, values: dict[str, object]) -> bool | None:
    """What Python itself makes of the expression; None if it raises."""
    try:
        return bool(eval(expression, {"len": len}, dict(values)))
    except (TypeError, ZeroDivisionError):
        return None


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@settings(max_examples=300, deadline=None)
@given(_expressions(), st.tuples(*[st.sampled_from(_VALUES)] * 3))
def test_an_expression_over_known_settings_is_what_python_makes_of_it(
    expression: str, chosen: tuple[object, ...]
) -> None:
    values = dict(zip(_NAMES, chosen, strict=True))
    expected = _python(expression, values)
    if expected is not None:
        assert holds(expression, values) is expected


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@settings(max_examples=300, deadline=None)
@given(_expressions(), st.dictionaries(st.sampled_from(_NAMES), st.sampled_from(_VALUES), max_size=2))
def test_what_is_known_of_an_expression_holds_whatever_the_unknown_settings_are(
    expression: str, known: dict[str, object]
) -> None:
    claimed = holds(expression, known)
    others = [name for name in _NAMES if name not in known]
    for chosen in product(_VALUES, repeat=len(others)):
        actual = _python(expression, known | dict(zip(others, chosen, strict=True)))
        assert claimed is None or actual is None or claimed is actual


def test_the_settings_of_an_expression_are_listed_once() -> None:
    assert names_in("a is not None and len(b) > a") == ("a", "b")


@pytest.mark.parametrize("expression", ["a.b", "a()", "open('x')", "[x for x in a]", "lambda: 1", "a[0]"])
def test_anything_else_than_the_language_is_unknown(expression: str) -> None:
    assert holds(expression, {"a": 1}) is None
