"""Scripts with all that the shell's syntax has: what is claimed of the programs that they start."""

from __future__ import annotations

import pytest

from tests.tables import Case, parametrized
from tests.unit.sources.reading.shell.claims import NOTHING, claims
from vcompat.sources.reading.shell.tree.syntax import parse


@parametrized(
    __file__,
    "arithmetic.txt",
    "assignments.txt",
    "commands.txt",
    "parameters.txt",
    "simple_commands.txt",
    "conditions.txt",
    "words.txt",
    "here_documents.txt",
    "syntax_errors.txt",
)
def test_what_is_claimed_of_a_script(case: Case) -> None:
    case.check(claims(case.text, start=NOTHING, arguments=("p", "q r"), reads=False))


@pytest.mark.parametrize(
    ("opening", "inside", "closing", "deepest"),
    [
        ("{ ", "a", "; }", 119),
        ("{ a; ", "b", "; }", 119),
        ("{ `a`; ", "b", "; }", 108),
        ("if a; then ", "b", "; fi", 119),
        ("if ", "a", "; then b; fi", 119),
        ("$(", "a", ")", 59),
        ("$(", "`a`", ")", 54),
        ('"$(', "a", ')"', 39),
    ],
)
def test_nesting_is_followed_to_a_limit(opening: str, inside: str, closing: str, deepest: int) -> None:
    for depth, is_followed in ((deepest, True), (deepest + 1, False)):
        (block, *_) = parse(opening * depth + inside + closing * depth, "run.sh")
        assert (block.error == 0) == is_followed


def test_here_documents_are_followed_to_a_limit() -> None:
    # Without the end that the tree has for each, the text would be parsed too often.
    (block,) = parse("cat <<A\nA\n" * 300, "run.sh")
    assert (len(block.statements), block.error) == (300, 0)
    blocks_of_more = parse("cat <<A\nA\n" * 301, "run.sh")
    assert [(len(block.statements), block.error) for block in blocks_of_more] == [(0, 0), (50, 101), (251, 0)]
