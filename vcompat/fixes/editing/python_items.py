"""Removes an argument of a call, or an item of a dictionary, from Python source, and keeps the layout of the others."""

from __future__ import annotations

import io
import re
import tokenize
from typing import NamedTuple

from vcompat.fixes.editing.edited_text import Text

_SPACE = (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT)
#: What only closes brackets up to the end of a line: it can stand one line further up.
_CLOSES = re.compile(r"[)\]},:;]+[ \t]*(?=[\r\n]|\Z)")
#: The end of a line without code: a comment, or the backslash that continues the line.
_NO_CODE = re.compile(r"[ \t]*(?:#[^\r\n]*|\\)?[ \t\r\n]*")


class Token(NamedTuple):
    """A token: the index at which it starts, the index after it, and its text."""

    start: int
    end: int
    text: str


class _Item(NamedTuple):
    """What goes: the index at which it starts, the index after it, and whether that is after a comma."""

    start: int
    stop: int
    has_comma: bool


def around(text: Text, start: int, end: int) -> tuple[Token | None, Token | None]:
    """Return the tokens before and after a part of the text."""
    before = None
    for token in tokenize.generate_tokens(io.StringIO(text.text, newline="").readline):
        if token.type in _SPACE:
            continue
        first = text.offset(token.start[0], token.start[1] + 1)
        last = text.offset(token.end[0], token.end[1] + 1)
        if last <= start:
            before = Token(first, last, token.string)
        elif first >= end:
            return before, Token(first, last, token.string)
    return before, None


def is_blank(rest: str) -> bool:
    """Return whether the rest of a line has no code."""
    return _NO_CODE.fullmatch(rest) is not None


def without_item(text: Text, start: int, end: int) -> str | None:
    """Return the text without the item, its comma, and its lines if nothing else is on them.

    `start` is the index at which the item starts, `end` the one after it. None if it is no item of brackets.
    """
    before, after = around(text, start, end)
    if before is None or after is None or before.text not in ("(", "{", ","):
        return None
    comma = after if after.text == "," else None
    following = around(text, comma.start, comma.end)[1] if comma else after
    if following is None:
        return None
    stop = comma.end if comma else end
    if following.text in (")", "}"):
        return _without_last(text, before, _Item(start, stop, comma is not None), following)
    if _fills_lines(text, start, stop):
        return text.replaced(text.line_start(start), text.line_end(stop), "")
    if is_blank(text.text[stop : text.line_end(stop)]):
        # The last one of its line: the space before it goes, what follows its comma stays.
        previous = around(text, before.start, before.end)[0]
        if comma and previous and before.text == "," and not text.text[previous.end : before.start].strip():
            return text.replaced(previous.end, comma.start, "")
        return text.replaced(before.end, stop, "")
    rest = text.text[stop:]
    return text.replaced(start, stop + len(rest) - len(rest.lstrip(" \t")), "")


def _fills_lines(text: Text, start: int, stop: int) -> bool:
    """Return whether nothing else is on the lines from `start` to `stop`."""
    last = text.line_end(stop)
    ends = last > stop and text.text[last - 1] in "\r\n"
    return ends and not text.text[text.line_start(start) : start].strip() and is_blank(text.text[stop:last])


def _without_last(text: Text, before: Token, item: _Item, closing: Token) -> str:
    """Return the text without the last item; `before` is the comma or the opening bracket before it."""
    # Without a comma after the item, or at the start of a line, the comma before it goes.
    starts_line = not text.text[text.line_start(before.start) : before.start].strip()
    comma = before if before.text == "," and (starts_line or not item.has_comma) else None
    previous = around(text, comma.start, comma.end)[0] if comma else None
    kept = previous.end if previous else before.end
    above = text.text[kept : comma.start].rstrip(" \t\r\n\\") if comma else ""
    gap = above + text.text[comma.end if comma else kept : item.start]
    comment = gap.rstrip(" \t\r\n\\")
    is_alone = is_blank(text.text[item.stop : closing.start])
    if before.text != "," and not comment and is_alone:
        # The only item, with at most a comment behind it.
        return text.replaced(kept, closing.start, "")
    if _fills_lines(text, item.start, item.stop):
        return text.replaced(text.line_start(item.start), text.line_end(item.stop), "")
    has_break = re.search(r"[\r\n]", text.text[kept : item.start])
    if has_break and text.line_end(item.stop) > closing.start:
        return _with_closing_moved(text, kept, comment, closing)
    if has_break and is_alone:
        end = text.text[: text.line_end(item.stop)].rstrip("\r\n")
        return text.replaced(kept, len(end), comment)
    return text.replaced(kept, item.stop, comment)


def _with_closing_moved(text: Text, kept: int, comment: str, closing: Token) -> str:
    """Return the text up to `kept`, then the comment and the closing bracket, which was on the line of the item.

    The comment goes behind the bracket if only brackets follow. Otherwise the bracket gets a line of its own.
    """
    if not comment:
        return text.replaced(kept, closing.start, "")
    rest = _CLOSES.match(text.text, closing.start)
    if rest is not None and text.text[kept - 1] not in "({" and not re.search(r"[\r\n]", comment):
        return text.replaced(kept, rest.end(), rest[0].rstrip() + comment)
    indentation = re.match(r"[ \t]*", text.text[text.line_start(_opening(text, closing)) :])
    return text.replaced(kept, closing.start, comment + text.newline + (indentation[0] if indentation else ""))


def _opening(text: Text, closing: Token) -> int:
    """Return the index of the bracket that `closing` closes."""
    stack = []
    for token in tokenize.generate_tokens(io.StringIO(text.text, newline="").readline):
        at = text.offset(token.start[0], token.start[1] + 1)
        if at == closing.start:
            break
        if token.type == tokenize.OP and token.string in "([{":
            stack.append(at)
        elif token.type == tokenize.OP and token.string in ")]}":
            stack.pop()
    return stack[-1]
