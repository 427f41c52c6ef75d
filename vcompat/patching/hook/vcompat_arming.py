"""Arms the patches in a Python process that `vcompat run` or `vcompat install` reaches.

Every Python process of the run executes this file when it starts: pip, a compiler's helper, the trainer. So it imports
nothing that a started interpreter does not have. A finder waits for the first import of a package that patches change.
Only then vcompat is imported, and `vcompat.patch()` is called. Other processes stay as they are.

The folder of this file is not a package: it is on the path of processes that may have no vcompat, or another release.
"""

import _thread
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

#: The packages that patches change. A test compares them with the patches.
PACKAGES = frozenset(("deepspeed", "peft", "transformers", "trl", "vllm"))
#: The patches that a process gets: ids, separated by commas, ``all`` or ``none``. The patch engine sets it, too.
HANDOVER = "VCOMPAT_PATCH"
#: Set to the name of the run if the end of a training process by an exception is to be diagnosed.
WATCH = "VCOMPAT_WATCH"
_FOLDER = "VCOMPAT_RUN_DIR"
#: The folder of a rehearsal, if this process is part of one.
REHEARSAL = "VCOMPAT_REHEARSAL_DIR"
#: What a process on another machine needs besides PYTHONPATH.
_NEEDED = (
    HANDOVER,
    _FOLDER,
    WATCH,
    "VCOMPAT_DISABLE",
    REHEARSAL,
    "VCOMPAT_REHEARSAL_STEPS",
    "VCOMPAT_REHEARSAL_STUCK_AFTER",
    "VCOMPAT_REHEARSAL_TINY",
)
_FOLDERS = (_FOLDER, REHEARSAL)
#: DeepSpeed's launcher passes on the variables that begin with PYTHON, and few others (EXPORT_ENVS in its runner.py).
_COPY = "PYTHON_"

_HOOK = os.path.dirname(os.path.abspath(__file__))
_VCOMPAT = os.path.dirname(os.path.dirname(_HOOK))


class _Armed:
    """A finder that finds nothing itself: it applies the patches before the first import of a package in PACKAGES."""

    def __init__(self, wanted: str) -> None:
        self._wanted = wanted
        self._lock = _thread.RLock()
        self._is_done = False

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        """Apply the patches if `name` is awaited, then let the other finders find it."""
        if name not in PACKAGES:
            return None
        # Another thread that imports such a package waits until the patches are armed.
        with self._lock:
            if not self._is_done:
                self._is_done = True
                self._patch()
                if name == "deepspeed":
                    _copy_for_other_machines()
        # The finder of the patch engine stands before the position up to which this import has asked.
        for finder in list(sys.meta_path):
            spec = finder.find_spec(name, path, target) if finder is not self and hasattr(finder, "find_spec") else None
            if spec is not None:
                return spec
        return None

    def _patch(self) -> None:
        try:
            _apply(self._wanted)
        except Exception as error:
            text = " ".join(str(error).split())
            sys.stderr.write(f"vcompat: no patches in process {os.getpid()}: {type(error).__name__}: {text}\n")
        if self in sys.meta_path:
            sys.meta_path.remove(self)


def arm(default: str = "none") -> None:
    """Wait for the import of a package that patches change. Does nothing if no patches are wanted.

    `default` has the patches if the environment names none.
    """
    _take_copies()
    wanted = os.environ.get(HANDOVER) or default
    is_wanted = wanted != "none" or os.environ.get(REHEARSAL)
    if not is_wanted or sys.version_info < (3, 10) or any(isinstance(one, _Armed) for one in sys.meta_path):
        return
    sys.meta_path.insert(0, _Armed(wanted))


def _copy_for_other_machines() -> None:
    """Copy to variables that DeepSpeed's launcher passes on what a process on another machine needs."""
    for name in _NEEDED:
        value = os.environ.get(name, "")
        # The launcher quotes nothing, and srun cuts a value at its first comma.
        value = value if name in _FOLDERS else value.replace(",", ":")
        if value and all(letter.isalnum() or letter in "_-./:" for letter in value):
            os.environ[_COPY + name] = value


def _take_copies() -> None:
    for name in _NEEDED:
        copy = os.environ.get(_COPY + name)
        if copy and name not in os.environ:
            os.environ[name] = copy if name in _FOLDERS else copy.replace(":", ",")


def _apply(wanted: str) -> None:
    _find_vcompat()
    import vcompat

    if wanted != "none":
        ids = None if wanted == "all" else wanted.split(",")
        vcompat.patch(only=ids, watch=bool(os.environ.get(WATCH)))
    if os.environ.get(REHEARSAL):
        from vcompat.rehearsal.inside.begin import begin

        begin()


def _find_vcompat() -> None:
    """Import the package that this file belongs to, also where it is not installed. ``sys.path`` stays as it is."""
    if "vcompat" in sys.modules:
        return
    from importlib.util import module_from_spec, spec_from_file_location

    file = os.path.join(_VCOMPAT, "__init__.py")
    spec = spec_from_file_location("vcompat", file, submodule_search_locations=[_VCOMPAT])
    if spec is None or spec.loader is None:
        raise ImportError(f"{file} cannot be imported")
    sys.modules["vcompat"] = module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules["vcompat"]
        raise
