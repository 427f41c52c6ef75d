"""Makes a failing example small: removes lines, files and callers as long as the example still fails."""

from __future__ import annotations

from collections.abc import Callable

from tests.oracle.example import Example


def shrink(example: Example, fails: Callable[[Example], bool], most: int = 120) -> Example:
    """Return the smallest example found with at most `most` trials. `fails` judges an example."""
    trials = _Trials(fails, most)
    for index in reversed(range(len(example.callers))):
        smaller = example._replace(callers=example.callers[:index] + example.callers[index + 1 :])
        if smaller.callers and trials.fails(smaller):
            example = smaller
    for name in sorted(example.files, key=lambda name: len(example.files[name]), reverse=True):
        example = _shrink_file(example, name, trials)
    return example


class _Trials:
    def __init__(self, fails: Callable[[Example], bool], most: int) -> None:
        self._fails, self._left = fails, most

    def fails(self, example: Example) -> bool:
        self._left -= 1
        return self._left > 0 and self._fails(example)


def _shrink_file(example: Example, name: str, trials: _Trials) -> Example:
    """Remove runs of lines from one file, long ones first."""
    lines = example.files[name].splitlines(keepends=True)
    size = max(len(lines) // 2, 1)
    while size:
        start = 0
        while start < len(lines):
            fewer = lines[:start] + lines[start + size :]
            smaller = example._replace(files={**example.files, name: "".join(fewer)})
            if trials.fails(smaller):
                example, lines = smaller, fewer
            else:
                start += size
        size //= 2
    return example
