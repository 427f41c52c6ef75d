"""Metrics in the event files of TensorBoard, read with TensorBoard's own package, if it is installed."""

from __future__ import annotations

import logging
import os
from importlib import import_module
from typing import Any

from vcompat.diagnosis.metrics.names import metric
from vcompat.diagnosis.metrics.series import Run
from vcompat.diagnosis.reading import Unreadable

#: What TensorBoard's writers call their files.
_NAME = "events.out.tfevents."


def is_event_file(path: str) -> bool:
    """Whether the file at `path` is one of TensorBoard, by its name."""
    return os.path.basename(path).startswith(_NAME)


def read_events(path: str) -> Run:
    """Return the run of an event file. Raises Unreadable if it cannot be read, with what to install."""
    try:
        loader = import_module("tensorboard.backend.event_processing.event_file_loader")
        events = import_module("tensorboard.compat.proto.event_pb2")
    except ImportError:
        raise Unreadable("a file of TensorBoard; `pip install 'vcompat[tensorboard]'` to read it") from None
    # It logs each damaged record.
    logging.getLogger("tensorboard").setLevel(logging.CRITICAL)
    run = Run(path)
    event = None
    try:
        for record in loader.RawEventFileLoader(path).Load():
            event = events.Event.FromString(record)
            for value in event.summary.value:
                known = metric(value.tag)
                number = _number(value)
                if known is not None and number is not None:
                    run.take({known.name: number}, event.step)
    except Exception:
        # The package documents no errors. One of them is enough to end the file.
        event = event if run.all_series else None
    if event is None:
        raise Unreadable("no file of TensorBoard, or a damaged one")
    return run


def _number(value: Any) -> float | None:
    """The number of a scalar; torch's writers write it plainly, TensorFlow's as a tensor."""
    if value.HasField("simple_value"):
        return float(value.simple_value)
    if value.HasField("tensor") and len(value.tensor.float_val) == 1:
        return float(value.tensor.float_val[0])
    return None
