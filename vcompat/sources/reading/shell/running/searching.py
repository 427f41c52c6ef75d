"""What `grep` finds in a file of the project: presumably, the file is the one that is there now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from vcompat.facts.facts import Place
from vcompat.facts.presumption import FILE, Presumption
from vcompat.sources.reading.shell.running.execution import Machine
from vcompat.sources.reading.shell.words.shell_values import bounded, texts_of
from vcompat.sources.reading.shell.words.state import State
from vcompat.sources.reading.word import Word

#: Options that change nothing here, and those that choose the syntax of the pattern.
_PLAIN = frozenset("ohmEPwqsi")
#: Where what counts begins in a match: ``\\K``, or a lookbehind at the start. RE2 has neither.
_KEPT = re.compile(r"(?P<before>(?:[^\\]|\\[^K])*)\\K(?P<kept>.*)|\(\?<=(?P<behind>(?:[^()\\]|\\.)*)\)(?P<rest>.*)")
#: Characters that mean something else in a basic pattern.
_EXTENDED = re.compile(r"[+?|(){}\\]")
#: Maximum number of lines that are printed, and maximum number of characters of a file.
_MOST_LINES, _LONGEST = 50, 100_000


class _Search(NamedTuple):
    """What `grep` is asked for."""

    pattern: str
    file: str
    letters: str
    """Of its options."""
    most: int
    """Maximum number of lines that match."""


def grep(machine: Machine, words: Sequence[Word], state: State, place: Place) -> bool:
    """Follow `grep` of one file. Returns whether what it finds is known, which it never is in the certain reading."""
    search = _search(words)
    if state.presumed is None or search is None:
        return False
    file = machine.find(search.file, state, beside=False)
    pattern = _compiled(search.pattern, search.letters)
    if file is None or pattern is None or not isinstance(file.text, str) or len(file.text) > _LONGEST:
        return False
    lines = _matching(file.text, pattern, search)
    is_quiet = "q" in search.letters
    if not is_quiet and not 0 < len(lines) <= _MOST_LINES:
        return False
    state.presumed.append(Presumption(FILE, f"{search.file} has the lines that it has now", place))
    if not is_quiet:
        state.output = bounded(state.output + "".join(f"{line}\n" for line in lines))
    state.status = 0 if lines else 1
    return True


def _matching(text: str, pattern: Any, search: _Search) -> list[str]:
    """Return the lines that match, or with the option ``-o`` what matches in them."""
    matches = [(line, [match[1] for match in pattern.finditer(line)]) for line in text.split("\n")]
    chosen = [(line, texts) for line, texts in matches if texts][: search.most]
    if "o" in search.letters:
        return [text for _, texts in chosen for text in texts if text]
    return [line for line, _ in chosen]


def _search(words: Sequence[Word]) -> _Search | None:
    """Return what the words of `grep` ask for; None if they are not followed."""
    plain = texts_of(words[1:]) or []
    options = [word for word in plain if word.startswith("-")]
    operands = [word for word in plain if not word.startswith("-")]
    letters, most = "".join(option[1:] for option in options), _MOST_LINES
    if match := re.search(r"m(\d+)", letters):
        letters, most = letters.replace(match[0], ""), min(int(match[1]), _MOST_LINES)
    if any(option.startswith("--") for option in options) or not _PLAIN.issuperset(letters) or "m" in letters:
        return None
    return _Search(operands[0], operands[1], letters, most) if len(operands) == 2 else None


def _compiled(pattern: str, letters: str) -> Any:
    """Return the pattern, whose first group is what `grep -o` prints; None if its syntax is not followed."""
    if not set(letters) & {"E", "P"} and _EXTENDED.search(pattern):
        return None
    before, kept = "", pattern
    if "P" in letters and (match := _KEPT.fullmatch(pattern)):
        before, kept = match["before"] or match["behind"] or "", match["kept"] or match["rest"] or ""
    edge, fold = r"\b" if "w" in letters else "", "(?i)" if "i" in letters else ""
    return compiled(f"{fold}{edge}(?:{before})({kept}){edge}")


def compiled(pattern: str) -> Any:
    """Return a pattern of RE2, which takes no longer than the text; None if it is none."""
    try:
        import re2  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        return None
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error:
        return None
