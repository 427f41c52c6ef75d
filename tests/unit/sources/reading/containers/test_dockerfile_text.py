"""The instructions of a Dockerfile, their words, and the substitution of variables."""

from __future__ import annotations

import pytest

from vcompat.foundation.errors import InputError
from vcompat.sources.reading.containers.dockerfile_text import expand, instructions, words_of
from vcompat.sources.reading.word import UNKNOWN

#: A text; name, rest, line and escape character of each instruction.
INSTRUCTIONS = [
    ("FROM a\n", [("FROM", "a", 1, "\\")]),
    ("from  a  b \n", [("FROM", "a  b", 1, "\\")]),
    ("A\n", [("A", "", 1, "\\")]),
    ("A b\\\nc\n", [("A", "bc", 1, "\\")]),
    ("A b \\  \n  c\n", [("A", "b   c", 1, "\\")]),
    ("A b \\\n# x\n\n  # y\n c\n", [("A", "b  c", 1, "\\")]),
    ("A b \\\n", [("A", "b", 1, "\\")]),
    ("A \\", [("A", "", 1, "\\")]),
    ("\\\n\\\n", []),
    ("A b\\\\\n", [("A", "b\\", 1, "\\")]),
    ("# escape=`\nA b `\nc\n", [("A", "b c", 2, "`")]),
    ("# syntax=x\n# ESCAPE = `\nA b `\nc\n", [("A", "b c", 3, "`")]),
    ("# c\n# escape=`\nA b `\nc\n", [("A", "b `", 3, "\\"), ("C", "", 4, "\\")]),
    ("#escape=\\\nA b \\\nc\n", [("A", "b c", 2, "\\")]),
    ("# escape=x\nA b \\\nc\n", [("A", "b c", 2, "\\")]),
    ("\n# escape=`\nA b `\n", [("A", "b `", 3, "\\")]),
    ("RUN <<EOF\nA b\nEOF\nC d\n", [("RUN", "<<EOF", 1, "\\"), ("C", "d", 4, "\\")]),
    ("COPY <<EOF /x\nA\nEOF\nC d\n", [("COPY", "<<EOF /x", 1, "\\"), ("C", "d", 4, "\\")]),
    ("ADD <<EOF /x\nA\nEOF\nC d\n", [("ADD", "<<EOF /x", 1, "\\"), ("C", "d", 4, "\\")]),
    ("CMD <<EOF\nA b\nEOF\n", [("CMD", "<<EOF", 1, "\\"), ("A", "b", 2, "\\"), ("EOF", "", 3, "\\")]),
    ("run <<EOF\nA b\nEOF\nC d\n", [("RUN", "<<EOF", 1, "\\"), ("C", "d", 4, "\\")]),
    ("RUN <<-EOF\n\tA b\n\t\tEOF\nC d\n", [("RUN", "<<-EOF", 1, "\\"), ("C", "d", 4, "\\")]),
    ("RUN <<EOF\n\tEOF\nEOF\nC d\n", [("RUN", "<<EOF", 1, "\\"), ("C", "d", 4, "\\")]),
    ("RUN <<'E F'\nA\nE F\nC d\n", [("RUN", "<<'E F'", 1, "\\"), ("C", "d", 4, "\\")]),
    ('RUN <<"EOF"\nA\nEOF\nC d\n', [("RUN", '<<"EOF"', 1, "\\"), ("C", "d", 4, "\\")]),
    ("RUN 3<<EOF\nA\nEOF\nC d\n", [("RUN", "3<<EOF", 1, "\\"), ("C", "d", 4, "\\")]),
    ("RUN cat <<A <<B\nB\nA\nX y\nB\nC d\n", [("RUN", "cat <<A <<B", 1, "\\"), ("C", "d", 6, "\\")]),
    ("RUN <<EOF\nA\n", [("RUN", "<<EOF", 1, "\\")]),
    ("RUN <<EOF", [("RUN", "<<EOF", 1, "\\")]),
    ("RUN x<<EOF\nA b\n", [("RUN", "x<<EOF", 1, "\\"), ("A", "b", 2, "\\")]),
    ("RUN << EOF\nA b\n", [("RUN", "<< EOF", 1, "\\"), ("A", "b", 2, "\\")]),
    ("RUN '<<EOF'\nA b\n", [("RUN", "'<<EOF'", 1, "\\"), ("A", "b", 2, "\\")]),
    ("  A b\n", [("A", "b", 1, "\\")]),
    ("A\tb\n", [("A", "b", 1, "\\")]),
    ("A b # c\n", [("A", "b # c", 1, "\\")]),
    ("", []),
    ("\n\n", []),
    ("A b\n\\\nC d\n", [("A", "b", 1, "\\"), ("C", "d", 2, "\\")]),
    ("A b\n   \\\nC d\n", [("A", "b", 1, "\\"), ("C", "d", 2, "\\")]),
]

#: A text and the escape character; its words.
WORDS = [
    ("a b", "\\", ["a", "b"]),
    (" a  b ", "\\", ["a", "b"]),
    ("a\\ b c", "\\", ["a\\ b", "c"]),
    ("a` b", "`", ["a` b"]),
    ("a` b", "\\", ["a`", "b"]),
    ("'a b' c", "\\", ["'a b'", "c"]),
    ('"a b"c d', "\\", ['"a b"c', "d"]),
    ("'a\\' b'", "\\", ["'a\\'", "b'"]),
    ('"a\\" b" c', "\\", ['"a\\" b"', "c"]),
    ("a\\", "\\", ["a\\"]),
    ("'a b", "\\", ["'a b"]),
    ("", "\\", []),
    ("  ", "\\", []),
    ("a\tb\nc", "\\", ["a", "b", "c"]),
    ('"a\'b" c', "\\", ['"a\'b"', "c"]),
    ("\\'a b\\' c", "\\", ["\\'a", "b\\'", "c"]),
    ("a='b c' d", "\\", ["a='b c'", "d"]),
    ("''", "\\", ["''"]),
    ("a \\\\ b", "\\", ["a", "\\\\", "b"]),
]

#: A text and the escape character; the text with its variables substituted.
EXPANDED = [
    ("a", "\\", "a"),
    ("$A", "\\", "x"),
    ("${A}", "\\", "x"),
    ("$A.b", "\\", "x.b"),
    ("$Ab", "\\", ""),
    ("a$_b1-", "\\", "au-"),
    ("$N", "\\", ""),
    ("${N}", "\\", ""),
    ("$E", "\\", ""),
    ("$1", "\\", ""),
    ("$@", "\\", ""),
    ("$*", "\\", ""),
    ("$#", "\\", ""),
    ("$", "\\", "$"),
    ("a$", "\\", "a$"),
    ("$-", "\\", "$-"),
    ("$ A", "\\", "$ A"),
    ("${A", "\\", UNKNOWN),
    ("${A:-b", "\\", UNKNOWN),
    ("${A#b}", "\\", UNKNOWN),
    ("${A:-${B}}c", "\\", UNKNOWN + "c"),
    ("${}", "\\", UNKNOWN),
    ("${1}", "\\", UNKNOWN),
    ("${A:-b}", "\\", "x"),
    ("${A-b}", "\\", "x"),
    ("${A:+b}", "\\", "b"),
    ("${A+b}", "\\", "b"),
    ("${A:?b}", "\\", "x"),
    ("${A?b}", "\\", "x"),
    ("${N:-b}", "\\", "b"),
    ("${N-b}", "\\", "b"),
    ("${N:+b}", "\\", ""),
    ("${N+b}", "\\", ""),
    ("${N:?b}", "\\", "b"),
    ("${N?b}", "\\", "b"),
    ("${E:-b}", "\\", "b"),
    ("${E-b}", "\\", ""),
    ("${E:+b}", "\\", ""),
    ("${E+b}", "\\", "b"),
    ("${E:?b}", "\\", "b"),
    ("${E?b}", "\\", ""),
    ("${U:-b}", "\\", UNKNOWN),
    ("${U:+b}", "\\", UNKNOWN),
    ("${P-b}", "\\", UNKNOWN),
    ("$U", "\\", UNKNOWN),
    ("${P}", "\\", "p" + UNKNOWN),
    ("${N:-}", "\\", ""),
    ("${N:-'b c'}", "\\", "'b c'"),
    ("'$A'", "\\", "$A"),
    ('"$A"', "\\", "x"),
    ("'a\"b'", "\\", 'a"b'),
    ('"a\'b"', "\\", "a'b"),
    ("\"a'$A'b\"", "\\", "a'x'b"),
    ("\\$A", "\\", "$A"),
    ("\\\\$A", "\\", "\\x"),
    ("a\\b", "\\", "ab"),
    ('"\\$A"', "\\", "$A"),
    ('"\\a"', "\\", "\\a"),
    ('"\\""', "\\", '"'),
    ('"\\`"', "\\", "`"),
    ('"\\\\"', "\\", "\\"),
    ("'\\a'", "\\", "\\a"),
    ("a\\", "\\", "a\\"),
    ("'a", "\\", "a"),
    ('"a', "\\", "a"),
    ("a'b'c", "\\", "abc"),
    ("\\'$A\\'", "\\", "'x'"),
    ("$A$A", "\\", "xx"),
    ("${A}${N:-y}z", "\\", "xyz"),
    ("${a}}", "\\", "}"),
    ("${A:b}", "\\", UNKNOWN),
    ("${A:-b}c}", "\\", "xc}"),
    ("{$A}", "\\", "{x}"),
    ("$é", "\\", "$é"),
    ("''", "\\", ""),
    ("`$A", "`", "$A"),
    ("\\$A", "`", "\\x"),
    ('"`$A`a\\"', "`", "$A`a\\"),
    ("a`", "`", "a`"),
    ('"``"', "`", "`"),
]

VALUES = {"A": "x", "E": "", "U": UNKNOWN, "P": "p" + UNKNOWN, "_b1": "u"}


@pytest.mark.parametrize(("text", "expected"), INSTRUCTIONS)
def test_a_text_has_these_instructions(text: str, expected: list[tuple[object, ...]]) -> None:
    assert [tuple(each) for each in instructions(text, "f")] == expected


@pytest.mark.parametrize(("text", "escape", "expected"), WORDS)
def test_a_text_has_these_words(text: str, escape: str, expected: list[str]) -> None:
    assert words_of(text, escape) == expected


@pytest.mark.parametrize(("text", "escape", "expected"), EXPANDED)
def test_variables_are_substituted(text: str, escape: str, expected: str) -> None:
    assert expand(text, VALUES.get, escape) == expected


def test_the_escape_character_is_a_backslash_if_not_stated() -> None:
    assert words_of("a\\ b c") == ["a\\ b", "c"]
    assert expand("a\\ b", VALUES.get) == "a b"
    assert expand("a` b", VALUES.get) == "a` b"


def test_there_are_5000_instructions_at_most() -> None:
    assert len(list(instructions("A b\n" * 5_000, "f"))) == 5_000
    with pytest.raises(InputError, match=r"^f: more than 5000 instructions; expected a Dockerfile$"):
        list(instructions("A b\n" * 5_001, "f"))
