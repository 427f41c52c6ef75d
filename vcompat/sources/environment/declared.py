"""Detects the kind of a declared environment and reads it."""

from __future__ import annotations

import os

from vcompat.facts.facts import Facts
from vcompat.foundation.errors import InputError


def read_environment(path: str) -> Facts:
    """Return the packages of the environment that `path` declares. Raises InputError if it declares none.

    Each reader is imported only for its kind, because importing tarfile and yaml takes time.
    """
    name = os.path.basename(path).lower()
    if os.path.isdir(path):
        from vcompat.sources.environment.installed import read_folder

        return read_folder(path)
    if name.endswith((".tar", ".tar.gz", ".tgz")):
        from vcompat.sources.environment.image import read_image

        return read_image(path)
    if name.endswith(".lock") or (name.startswith("pylock") and name.endswith(".toml")):
        from vcompat.sources.environment.lock import read_lock

        return read_lock(path)
    if name.endswith((".txt", ".in")):
        from vcompat.sources.environment.requirements import read_requirements

        return read_requirements(path)
    if name.endswith((".yaml", ".yml")):
        from vcompat.sources.environment.conda import read_conda
        from vcompat.sources.plan.document import read_document

        return read_conda(read_document(path, "yaml"))
    raise InputError(
        path,
        "not a supported environment file",
        "requirements.txt, pylock.toml, uv.lock, poetry.lock, an export of conda, a folder of packages, or an image",
    )
