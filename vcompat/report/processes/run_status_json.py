"""Which process of a run applied which patch, as JSON, for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from vcompat.evaluation.rank_patches import Difference, Ranks
from vcompat.foundation.version import __version__
from vcompat.patching.process_reports import Process


def render(folder: str, ranks: Ranks, unusable: Sequence[str]) -> str:
    """The processes of a run, as ``run_status.schema.json`` beside this file describes them."""
    table = {
        "vcompat": __version__,
        "folder": folder,
        "fails": ranks.fails,
        "ranks": [{"rank": number, **_process(process)} for number, process in ranks.each.items()],
        "others": [_process(process) for process in ranks.others],
        "differences": [_difference(one) for one in ranks.differences],
        "waiting": [_difference(one) for one in ranks.waiting],
        "missing": list(ranks.missing),
        "short": [
            {"host": host, "wrote": wrote, "expected": expected} for host, (wrote, expected) in ranks.short.items()
        ],
        "unusable": list(unusable),
    }
    return json.dumps(table, indent=2)


def _process(process: Process) -> dict[str, Any]:
    return {
        **process._asdict(),
        "patches": {name: {"status": entry.status, "reason": entry.reason} for name, entry in process.patches.items()},
    }


def _difference(difference: Difference) -> dict[str, Any]:
    return {
        "what": difference.what,
        "values": [{"value": value, "ranks": list(ranks)} for value, ranks in difference.values.items()],
    }
