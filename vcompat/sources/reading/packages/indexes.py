"""The package indexes that the options of a requirements file name."""

from __future__ import annotations

import re

from vcompat.sources.reading.packages.origin import PUBLIC, Origin, of_index, one_of, shown

_OPTION = re.compile(
    r"(-i|--index-url|--pypi-url|--extra-index-url|-f|--find-links|--no-index)(?:[ =]\s*|(?=h)|$)(\S*)"
)


class Indexes:
    """The indexes and folders in which pip looks for distributions. Options count for all lines, wherever they are."""

    def __init__(self) -> None:
        self._main = PUBLIC
        self._others: list[Origin] = []

    def add(self, line: str) -> None:
        """Add the index of an option such as ``--index-url https://...``; other options are ignored."""
        match = _OPTION.match(line)
        if match is None:
            return
        option, url = match[1], match[2].strip("\"'")
        if option in ("-i", "--index-url", "--pypi-url"):
            self._main = of_index(url)
        elif option == "--extra-index-url":
            self._others.append(of_index(url))
        else:
            self._others.append(Origin(f"{option} {shown(url)}".strip()))

    def origin(self) -> Origin:
        """Return where distributions are installed from. pip takes the newest release of all indexes together."""
        return one_of([self._main, *self._others])
