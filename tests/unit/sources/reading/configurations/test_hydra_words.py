"""Words of Hydra's command line. Hydra 1.3 gave the expected values, but for those that are OPEN where Hydra has a value."""

from __future__ import annotations

from typing import Any

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import ValueType

from vcompat.sources.reading.configurations.hydra_words import Words, parse_value, parse_word, parse_words
from vcompat.sources.reading.configurations.omegaconf_values import OPEN
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS

#: A text after `=`, and its value.
VALUES = [
    ("1", 1),
    ("-1", -1),
    ("+1", 1),
    ("01", "01"),
    ("1_000", 1000),
    ("1__0", "1__0"),
    ("-0", 0),
    ("1_", "1_"),
    ("_1", "_1"),
    ("1.", 1.0),
    ("1_0.5", 10.5),
    ("1.5_0", 1.5),
    (".5", 0.5),
    ("5.e3", 5000.0),
    ("1e5", 100000.0),
    ("1E-5", 1e-05),
    ("1e+5", 100000.0),
    ("+.5", 0.5),
    ("-1.5", -1.5),
    ("1.5e1_0", 15000000000.0),
    ("inf", float("inf")),
    ("+INF", float("inf")),
    ("-nan", float("nan")),
    ("NaN", float("nan")),
    ("infx", "infx"),
    ("true", True),
    ("FALSE", False),
    ("tRue", True),
    ("null", None),
    ("nUll", None),
    ("nulls", "nulls"),
    ("trues", "trues"),
    ("a", "a"),
    ("A-b_1", "A-b_1"),
    ("1a", "1a"),
    ("a1", "a1"),
    ("_a", "_a"),
    ("-a", "-a"),
    ("a.b", "a.b"),
    ("a/b", "a/b"),
    ("a:b", "a:b"),
    ("/", "/"),
    ("-", "-"),
    ("\\", "\\"),
    ("+", "+"),
    (".", "."),
    ("$", "$"),
    ("%", "%"),
    ("*", "*"),
    ("@", "@"),
    ("?", "?"),
    ("|", "|"),
    ("a%b*c@d?e|f", "a%b*c@d?e|f"),
    ("a\\b", "a\\b"),
    ("a\\\\b", "a\\b"),
    ("a\\(b", "a(b"),
    ("a\\)b", "a)b"),
    ("a\\[b", "a[b"),
    ("a\\]b", "a]b"),
    ("a\\{b", "a{b"),
    ("a\\}b", "a}b"),
    ("a\\:b", "a:b"),
    ("a\\=b", "a=b"),
    ("a\\,b", "a,b"),
    ("a\\ b", "a b"),
    ("a\\\tb", "a\tb"),
    ("\\,", ","),
    ("\\\\", "\\"),
    ("\\(\\)", "()"),
    ("\\,\\ ", ", "),
    ("a b", "a b"),
    ("a  b", "a  b"),
    ("a\tb", "a\tb"),
    (" a", "a"),
    ("a ", "a"),
    ("1 2", "1 2"),
    ("true 1", "true 1"),
    (" ", OPEN),
    ("", OPEN),
    ("'a'", "a"),
    ('"a"', "a"),
    ("'a b'", "a b"),
    ("'a,b'", "a,b"),
    ("''", ""),
    ('""', ""),
    ("'1'", "1"),
    ("'a\\'b'", "a'b"),
    ("'a\\\\'", "a\\"),
    ('"a\\"b"', 'a"b'),
    ('"a\'b"', "a'b"),
    ("'a\"b'", 'a"b'),
    ("'a\\\\\\'b'", "a\\'b"),
    ("'a\\nb'", "a\\nb"),
    ("'a\nb'", "a\nb"),
    ("'a' b", OPEN),
    ("a'b'", OPEN),
    ("'a", OPEN),
    ("'a'\"b\"", OPEN),
    ("'\\''", "'"),
    ("${a}", "${a}"),
    ("${a.b}", "${a.b}"),
    ("${a}b", "${a}b"),
    ("a${b}", "a${b}"),
    ("${a:b}", "${a:b}"),
    ("${}", OPEN),
    ("${a", OPEN),
    ("${a b}", "${a b}"),
    ("${a}${b}", "${a}${b}"),
    ("[]", []),
    ("[1]", [1]),
    ("[ 1 , 2 ]", [1, 2]),
    ("[1,[2,[3]]]", [1, [2, [3]]]),
    ("[a,'b',\"c\"]", ["a", "b", "c"]),
    ("[1", OPEN),
    ("[1,]", OPEN),
    ("[,1]", OPEN),
    ("[1 2]", ["1 2"]),
    ("[1,2]x", OPEN),
    ("[1]]", OPEN),
    ("[a:b]", ["a:b"]),
    ("[{a:1}]", [{"a": 1}]),
    ("[[]", OPEN),
    ("[", OPEN),
    ("]", OPEN),
    ("[()]", OPEN),
    ("[a,b", OPEN),
    ("[a}", OPEN),
    ("{}", {}),
    ("{ }", {}),
    ("{a:1}", {"a": 1}),
    ("{ a : 1 , b : 2 }", {"a": 1, "b": 2}),
    ("{a:{b:[1]}}", {"a": {"b": [1]}}),
    ("{a:1,a:2}", {"a": 2}),
    ("{1:2}", OPEN),
    ("{true:1}", OPEN),
    ("{null:1}", OPEN),
    ("{1.5:2}", OPEN),
    ("{a", OPEN),
    ("{a:", OPEN),
    ("{a:1", OPEN),
    ("{a:1,", OPEN),
    ("{a:1,}", OPEN),
    ("{a:1]", OPEN),
    ("{'a':1}", OPEN),
    ("{a b:1}", {"a b": 1}),
    ("{a-b:1}", {"a-b": 1}),
    ("{a.b:1}", {"a.b": 1}),
    ("{a:b:c}", {"a": "b:c"}),
    ("{:1}", OPEN),
    ("{a=1}", OPEN),
    ("{ : 1}", OPEN),
    ("{${a}:1}", OPEN),
    ("{a\\:b:1}", {"a:b": 1}),
    ("{a:1}x", OPEN),
    ("{a:1}}", OPEN),
    ("{a:1 b}", {"a": "1 b"}),
    ("a,b", OPEN),
    ("a=b", OPEN),
    ("a(b)", OPEN),
    ("choice(1)", OPEN),
    ("(a)", OPEN),
    ("a)", OPEN),
    ("a]", OPEN),
    ("a}", OPEN),
    ("f(", OPEN),
    ("1,", OPEN),
    ("#", OPEN),
    ("a#b", OPEN),
    ("!", OPEN),
    ("a;b", OPEN),
    ("<", OPEN),
    ("é", OPEN),
    ("~", OPEN),
    ("^", OPEN),
    ("&", OPEN),
    ("`", OPEN),
    ("2021-01-01", "2021-01-01"),
    ("12:30", "12:30"),
    ("http://x:80/y?z=1", OPEN),
    ("./a", "./a"),
    ("../a", "../a"),
    ("a-1", "a-1"),
    ("1-2", "1-2"),
    ("1.2.3", "1.2.3"),
    ("1e", "1e"),
    ("e1", "e1"),
    ("1e5x", "1e5x"),
    ("--", "--"),
    ("0x10", "0x10"),
    ("007", "007"),
    ("0", 0),
    ("00", "00"),
    ("0.0", 0.0),
    ("1_0", 10),
    ("-1_0", -10),
    ("+0", 0),
]

#: A word; its sign, key, package, value, and whether it has one.
WORDS = [
    ("a=1", ("", "a", None, 1, True)),
    ("+a=1", ("+", "a", None, 1, True)),
    ("++a=1", ("++", "a", None, 1, True)),
    ("+++a=1", None),
    ("~a", ("~", "a", None, None, False)),
    ("~a=1", ("~", "a", None, 1, True)),
    ("~a=", ("~", "a", None, "", True)),
    ("~+a", None),
    ("a", None),
    ("=1", None),
    ("a=", ("", "a", None, "", True)),
    ("a= 1", ("", "a", None, 1, True)),
    ("a=\t1", ("", "a", None, 1, True)),
    ("a =1", None),
    ("a= ", ("", "a", None, "", True)),
    ("a.b=1", ("", "a.b", None, 1, True)),
    ("a..b=1", None),
    (".a=1", None),
    ("a.=1", None),
    ("a.0=1", ("", "a.0", None, 1, True)),
    ("a.01=1", None),
    ("a.10=1", ("", "a.10", None, 1, True)),
    ("a.1_0=1", ("", "a.1_0", None, 1, True)),
    ("0.a=1", ("", "0.a", None, 1, True)),
    ("10=1", None),
    ("a/b=1", ("", "a/b", None, 1, True)),
    ("a/b/c=1", ("", "a/b/c", None, 1, True)),
    ("a//b=1", None),
    ("/a=1", None),
    ("a/b.c=1", None),
    ("a/0=1", None),
    ("a-b=1", ("", "a-b", None, 1, True)),
    ("-a=1", None),
    ("a/b-c=1", ("", "a/b-c", None, 1, True)),
    ("$a=1", ("", "$a", None, 1, True)),
    ("a.$b=1", ("", "a.$b", None, 1, True)),
    ("a/$b=1", None),
    ("a@b=1", ("", "a", "b", 1, True)),
    ("a@=1", ("", "a", "", 1, True)),
    ("a@b.c=1", ("", "a", "b.c", 1, True)),
    ("a/b@c/d=1", ("", "a/b", "c/d", 1, True)),
    ("a@b@c=1", None),
    ("~a@b", ("~", "a", "b", None, False)),
    ("~a@b=1", ("~", "a", "b", 1, True)),
    ("@a=1", None),
    ("a@:b=1", None),
    ("a[0]=1", None),
    ("a b=1", None),
    ("é=1", None),
    ("a=é", ("", "a", None, OPEN, True)),
    ("a='x=y'", ("", "a", None, "x=y", True)),
    ("a=x=y", ("", "a", None, OPEN, True)),
    ("a={b:1}", ("", "a", None, {"b": 1}, True)),
    ("a=1,2", ("", "a", None, OPEN, True)),
    ("a=\n", ("", "a", None, OPEN, True)),
    ("_a=1", ("", "_a", None, 1, True)),
    ("A9=1", ("", "A9", None, 1, True)),
    ("1a=1", None),
    ("hydra.run.dir=x", ("", "hydra.run.dir", None, "x", True)),
    ("a=" + UNKNOWN, ("", "a", None, OPEN, True)),
    (UNKNOWN + "=1", None),
    ("a@" + UNKNOWN + "=1", None),
    ("a=x" + UNKNOWN + "y", ("", "a", None, OPEN, True)),
    (UNKNOWN_WORDS, None),
    ("a=" + UNKNOWN_WORDS, None),
]

#: Hydra has a value for these: keys of tables that are no texts, and texts that `parse_word` does not hand over.
OPEN_ONLY_HERE = {"{1:2}", "{true:1}", "{null:1}", "{1.5:2}", "", " "}


def test_values_are_those_of_hydra() -> None:
    assert {text: repr(parse_value(text)) for text, _ in VALUES} == {text: repr(value) for text, value in VALUES}
    parser = OverridesParser.create()
    for text, value in VALUES:
        try:
            override = parser.parse_override(f"key={text}")
        except Exception:
            assert value is OPEN, text
            continue
        if text not in OPEN_ONLY_HERE:
            theirs = override.value() if override.value_type is ValueType.ELEMENT else OPEN
            assert repr(value) == repr(theirs), text


@pytest.mark.parametrize(("word", "expected"), WORDS)
def test_a_word_is_this_override(word: str, expected: tuple[Any, ...] | None) -> None:
    assert parse_word(word) == expected


def test_values_that_are_nested_too_deeply_and_words_that_are_too_long_are_not_read() -> None:
    nested = "[" * 30 + "1" + "]" * 30
    assert repr(parse_value(nested)) == nested
    assert parse_value(f"[{nested}]") is OPEN
    tables = "{a:" * 30 + "1" + "}" * 30
    assert repr(parse_value(tables)).count("'a'") == 30
    assert parse_value(f"{{a:{tables}}}") is OPEN
    longest = "a=" + "x" * 19_998
    assert parse_word(longest) is not None
    assert parse_word(longest + "x") is None


@pytest.mark.parametrize(
    "text", [UNKNOWN, "a" + UNKNOWN, "[" + UNKNOWN + "]", UNKNOWN_WORDS, "'" + UNKNOWN_WORDS + "'"]
)
def test_a_value_with_an_unknown_part_is_open(text: str) -> None:
    assert parse_value(text) is OPEN


@pytest.mark.parametrize(
    ("words", "name", "folder", "searches", "left"),
    [
        ("--config-name x", "x", None, False, ""),
        ("--config-name=x", "x", None, False, ""),
        ("-cn x", "x", None, False, ""),
        ("-cn=x a=1", "x", None, False, "a"),
        ("--config-path x", None, "x", False, ""),
        ("-cp x", None, "x", False, ""),
        ("--config-dir x", None, None, True, ""),
        ("-cd x a=1", None, None, True, "a"),
        ("--package x a=1", None, None, False, "a"),
        ("-p x", None, None, False, ""),
        ("--cfg x", None, None, False, ""),
        ("-c job a=1", None, None, False, "a"),
        ("-m a=1 --multirun b=2", None, None, False, "a b"),
        ("-cn", "", None, False, ""),
        ("-cn=", "", None, False, ""),
        ("-cn x -cn y", "y", None, False, ""),
        ("a=1 -cn x b=2", "x", None, False, "a b"),
        ("-x=1 --unknown a=1", None, None, False, "a"),
        ("", None, None, False, ""),
    ],
)
def test_options_are_not_overrides(words: str, name: str | None, folder: str | None, searches: bool, left: str) -> None:
    overrides = tuple(parse_word(word) for word in words.split() if word.split("=")[0] in left.split())
    assert parse_words(words.split()) == Words(overrides, name, folder, searches)
    assert parse_words(["a", "b=1"]).overrides == (None, parse_word("b=1"))
