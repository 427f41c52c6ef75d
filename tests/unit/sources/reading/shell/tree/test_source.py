"""Shell text as it is parsed: the stand-ins in it, its lines, and the limits of the work for it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from vcompat.foundation.errors import InputError
from vcompat.sources.reading.shell import run_shell
from vcompat.sources.reading.shell.tree.nodes import Literal, Simple, Statement, Written
from vcompat.sources.reading.shell.tree.source import Budget, NotFollowed, Source
from vcompat.sources.reading.shell.tree.syntax import LONGEST_TEXT, _parsed, parse


def source(text: str, first: int = 1) -> Source:
    return Source(text, first, Budget(len(text)))


@pytest.mark.parametrize(
    ("text", "parsed", "expansions"),
    [
        ("a", "a", []),
        ("${X}", "$zq000000q", ["${X}"]),
        ("a ${X:-8} ${Y}b", "a $zq000000q $zq000001qb", ["${X:-8}", "${Y}"]),
        ("${X:-$Y} ${X:-${Y}} ${X:-a b}", "$zq000000q $zq000001q $zq000002q", ["${X:-$Y}", "${X:-${Y}}", "${X:-a b}"]),
        ("${X[0]} ${#X} ${!X} ${X/a/b} ${}", "$zq000000q $zq000001q $zq000002q $zq000003q $zq000004q",
         ["${X[0]}", "${#X}", "${!X}", "${X/a/b}", "${}"]),
        ("${X:-'a'}", "${X:-'a'}", []),
        ('${X:-"a"}', '${X:-"a"}', []),
        ("${X:-`a`}", "${X:-`a`}", []),
        ("${X:-$(a)}", "${X:-$(a)}", []),
        ("${X:-a\\}b}", "${X:-a\\}b}", []),
        ("${X:-a\nb}", "${X:-a\nb}", []),
        ("${X:-a<b} ${X:-a>b} ${X:-a|b} ${X:-a&b} ${X:-a;b}", "${X:-a<b} ${X:-a>b} ${X:-a|b} ${X:-a&b} ${X:-a;b}", []),
        ("${X:-${Y:-${Z}}}", "${X:-$zq000000q}", ["${Y:-${Z}}"]),
        ("$X $(a) ${X", "$X $(a) ${X", []),
        ("a `# b` c", "a $zq000000q c", ["`# b`"]),
        ("`#` ` # ${X} (b`\n${X}", "$zq000000q $zq000001q\n$zq000002q", ["`#`", "` # ${X} (b`", "${X}"]),
        ("a \\\n `# it's` \\\n\t`# \"`", "a \\\n $zq000000q \\\n\t$zq000001q", ["`# it's`", '`# "`']),
        ("`# it's` a", "`# it's` a", []),
        ("a\n`# it's`", "a\n`# it's`", []),
        ("a \\\n`# it's` b", "a \\\n`# it's` b", []),
        ("a`# b` `# c`d `# \\`` `# \n`", "a`# b` `# c`d `# \\`` `# \n`", []),
        ("`a # b`", "`a # b`", []),
    ],
)  # fmt: skip
def test_plain_expansions_and_comments_in_backquotes_have_stand_ins(
    text: str, parsed: str, expansions: list[str]
) -> None:
    found = source(text)
    assert (found.data, found.expansions) == (parsed.encode(), expansions)
    assert found.text(0, len(found.data)) == found.restored(parsed) == text


def test_a_part_of_the_text_has_its_expansions() -> None:
    found = source("é${X}b${Y}")
    assert found.data == "é$zq000000qb$zq000001q".encode()
    assert (found.text(2, 13), found.text(13, len(found.data)), found.text(0, 1)) == ("${X}b", "${Y}", "\ufffd")


@pytest.mark.parametrize("text", ["a $zq000000q", "$zq123456q", "${X} $zq999999q"])
def test_a_text_that_contains_a_stand_in_is_not_followed(text: str) -> None:
    with pytest.raises(NotFollowed) as caught:
        source(text, first=7)
    assert caught.value.line == 7 and caught.value.args == (7,)


@pytest.mark.parametrize("text", ["$zq12345q", "$zq1234567q", "zq000000q", "$zq00000aq"])
def test_a_text_that_only_resembles_a_stand_in_is_followed(text: str) -> None:
    assert source(text).data == text.encode()


def test_lines_are_counted_from_the_first() -> None:
    found = source("a\n${X}\n\nb", first=5)
    assert list(found.lines) == [5, 6, 7, 8]
    assert [found.line_at(row) for row in (0, 1, 3, 4, 99)] == [5, 6, 8, 8, 8]
    assert [found.line(node) for node in found.parse().root_node.children if node.is_named] == [5, 6, 8]
    assert list(source("").lines) == [1]


def test_the_work_for_a_text_is_limited_by_its_size() -> None:
    assert [Budget(size).bytes for size in (0, 80_000, 80_001, 100_000)] == [200_000, 200_000, 200_002, 250_000]
    budget = Budget(0)
    assert (budget.progress, budget.reads, budget.statements) == (30_000, 1_000, 10_000)


def test_a_text_is_parsed_as_long_as_work_is_left() -> None:
    text = b"if a; then b; fi\n" * 300
    used = Budget(0)
    root = used.tree_of(text, 3).root_node
    assert (root.child_count, root.has_error, used.bytes) == (300, False, 200_000 - len(text))
    for name, before in (("bytes", 200_000), ("progress", 30_000), ("reads", 1_000)):
        need = before - getattr(used, name)
        assert need > 0
        enough, little = Budget(0), Budget(0)
        setattr(enough, name, need + (name == "reads"))
        assert enough.tree_of(text, 3).root_node.child_count == 300
        setattr(little, name, need - (name != "reads"))
        with pytest.raises(NotFollowed) as caught:
            little.tree_of(text, 3)
        assert caught.value.line == 3
    # The parser is of use again.
    assert Budget(0).tree_of(b"a", 1).root_node.child_count == 1


def test_a_text_without_work_left_is_not_followed_from_its_first_line() -> None:
    found = source("a\nb", first=5)
    found.budget.bytes = 2
    with pytest.raises(NotFollowed) as caught:
        found.parse()
    assert caught.value.line == 5


def test_a_long_text_is_read_in_parts() -> None:
    text = b"# " + b"x" * 150_000 + b"\na b\n"
    root = Budget(0).tree_of(text, 1).root_node
    assert [(node.type, node.start_byte, node.end_byte) for node in root.children if node.is_named] == [
        ("comment", 0, 150_002),
        ("command", 150_003, 150_006),
    ]


def test_the_statements_of_a_text_are_limited() -> None:
    budget = Budget(0)
    budget.statements = 3
    assert [len(found) for found, _ in (_parsed("a\nb; c", budget), _parsed("a", budget))] == [3, 0]
    budget.statements = 2
    assert _parsed("a\nb\nc", budget)[1] == 3


def test_a_text_that_is_too_large_is_refused() -> None:
    assert parse("a" * LONGEST_TEXT, "run.sh")[0].error == 0
    with pytest.raises(InputError) as caught:
        parse("a" * (LONGEST_TEXT + 1), "run.sh")
    assert "run.sh" in str(caught.value) and "more than 200000 characters" in str(caught.value)


def test_characters_without_an_encoding_are_replaced() -> None:
    assert source("a \udc80b").data == b"a ?b"
    (block,) = parse("a \udc80b", "run.sh")
    assert block.statements == (Statement(1, Simple(1, words=(Written((Literal("a"),)), Written((Literal("?b"),))))),)


@pytest.mark.parametrize(
    ("lines", "blocks"),
    [
        (1, [(0, 0, 0), (1, 0, 2)]),
        (99, [(0, 0, 0), (99, 0, 100)]),
        (100, [(0, 0, 0), (100, 0, 101)]),
        (101, [(0, 0, 0), (100, 0, 101), (0, 101, 102)]),
        (102, [(0, 0, 0), (100, 0, 101), (0, 101, 0), (1, 101, 103)]),
    ],
)
def test_at_most_100_lines_before_an_error_are_looked_at_again(lines: int, blocks: list[tuple[int, int, int]]) -> None:
    # The parser takes all lines for a part of the block that is not closed.
    found = parse("a\n" * lines + "{ a", "run.sh")
    assert [(len(block.statements), block.line, block.error) for block in found] == blocks


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("prog a \\\n", ["prog", "a"]),
        ("prog a \\\n  b \\\n", ["prog", "a", "b"]),
        ("prog a\\\\\n", ["prog", "a\\"]),
        ("prog a\\\\\\\n", ["prog", "a\\"]),
        ("prog a \\", ["prog", "a"]),
        ("prog a\\", ["prog", "a"]),
        ("prog a\\\\", ["prog", "a\\"]),
        ("prog a \\\n\n", ["prog", "a"]),
    ],
)
def test_a_continuation_before_the_end_of_the_text_is_dropped(tmp_path: Path, text: str, words: list[str]) -> None:
    (tmp_path / "run.sh").write_text("prog() { printf '%s\\n' prog \"$@\"; }\n" + text)
    ran = subprocess.run(["bash", str(tmp_path / "run.sh")], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines() == words
    assert [list(one.words) for one in run_shell(text, "run.sh", script="run.sh").invocations] == [words]
