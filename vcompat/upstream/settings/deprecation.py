"""Which settings upstream itself states are deprecated, and what it names instead."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from vcompat.foundation.syntax.bindings import annotated
from vcompat.foundation.syntax.terms import called, item, keywords, text_of
from vcompat.upstream.settings.code import methods
from vcompat.upstream.settings.fields import Table

_WARNING = frozenset({"warn", "warning", "warning_once", "warn_once", "deprecate"})
_DEPRECATED = re.compile(r"\b(?:is|are) deprecated\b|^\W*deprecated\b", re.IGNORECASE)
_INSTEAD = re.compile(
    r"(?:\buse|\bin favou?r of|\breplaced by|\brenamed to)\s+(?:the\s+)?[`'\"]*(?:--|self\.)?(\w+)[`'\"]*"
    r"(?=$|[\s.,;)])",
    re.IGNORECASE,
)


def mark_deprecated(node: ast.ClassDef, fields: dict[str, Table], every: Iterable[str]) -> None:
    """Note in `fields` which are deprecated. `every` are all settings, those of bases among them."""
    known = frozenset(every)
    for name, new in [*_in_help(node, known), *_in_code(node, known)]:
        if name in fields:
            fields[name]["deprecated"] = True
            if new and new != name:
                fields[name].setdefault("replaced_by", new)


def _in_help(node: ast.ClassDef, known: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Fields whose help begins with the statement, or contains it about the field."""
    for name, statement in annotated(node):
        metadata = keywords(statement.value).get("metadata") if isinstance(statement.value, ast.Call) else None
        text = _text(item(metadata, "help"))
        if re.match(r"\W*deprecated\b", text, re.IGNORECASE) or _is_about(text, name):
            yield name, _named(text, known, name)


def _is_about(text: str, name: str) -> bool:
    subject = rf"\bthis (?:argument|parameter|option|setting|field|flag)|\b{name}[`'\"]*"
    return re.search(rf"(?:{subject}) is deprecated", text, re.IGNORECASE) is not None


def _in_code(node: ast.ClassDef, known: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Settings that a constructor warns about where they are set."""
    for function in methods(node).values():
        for branch in ast.walk(function):
            if isinstance(branch, ast.If):
                tested = [name for name in _attributes(branch.test) if name in known]
                for text in _warnings(branch.body):
                    subject = _subject(text, tested)
                    if subject:
                        yield subject, _assigned_from(branch.body, subject) or _named(text, known, subject)


def _subject(text: str, tested: list[str]) -> str:
    """The setting that a warning says is deprecated: the condition tests it, and the text quotes it first."""
    statement = _DEPRECATED.search(text)
    if statement is None:
        return ""
    before = text[: statement.end()]
    quoted = re.search(r"[`'\"](?:--)?([^`'\"]*)[`'\"]", before)
    if quoted is not None:
        return quoted[1] if quoted[1] in tested else ""
    # `name=value` is about the value.
    named = [name for name in dict.fromkeys(tested) if re.search(rf"\b{name}\b(?!=)", before)]
    return named[0] if len(named) == 1 else ""


def _warnings(body: list[ast.stmt]) -> Iterator[str]:
    for statement in body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and call.args and called(call) in _WARNING:
            yield _text(call.args[0])


def _assigned_from(body: list[ast.stmt], name: str) -> str:
    """The attribute that is assigned the setting's value."""
    for statement in body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.value) == f"self.{name}":
            target = statement.targets[0]
            return target.attr if isinstance(target, ast.Attribute) else ""
    return ""


def _attributes(node: ast.expr) -> list[str]:
    return [
        inner.attr
        for inner in ast.walk(node)
        if isinstance(inner, ast.Attribute) and ast.unparse(inner.value) == "self"
    ]


def _named(text: str, known: frozenset[str], subject: str) -> str:
    """The setting that a text names as the replacement."""
    return next((name for name in _INSTEAD.findall(text) if name in known and name != subject), "")


def _text(node: ast.expr | None) -> str:
    """The constant parts of a text."""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_text, node.values))
    if isinstance(node, ast.BinOp):
        return _text(node.left) + _text(node.right)
    return text_of(node) or ""
