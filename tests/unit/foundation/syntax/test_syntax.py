from __future__ import annotations

import ast

import pytest

from vcompat.foundation.syntax.bindings import absolute, bound_by, imported
from vcompat.foundation.syntax.blocks import Function, parsed, statements, without_docstring
from vcompat.foundation.syntax.function_parameters import parameters
from vcompat.foundation.syntax.terms import called, class_named, dotted, item, keywords, last_name, names_in, texts_in


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def function(text: str) -> Function:
    (node,) = ast.parse(text).body
    assert isinstance(node, Function)
    return node


@pytest.mark.parametrize(
    ("text", "whole", "last"),
    [("a", "a", "a"), ("self.llm.x", "self.llm.x", "x"), ("a[0].b", "", "b"), ("f().b", "", "b"), ("f()", "", "")],
)
def test_only_names_and_their_attributes_are_dotted_names(text: str, whole: str, last: str) -> None:
    assert (dotted(expression(text)), last_name(expression(text))) == (whole, last)


def test_a_decorator_is_called_with_or_without_arguments() -> None:
    assert [called(expression(text)) for text in ("a.b(1)", "a.b", "f(x)(y)")] == ["b", "b", ""]


def test_what_a_call_unpacks_is_no_keyword() -> None:
    call = expression("f(1, a=2, **more)")
    assert isinstance(call, ast.Call)
    assert {name: ast.unparse(value) for name, value in keywords(call).items()} == {"a": "2"}


def test_an_item_is_found_by_its_text_alone() -> None:
    table = expression("{**other, 1: 'one', 'help': x, 'help ' : y}")
    assert [ast.unparse(value) if value else None for value in (item(table, "help"), item(table, "1"))] == ["x", None]
    assert item(expression("dict(help=1)"), "help") is None


def test_texts_and_names_are_found_anywhere() -> None:
    tree = ast.parse("def f(a=''):\n    return g('x', f'y{z}', 1)")
    assert (sorted(texts_in(tree)), sorted(names_in(tree))) == (["x", "y"], ["g", "z"])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("A", "A"),
        ("'A'", "A"),
        ("A | None", "A"),
        ("None | 'A'", "A"),
        ("Optional[A]", "A"),
        ("typing.Optional['A']", "A"),
        ("A | B", ""),
        ("list[A]", ""),
        ("m.A", ""),
        ("'not valid ('", ""),
    ],
)
def test_an_annotation_names_one_class_alone_or_with_none(text: str, name: str) -> None:
    assert class_named(expression(text)) == name


@pytest.mark.parametrize("source", ["def f(:", b"\xff", "a\0b", "(" * 5000])
def test_what_does_not_parse_has_no_tree(source: str | bytes) -> None:
    assert parsed(source) is None


def test_invalid_escapes_are_not_reported(recwarn: pytest.WarningsRecorder) -> None:
    assert parsed(r"x = '\d'") is not None
    assert not recwarn.list


SOURCE = """
if a:
    b = 1
    for c in d:
        e = 2
else:
    f = 3
try:
    g = 4
except X:
    h = 5
else:
    i = 6
finally:
    j = 7
match k:
    case 1:
        l = 8
def m():
    n = 9
"""


def test_statements_are_read_in_the_order_of_the_source_but_not_inside_functions() -> None:
    body = ast.parse(SOURCE).body
    names = [name for statement in statements(body) for name in _assigned(statement)]
    assert "".join(names) == "befghijl"
    assert [name for statement in statements(body, (ast.If,)) for name in _assigned(statement)] == ["b", "f"]


def _assigned(statement: ast.stmt) -> list[str]:
    return list(map(dotted, statement.targets)) if isinstance(statement, ast.Assign) else []


def test_only_the_text_that_begins_a_body_is_a_docstring() -> None:
    bodies = [ast.parse(source).body for source in ("'a'\n'b'", "1\n'b'", "")]
    assert [list(without_docstring(body)) for body in bodies] == [bodies[0][1:], bodies[1], []]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import a.b, c as d", [("a", "a", ""), ("d", "c", "")]),
        ("from a.b import c as d, e", [("d", "a.b", "c"), ("e", "a.b", "e")]),
        ("from . import c", [("c", "p.q", "c")]),
        ("from ..r import *", [("*", "p.r", "*")]),
        ("x = 1", []),
    ],
)
def test_an_import_binds_names_of_a_module(text: str, names: list[tuple[str, str, str]]) -> None:
    assert list(imported(ast.parse(text).body[0], "p.q.m")) == names


def test_a_relative_import_begins_at_the_package() -> None:
    assert [absolute("x", 1, "p.q", is_package) for is_package in (False, True)] == ["p.x", "p.q.x"]
    assert absolute("", 2, "p.q.r", False) == "p"


def test_a_node_binds_what_it_names_itself() -> None:
    tree = ast.parse("import a.b\ndef c(d): pass\ntry: e = f\nexcept X as g: del h")
    assert {name for node in ast.walk(tree) for name in bound_by(node)} == {"a", "c", "d", "e", "g", "h"}


def test_parameters_have_their_own_defaults() -> None:
    takes = parameters(function("def f(self, /, a, b=1, *args, c, d: int = 2, **more): pass"))
    rows = [(p.name, ast.unparse(p.default) if p.default else None, p.is_positional) for p in takes]
    positional = [("self", None, True), ("a", None, True), ("b", "1", True)]
    assert rows == [*positional, ("c", None, False), ("d", "2", False)]
    assert takes[-1].annotation is not None


def test_the_object_is_no_parameter_of_a_bound_method() -> None:
    methods = ("def f(self, a): pass", "def f(*args, a): pass", "def f(*, a): pass")
    assert [[p.name for p in parameters(function(text), is_bound=True)] for text in methods] == [["a"]] * 3
