"""The functions agree with OmegaConf, or leave open."""

from __future__ import annotations

from typing import Any

import pytest
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from vcompat.sources.plan.invocation import UNKNOWN, UNKNOWN_WORDS
from vcompat.sources.plan.omegaconf_values import (
    OPEN,
    OpenTable,
    from_dotlist,
    merge,
    open_keys,
    resolve_interpolations,
    select,
    split_key,
)


def same(ours: Any, theirs: Any) -> bool:
    """Whether `ours` claims nothing that `theirs` contradicts."""
    if ours is OPEN:
        return True
    if isinstance(ours, dict) and isinstance(theirs, dict):
        keys = set(theirs) if isinstance(ours, OpenTable) else set(ours) | set(theirs)
        return all(key in theirs and same(ours.get(key, OPEN), theirs[key]) for key in keys)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return repr(ours) == repr(theirs)


def container(config: Any, resolve: bool = False) -> Any:
    return OmegaConf.to_container(config, resolve=resolve)


@pytest.mark.parametrize(
    "tables",
    [
        ({"a": 1}, {"a": 2}),
        ({"a": 1}, {"b": 2}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 3}}),
        ({"a": {"b": 1}}, {"a": 5}),
        ({"a": {"b": 1}}, {"a": None}),
        ({"a": None}, {"a": {"b": 1}}),
        ({"a": 5}, {"a": {"b": 1}}),
        ({"a": [1, 2]}, {"a": [3]}),
        ({"a": [1, 2]}, {"a": []}),
        ({"a": [{"x": 1}]}, {"a": [{"y": 1}]}),
        ({"a": 1}, {"a": "???"}),
        ({"a": {"b": 1}}, {"a": "???"}),
        ({"a": "???"}, {"a": 1}),
        ({"a": "???"}, {"a": {"b": 2}}),
        ({}, {"a": "???"}),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {"d": 2}}}, {"a": {"b": {"c": None}}}),
        ({"a": "x"}, {"a": "${b}", "b": 1}),
        ({"a": "${b}", "b": {"x": 1}}, {"a": {"y": 2}}),
        ({"a": {"b": 1}}, {"a": "${c}", "c": {"z": 1}}),
        ({"a": True}, {"a": "true"}),
    ],
)
def test_merge_agrees_with_omegaconf(tables: tuple[dict[str, Any], ...]) -> None:
    assert same(merge(*tables), container(OmegaConf.merge(*map(OmegaConf.create, tables))))


def test_merge_with_an_unknown_table_opens_what_is_below_and_keeps_what_is_above() -> None:
    merged = merge({"a": 1, "b": {"c": 2}}, OpenTable({"d": 3}), {"b": {"c": 4}})
    assert (merged["a"], merged["b"]["c"], merged["d"]) == (OPEN, 4, 3)
    assert select(merged, ("new",)) is OPEN
    assert ("a",) in set(open_keys(merged))


@pytest.mark.parametrize(
    "words",
    [
        ["a=1"],
        ["a.b=1", "a.c=x"],
        ["a=1e-4"],
        ["a=1e4", "b=1.5e+3", "c=.5", "d=1_000"],
        ["a=true", "b=no", "c=Off", "d=null", "e=~"],
        ["a=[1,2,x]"],
        ["a={b: 1}"],
        ["a={b: 1}", "a.c=2"],
        ["a="],
        ["a"],
        ["a='1'"],
        ['a="1e-4"'],
        ["a=1", "a.b=2"],
        ["a.b=2", "a=1"],
        ["a=[1,2]", "a.0=5"],
        ["a=[1,2]", "a[1]=5"],
        ["a[b].c=1"],
        ["a=2021-01-01"],
        ["a=0x10", "b=010", "c=1:30"],
        ["a=x=y"],
        ["a=${b}", "b=1"],
        ["a=inf", "b=.inf", "c=nan"],
    ],
)
def test_dot_lists_agree_with_omegaconf(words: list[str]) -> None:
    ours = from_dotlist(words)
    assert same(ours, container(OmegaConf.from_dotlist(words)))
    assert not list(open_keys(ours))


def test_unknown_words_open_what_they_may_set() -> None:
    assert from_dotlist([f"a.b={UNKNOWN}", "c=1"]) == {"a": {"b": OPEN}, "c": 1}
    table = from_dotlist(["a=1", UNKNOWN_WORDS, "c=1"])
    assert (table["a"], table["c"], select(table, ("x",))) == (OPEN, 1, OPEN)
    assert isinstance(from_dotlist(None), OpenTable)
    assert from_dotlist(["a=[1"]) == {"a": OPEN}


@pytest.mark.parametrize(
    "table",
    [
        {"a": "${b}", "b": 1},
        {"a": "x-${b}-y", "b": 1},
        {"a": "${b}${c}", "b": True, "c": None},
        {"a": "${b.c}", "b": {"c": {"d": 1}}},
        {"a": "${b.c.d}", "b": {"c": "${e}"}, "e": {"d": 7}},
        {"a": {"b": "${.c}", "c": 2}},
        {"a": {"b": {"c": "${..d}"}, "d": 3}},
        {"a": {"b": "${c}"}, "c": 4},
        {"a": "${b[0]}", "b": [5, 6]},
        {"a": "${b.1}", "b": [5, 6]},
        {"a": ["${b}", "${a.0}"], "b": 1},
        {"a": "${b}", "b": "${c}", "c": "${d}", "d": 1.5},
        {"a": "${x.${b}}", "b": "y", "x": {"y": 9}},
        {"a": "${b}", "b": [1, {"c": "${d}"}], "d": 2},
        {"a": "$b", "b": "{c}"},
        {"a": "${b}/x", "b": 0.1},
        {"a": "${b} ", "b": 1},
        {"a": "${with-dash}", "with-dash": 1},
        {"a": r"\${b}", "b": 1},
        {"a": "${b:x}"},
        {"a": "${oc.env:HOME}"},
        {"a": "${oc.env:HOME,/root}", "b": "${oc.decode:'1'}"},
        {"a": "${nothing}"},
        {"a": "${a}"},
        {"a": "${b}", "b": "???"},
        {"a": "${b", "b": 1},
        {"a": "${b}", "b": "${b}x"},
        {"a": "x${b}", "b": {"c": 1}},
    ],
)
def test_interpolation_agrees_with_omegaconf(table: dict[str, Any]) -> None:
    ours = resolve_interpolations(table)
    try:
        theirs = container(OmegaConf.create(table), resolve=True)
    except (OmegaConfBaseException, RecursionError):
        # No value that a run could have.
        assert ours["a"] is OPEN or ours["a"] == "${b"
        return
    assert same(ours, theirs)


@pytest.mark.parametrize("value", ["${oc.env:X}", "${oc.env:X,1}", "${hydra:run.dir}", "${now:%Y}", "${missing}"])
def test_what_the_caller_or_code_determines_is_open(value: str) -> None:
    assert resolve_interpolations({"a": value, "b": 1}) == {"a": OPEN, "b": 1}
    assert resolve_interpolations({"a": f"x{value}"}) == {"a": OPEN}


def test_references_cannot_grow_without_bound() -> None:
    doubling: dict[str, Any] = {"k0": "x" * 10} | {f"k{n}": f"${{k{n - 1}}}${{k{n - 1}}}" for n in range(1, 60)}
    assert resolve_interpolations(doubling)["k59"] is OPEN
    tables: dict[str, Any] = {"t0": {"x": 1}} | {f"t{n}": [f"${{t{n - 1}}}"] * 20 for n in range(1, 25)}
    assert resolve_interpolations(tables)["t0"] == {"x": 1}


@pytest.mark.parametrize(
    ("key", "parts"),
    [("a.b", ("a", "b")), ("a[b]", ("a", "b")), ("a[b].c", ("a", "b", "c")), ("a", ("a",)), ("[a].b", ("a", "b"))],
)
def test_keys_are_split_at_dots_and_brackets(key: str, parts: tuple[str, ...]) -> None:
    assert split_key(key) == parts
