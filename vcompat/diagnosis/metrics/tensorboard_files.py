"""Metrics in the event files of TensorBoard, read with TensorBoard's own package, if it is installed."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

from vcompat.diagnosis.logs.log_bytes import Unreadable
from vcompat.diagnosis.metrics.metric_names import metric
from vcompat.diagnosis.metrics.series import Run

#: What TensorBoard's writers call their files.
_NAME = "events.out.tfevents."
#: The text of transformers' TensorBoardCallback that has all settings of the trainer, after its constructor.
_ARGUMENTS = "args/text_summary"


def is_event_file(path: str) -> bool:
    """Whether the file at `path` is one of TensorBoard, by its name."""
    return os.path.basename(path).startswith(_NAME)


class Events(NamedTuple):
    """What an event file has."""

    run: Run
    arguments: Mapping[str, object]
    """The trainer's configuration, which transformers writes at the beginning; empty if there is none."""


def read_events(path: str) -> Events:
    """Return the run of an event file. Raises Unreadable if it cannot be read, with what to install."""
    try:
        loader = import_module("tensorboard.backend.event_processing.event_file_loader")
        events = import_module("tensorboard.compat.proto.event_pb2")
    except ImportError:
        raise Unreadable("a file of TensorBoard; `pip install 'vcompat[tensorboard]'` to read it") from None
    # It logs each damaged record.
    logging.getLogger("tensorboard").setLevel(logging.CRITICAL)
    run = Run(path)
    arguments: dict[str, object] = {}
    event = None
    try:
        for record in loader.RawEventFileLoader(path).Load():
            event = events.Event.FromString(record)
            for value in event.summary.value:
                known = metric(value.tag)
                number = _number(value)
                if known is not None and number is not None:
                    run.take({known.name: number}, event.step)
                elif value.tag == _ARGUMENTS:
                    arguments = _table(value)
    except Exception:
        # The package documents no errors. One of them is enough to end the file.
        event = event if run.all_series else None
    if event is None:
        raise Unreadable("no file of TensorBoard, or a damaged one")
    return Events(run, arguments)


def _table(value: Any) -> dict[str, object]:
    """The JSON of a text; an empty table if it is none."""
    try:
        table = json.loads(value.tensor.string_val[0])
    except (ValueError, IndexError, RecursionError):
        return {}
    return table if isinstance(table, dict) else {}


def _number(value: Any) -> float | None:
    """The number of a scalar; torch's writers write it plainly, TensorFlow's as a tensor."""
    if value.HasField("simple_value"):
        return float(value.simple_value)
    if value.HasField("tensor") and len(value.tensor.float_val) == 1:
        return float(value.tensor.float_val[0])
    return None
