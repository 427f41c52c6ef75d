"""The whole report of this node: facts, the health of GPUs, and what the node is."""

from __future__ import annotations

from typing import Any

from vcompat.foundation.version import __version__
from vcompat.sources.probe.machine import probe_machine
from vcompat.sources.probe.node import probe_node
from vcompat.sources.probe.probe_report import one_line, report


def whole_report() -> dict[str, Any]:
    """Probe this node and return its report as plain JSON."""
    return report(probe_machine(with_health=True), __version__, probe_node())


def whole_report_as_text() -> str:
    """Probe this node and return its report as one line with a checksum."""
    return one_line(whole_report())
