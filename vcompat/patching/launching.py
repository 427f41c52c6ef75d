"""The environment in which `vcompat run` starts a command, and the file by which `vcompat install` arms an environment.

Both lead to ``hook/vcompat_arming.py``, which waits in each Python process for the packages that patches change.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

#: Passes the ids of the selected patches to other processes: those that vLLM starts, and those of a run. ``all`` and
#: ``none`` stand for all patches and for none.
HANDOVER = "VCOMPAT_PATCH"
#: The folder that is put on PYTHONPATH.
HOOK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "hook")
#: The folder in which each process writes its ledger.
RUN_FOLDER = "VCOMPAT_RUN_DIR"
#: The folder of a rehearsal, which must leave nothing elsewhere.
REHEARSAL = "VCOMPAT_REHEARSAL_DIR"
#: Set to the name of the run if the end of a training process by an exception is to be diagnosed.
WATCH = "VCOMPAT_WATCH"
#: The name of the file of `vcompat install`. Files with such a name are read in alphabetical order, before
#: sitecustomize is imported.
PTH = "vcompat_patches.pth"


def environment_of_run(
    environment: Mapping[str, str], patches: Iterable[str], folder: str, watch: str = ""
) -> dict[str, str]:
    """Return `environment` with what makes each Python process apply `patches` and write its ledger to `folder`.

    If `folder` is empty, no process writes one. `watch` is the name of the run if the failure that ends it is to be
    diagnosed, once; else empty.
    """
    result = dict(environment)
    before = environment.get("PYTHONPATH", "").split(os.pathsep)
    # An empty entry in PYTHONPATH is the current folder, but an empty PYTHONPATH is none.
    kept = [entry for entry in before if entry != HOOK] if environment.get("PYTHONPATH") else []
    result["PYTHONPATH"] = os.pathsep.join([HOOK, *kept])
    result[HANDOVER] = ",".join(sorted(patches)) or "none"
    for name in (RUN_FOLDER, WATCH):
        result.pop(name, None)
    if folder:
        result[RUN_FOLDER] = folder
    if watch:
        result[WATCH] = watch
    return result


def pth_of(patches: Iterable[str] | None) -> str:
    """Return the text of the file that arms `patches` (None: all) in each process of a Python environment.

    Python executes its line at every start. It does nothing once vcompat is not there any more.
    """
    wanted = "all" if patches is None else ",".join(sorted(patches)) or "none"
    # One line, since Python executes lines of such a file that begin with `import`.
    arming = f"import vcompat_arming; vcompat_arming.arm({wanted!r})"
    attempt = f"try:\n {arming}\nexcept ImportError:\n pass"
    return f"import sys; sys.path.insert(0, {HOOK!r}); exec({attempt!r}); sys.path.remove({HOOK!r})\n"


def armed_by(pth: str) -> str:
    """Return which patches the text of such a file arms: ids separated by commas or ``all``; empty if it is none."""
    _, found, rest = pth.partition("vcompat_arming.arm(")
    return rest.partition(")")[0].strip("\\'\"") if found else ""
