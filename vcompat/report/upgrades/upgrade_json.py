"""What an upgrade changes, as JSON for programs."""

from __future__ import annotations

import json
from typing import Any

from vcompat.fixes.upgrade_effects import Change, Upgrade
from vcompat.foundation.version import __version__
from vcompat.report.checks.json import finding_table
from vcompat.report.upgrades.upgrade_wording import Subject, conflicts, install


def render(upgrade: Upgrade, subject: Subject, width: int, everything: bool) -> str:
    """The upgrade, as ``upgrade.schema.json`` beside this file describes it. All defaults are listed."""
    table = {
        "vcompat": __version__,
        "fails": subject.fails,
        "files": list(subject.files),
        "stated_by": list(subject.stated_by),
        "run": subject.run,
        "works": bool(upgrade.companions.pins) if not upgrade.companions.unchecked else None,
        "changes": list(map(_change, upgrade.changes)),
        "can_stay": dict(upgrade.stays),
        "rebuild": dict(upgrade.rebuilt),
        "install": install(upgrade) or None,
        "conflicts": [] if upgrade.companions.pins else conflicts(upgrade),
        "alternatives": [
            {"without": asked, "releases": {pin.package: str(pin.version) for pin in pins}}
            for asked, pins in upgrade.companions.unasked
        ],
        "stops_working": list(map(finding_table, upgrade.code)),
        "settings": list(map(finding_table, upgrade.settings)),
        "begins": list(map(finding_table, upgrade.failures)),
        "defaults": [
            {
                "setting": change.setting,
                "class": change.owner,
                "before": change.before,
                "after": change.after,
                "gone": change.is_gone,
                "matters": change.matters,
            }
            for change in upgrade.defaults
        ],
        "ends": list(map(finding_table, upgrade.ends)),
        "stays": list(map(finding_table, upgrade.lasts)),
    }
    return json.dumps(table, indent=2)


def _change(change: Change) -> dict[str, Any]:
    return {
        "package": change.package,
        "before": change.before or None,
        "after": str(change.after),
        "asked": change.is_asked,
        "why": change.why,
    }
