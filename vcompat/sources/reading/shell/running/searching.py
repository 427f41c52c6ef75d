"""What `grep` prints of a file of the project: presumably, the file is the one that is there now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from vcompat.facts.facts import Place
from vcompat.facts.presumption import FILE, Presumption
from vcompat.sources.reading.shell.running.execution import Machine
from vcompat.sources.reading.shell.words.shell_values import bounded
from vcompat.sources.reading.shell.words.state import State
from vcompat.sources.reading.word import Word

#: Options that change nothing here, and those that choose the syntax of the pattern.
_PLAIN = frozenset("ohmEPw")
#: Where what counts begins in a match: ``\\K``, or a lookbehind at the start. RE2 has neither.
_KEPT = re.compile(r"(?P<before>(?:[^\\]|\\[^K])*)\\K(?P<kept>.*)|\(\?<=(?P<behind>(?:[^()\\]|\\.)*)\)(?P<rest>.*)")
#: Characters that mean something else in a basic pattern.
_EXTENDED = re.compile(r"[+?|(){}\\]")
#: Maximum number of lines that are printed, and maximum number of characters of a file.
_MOST_LINES, _LONGEST = 50, 100_000


def grep(machine: Machine, words: Sequence[Word], state: State, place: Place) -> bool:
    """Follow `grep` of one file. Returns whether its output is known, which it never is in the certain reading."""
    plain = [word for word in words if isinstance(word, str)]
    if state.presumed is None or len(plain) < len(words):
        return False
    options = [word for word in plain[1:] if word.startswith("-")]
    operands = [word for word in plain[1:] if not word.startswith("-")]
    letters = "".join(option[1:] for option in options)
    most = _MOST_LINES
    if match := re.search(r"m(\d+)", letters):
        letters, most = letters.replace(match[0], ""), min(int(match[1]), _MOST_LINES)
    if any(option.startswith("--") for option in options) or set(letters) - _PLAIN or "m" in letters:
        return False
    if len(operands) != 2:
        return False
    found = machine.find(operands[1], state, beside=False)
    pattern = _compiled(operands[0], letters)
    if found is None or pattern is None or not isinstance(found.text, str) or len(found.text) > _LONGEST:
        return False
    lines: list[str] = []
    for line in found.text.split("\n"):
        matches = [match[1] for match in pattern.finditer(line)]
        if matches and most > 0:
            most -= 1
            lines += [text for text in matches if text] if "o" in letters else [line]
    if not lines or len(lines) > _MOST_LINES:
        return False
    state.presumed.append(Presumption(FILE, f"{operands[1]} has the lines that it has now", place))
    state.output = bounded(state.output + "".join(f"{line}\n" for line in lines))
    state.status = 0
    return True


def _compiled(pattern: str, letters: str) -> Any:
    """Return the pattern, whose first group is what `grep -o` prints; None if its syntax is not followed."""
    try:
        import re2  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        return None
    if not set(letters) & {"E", "P"} and _EXTENDED.search(pattern):
        return None
    before, kept = "", pattern
    if "P" in letters and (match := _KEPT.fullmatch(pattern)):
        before, kept = match["before"] or match["behind"] or "", match["kept"] or match["rest"] or ""
    edge = r"\b" if "w" in letters else ""
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(f"{edge}(?:{before})({kept}){edge}", options)
    except re2.error:
        return None
