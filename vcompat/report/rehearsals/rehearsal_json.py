"""The verdict of a rehearsal as JSON, for programs."""

from __future__ import annotations

import json

from vcompat.rehearsal.verdict import Rehearsal, values_of


def render(outcome: Rehearsal) -> str:
    """The verdict, as ``rehearsal.schema.json`` beside this file describes it."""
    return json.dumps(values_of(outcome), indent=2)
