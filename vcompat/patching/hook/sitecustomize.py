"""What Python imports when it starts, since `vcompat run` puts this folder first on PYTHONPATH.

Arms the patches, then imports the sitecustomize that Python would have imported without vcompat. This folder leaves
``sys.path``; it stays on PYTHONPATH, for the processes that this one starts.
"""

import sys

import vcompat_arming  # type: ignore[import-not-found, unused-ignore]

vcompat_arming.arm()


def _chain() -> None:
    folder = vcompat_arming._HOOK
    sys.path[:] = [entry for entry in sys.path if entry != folder]
    ours = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize  # type: ignore[import-not-found, unused-ignore]  # noqa: F401
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        # Also what fails must find an entry, since the import of this module is not at its end.
        sys.modules.setdefault("sitecustomize", ours)


_chain()
