"""Tables of cases in data files: a text, and what is expected of it.

A file starts with lines that explain it. Then come the cases. Each starts with a line ``----``, which may have a title;
then come the text, a line ``=>``, and the expectation. ``pytest --update`` writes what the code returns in place of the
expectations, for review.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

_CASE = re.compile(r"^----(?: (.*))?\n", re.MULTILINE)
_ARROW = "\n=>\n"
#: The files with new expectations, by position of the case; None without `--update`.
_updated: dict[Path, dict[int, str]] | None = None


@dataclass(frozen=True)
class Case:
    """One case of a table."""

    path: Path
    number: int
    """Its position in the file, from 0."""
    title: str
    text: str
    expected: str

    def check(self, actual: str) -> None:
        """Compare what the code returns with the expectation. With `--update`, keep it as the new one."""
        if _updated is not None:
            _updated.setdefault(self.path, {})[self.number] = actual
        else:
            assert actual == self.expected, f"{self.path.name}, case {self.number}:\n{self.text}"


def read(path: Path) -> list[Case]:
    """Return the cases of a table."""
    _, *parts = _CASE.split(path.read_text(encoding="utf-8"))
    cases = []
    for number, (title, block) in enumerate(zip(parts[::2], parts[1::2], strict=True)):
        text, arrow, expected = f"\n{block}".partition(_ARROW)
        assert arrow, f"{path}, case {number}: no line with =>"
        cases.append(Case(path, number, title or "", text[1:], expected.removesuffix("\n")))
    return cases


def parametrized(test: str, *names: str) -> pytest.MarkDecorator:
    """Return the mark that runs a test of the module `test` (``__file__``) with each case of the tables beside it."""
    cases = [case for name in names for case in read(Path(test).parent / name)]
    return pytest.mark.parametrize("case", cases, ids=[f"{case.path.stem}-{case.number}" for case in cases])


def begin_update() -> None:
    """Keep new expectations from here on."""
    global _updated  # noqa: PLW0603 - one for a run of pytest
    _updated = {}


def write_updates() -> list[Path]:
    """Write the new expectations to their files, and return the files that changed."""
    changed = []
    for path, results in (_updated or {}).items():
        before = path.read_text(encoding="utf-8")
        header = before[: match.start()] if (match := _CASE.search(before)) else before
        after = header + "".join(_written(case, results.get(case.number, case.expected)) for case in read(path))
        if after != before:
            path.write_text(after, encoding="utf-8")
            changed.append(path)
    return changed


def _written(case: Case, expected: str) -> str:
    lines = [
        f"---- {case.title}".rstrip(),
        *([case.text] if case.text else []),
        "=>",
        *([expected] if expected else []),
    ]
    return "".join(f"{line}\n" for line in lines)
