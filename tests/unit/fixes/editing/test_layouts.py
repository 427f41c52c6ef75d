"""Removing a setting from a call or a dictionary, in layouts that are put together at random."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from itertools import count
from typing import NamedTuple

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vcompat.facts.facts import Place
from vcompat.fixes.editing.change import REMOVE, Edit
from vcompat.fixes.editing.python_names import rename_or_remove

PLAIN = ["1", "(2)", "[\n        1,\n        2,\n    ]", "'größe, )'", '"""a\n  b"""', "-1"]
VALUES = [*PLAIN, "f(3, x=4)"]
#: What is between two tokens of a call.
GAPS = ["", " ", "\n    ", "\n", "  # why\n    ", " \\\n    ", "\n    # why\n    "]
AFTER = ["\n", "  # why\n", ".go()\n", ".go(1)  # why\n", ")\n", " + [\n    1,\n]\n"]


class Layout(NamedTuple):
    """Source code, where the argument ``old`` starts in it, and where it ends, with its comma."""

    source: str
    start: int
    end: int


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """Draw an assignment of a call or a dictionary. Each comment has its own number."""
    names = draw(st.lists(st.sampled_from(["a", "b", "c"]), unique=True, max_size=3))
    names.insert(draw(st.integers(0, len(names))), "old")
    opening, item, closing = draw(st.sampled_from([("LLM(", "{}={}", ")"), ("{", "'{}': {}", "}")]))
    after = draw(st.sampled_from(AFTER))
    text = draw(st.sampled_from(["", "if x:\n    "])) + "y = " + ("(" if after == ")\n" else "") + opening
    start = end = 0
    for number, name in enumerate(names):
        text += draw(st.sampled_from(GAPS))
        start = len(text) if name == "old" else start
        text += item.format(name, draw(st.sampled_from(PLAIN if name == "old" else VALUES)))
        if number < len(names) - 1:
            text += draw(st.sampled_from(["", "", "\n    ", "  # why\n    "])) + ","
        else:
            text += draw(st.sampled_from(["", ","]))
        end = len(text) if name == "old" else end
    text += draw(st.sampled_from(GAPS)) + closing + after
    newline = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    parts = [part.replace("\n", newline) for part in (text[:start], text[start:end], text[end:])]
    numbers = count(10)
    before, inside, rest = [re.sub("# why", lambda _: f"# {next(numbers)}", part) for part in parts]
    return Layout(before + inside + rest, len(before), len(before + inside))


def removed(source: str, at: int) -> str:
    lines = source[:at].split("\n")
    edit = Edit("a-rule", "old", REMOVE, Place("t.py", len(lines), len(lines[-1]) + 1))
    return rename_or_remove(source.encode(), edit).decode()


class Without(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.keywords = [keyword for keyword in node.keywords if keyword.arg != "old"]
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        self.generic_visit(node)
        items = [(k, v) for k, v in zip(node.keys, node.values, strict=True) if getattr(k, "value", "") != "old"]
        node.keys, node.values = [key for key, _ in items], [value for _, value in items]
        return node


def comments(source: str) -> set[str]:
    return {t.string for t in tokenize.generate_tokens(io.StringIO(source).readline) if t.type == tokenize.COMMENT}


def bare(source: str) -> set[str]:
    """Return the lines with nothing but a closing bracket, or nothing at all."""
    return {line for line in source.splitlines() if line.strip(" \t\\,") in ("", ")", "}")}


@settings(max_examples=1000, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(layouts())
def test_the_other_arguments_and_comments_stay_and_no_line_of_a_bracket_alone_is_left(layout: Layout) -> None:
    source, start, end = layout
    after = removed(source, start)
    assert ast.dump(ast.parse(after)) == ast.dump(Without().visit(ast.parse(source))), (source, after)
    assert "\r" not in source or after.count("\r\n") == after.count("\n")
    its_lines = source[start : source.index("\n", end)]
    lost = {comment for comment in comments(source) if comment not in after}
    assert all(one in its_lines for one in lost), (source, after)
    new = bare(after) - bare(source)
    indentation = "    " if source.startswith("if") else ""
    # Only a comment above keeps the bracket from the line before. Its line is indented like the statement.
    assert {line.rstrip(" \\") for line in new} <= {f"{indentation})", f"{indentation}}}", "    ,"}, (source, after)
    assert not new or "#" in source[:start], (source, after)


def test_the_only_argument_leaves_no_line() -> None:
    for source in (
        "LLM(\n    old=1,\n)\n",
        "LLM(\n    old=1\n)\n",
        "LLM(\n    old=1,  # why\n)\n",
        "LLM(\n    old=1)\n",
    ):
        assert removed(source, source.index("old")) == "LLM()\n"
