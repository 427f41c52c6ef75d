"""The engine of this process, and how it logs."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

from vcompat.patching.engine import Engine
from vcompat.patching.guard import kept_verdicts
from vcompat.patching.launching import RUN_FOLDER
from vcompat.patching.ledger import Ledger
from vcompat.patching.patch import Patch

_engine: Engine | None = None
_making = threading.Lock()


def engine(load: Callable[[], list[Patch]]) -> Engine:
    """Return the engine of this process. The first call, from any thread, creates it with the patches from `load`."""
    global _engine  # noqa: PLW0603 - one engine per process is intended
    with _making:
        if _engine is None:
            verdicts = kept_verdicts() if os.environ.get(RUN_FOLDER) else None
            _engine = Engine(load(), _log, _recorder(), verdicts)
        return _engine


def _recorder() -> Callable[[Ledger], None] | None:
    """What writes the ledger of this process to the folder of the run, if `vcompat run` started it."""
    folder = os.environ.get(RUN_FOLDER)
    if not folder:
        return None
    # Imported here: only processes of a run write a ledger.
    from vcompat.patching.recorder import Recorder

    return Recorder(folder, _log, lambda: _engine.status() if _engine else Ledger({})).changed


def _log(line: str, warning: bool) -> None:
    # Imported here: `patch()` usually logs nothing, and importing logging takes time.
    import logging

    logger = logging.getLogger("vcompat")
    if not logger.handlers:
        # Training scripts rarely configure logging at INFO, so without a handler the line would not be shown.
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("vcompat: %(message)s"))
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        logger.propagate = False
    logger.log(logging.WARNING if warning else logging.INFO, line)
