"""Values of configuration files, with the positions of their keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from vcompat.facts.facts import Place
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.document import kind_of, parse_document, read_document
from vcompat.sources.reading.yaml_values import Dialect

#: A kind and a text; its values and the position of each key; or the complaint.
TEXTS = [
    ("json", "{}", ({}, {})),
    (
        "json",
        '{"a": 1, "b": {"c": [1, {"d": 2}], "e": null}}',
        (
            {"a": 1, "b": {"c": [1, {"d": 2}], "e": None}},
            {"a": "1:2", "b": "1:10", "b.c": "1:16", "b.e": "1:36", "b.c..d": "1:26"},
        ),
    ),
    (
        "json",
        '{\n  "a": {\n    "b": [\n      {"c": 1},\n      {"c": 2}\n    ]\n  },\n "f": true}',
        ({"a": {"b": [{"c": 1}, {"c": 2}]}, "f": True}, {"a": "2:3", "f": "8:2", "a.b": "3:5", "a.b..c": "5:8"}),
    ),
    ("json", '{"a": 1,\n "a": 2}', ({"a": 2}, {"a": "2:2"})),
    (
        "json",
        '{"a\\"b": "x:y", "c": ["d:", "e"], "{": "}", "g": "["}',
        ({'a"b': "x:y", "c": ["d:", "e"], "{": "}", "g": "["}, {"c": "1:17", "{": "1:35", "g": "1:45"}),
    ),
    ("json", "[1]", "f.x: not a table at its top level; expected a JSON file of settings"),
    ("json", "5", "f.x: not a table at its top level; expected a JSON file of settings"),
    ("json", '{"a": }', "f.x:1: not valid JSON: Expecting value; expected a JSON file"),
    (
        "json",
        '{\n"a": 1,\n}',
        "f.x:3: not valid JSON: Expecting property name enclosed in double quotes; expected a JSON file",
    ),
    ("json", "", "f.x:1: not valid JSON: Expecting value; expected a JSON file"),
    ("json", '{"a": [], "b": {}, "c": 1}', ({"a": [], "b": {}, "c": 1}, {"a": "1:2", "b": "1:11", "c": "1:20"})),
    ("json", '{"a": Infinity}', ({"a": float("inf")}, {"a": "1:2"})),
    ("json", '{"a": {"b": 1}, "c": 2}', ({"a": {"b": 1}, "c": 2}, {"a": "1:2", "c": "1:17", "a.b": "1:8"})),
    ("json", '["a", {"b": 1}]', "f.x: not a table at its top level; expected a JSON file of settings"),
    ("json", '{"é": 1, "b": "é", "c": 2}', ({"é": 1, "b": "é", "c": 2}, {"é": "1:2", "b": "1:10", "c": "1:20"})),
    ("json", '{"a": "x\\\\", "b": 1}', ({"a": "x\\", "b": 1}, {"a": "1:2", "b": "1:14"})),
    ("toml", "", ({}, {})),
    ("toml", "a = 1\n", ({"a": 1}, {"a": "1:1"})),
    (
        "toml",
        "\n  a = 1\nb.c = 2\n\"d e\" = 3\n'f' = 4\n",
        ({"a": 1, "b": {"c": 2}, "d e": 3, "f": 4}, {"a": "2:3", "f": "5:1", "b.c": "3:1"}),
    ),
    (
        "toml",
        '[x]\na = 1\n[x.y]\na = 2\n[ z . "w" ]\nb = 3\n',
        (
            {"x": {"a": 1, "y": {"a": 2}}, "z": {"w": {"b": 3}}},
            {"x": "1:2", "x.a": "2:1", "x.y": "3:2", "z.w": "5:3", "x.y.a": "4:1", "z.w.b": "6:1"},
        ),
    ),
    ("toml", "[[t]]\na = 1\n[[t]]\na = 2\n", ({"t": [{"a": 1}, {"a": 2}]}, {"t": "1:3"})),
    (
        "toml",
        'a = "b = c"\n# d = 1\ne = [\n 1,\n 2]\nf = {g = 1}\n',
        ({"a": "b = c", "e": [1, 2], "f": {"g": 1}}, {"a": "1:1", "e": "3:1", "f": "6:1"}),
    ),
    ("toml", "a = \n", "f.x: not valid TOML: Invalid value (at line 1, column 5); expected a TOML file"),
    (
        "toml",
        "[x\n",
        "f.x: not valid TOML: Expected ']' at the end of a table declaration (at line 1, column 3); expected a TOML file",
    ),
    (
        "toml",
        "a = 1\na = 2\n",
        "f.x: not valid TOML: Cannot overwrite a value (at line 2, column 6); expected a TOML file",
    ),
    ("toml", "A-b_9.c = 1\n\ty\t=\t2\n", ({"A-b_9": {"c": 1}, "y": 2}, {"y": "2:2", "A-b_9.c": "1:1"})),
    ("yaml", "", ({}, {})),
    ("yaml", "a: 1\n", ({"a": 1}, {"a": "1:1"})),
    ("yaml", "- 1\n", "f.x: not a table at its top level; expected a YAML file of settings"),
    ("yaml", "a: 1\n---\nb: 2\n", "f.x: more than one YAML document; expected a YAML file"),
    ("yaml", "---\na: 1\n---\n", ({"a": 1}, {"a": "2:1"})),
    ("yaml", "5", "f.x: not a table at its top level; expected a YAML file of settings"),
    ("yaml", "a: yes\nb: 1e-4\n", ({"a": True, "b": "1e-4"}, {"a": "1:1", "b": "2:1"})),
    ("yaml", "[", "f.x:2: not valid YAML: did not find expected node content; expected a YAML file"),
]


def contents(kind: str, text: str) -> Any:
    try:
        document = parse_document("f.x", text, kind)
    except InputError as error:
        return str(error)
    assert (document.path, document.kind) == ("f.x", kind)
    places = {}
    waiting: list[tuple[tuple[str, ...], Any]] = [((), document.table)]
    while waiting:
        keys, value = waiting.pop(0)
        places[".".join(keys)] = str(document.place(*keys)).removeprefix("f.x").removeprefix(":")
        inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        waiting += [
            ((*keys, "" if kind == "json" and isinstance(value, list) else str(key)), each) for key, each in inner
        ]
    return document.table, {keys: place for keys, place in places.items() if place}


@pytest.mark.parametrize(("kind", "text", "expected"), TEXTS)
def test_a_text_has_these_values_and_positions(kind: str, text: str, expected: Any) -> None:
    assert repr(contents(kind, text)) == repr(expected)


def test_a_document_answers_by_keys() -> None:
    document = parse_document("f.yaml", "a:\n  - x\n  - |\n    y\nb: {c: 007, d: [1]}\ne: 'q'\nf:\n")
    assert [document.get(*keys) for keys in ((), ("b", "c"), ("b", "x"), ("e", "x"), ("b", "d"), ("x", "y"))] == [
        document.table, 7, None, None, [1], None,
    ]  # fmt: skip
    assert list(document.scalars()) == [
        ("a", ["x", "y\n"], Place("f.yaml", 1, 1)),
        ("e", "q", Place("f.yaml", 6, 1)),
        ("f", None, Place("f.yaml", 7, 1)),
    ]
    assert [document.place(*keys) for keys in (("b", "d"), ("x",), ())] == [
        Place("f.yaml", 5, 13), Place("f.yaml", 0, 0), Place("f.yaml", 0, 0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.json", "json"), ("a.JSON", "json"), ("a.toml", "toml"), ("uv.lock", "toml"), ("a.yaml", "yaml"), ("a.yml", "yaml"), ("a", "yaml"),
        ("json", "json"), ("a.json.x", "yaml"), ("a.b.toml", "toml"), ("", "yaml"),
    ],
)  # fmt: skip
def test_the_kind_of_a_file_follows_from_its_ending(name: str, kind: str) -> None:
    assert kind_of(name) == kind


def test_a_file_is_read_as_the_kind_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("a: yes\nb: 1e-4\n")
    with pytest.raises(InputError, match=r"a\.json:1: not valid JSON: Expecting value; expected a JSON file$"):
        read_document(str(tmp_path / "a.json"))
    with pytest.raises(InputError, match=r"a\.json:1: not valid JSON: Expecting value; expected a JSON file$"):
        parse_document("a.json", "a: 1")
    assert read_document(str(tmp_path / "a.json"), "yaml").table == {"a": True, "b": "1e-4"}
    assert read_document(str(tmp_path / "a.json"), "yaml", Dialect.OMEGACONF).table == {"a": True, "b": 1e-4}
    assert parse_document("a.yaml", "a: yes").table == {"a": True}
    assert parse_document("a.yaml", "a: 1e-4", dialect=Dialect.OMEGACONF).table == {"a": 1e-4}
    with pytest.raises(InputError, match=r"b\.toml.*expected a TOML file$"):
        read_document(str(tmp_path / "b.toml"))


@pytest.mark.parametrize("kind", ["json", "yaml", "toml"])
def test_what_is_nested_too_deeply_for_a_parser_is_a_complaint(kind: str, tmp_path: Path) -> None:
    text = ("a = " if kind == "toml" else "") + "[" * 100_000
    with pytest.raises(InputError, match=rf"^f\.x: nested too deeply to be read; expected a {kind.upper()} file$"):
        parse_document("f.x", text, kind)


def test_a_number_with_too_many_digits_is_a_complaint() -> None:
    with pytest.raises(InputError, match=r"^f\.json: not valid JSON: Exceeds the limit .*; expected a JSON file$"):
        parse_document("f.json", '{"a": ' + "1" * 5000 + "}")


def test_a_file_has_five_megabytes_at_most(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("#" * 5_000_000)
    assert read_document(str(tmp_path / "a.yaml")).table == {}
    (tmp_path / "a.yaml").write_text("#" * 5_000_001)
    with pytest.raises(InputError, match="expected a YAML file"):
        read_document(str(tmp_path / "a.yaml"))
