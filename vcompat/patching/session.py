"""The one engine of this process, and the line it logs."""

from __future__ import annotations

import threading
from collections.abc import Callable

from vcompat.patching.engine import Engine
from vcompat.patching.patch import Patch

_engine: Engine | None = None
_making = threading.Lock()


def engine(load: Callable[[], list[Patch]]) -> Engine:
    """Return this process's engine; create it with the patches that `load` returns on first use, in any thread."""
    global _engine  # noqa: PLW0603 - one per process is the point
    with _making:
        if _engine is None:
            _engine = Engine(load(), _log)
        return _engine


def _log(line: str, warning: bool) -> None:
    # Imported here: `patch()` mostly has nothing to say, and logging is not free to import.
    import logging

    logger = logging.getLogger("vcompat")
    if not logger.handlers:
        # A line that nobody sees helps nobody: training scripts rarely configure logging at INFO.
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("vcompat: %(message)s"))
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        logger.propagate = False
    logger.log(logging.WARNING if warning else logging.INFO, line)
