"""The functions agree with OmegaConf, or leave open."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from vcompat.sources.reading.configurations.omegaconf_values import (
    OPEN,
    OpenTable,
    merge,
    removed,
    resolve_interpolations,
    split_key,
    update,
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
    assert same(functools.reduce(merge, tables), container(OmegaConf.merge(*map(OmegaConf.create, tables))))


def test_merge_with_an_unknown_table_opens_what_is_below_and_keeps_what_is_above() -> None:
    merged = merge(merge({"a": 1, "b": {"c": 2}}, OpenTable({"d": 3})), {"b": {"c": 4}})
    assert repr(merged) == "OpenTable({'a': OPEN, 'b': OpenTable({'c': 4}), 'd': 3})"


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


#: Tables, and what they are together.
MERGED = [
    (({"a": 1}, {"b": 2}), "{'a': 1, 'b': 2}"),
    (({"a": {"b": 1, "c": 2}}, {"a": {"b": 3, "d": 4}}), "{'a': {'b': 3, 'c': 2, 'd': 4}}"),
    (({"a": 1}, OpenTable({"b": 2})), "OpenTable({'a': OPEN, 'b': 2})"),
    ((OpenTable({"a": 1}), {"b": {"c": 1}}), "OpenTable({'a': 1, 'b': OpenTable({'c': 1})})"),
    ((OpenTable({"a": 1}), {"a": {"c": 1}}), "OpenTable({'a': {'c': 1}})"),
    ((OpenTable({"a": {"x": 1}}), {"a": {"c": 1}, "b": 2}), "OpenTable({'a': {'x': 1, 'c': 1}, 'b': 2})"),
    (({"a": OPEN}, {"a": {"b": 1}}), "{'a': OpenTable({'b': 1})}"),
    (({"a": "${x}"}, {"a": {"b": 1}}), "{'a': OpenTable({'b': 1})}"),
    (({"a": "x"}, {"a": {"b": 1}}), "{'a': {'b': 1}}"),
    (({"a": 1}, OPEN), "OPEN"),
    ((OPEN, {"a": 1}), "OpenTable({'a': 1})"),
    (({"a": {"b": 1}}, {"a": OpenTable({"c": 2})}), "{'a': OpenTable({'b': OPEN, 'c': 2})}"),
    (({"a": [{"b": 1}]}, OpenTable()), "OpenTable({'a': OPEN})"),
    (({"a": 1}, "???"), "{'a': 1}"),
    (({}, {"a": {"b": "???"}}), "{'a': {'b': '???'}}"),
    (({"a": {"b": 1}}, {"a": {"b": "???"}}), "{'a': {'b': 1}}"),
    ((OpenTable(), {"a": "???"}), "OpenTable({'a': OPEN})"),
    (({"a": 5}, {"a": {"b": "???"}}), "{'a': {'b': '???'}}"),
    (({"a": 1}, {"a": "???"}), "{'a': 1}"),
    (({"a": 1}, {"a": None}), "{'a': None}"),
    (({"a": 1}, {"a": [1, {"b": "???"}]}), "{'a': [1, {'b': '???'}]}"),
    (({"a": 1}, 5), "5"),
    ((5, {"a": 1}), "{'a': 1}"),
    ((None, {"a": 1}), "{'a': 1}"),
    (({"a": 1}, {"b": OpenTable({"c": 1})}), "{'a': 1, 'b': OpenTable({'c': 1})}"),
    (({"a": OpenTable({"c": 1})}, {"a": {"c": 2}}), "{'a': OpenTable({'c': 2})}"),
    (({"a": "???"}, {"a": {"b": 1}}), "{'a': {'b': 1}}"),
    (({"a": 1}, {"a": "${b}"}), "{'a': '${b}'}"),
    (({"a": {"b": 1}}, {"a": {"b": {"c": 2}}}, {"a": {"b": {"d": 3}}}), "{'a': {'b': {'c': 2, 'd': 3}}}"),
    (({}, OpenTable({"a": {"b": 1}})), "OpenTable({'a': {'b': 1}})"),
]

#: A table, a key, its new value, and the table then.
UPDATED = [
    ({}, "a", 1, "{'a': 1}"),
    ({"a": 1}, "a", 2, "{'a': 2}"),
    ({"a": 1, "c": 3}, "a.b", 2, "{'a': {'b': 2}, 'c': 3}"),
    ({"a": {"b": 1, "c": 2}}, "a.b", 3, "{'a': {'b': 3, 'c': 2}}"),
    ({"a": {"b": 1}}, "a", {"c": 2}, "{'a': {'b': 1, 'c': 2}}"),
    ({"a": 1}, "a", {"c": 2}, "{'a': {'c': 2}}"),
    ({"a": {"b": 1}}, "a", 5, "{'a': 5}"),
    ({"a": OPEN}, "a", {"c": 2}, "{'a': OpenTable({'c': 2})}"),
    ({"a": OPEN}, "a.b", 2, "{'a': OpenTable({'b': 2})}"),
    ({"a": "${x}"}, "a.b", 2, "{'a': OpenTable({'b': 2})}"),
    ({"a": "${x}"}, "a", {"b": 2}, "{'a': OpenTable({'b': 2})}"),
    ({"a": "x"}, "a.b", 2, "{'a': {'b': 2}}"),
    ({"a": None}, "a.b.c", 2, "{'a': {'b': {'c': 2}}}"),
    (OpenTable({"a": 1}), "b.c", 2, "OpenTable({'a': 1, 'b': OpenTable({'c': 2})})"),
    (OpenTable(), "a", {"b": 1}, "OpenTable({'a': OpenTable({'b': 1})})"),
    ({"a": OpenTable({"b": 1})}, "a.c", 2, "{'a': OpenTable({'b': 1, 'c': 2})}"),
    ({"a": [1, 2]}, "a.0", 5, "{'a': [5, 2]}"),
    ({"a": [1, 2]}, "a[1]", 5, "{'a': [1, 5]}"),
    ({"a": [1, 2]}, "a.2", 5, "{'a': OPEN}"),
    ({"a": [1, 2]}, "a.x", 5, "{'a': OPEN}"),
    ({"a": [1, 2]}, "a.-1", 5, "{'a': OPEN}"),
    ({"a": [1, {"b": 2}]}, "a.1.c", 5, "{'a': [1, {'b': 2, 'c': 5}]}"),
    ({"a": [1, 2]}, "a.1.c", 5, "{'a': [1, {'c': 5}]}"),
    ({"a": [1]}, "a.0000000", 5, "{'a': OPEN}"),
    ({"a": [1]}, "a.000000", 5, "{'a': [5]}"),
    ({"a": [1]}, "a.\u0660", 5, "{'a': OPEN}"),
    ({"a": [1]}, "a", [2], "{'a': [2]}"),
    ({"a": {"b": 1}}, "a", {"b": "???"}, "{'a': {'b': 1}}"),
    ({"a": {"b": 1}}, "a.b", "???", "{'a': {'b': '???'}}"),
]

#: A table, a path, and the table without it.
REMOVED = [
    ({"a": 1, "b": 2}, ("a",), "{'b': 2}"),
    ({"a": 1}, ("b",), "{'a': 1}"),
    ({"a": {"b": 1, "c": 2}}, ("a", "b"), "{'a': {'c': 2}}"),
    ({"a": {"b": {"c": 1}}, "d": 1}, ("a", "b", "c"), "{'a': {'b': {}}, 'd': 1}"),
    ({"a": 1}, ("a", "b"), "{'a': 1}"),
    ({}, ("a", "b"), "{}"),
    (OpenTable({"a": 1}), ("a",), "OpenTable({})"),
    (OpenTable({"a": {"b": 1}}), ("a", "b"), "OpenTable({'a': {}})"),
    (OpenTable({"a": 1}), ("x", "b"), "OpenTable({'a': 1})"),
    ({"a": OpenTable({"b": 1})}, ("a", "b"), "{'a': OpenTable({})}"),
    (OpenTable({"a": 1}), ("a", "b"), "OpenTable({'a': 1})"),
]

#: A key, and its parts.
KEYS = [
    ("", ()),
    ("a", ("a",)),
    ("a.b", ("a", "b")),
    ("a[b]", ("a", "b")),
    ("a[b].c", ("a", "b", "c")),
    ("[a].b", ("a", "b")),
    ("a[b][c]", ("a", "b", "c")),
    ("a.", ("a", "")),
    ("a..b", ("a", "", "b")),
    (".a", ("a",)),
    ("a[]", ("a", "")),
    ("a[b", ("a", "b")),
    ("a]b", ("a", "b")),
    ("[a]b", ("a", "b")),
    ("a.b[0].c", ("a", "b", "0", "c")),
    ("..a", ("", "a")),
]

#: A table, and the same with its interpolations resolved.
RESOLVED = [
    ({"a": "${b}", "b": 1}, "{'a': 1, 'b': 1}"),
    ({"a": "x${b}y${c}", "b": 1, "c": None}, "{'a': 'x1yNone', 'b': 1, 'c': None}"),
    ({"a": "${b}"}, "{'a': OPEN}"),
    ({"a": "${b}", "b": "???"}, "{'a': OPEN, 'b': '???'}"),
    ({"a": "${b}", "b": OPEN}, "{'a': OPEN, 'b': OPEN}"),
    ({"a": "x${b}", "b": OPEN}, "{'a': OPEN, 'b': OPEN}"),
    ({"a": "x${b}", "b": {"c": 1}}, "{'a': OPEN, 'b': {'c': 1}}"),
    ({"a": "x${b}", "b": [1]}, "{'a': OPEN, 'b': [1]}"),
    ({"a": "${b}", "b": {"c": "${d}"}, "d": 2}, "{'a': {'c': 2}, 'b': {'c': 2}, 'd': 2}"),
    ({"a": {"b": "${.c}", "c": 2}}, "{'a': {'b': 2, 'c': 2}}"),
    ({"a": {"b": {"c": "${..d}"}, "d": 3}}, "{'a': {'b': {'c': 3}, 'd': 3}}"),
    ({"a": {"b": "${...c}"}, "c": 1}, "{'a': {'b': OPEN}, 'c': 1}"),
    ({"a": {"b": "${....c}"}, "c": 1}, "{'a': {'b': OPEN}, 'c': 1}"),
    ({"a": "${.b}", "b": 1}, "{'a': 1, 'b': 1}"),
    ({"a": ["${b}", "${.2}", 5], "b": 1}, "{'a': [1, 5, 5], 'b': 1}"),
    ({"a": "${b[0]}", "b": [7]}, "{'a': 7, 'b': [7]}"),
    ({"a": "${b.1}", "b": [7, 8]}, "{'a': 8, 'b': [7, 8]}"),
    ({"a": "${b.2}", "b": [7, 8]}, "{'a': OPEN, 'b': [7, 8]}"),
    ({"a": "${b.c}", "b": "${d}", "d": {"c": 9}}, "{'a': 9, 'b': {'c': 9}, 'd': {'c': 9}}"),
    ({"a": "${b.c.e}", "b": {"c": "${d}"}, "d": {"e": 9}}, "{'a': 9, 'b': {'c': {'e': 9}}, 'd': {'e': 9}}"),
    ({"a": "${b.c}", "b": "x${d}", "d": 1}, "{'a': OPEN, 'b': 'x1', 'd': 1}"),
    ({"a": "\\${b}", "b": 1}, "{'a': OPEN, 'b': 1}"),
    ({"a": "${b", "b": 1}, "{'a': OPEN, 'b': 1}"),
    ({"a": "${b}}", "b": 1}, "{'a': '1}', 'b': 1}"),
    ({"a": "${}"}, "{'a': OPEN}"),
    ({"a": "${b:c}"}, "{'a': OPEN}"),
    ({"a": "${oc.env:X}"}, "{'a': OPEN}"),
    ({"a": "${ b }", "b": 1}, "{'a': OPEN, 'b': 1}"),
    ({"a": "${b c}", "b c": 1}, "{'a': OPEN, 'b c': 1}"),
    ({"a": "${b-c}", "b-c": 1}, "{'a': 1, 'b-c': 1}"),
    ({"a": "${b/c}", "b/c": 1}, "{'a': 1, 'b/c': 1}"),
    ({"a": "${'b'}", "b": 1}, "{'a': OPEN, 'b': 1}"),
    ({"a": "${b,c}"}, "{'a': OPEN}"),
    ({"a": "${b(c)}"}, "{'a': OPEN}"),
    ({"a": "${b=c}"}, "{'a': OPEN}"),
    ({"a": "${$b}"}, "{'a': OPEN}"),
    ({"a": "${x.${b}}", "b": "y", "x": {"y": 3}}, "{'a': 3, 'b': 'y', 'x': {'y': 3}}"),
    ({"a": "${x${b}}", "b": "1", "x1": 3}, "{'a': 3, 'b': '1', 'x1': 3}"),
    ({"a": "${x.${b}}", "b": 1, "x": {"1": 3}}, "{'a': 3, 'b': 1, 'x': {'1': 3}}"),
    ({"a": "${${b}}", "b": "c", "c": 4}, "{'a': 4, 'b': 'c', 'c': 4}"),
    ({"a": "${${b}}", "b": 5}, "{'a': OPEN, 'b': 5}"),
    ({"a": "${a}"}, "{'a': OPEN}"),
    ({"a": "${b}", "b": "${a}"}, "{'a': OPEN, 'b': OPEN}"),
    ({"a": "$b", "b": "{c}"}, "{'a': '$b', 'b': '{c}'}"),
    ({"a": 1.5, "b": True, "c": None, "d": "x", "e": [1]}, "{'a': 1.5, 'b': True, 'c': None, 'd': 'x', 'e': [1]}"),
    ({"a": "${b}${b}", "b": 0.1}, "{'a': '0.10.1', 'b': 0.1}"),
    ({"a": "${b}x", "b": True}, "{'a': 'Truex', 'b': True}"),
    (OpenTable({"a": "${b}"}), "OpenTable({'a': OPEN})"),
    (
        OpenTable({"a": "${b}", "b": OpenTable({"c": 1})}),
        "OpenTable({'a': OpenTable({'c': 1}), 'b': OpenTable({'c': 1})})",
    ),
    ({"a": OpenTable({"b": "${c}"}), "c": 1}, "{'a': OpenTable({'b': 1}), 'c': 1}"),
    ({"a": "${b.c}", "b": OpenTable()}, "{'a': OPEN, 'b': OpenTable({})}"),
    ({"a": "${b.c.d}", "b": OPEN}, "{'a': OPEN, 'b': OPEN}"),
    ({"a": "${b.c}", "b": 5}, "{'a': OPEN, 'b': 5}"),
    ({"a": "${b.}", "b": 1}, "{'a': OPEN, 'b': 1}"),
    ({"a": "${b..c}", "b": {"": {"c": 1}}}, "{'a': 1, 'b': {'': {'c': 1}}}"),
    ({"a": "${.}"}, "{'a': OPEN}"),
    ({"a": "x${b", "b": "y"}, "{'a': OPEN, 'b': 'y'}"),
    ({"a": "${b}-${c}-${d}", "b": 1, "c": 2, "d": 3}, "{'a': '1-2-3', 'b': 1, 'c': 2, 'd': 3}"),
    ({"a": "${b} ", "b": 1}, "{'a': '1 ', 'b': 1}"),
    ({"a": " ${b}", "b": 1}, "{'a': ' 1', 'b': 1}"),
    ({"${a}": 1, "a": "b"}, "{'${a}': 1, 'a': 'b'}"),
    ({"a": "${b}${c}", "b": "x", "c": "y"}, "{'a': 'xy', 'b': 'x', 'c': 'y'}"),
    ({"a": "${b:${c}}", "c": 1}, "{'a': OPEN, 'c': 1}"),
    ({"a": "x${b.${c}", "b": 1}, "{'a': OPEN, 'b': 1}"),
    ({"a": "${b.${c}}", "c": "\\d"}, "{'a': OPEN, 'c': '\\\\d'}"),
    ({"a": "x${b}${oc.env:Y}z", "b": 1}, "{'a': OPEN, 'b': 1}"),
]


@pytest.mark.parametrize(("tables", "expected"), MERGED)
def test_tables_are_merged_into_this(tables: tuple[Any, ...], expected: str) -> None:
    assert repr(functools.reduce(merge, tables)) == expected


@pytest.mark.parametrize(("table", "key", "value", "expected"), UPDATED)
def test_a_table_is_updated_into_this(table: dict[str, Any], key: str, value: Any, expected: str) -> None:
    before = repr(table)
    assert repr(update(table, split_key(key), value)) == expected
    assert repr(table) == before


@pytest.mark.parametrize(("table", "path", "expected"), REMOVED)
def test_without_a_key_a_table_is_this(table: dict[str, Any], path: tuple[str, ...], expected: str) -> None:
    before = repr(table)
    assert repr(removed(table, path)) == expected
    assert repr(table) == before


@pytest.mark.parametrize(("key", "expected"), KEYS)
def test_a_key_has_these_parts(key: str, expected: tuple[str, ...]) -> None:
    assert split_key(key) == expected


@pytest.mark.parametrize(("table", "expected"), RESOLVED)
def test_with_interpolations_resolved_a_table_is_this(table: dict[str, Any], expected: str) -> None:
    assert repr(resolve_interpolations(table)) == expected


def test_interpolations_are_resolved_up_to_limits() -> None:
    def chain(length: int) -> dict[str, Any]:
        return {f"k{number}": f"${{k{number + 1}}}" for number in range(length)} | {f"k{length}": 7}

    assert (resolve_interpolations(chain(30))["k0"], resolve_interpolations(chain(31))["k0"]) == (7, OPEN)

    def nested(depth: int) -> Any:
        return resolve_interpolations({"a": "${" * depth + "b" + "}" * depth, "b": "b"})["a"]

    assert (nested(30), nested(31)) == ("b", OPEN)
    texts = [resolve_interpolations({"a": "x${b}", "b": "y" * length})["a"] for length in (19_999, 20_000)]
    assert texts == ["x" + "y" * 19_999, OPEN]
    assert resolve_interpolations({"a": [1] * 99_998})["a"][-1] == 1
    assert resolve_interpolations({"a": [1] * 99_999})["a"][-2:] == [1, OPEN]
