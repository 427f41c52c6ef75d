"""Values of YAML files, with their positions."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from omegaconf._utils import get_yaml_loader

from vcompat.foundation.errors import InputError
from vcompat.sources.reading import yaml_values
from vcompat.sources.reading.yaml_values import Dialect, read_yaml

#: A plain scalar, and its value for PyYAML and OmegaConf.
SCALARS = [
    ("yes", [True, True]),
    ("Yes", [True, True]),
    ("YES", [True, True]),
    ("no", [False, False]),
    ("on", [True, True]),
    ("off", [False, False]),
    ("Off", [False, False]),
    ("y", ["y", "y"]),
    ("n", ["n", "n"]),
    ("true", [True, True]),
    ("True", [True, True]),
    ("TRUE", [True, True]),
    ("tRue", ["tRue", "tRue"]),
    ("false", [False, False]),
    ("null", [None, None]),
    ("Null", [None, None]),
    ("NULL", [None, None]),
    ("~", [None, None]),
    ("nULL", ["nULL", "nULL"]),
    ("1", [1, 1]),
    ("-1", [-1, -1]),
    ("+1", [1, 1]),
    ("0x1F", [31, 31]),
    ("0o17", ["0o17", "0o17"]),
    ("017", [15, 15]),
    ("0b11", [3, 3]),
    ("1_000", [1000, 1000]),
    ("1_", [1, 1]),
    ("1:30", [90, 90]),
    ("1.5", [1.5, 1.5]),
    ("1.", [1.0, 1.0]),
    (".5", [0.5, 0.5]),
    ("1e4", ["1e4", 10000.0]),
    ("1E4", ["1E4", 10000.0]),
    ("1e-4", ["1e-4", 0.0001]),
    ("1e+4", ["1e+4", 10000.0]),
    ("-1e4", ["-1e4", -10000.0]),
    ("+1e4", ["+1e4", 10000.0]),
    ("1_0e4", ["1_0e4", 100000.0]),
    ("1.5e3", ["1.5e3", 1500.0]),
    ("1.5E3", ["1.5E3", 1500.0]),
    ("1.5e+3", [1500.0, 1500.0]),
    ("1.5e-3", [0.0015, 0.0015]),
    ("1.e3", ["1.e3", 1000.0]),
    ("1_0.5e3", ["1_0.5e3", 10500.0]),
    ("1.5_0e3", ["1.5_0e3", 1500.0]),
    (".5e3", [".5e3", ".5e3"]),
    ("-1.5e3", ["-1.5e3", -1500.0]),
    ("1e", ["1e", "1e"]),
    ("1e4x", ["1e4x", "1e4x"]),
    ("x1e4", ["x1e4", "x1e4"]),
    (".inf", [float("inf"), float("inf")]),
    ("-.INF", [-float("inf"), -float("inf")]),
    (".nan", [float("nan"), float("nan")]),
    ("inf", ["inf", "inf"]),
    ("2021-01-01", ["2021-01-01", "2021-01-01"]),
    ("2021-01-01T00:00:00", ["2021-01-01T00:00:00", "2021-01-01T00:00:00"]),
    ("'yes'", ["yes", "yes"]),
    ('"1"', ["1", "1"]),
    ("''", ["", ""]),
    ("=", ["=", "="]),
    (
        "<<",
        [
            "f.yaml:1: unsupported tag tag:yaml.org,2002:merge; expected plain YAML without tags",
            "f.yaml:1: unsupported tag tag:yaml.org,2002:merge; expected plain YAML without tags",
        ],
    ),
    ("x", ["x", "x"]),
    ("x:y", ["x:y", "x:y"]),
    ("x#y", ["x#y", "x#y"]),
]

#: A text; for each document its value, the line and column of each key, and for each value: line, column, line of its
#: text, text. Or the complaint.
TEXTS = [
    (
        "a: 1\nb:\n  - x\n  - y: 2\n    z: 'q r'\n\n  - [3, {w: 4}]\n",
        [
            (
                {"a": 1, "b": ["x", {"y": 2, "z": "q r"}, [3, {"w": 4}]]},
                {"a": (1, 1), "b.1.y": (4, 5), "b.1.z": (5, 5), "b.2.1.w": (7, 10), "b": (2, 1)},
            )
        ],
    ),
    (
        'a: |\n  text\n  more\nb: >-\n  folded\n  text\nc: plain\n  text\nd: "x\n  y"\n',
        [
            (
                {"a": "text\nmore\n", "b": "folded text", "c": "plain text", "d": "x y"},
                {"a": (1, 1), "b": (4, 1), "c": (7, 1), "d": (9, 1)},
            )
        ],
    ),
    ("", []),
    ("# x\n", []),
    ("---\n---\na: 1\n---\n~\n---\n- 1\n---\n5\n", [({"a": 1}, {"a": (3, 1)}), ([1], {}), (5, {})]),
    (
        "base: &b {x: 1, y: 2}\nc:\n  y: 3\n  <<: *b\n  z: 4\nd:\n  <<: [*b, {x: 5, w: 6}, 7]\ne:\n  <<: 5\n",
        [
            (
                {"base": {"x": 1, "y": 2}, "c": {"x": 1, "y": 3, "z": 4}, "d": {"x": 1, "w": 6, "y": 2}, "e": {}},
                {
                    "base.x": (1, 11),
                    "base.y": (1, 17),
                    "base": (1, 1),
                    "c.y": (3, 3),
                    "c.<<.x": (1, 11),
                    "c.<<.y": (1, 17),
                    "c.z": (5, 3),
                    "c": (2, 1),
                    "d.<<.0.x": (1, 11),
                    "d.<<.0.y": (1, 17),
                    "d.<<.1.x": (7, 13),
                    "d.<<.1.w": (7, 19),
                    "d": (6, 1),
                    "e": (8, 1),
                },
            )
        ],
    ),
    ("a: &x [1]\nb: *x\n", [({"a": [1], "b": [1]}, {"a": (1, 1), "b": (2, 1)})]),
    (
        "1: a\ntrue: b\n~: c\n1.50: d\na: 1\na: 2\n",
        [
            (
                {"1": "a", "true": "b", "~": "c", "1.50": "d", "a": 2},
                {"1": (1, 1), "true": (2, 1), "~": (3, 1), "1.50": (4, 1), "a": (6, 1)},
            )
        ],
    ),
    (
        "a: !!str 5\nb: !!int '5'\nc: !!float 1\nd: !!bool yes\ne: !!null x\nf: !!int x\ng: !!bool maybe\nh: !!map {}\ni: !!seq []\nj: !!timestamp 2021-01-01\n",
        [
            (
                {
                    "a": "5",
                    "b": 5,
                    "c": 1.0,
                    "d": True,
                    "e": None,
                    "f": "x",
                    "g": "maybe",
                    "h": {},
                    "i": [],
                    "j": "2021-01-01",
                },
                {
                    "a": (1, 1),
                    "b": (2, 1),
                    "c": (3, 1),
                    "d": (4, 1),
                    "e": (5, 1),
                    "f": (6, 1),
                    "g": (7, 1),
                    "h": (8, 1),
                    "i": (9, 1),
                    "j": (10, 1),
                },
            )
        ],
    ),
    (
        "a: !!python/object:x.y {}\n",
        "f.yaml:1: unsupported tag tag:yaml.org,2002:python/object:x.y; expected plain YAML without tags",
    ),
    ("a: !x 1\n", "f.yaml:1: unsupported tag !x; expected plain YAML without tags"),
    ("a: !!set {b}\n", "f.yaml:1: unsupported tag tag:yaml.org,2002:set; expected plain YAML without tags"),
    ("a: !!binary x\n", "f.yaml:1: unsupported tag tag:yaml.org,2002:binary; expected plain YAML without tags"),
    ("a: !!omap []\n", "f.yaml:1: unsupported tag tag:yaml.org,2002:omap; expected plain YAML without tags"),
    (
        "a: !tttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt 1\n",
        "f.yaml:1: unsupported tag !ttttttttttttttttttttttttttttttttttttttttttttttttttttttttttt; expected plain YAML without tags",
    ),
    ("? [a]\n: 1\n", "f.yaml:1: key is not a scalar; expected a file"),
    ("\n{a: b}: 1\n", "f.yaml:2: key is not a scalar; expected a file"),
    ("a: [\n", "f.yaml:2: not valid YAML: did not find expected node content; expected a file"),
    ("a: 'x\n", "f.yaml:2: not valid YAML: found unexpected end of stream; expected a file"),
    ("\ta: 1\n", "f.yaml:1: not valid YAML: found character that cannot start any token; expected a file"),
    ("a: b: c\n", "f.yaml:1: not valid YAML: mapping values are not allowed in this context; expected a file"),
    ("a: *x\n", "f.yaml:1: not valid YAML: found undefined alias; expected a file"),
    ("%YAML 3.0\n---\na: 1\n", "f.yaml:1: not valid YAML: found incompatible YAML document; expected a file"),
    ("a: &x [*x]\n", "f.yaml:1: nested too deeply to be read; expected a file"),
    (
        "a: \x01\n",
        'f.yaml: not valid YAML: unacceptable character #x0001: control characters are not allowed in "<unicode string>", position 3; expected a file',
    ),
    ("'a': 1\n\"b c\": 2\n", [({"a": 1, "b c": 2}, {"a": (1, 1), "b c": (2, 1)})]),
    (
        "a: 0x\nb: 99999999999999999999\nc: 1e999\nd: !!float x\n",
        [
            (
                {"a": "0x", "b": 99999999999999999999, "c": "1e999", "d": "x"},
                {"a": (1, 1), "b": (2, 1), "c": (3, 1), "d": (4, 1)},
            )
        ],
    ),
]


def documents(text: str, dialect: Dialect = Dialect.PYYAML) -> Any:
    try:
        found = read_yaml("f.yaml", text, "a file", dialect)
    except InputError as error:
        return str(error)
    return [
        (
            value,
            {".".join(keys): place for keys, place in places.items()},
        )
        for value, places in found
    ]


@pytest.mark.parametrize(("scalar", "values"), SCALARS)
def test_a_scalar_has_the_value_that_the_program_s_parser_gives_it(scalar: str, values: list[Any]) -> None:
    found = [documents(f"- {scalar}", dialect) for dialect in (Dialect.PYYAML, Dialect.OMEGACONF)]
    assert repr([each if isinstance(each, str) else each[0][0][0] for each in found]) == repr(values)


@pytest.mark.parametrize(("text", "expected"), TEXTS)
def test_a_text_has_these_values_at_these_positions(text: str, expected: Any) -> None:
    assert repr(documents(text)) == repr(expected)


def tables(depth: int) -> str:
    return "".join(f"{' ' * level}a:\n" for level in range(depth)) + " " * depth + "b\n"


@pytest.mark.parametrize(
    ("deepest", "more"),
    [
        ("[" * 60 + "]" * 60, "[" * 61 + "]" * 61),
        ("{a: " * 60 + "}" * 60, "{a: " * 61 + "}" * 61),
        ("- " * 60 + "x", "- " * 61 + "x"),
        ("? " * 1 + "x", "? " * 61 + "x"),
        (tables(60), tables(61)),
        ("[" * 60 + "]" * 60 + "\n---\n" + "[" * 60 + "]" * 60, "a: &a " + "[" * 30 + "]" * 30 + "\nb: " + "[" * 31 + "*a" + "]" * 31),
        ("a: &a " + "[" * 30 + "]" * 30 + "\nb: " + "[" * 30 + "*a" + "]" * 30, "a: &a [*a]"),
        ("[]" * 1 + "\n---\n[]" * 70, "\n" * 3 + "[" * 61),
    ],
)  # fmt: skip
def test_a_text_is_nested_60_times_at_most(deepest: str, more: str) -> None:
    assert isinstance(documents(deepest), list)
    assert "nested too deeply to be read; expected a file" in documents(more)


def test_values_behind_aliases_are_counted_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert yaml_values.MOST_VALUES == 200_000
    monkeypatch.setattr(yaml_values, "MOST_VALUES", 7)
    assert documents("a: &a [1]\nb: [*a, 2]\n")[0][0] == {"a": [1], "b": [[1], 2]}
    assert documents("a: &a [1]\nb: [*a, 2,\n 3]\n") == "f.yaml:3: more than 7 values; expected a file"
    assert documents("a: 1\n---\nb: [1, 2, 3]\n") != documents("a: 1\n---\nb: [1, 2, 3, 4]\n")
    assert documents("a: 1\n---\nb: [1, 2, 3, 4]\n") == "f.yaml:3: more than 7 values; expected a file"


def test_scalars_have_the_values_of_pyyaml_and_omegaconf() -> None:
    for scalar, (pyyaml, omegaconf) in SCALARS:
        if scalar not in ("<<", "=") and not scalar.startswith("2021"):
            assert repr(yaml.safe_load(f"- {scalar}")) == repr([pyyaml]), scalar
            assert repr(yaml.load(f"- {scalar}", Loader=get_yaml_loader())) == repr([omegaconf]), scalar
