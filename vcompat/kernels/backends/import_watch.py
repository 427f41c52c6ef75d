"""Watches the release's code for an import that fails here, and would not fail where vLLM is installed.

Upstream catches ImportError and takes another way. An outcome counts only if each one that its code saw is about a
package that a plain installation lacks, too.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from types import FrameType, TracebackType
from typing import Any

from vcompat.kernels.backends.absent import Undecided


class Watch:
    """Records each ImportError that passes through code of the release; a context manager."""

    def __init__(self, archive: str, lacking: Collection[str]) -> None:
        """`archive` is the name of the file that the release's code comes from; `lacking` names packages."""
        self._archive, self._lacking = archive, lacking
        self._seen: dict[int, tuple[ImportError, str]] = {}

    def __enter__(self) -> Watch:
        sys.settrace(self._call)
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        sys.settrace(None)

    def _call(self, frame: FrameType, event: str, argument: Any) -> Any:
        if self._archive not in frame.f_code.co_filename:
            return None
        frame.f_trace_lines = False
        return self._inside

    def _inside(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "exception" and isinstance(argument[1], ImportError):
            # Keeps the exception alive, so that its id stays its own.
            place = f"{frame.f_code.co_filename.partition('.zip/')[2]}:{frame.f_lineno}"
            self._seen.setdefault(id(argument[1]), (argument[1], place))
        return self._inside

    def check(self) -> None:
        """Raise Undecided for an import that should not have failed."""
        for error, place in self._seen.values():
            name = error.name if isinstance(error, ModuleNotFoundError) else None
            if (name or "").partition(".")[0] not in self._lacking:
                raise Undecided(f"{place}: {error}")

    def place(self, error: BaseException) -> str:
        """Return the line of the release in which an exception was raised; empty if there is none."""
        trace, place = error.__traceback__, ""
        while trace:
            file = trace.tb_frame.f_code.co_filename
            if self._archive in file:
                place = f"{file.partition('.zip/')[2]}:{trace.tb_lineno}"
            trace = trace.tb_next
        return place
