"""Reads the text files of `conda list --explicit` and `conda list --export`."""

from __future__ import annotations

import re

from vcompat.facts.facts import Place
from vcompat.foundation.bounded_reading import MB, read_text
from vcompat.sources.reading.packages.conda.spec import read_file_name, read_spec
from vcompat.sources.reading.packages.stated_packages import Declared

_EXPORTED = re.compile(r"[^=\s]+=[^=\s]+=[^=\s]+")


def read_conda_list(path: str) -> Declared | None:
    """Return what a list of conda declares; None if the file at `path` is not one."""
    text = read_text(path, 20 * MB, "a list of packages")
    numbered = ((number, line.strip()) for number, line in enumerate(text.splitlines(), 1))
    lines = [(number, line) for number, line in numbered if line and not line.startswith("#")]
    declared = Declared()
    if any(line == "@EXPLICIT" for _, line in lines):
        # Packages that pip installed are not in such a list.
        specs = [(number, read_file_name(line)) for number, line in lines]
    elif lines and all(_EXPORTED.fullmatch(line) for _, line in lines):
        declared.complete = True
        specs = [(number, read_spec(line)) for number, line in lines]
    else:
        return None
    for number, spec in specs:
        if spec is not None:
            declared.add(spec.entry(Place(path, number, 1)))
    return declared
