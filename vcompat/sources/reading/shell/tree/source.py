"""Shell text as tree-sitter-bash parses it: the bytes, the tree, and the way back to the text and its lines.

tree-sitter-bash gives up on some correct texts, and silently returns a wrong tree for others. Two measures limit that:

- Before the text is parsed, plain expansions such as ``${X:-8}`` and comments in backquotes become one variable name,
  and here-documents one file name. `Source.text` and `Source.documents` return what they were.
- What is converted from the tree is checked against the text: `NotFollowed` ends the statements that can be trusted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import tree_sitter

#: Maximum number of times at which the parser reports its progress and asks for text. A text of 200 kB needs at most
#: 10,000 and 30 of them; some texts that are not correct need hundreds of times as many.
_MOST_PROGRESS, _MOST_READS = 30_000, 1_000
#: Maximum number of bytes that are parsed: times the size of the text, and a number that is always allowed.
_MOST_TIMES, _ALWAYS = 2.5, 200_000
#: Maximum number of statements that are converted.
_MOST_STATEMENTS = 10_000
_CHUNK = 65_536
#: An expansion on one line whose replacement changes the structure of no text: it has no quotes and no commands.
_PLAIN = re.compile(r"\$\{(?:[^{}()'\"`\\\n$<>|&;]|\$\w+|\$\{[^{}()'\"`\\\n$<>|&;]*\})*\}")
#: A comment in backquotes, which expands to no word, as between the lines of a continued command. The parser takes the
#: second backquote for a part of the comment. Quotes in it could end a quoted text around it: then it must be alone on
#: a line after a continued one, and `Words` refuses a quoted text that has it.
_COMMENT = r"""
    (?<!\S) ` [ \t]* \# [^`\\'"\n]* ` (?!\S)
    | (?P<before> (?<=\\\n) [ \t]* ) ` [ \t]* \# [^`\\\n]* ` (?= [ \t]* \\? (?: \n | \Z ) )
"""
_REPLACED = re.compile(f"{_COMMENT} | {_PLAIN.pattern}", re.VERBOSE)
_CONTINUED = re.compile(r"(?<!\\)(?:\\\\)*\\\n\Z")
_STAND_IN = re.compile(r"\$zq(\d{6})q")


class NotFollowed(Exception):
    """A part of the text that is not correct, or of which the tree is not trusted."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


class HereDocument(NamedTuple):
    """A here-document that was taken out of the text."""

    operator: str
    delimiter: str
    """As written, with its quotes."""
    body: str
    line: int


@lru_cache(maxsize=1)
def bash_parser() -> tree_sitter.Parser:
    """Return the parser of shell scripts."""
    # Imported here: reading a script is rare, and the libraries take time to load.
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def decoded(data: bytes) -> str:
    """Return the text of bytes that may end inside of a character."""
    return str(data, errors="replace")


class Budget:
    """The work that one text may take. It is counted, not timed, so that the result does not depend on the machine."""

    def __init__(self, size: int) -> None:
        self.bytes = max(_ALWAYS, int(_MOST_TIMES * size))
        self.progress, self.reads, self.statements = _MOST_PROGRESS, _MOST_READS, _MOST_STATEMENTS

    def tree_of(self, data: bytes, line: int) -> tree_sitter.Tree:
        """Parse shell text. Raises NotFollowed with `line` if it takes too much work."""
        self.bytes -= len(data)
        if self.bytes < 0:
            raise NotFollowed(line)

        def read(offset: int, _: object) -> bytes:
            # The parser goes back and forth in texts that it does not understand.
            self.reads -= 1
            return data[offset : offset + _CHUNK] if self.reads > 0 else b""

        def stops(*_: object) -> bool:
            self.progress -= 1
            return self.progress < 0

        parser = bash_parser()
        try:
            tree = parser.parse(read, progress_callback=stops)
        except ValueError:
            parser.reset()
            raise NotFollowed(line) from None
        if self.reads <= 0:
            raise NotFollowed(line)
        return tree


class Source:
    """A text whose plain expansions have stand-ins."""

    def __init__(self, text: str, first: int, budget: Budget) -> None:
        self.budget = budget
        self.expansions: list[str] = []
        self.documents: dict[str, HereDocument] = {}
        """Here-documents by the name of the file that stands in for them."""
        if _STAND_IN.search(text):
            raise NotFollowed(first)
        if _CONTINUED.search(text):
            # bash drops a continuation before the end of the text; the parser takes the command for an error.
            text += "\n"
        self.set(_REPLACED.sub(self._stand_in, text).encode("utf-8", "replace"))
        self.lines: Sequence[int] = range(first, first + self.data.count(b"\n") + 1)
        """The line of the text of each line that is parsed."""

    def set(self, data: bytes) -> None:
        """Replace the bytes that are parsed."""
        self.data = data

    def _stand_in(self, match: re.Match[str]) -> str:
        before = match["before"] or ""
        self.expansions.append(match[0][len(before) :])
        return f"{before}$zq{len(self.expansions) - 1:06}q"

    def restored(self, text: str) -> str:
        """Return a text with its expansions in place of the stand-ins."""
        return _STAND_IN.sub(lambda match: self.expansions[int(match[1])], text)

    def text(self, start: int, end: int) -> str:
        """Return the text between two positions of what is parsed."""
        return self.restored(decoded(self.data[start:end]))

    def line(self, node: tree_sitter.Node) -> int:
        """Return the line in which a node starts."""
        return self.line_at(node.start_point[0])

    def line_at(self, row: int) -> int:
        """Return the line of a row of what is parsed."""
        return self.lines[min(row, len(self.lines) - 1)]

    def parse(self) -> tree_sitter.Tree:
        """Parse the bytes as they are now."""
        return self.budget.tree_of(self.data, self.lines[0])
