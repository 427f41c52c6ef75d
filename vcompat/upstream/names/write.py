"""The file of an index: a zip archive that depends on nothing but its contents."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from vcompat.foundation.writing import write_bytes


def write_index(path: Path, members: Mapping[str, bytes]) -> bool:
    """Write the members of an index; return whether the file changed."""
    data = packed(members)
    if path.is_file() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    write_bytes(path, data)
    return True


def packed(members: Mapping[str, bytes]) -> bytes:
    """Return the archive, in the order of the names and without a time."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name in sorted(members):
            info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            info.external_attr = 0o644 << 16
            archive.writestr(info, members[name], zipfile.ZIP_DEFLATED, compresslevel=9)
    return file.getvalue()
