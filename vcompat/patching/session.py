"""The engine of this process, and how it logs."""

from __future__ import annotations

import threading
from collections.abc import Callable

from vcompat.patching.engine import Engine
from vcompat.patching.patch import Patch

_engine: Engine | None = None
_making = threading.Lock()


def engine(load: Callable[[], list[Patch]]) -> Engine:
    """Return the engine of this process. The first call, from any thread, creates it with the patches from `load`."""
    global _engine  # noqa: PLW0603 - one engine per process is intended
    with _making:
        if _engine is None:
            _engine = Engine(load(), _log)
        return _engine


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
