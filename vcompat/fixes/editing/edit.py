"""Makes changes in the contents of run files; there is one module per file type."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from vcompat.fixes.editing.change import Cannot, Edit
from vcompat.foundation.bounded_reading import MB, read_bytes
from vcompat.foundation.errors import InputError

#: Maximum file size in bytes.
LIMIT = 20 * MB
_SHELL = ("sh", "bash", "slurm", "sbatch", "sub", "job")


class Changed(NamedTuple):
    """The contents of a file before and after the changes."""

    path: str
    before: bytes
    after: bytes


def edited(edits: Iterable[Edit], contents: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the new contents of the files that `edits` change, by real path.

    `contents` has what earlier changes made of files, by real path; other files are read. Raises Cannot if one of the
    edits cannot be made, InputError for a file that cannot be read.
    """
    new: dict[str, bytes] = {}
    # From the end to the start, so that the positions of the remaining edits stay valid.
    for edit in sorted(edits, key=lambda edit: edit.place, reverse=True):
        real = os.path.realpath(edit.place.path)
        before = new.get(real, contents.get(real))
        if before is None:
            if not os.path.exists(edit.place.path):
                # An option of the command that was typed, or of a program that wrote a script.
                raise Cannot(f"not in a file, change it in {edit.place}: {edit}")
            before = read_bytes(edit.place.path, LIMIT, "a run file")
        new[real] = _editor(edit, before)(before, edit)
    return new


def _editor(edit: Edit, data: bytes) -> Callable[[bytes, Edit], bytes]:
    """Return the function that changes files of this type. Raises Cannot, and InputError without its parser."""
    ending = os.path.splitext(edit.place.path)[1][1:].lower()
    first = b"" if ending else data.partition(b"\n")[0]
    try:
        if ending == "py" or (first.startswith(b"#!") and b"python" in first):
            from vcompat.fixes.editing.python_file import change
        elif ending in ("yaml", "yml"):
            from vcompat.fixes.editing.yaml_file import change
        elif ending == "toml":
            from vcompat.fixes.editing.toml_file import change
        elif ending in _SHELL or (first.startswith(b"#!") and b"sh" in first):
            from vcompat.fixes.editing.shell_file import change
        else:
            raise Cannot(f"unsupported file type, change {edit.place} by hand: {edit}")
    except ImportError as error:
        why = f"{error.name} is not installed, which changes {edit.place}"
        raise InputError("vcompat fix", why, "pip install libcst ruamel.yaml tomlkit") from None
    return change
