"""Parses shell scripts into simple commands with constant variables expanded. Nothing is run.

Command substitutions (``$(...)``) and variables without a known value become UNKNOWN inside their word. Each command
states whether it runs unconditionally.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

#: Placeholder in a word for a value that is not known without running the script.
UNKNOWN = "\ue000"

_SEPARATORS = frozenset({";", "&", "&&", "|", "||", "|&", ";;", "(", ")", "{", "}"})
_OPENING = frozenset("if for while until case select".split())
_CLOSING = frozenset("fi done esac".split())
_KEYWORDS = frozenset("then do else elif time ! in".split()) | _OPENING | _CLOSING
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_VARIABLE = re.compile(r"\$(?:(\w+)|\{(\w+)(?::?[-=]([^}]*))?\})")
_ARITHMETIC = re.compile(r"\$\(\(([^()]{1,200})\)\)")
#: Substitutions that are replaced before the line is split into words.
_SUBSTITUTION = re.compile(r"\$\([^()]*\)|`[^`]*`|\$\{[^}]*\}")
#: Command substitutions, matched before quotes are, because they can contain quotes of their own.
_COMMAND = re.compile(r"""\$\((?!\()(?:[^()'"]|'[^']*'|"[^"]*")*\)""")
_PIECE = re.compile(r"""(?:'[^']*'|"(?:\\.|[^"\\])*"|[^;'"]|['"])+""")
#: Tokens that determine whether a quote is open: escapes, comments, quotes.
_QUOTING = re.compile(r"""\\.|(?:(?<=\s)|^)#|['"]""")
#: Maximum number of lines in a quoted string.
_LONGEST_TEXT = 50
_MOST_EXPANDED = 20_000


class Command(NamedTuple):
    """One simple command."""

    variables: dict[str, str]
    """The variables set for this command only, as in ``CUDA_VISIBLE_DEVICES=0 trl vllm-serve``."""
    words: tuple[str, ...]
    line: int
    certain: bool
    """True if the command is outside of every branch, loop and function."""
    background: bool


class Directive(NamedTuple):
    """A directive of a batch system, such as ``#SBATCH --nodes=2``."""

    options: tuple[str, ...]
    line: int


def read_shell(text: str, state: dict[str, str]) -> Iterator[Command | Directive]:
    """Yield the commands and the batch directives of a shell script.

    `state` holds the known variables. Assignments are added to it, and the caller can add more during iteration.
    """
    depth = 0
    for line, logical in _logical_lines(text):
        if logical.lstrip().startswith("#"):
            if match := re.match(r"\s*#(?:SBATCH|PBS|BSUB)\s+(.*)", logical):
                yield Directive(tuple(_words(match[1])), line)
            continue
        for piece in _pieces(logical):
            for segment, end in _segments(_words(_expanded(piece, state))):
                depth += sum(word in _OPENING for word in segment[:1]) - sum(word in _CLOSING for word in segment[:1])
                depth = max(depth + (end == "{") - (end == "}"), 0)
                yield from _command(segment, line, depth == 0, end == "&", state)


def _command(
    segment: list[str], line: int, certain: bool, background: bool, state: dict[str, str]
) -> Iterator[Command]:
    while segment and segment[0] in _KEYWORDS:
        segment = segment[1:]
    variables: dict[str, str] = {}
    while segment and (match := _ASSIGNMENT.fullmatch(segment[0])):
        variables[match[1]] = match[2]
        segment = segment[1:]
    if not segment:
        for name, value in variables.items():
            state[name] = value if certain else UNKNOWN
        return
    if segment[0] in ("export", "declare", "readonly", "local", "typeset"):
        for word in segment[1:]:
            if match := _ASSIGNMENT.fullmatch(word):
                state[match[1]] = match[2] if certain else UNKNOWN
    yield Command(variables, tuple(segment), line, certain, background)


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield logical lines with their first line number: continuations are joined, here-documents are removed."""
    pending, start, until = "", 0, ""
    lines = text.splitlines()
    closed = '"' not in text and "'" not in text
    for number, line in enumerate(lines, 1):
        if until:
            if line.strip() == until:
                until = ""
            continue
        start = start or number
        if line.endswith("\\") and len(pending) < _MOST_EXPANDED:
            pending += line[:-1] + " "
            continue
        if not closed and _quote_is_open(pending + line) and _closes_soon(lines, number):
            pending += line + " "
            continue
        logical, begun = pending + line, start
        pending, start = "", 0
        if match := _HEREDOC.search(logical):
            until = match[2]
            logical = logical[: match.start()]
        yield begun, logical
    if pending:
        yield start, pending


def _quote_is_open(line: str) -> bool:
    """Return whether a quote is opened in `line` and not closed."""
    quote = ""
    for match in _QUOTING.finditer(line):
        token = match[0]
        if token[0] == "#" and not quote:
            return False
        if token in "'\"":
            quote = token if not quote else "" if token == quote else quote
    return bool(quote)


def _closes_soon(lines: list[str], number: int) -> bool:
    """Return whether one of the lines after line `number` contains a quote that can close the open string."""
    return any(re.search("[\"']", line) for line in lines[number : number + _LONGEST_TEXT])


def _pieces(line: str) -> list[str]:
    """Split a line at semicolons, because each part can set a variable for the next one."""
    return _PIECE.findall(line) if ";" in line else [line]


def _expanded(line: str, state: dict[str, str]) -> str:
    """Return the line with known variables expanded, except in single quotes."""
    if "$" not in line and "`" not in line:
        return line
    parts = re.split(r"('[^']*')", _COMMAND.sub(UNKNOWN, line))
    for index in range(0, len(parts), 2):
        part = _ARITHMETIC.sub(lambda match: _arithmetic(match[1], state), parts[index])
        part = _VARIABLE.sub(lambda match: _variable(match, state), part)
        for _ in range(5):
            part = _SUBSTITUTION.sub(UNKNOWN, part)
        parts[index] = part
    return "".join(parts)[:_MOST_EXPANDED]


def _variable(match: re.Match[str], state: dict[str, str]) -> str:
    name = match[1] or match[2]
    if name in state:
        return state[name]
    return match[3] if match[3] is not None and "$" not in match[3] else UNKNOWN


def _arithmetic(text: str, state: dict[str, str]) -> str:
    """Return the value of ``$((A * 8))``: sums, differences, products and quotients of known numbers."""
    names = re.sub(r"\$?\{?([A-Za-z_]\w*)\}?", lambda match: state.get(match[1], UNKNOWN), text)
    tokens = re.findall(r"\d+|[^\s\d]", names)
    if not re.fullmatch(r"\d{1,9}(?: [*+/-] \d{1,9})*", " ".join(tokens)):
        return UNKNOWN
    total, sign, product = 0, 1, int(tokens[0])
    for operator, number in zip(tokens[1::2], map(int, tokens[2::2]), strict=True):
        if operator == "*":
            product *= number
        elif operator == "/":
            if number == 0:
                return UNKNOWN
            product //= number
        else:
            total, sign, product = total + sign * product, 1 if operator == "+" else -1, number
    return str(total + sign * product)


def _words(line: str) -> list[str]:
    """Return the words of a line; none if a quote is not closed."""
    # Drop the file descriptor in `2> file`.
    lexer = shlex.shlex(re.sub(r"(?<=\s)\d+(?=[<>])", "", line), posix=True, punctuation_chars=";&|(){}<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    try:
        for word in lexer:
            if word.startswith("#") and word != "#":
                break
            words.append(word)
    except ValueError:
        return []
    return words


def _segments(words: list[str]) -> Iterator[tuple[list[str], str]]:
    """Yield simple commands without redirections, each with the separator that ends it."""
    segment: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in _SEPARATORS:
            if segment or word in "{}":
                yield segment, word
            segment = []
        elif re.fullmatch(r"[<>&]+", word):
            skip = True
        else:
            segment.append(word)
    if segment:
        yield segment, ""
