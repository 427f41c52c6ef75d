"""Parses the f-strings of Python 3.12 (PEP 701) with the interpreters before it.

Python 3.12 allows the quotes of an f-string, backslashes, comments and line breaks inside its braces. If a source does
not parse, each f-string that does not parse by itself is replaced by a plain string of the same width that holds a
number. In the tree of that source, the f-string with this number is built from its parts. Lines and columns stay.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

#: Encloses the number of an f-string. A source that contains it is not changed.
_MARK = "\x01"
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_PREFIXES = frozenset({"r", "u", "b", "br", "rb", "f", "fr", "rf"})
_SKIPPED = re.compile(r"(?:[ \t\f\n\\]|#[^\n]*)+")
_NAME = re.compile(r"\w+")
_TEXT = re.compile(r"\\N\{[^{}\n]+\}|\\[^{}]|\\(?=[{}])|\{\{|\}\}|[^\\{}]", re.DOTALL)
_RAW_TEXT = re.compile(r"\\[^{}]|\\(?=[{}])|\{\{|\}\}|[^\\{}]", re.DOTALL)
_SHOWN = re.compile(r"=[ \t\n]*(?=[}:]|!(?!=))")
_ENCODED = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*(?!utf-?8\b)", re.MULTILINE | re.IGNORECASE)


class _Expression(NamedTuple):
    start: int
    text: str
    #: The text before the value for `{x=}`, else None.
    shown: str | None
    conversion: str
    spec: tuple[_Part, ...] | None


_Part = str | _Expression


class _FString(NamedTuple):
    start: int
    end: int
    parts: tuple[_Part, ...]


class _Invalid(Exception):
    """The text is not Python of any release that is known here."""


def parsed(source: bytes) -> ast.Module | None:
    """Return the tree of a source that `ast.parse` refuses; None if its f-strings are not the only reason."""
    if _ENCODED.search(b"\n".join(source.splitlines()[:2])) or _MARK.encode() in source:
        return None
    try:
        return _parse(source.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n"))
    except (_Invalid, SyntaxError, UnicodeDecodeError):
        return None


def _parse(text: str) -> ast.Module:
    replaced: list[_FString] = []
    pieces: list[str] = []
    position = 0
    for string in _Scanner(text).f_strings():
        if _parses(text[string.start : string.end]):
            continue
        pieces += [text[position : string.start], _placeholder(text, string, len(replaced))]
        replaced.append(string)
        position = string.end
    tree = ast.parse("".join([*pieces, text[position:]]))
    return _Builder(text, replaced).built(tree) if replaced else tree


def _parses(text: str) -> bool:
    try:
        ast.parse(f"({text})")
    except SyntaxError:
        return False
    return True


def _placeholder(text: str, f_string: _FString, number: int) -> str:
    """Return a string, and continued lines, that end where the f-string ends."""
    digits = ""
    while number:
        number, digit = divmod(number, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    original = text[f_string.start : f_string.end]
    first, *others = original.split("\n")
    width = len(first.encode()) - 4 if not others else 1
    string = f'"{_MARK}{digits.rjust(width, "0")}{_MARK}"'
    return string + "\\\n" * len(others) + " " * len(others[-1].encode()) if others else string


class _Scanner:
    """Finds the f-strings of a source, as Python 3.12 delimits them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def f_strings(self) -> list[_FString]:
        """Return the f-strings that are inside no other, in order."""
        strings = []
        while self.position < len(self.text):
            token = self._token()
            if isinstance(token, _FString):
                strings.append(token)
        return strings

    def _token(self) -> str | _FString:
        """Read a string, a name with what follows it, or one character."""
        text, start = self.text, self.position
        if skipped := _SKIPPED.match(text, start):
            self.position = skipped.end()
            return ""
        if name := _NAME.match(text, start):
            self.position = name.end()
            if name[0].lower() not in _PREFIXES or text[self.position : self.position + 1] not in ("'", '"'):
                return name[0]
        prefix = name[0].lower() if name else ""
        quote = text[self.position]
        if quote not in ("'", '"'):
            self.position += 1
            return quote
        quote = quote * 3 if text.startswith(quote * 3, self.position) else quote
        self.position += len(quote)
        if "f" in prefix:
            parts = self._parts(quote, is_raw="r" in prefix)
            self.position += len(quote)
            return _FString(start, self.position, parts)
        while not text.startswith(quote, self.position):
            here = self._character(quote)
            self.position += 1 + (here == "\\")
        self.position += len(quote)
        return ""

    def _character(self, quote: str) -> str:
        here = self.text[self.position : self.position + 1]
        if not here or (here == "\n" and len(quote) == 1):
            raise _Invalid
        return here

    def _parts(self, quote: str, *, is_raw: bool, in_spec: bool = False) -> tuple[_Part, ...]:
        """Read up to the closing quote, or the closing brace of a format specification."""
        text = self.text
        parts: list[_Part] = []
        literal: list[str] = []

        def ended() -> None:
            if literal:
                parts.append(_value("".join(literal), is_raw=is_raw))
                literal.clear()

        while not text.startswith(quote, self.position):
            here = self._character(quote)
            if in_spec and here == "}":
                break
            if here == "{" and (in_spec or not text.startswith("{{", self.position)):
                ended()
                parts.append(self._expression(quote, is_raw=is_raw))
                continue
            piece = (_RAW_TEXT if is_raw else _TEXT).match(text, self.position)
            if piece is None:
                raise _Invalid
            self.position = piece.end()
            literal.append({"{{": "{", "}}": "}", "\\": "\\" if is_raw else "\\\\"}.get(piece[0], piece[0]))
        if in_spec and not text.startswith("}", self.position):
            raise _Invalid
        ended()
        return tuple(parts)

    def _expression(self, quote: str, *, is_raw: bool) -> _Expression:
        text = self.text
        self.position += 1
        start = self.position
        depth = 0
        shown = None
        while True:
            at = self.position
            if at >= len(text):
                raise _Invalid
            here = text[at]
            if depth == 0 and (here in "}:" or (here == "!" and text[at + 1 : at + 2] != "=")):
                end = at
                break
            shows = _SHOWN.match(text, at)
            if depth == 0 and shows and text[at - 1] not in "=!<>:":
                end = at
                shown = text[start : shows.end()]
                self.position = shows.end()
                break
            token = self._token()
            depth += (token in ("(", "[", "{")) - (token in (")", "]", "}")) if isinstance(token, str) else 0
        conversion = ""
        spec = None
        if text.startswith("!", self.position):
            conversion = text[self.position + 1 : self.position + 2]
            self.position += 2
            if conversion not in ("s", "r", "a"):
                raise _Invalid
        if text.startswith(":", self.position):
            self.position += 1
            spec = self._parts(quote, is_raw=is_raw, in_spec=True)
        if not text.startswith("}", self.position):
            raise _Invalid
        self.position += 1
        return _Expression(start, text[start:end], shown, conversion, spec)


def _value(literal: str, *, is_raw: bool) -> str:
    if is_raw:
        return literal
    quoted = re.sub(
        r"(\\.)|([\"\n])", lambda match: match[1] or ("\\n" if match[2] == "\n" else '\\"'), literal, flags=re.DOTALL
    )
    return str(ast.literal_eval(f'"{quoted}"'))


class _Builder(ast.NodeTransformer):
    """Puts f-strings where the strings are that stand for them."""

    def __init__(self, text: str, replaced: list[_FString]) -> None:
        self.text = text
        self.replaced = replaced

    def built(self, tree: ast.Module) -> ast.Module:
        changed = self.visit(tree)
        assert isinstance(changed, ast.Module)
        return changed

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if not isinstance(node.value, str) or _MARK not in node.value:
            return node
        return ast.copy_location(ast.JoinedStr(_joined(self._split(node))), node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        values: list[ast.expr] = []
        for value in node.values:
            is_text = isinstance(value, ast.Constant) and isinstance(value.value, str)
            values += self._split(value) if is_text and isinstance(value, ast.Constant) else [self.visit(value)]
        return ast.copy_location(ast.JoinedStr(_joined(values)), node)

    def _split(self, node: ast.Constant) -> list[ast.expr]:
        values: list[ast.expr] = []
        for position, piece in enumerate(str(node.value).split(_MARK)):
            if position % 2:
                values += self._parts(self.replaced[int(piece, len(_DIGITS))].parts, node)
            elif piece:
                values.append(ast.copy_location(ast.Constant(piece), node))
        return values

    def _parts(self, parts: tuple[_Part, ...], node: ast.Constant) -> list[ast.expr]:
        values: list[ast.expr] = []
        for part in parts:
            if isinstance(part, str):
                values.append(ast.copy_location(ast.Constant(part), node))
                continue
            if part.shown is not None:
                values.append(ast.copy_location(ast.Constant(part.shown), node))
            repr_by_default = part.shown is not None and part.spec is None
            conversion = ord(part.conversion or ("r" if repr_by_default else "\0")) or -1
            spec = None
            if part.spec is not None:
                spec = ast.copy_location(ast.JoinedStr(_joined(self._parts(part.spec, node))), node)
            value = self._expression(part)
            values.append(ast.copy_location(ast.FormattedValue(value, conversion, spec), node))
        return values

    def _expression(self, part: _Expression) -> ast.expr:
        tree = _parse(f"({part.text}\n)")
        if len(tree.body) != 1 or not isinstance(tree.body[0], ast.Expr):
            raise _Invalid
        before = self.text[: part.start]
        line = before.count("\n")
        column = len(before[before.rfind("\n") + 1 :].encode()) - 1
        value = tree.body[0].value
        for node in ast.walk(value):
            if isinstance(node, ast.expr | ast.keyword | ast.arg):
                node.col_offset += column if node.lineno == 1 else 0
                if node.end_lineno is not None and node.end_col_offset is not None:
                    node.end_col_offset += column if node.end_lineno == 1 else 0
                    node.end_lineno += line
                node.lineno += line
        return value


def _joined(values: list[ast.expr]) -> list[ast.expr]:
    """Join texts that follow each other, as the parser does."""
    joined: list[ast.expr] = []
    for value in values:
        last = joined[-1] if joined else None
        if isinstance(last, ast.Constant) and isinstance(value, ast.Constant):
            joined[-1] = ast.copy_location(ast.Constant(str(last.value) + str(value.value)), last)
        else:
            joined.append(value)
    return joined
