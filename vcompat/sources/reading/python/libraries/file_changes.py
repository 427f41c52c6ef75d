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
    named = [(held.value, "") for held in site.arguments] + [(held.value, k) for k, held in site.keywords.items()]
    texts = [([str(c) for c in candidates(value) if isinstance(c, str)], keyword) for value, keyword in named]
    sources = {os.path.basename(path) for paths, _ in texts for path in paths}
    for index, (paths, keyword) in enumerate(texts):
        if function in _COPIES and (keyword == "src" or (index == 0 and not keyword)):
            continue
        for path in paths:
            # The second path can be the folder that gets the file.
            run.overwritten |= {os.path.normpath(each) for each in (path, *(os.path.join(path, n) for n in sources))}
