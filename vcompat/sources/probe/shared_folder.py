"""Whether a folder is on a file system that other machines have, too, by the kernel's list of mounts."""

from __future__ import annotations

import os
import re

#: Types of file systems over the network, as the kernel names them.
_SHARED = re.compile(
    r"nfs4?|lustre|gpfs|beegfs|ceph|wekafs|afs|cifs|smb3|panfs|pvfs2|ocfs2|gfs2|glusterfs"
    r"|fuse\.(beegfs|ceph|glusterfs|juicefs|lizardfs|moosefs|mfs|quobyte|orangefs|s3fs|gcsfuse)"
)
#: The kernel writes a space, a tab, a newline and a backslash as octal numbers.
_ESCAPED = re.compile(r"\\([0-7]{3})")


def is_shared(folder: str, mounts: str = "/proc/self/mounts") -> bool:
    """Return whether `folder` is on a file system over the network. False where that cannot be read."""
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as file:
            lines = [line.split() for line in file]
    except OSError:
        return False
    path = os.path.realpath(folder)
    found, kind = "", ""
    for fields in lines:
        place = _ESCAPED.sub(lambda code: chr(int(code[1], 8)), fields[1]) if len(fields) > 2 else ""
        # The last one of two mounts at the same place hides the first.
        if place and len(place) >= len(found) and os.path.join(path, "").startswith(os.path.join(place, "")):
            found, kind = place, fields[2]
    return bool(_SHARED.fullmatch(kind))
