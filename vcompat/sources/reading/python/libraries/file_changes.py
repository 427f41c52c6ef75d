"""Functions with which a script changes files, so that a file that it reads afterwards is another one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from vcompat.sources.reading.python.values.core import Site
from vcompat.sources.reading.python.values.values import candidates

if TYPE_CHECKING:
    from vcompat.sources.reading.python.values.abstract_run import Run

#: Functions that write, replace or remove the files or folders whose paths they get.
CHANGES_FILES = frozenset(
    f"{module}.{name}"
    for module, names in {
        "os": "remove unlink rename renames replace truncate symlink link rmdir removedirs",
        "shutil": "copy copy2 copyfile copytree move rmtree",
    }.items()
    for name in names.split()
)


#: Those that leave the first file as it is.
_COPIES = frozenset("os.symlink os.link shutil.copy shutil.copy2 shutil.copyfile shutil.copytree".split())


def change_files(run: Run, site: Site, function: str = "") -> None:
    """Mark the files whose paths a function gets as changed, since their contents are no longer known."""
    named = [("" if index else "src", held.value) for index, held in enumerate(site.arguments)]
    named += [(name, held.value) for name, held in site.keywords.items()]
    paths = [(name, str(path)) for name, value in named for path in candidates(value) if isinstance(path, str)]
    sources = {os.path.basename(path) for _, path in paths}
    for name, path in paths:
        if name != "src" or function not in _COPIES:
            # The second path can be the folder that gets the file.
            changed = (path, *(os.path.join(path, source) for source in sources))
            run.overwritten |= set(map(os.path.normpath, changed))
