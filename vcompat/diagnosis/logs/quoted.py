"""Lines that only quote an error: results of tests, commands, code, diffs, documentation, what was coped with.

A log has such lines although nothing went wrong. Only what a line shows by its form is taken for a quotation: people
also paste an error without what was around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from vcompat.diagnosis.logs.prefixes import Line
from vcompat.diagnosis.logs.re2_engine import compiled

#: pytest: `a.py::test PASSED`, `PASSED a.py::test`, `SKIPPED [1] a.py:3: reason`; unittest.
_TEST = (
    r"(?:PASSED|SKIPPED|XFAIL|XPASS|DESELECTED) (?:\[\d{1,6}\] )?\S"
    r"|.{0,200}?\S{1,200}\.py::\w.* (?:PASSED|SKIPPED|XFAIL|XPASS)\b"
    r"|\s*<(?:Function|Coroutine|TestCaseFunction) "
    r"|test\w{0,200} \([\w.]{1,200}\).* \.\.\. (?:ok|skipped|expected failure)\b"
)
#: The id of a test that failed, and what pytest writes between it and the error.
_TEST_ID, _BEFORE_ERROR = r"(?:FAILED |ERROR )?\S+\.py::\w", " - "
#: What a shell's prompt, `set -x` and Python's prompts begin with, commands that take a text to look for, and what CI
#: prints of its steps.
_COMMAND = (
    r"\s{0,4}(?:##\[(?:group|command|section|debug)\]|::(?:group|debug)::"
    r"|(?:Run )?(?:\+{1,5} \S|[$%\x{276f}] |\S{1,80}[$#\x{276f}%] |>>> |\.\.\. |In \[\d{1,5}\]: "
    r"|(?:\S{0,80}/)?(?:python[\d.]* -m )?(?:pytest|grep|egrep|rg|sed|awk|git|echo|printf|journalctl) ))"
)
#: `git log`, release notes, and the lists of changes of packages.
_CHANGE = (
    r"[*|\\/ ]{0,12}(?P<commit>[0-9a-f]{7,40}) (?:\([^)]{1,200}\) )?\S"
    r"|\s{0,8}[-*•] .*(?:\(#\d{1,7}\)|\bby @[\w-]{1,40}|/pull/\d{1,7})"
    r"|\s{0,8}(?:[-*] )?(?:\[[\w/ ]{1,30}\] ?){0,3}(?:Fix|Revert|Bump|Merge (?:branch|pull)|Add tests?)\b[^:]"
)
#: Code behind its path or line number, as editors, `grep -n`, `cat -n` and `nl` print it, and comments.
_LISTED = (
    r"(?:[\w./-]{1,300}\.\w{1,5}[:-])?\s{0,8}\d{1,6}(?:[:|-]|\t| [|│] | {2,})\s*"
    r"(?:(?:raise|assert|except|with|def|class|return|if|elif|else|for|print|import|from)\b|log\w*\.|warnings?\.|self\."
    r"|#|[rf]?[\"'(])"
)
_COMMENT = r"\s*(?:#|//|<!--) "
#: Code that raises, prints or contains a text. In a traceback, the line of a frame precedes it.
_CODE = (
    r"\s*(?:raise \w|except\b.{0,200}:|with [\w.]+\(|(?:el)?if .*:\s*$|print\(|log(?:ger|ging)?\.\w+\("
    r"|warnings\.warn\(|\w+ = [\"'(re\[]|(?:async )?def \w|class \w+[(:]|[rR]?(?:\"\"\"|''')"
    r"|\s\s[rfb]{0,2}\"[^\"]+\"[,)\]]{0,3}$|\s\s[rfb]{0,2}'[^']+'[,)\]]{0,3}$)"
)
_FRAME = r".*\bline \d+,? in \S|.*\bFile [\"']?\S+:\d+|-{2,}> ?\d+ |\s*[\^~]+\s*$"
#: A hunk of a diff, with the numbers of its lines before and after; a changed line of code without its hunk.
_HUNK = r"@@ -\d+(?:,(?P<before>\d+))? \+\d+(?:,(?P<after>\d+))? @@"
_CHANGED = r"[-+]\s{4,}\S|[-+](?:raise|def|class|import|from|#)\b"
#: What lines of a hunk begin with.
_MARKS = ("+", "-", " ", "\\")
#: A row of a table, in Markdown or in characters for boxes.
_ROW = r"\s{0,4}(?:\|(?:[^|]*\|){2,}|[│┃](?:[^│┃]*[│┃]){2,})\s*$"
#: A heading, and one under which documentation quotes errors.
_HEADING = r"(?P<level>#{1,6}) \S"
_HELP = (
    r"(?i)#{1,6} .{0,40}(?:troubleshoot|\bFAQ|frequently asked|known (?:issues|problems|limitations|errors)"
    r"|common (?:issues|problems|errors|pitfalls)|what's changed|changelog|release notes|bug ?fixes)"
)
#: Names of what people and models have written, before it: fields of data sets, of issues, of packages.
_WRITTEN = (
    r"(?i)(?:^\W{0,4}|[\"'{, ])(?:prompts?|completions?|generated text|questions?|answers?|description|title|pattern"
    r"|summary|instruction)[\"']?\s{0,4}[:=]\s{0,4}[^\s:=]"
)
#: Words before an error with which a text only talks about it.
_ABOUT = (
    r"(?i)\b(?:(?:if|when|whenever|in case|should) (?:you|it|this|vllm|the \w+) (?:ever )?"
    r"(?:see|gets?|got|hits?|face|encounters?|run into|receive|(?:fails?|crash|crashes) with|are (?:seeing|getting))"
    r"|you (?:may|might|will|can|could|would) (?:also |then |still )?(?:see|get|hit|face|encounter|run into|receive)"
    r"|(?:fix(?:es|ed)|works? around|workaround for|resolves|known issue|see also|see https?://|example of"
    r"|similar to)\b"
    r"|(?:no longer|instead of|used to|would have|does not) (?:raise|fail|crash|print))"
)
#: Words before an error with which a program states that it copes with it, and words after it.
_COPED = (
    r"(?i)\b(?:retry(?:ing|ied)? (?:after|because|due to|on)"
    r"|(?:ignored|ignoring|suppressed|suppressing|skipped|skipping|handled|tolerated|recovered"
    r"|expected (?:error|failure))(?: \w+){0,3}:|recovered from|falling back .{0,80}(?:because|due to|after|:)"
    r"|got the expected|last (?:error|failure) was)"
)
_COPED_AFTER = (
    r"(?i)[-,.;:(] ?(?:(?:will )?(?:be )?(?:ignored|ignoring|suppressed|skipped|skipping)\b|falling back|will fall back"
    r"|(?:will )?retry(?:ing)?\b|as expected|expected\)|handled\b|recovered\b)"
)
#: Forms with which a line quotes whatever it has.
_BY_FORM = (_TEST, _COMMAND, _LISTED, _COMMENT, _CHANGED, _ROW)


class Quoted:
    """Which lines of an excerpt only quote an error."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines

    def is_document(self, index: int) -> bool:
        """Whether the line at `index` is of a diff, or of a section of documentation that helps with errors."""
        return index in self._in_documents

    def has(self, index: int, start: int) -> bool:
        """Whether the line at `index`, which is in no traceback, quotes what it has at `start`."""
        line, text = self._lines[index], self._lines[index].text
        if line.number == 1 and text.startswith("# "):
            # The title of an issue, pasted with it.
            return False
        return is_quotation(text, start) or (bool(_begins(_CODE, text)) and not self._is_behind_frame(index))

    def _is_behind_frame(self, index: int) -> bool:
        """Whether a line of code is behind one of a traceback."""
        return any(_begins(_FRAME, line.text) for line in self._lines[max(0, index - 2) : index])

    @cached_property
    def _in_documents(self) -> frozenset[int]:
        inside = set()
        before = after = level = 0
        for index, line in enumerate(self._lines):
            text = line.text
            if text.startswith("@@") and (hunk := _begins(_HUNK, text)):
                before, after = (int(number or 1) for number in hunk.group("before", "after"))
            elif (before > 0 or after > 0) and text[:1] in _MARKS:
                before -= text[:1] in "- "
                after -= text[:1] in "+ "
                inside.add(index)
            else:
                before = after = 0
            if text.startswith("#") and (heading := _begins(_HEADING, text)):
                is_deeper = 0 < level < len(heading["level"])
                level = level if is_deeper else len(heading["level"]) if _begins(_HELP, text) else 0
            if level:
                inside.add(index)
        return frozenset(inside)


def is_quotation(text: str, start: int) -> bool:
    """Whether a line, in no traceback, quotes what it has at `start`, as its form or the words before that show."""
    if _begins(_TEST_ID, text):
        error = text.find(_BEFORE_ERROR)
        return bool(_begins(_TEST, text)) or not 0 <= error < start
    return has_quoting_form(text) or any(compiled(words).search(text[:start]) for words in (_WRITTEN, _ABOUT))


def has_quoting_form(text: str) -> bool:
    """Whether the form of a line shows that whatever it has is quoted."""
    return any(_begins(pattern, text) for pattern in _BY_FORM) or _is_of_change(text)


def is_coped_with(text: str, start: int, end: int | None = None) -> bool:
    """Whether a line states that the program goes on despite the error that it has from `start` on.

    Behind `end`, too, unless that is None: many an error states what its caller does next.
    """
    after = end is not None and compiled(_COPED_AFTER).search(text[end:])
    return bool(after or compiled(_COPED).search(text[:start]))


def _is_of_change(text: str) -> bool:
    """Whether a line is of `git log` or of release notes. A number or a word before a text is no commit."""
    found = _begins(_CHANGE, text)
    commit = found["commit"] if found else None
    return bool(found) and (commit is None or not (commit.isdigit() or commit.isalpha()))


def _begins(pattern: str, text: str) -> Any:
    """The match of a pattern at the beginning of a text; None if there is none."""
    return compiled(pattern).match(text)
