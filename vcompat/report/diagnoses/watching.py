"""The diagnosis that a running training prints below the traceback that ends it (`vcompat.patch(watch=True)`)."""

from __future__ import annotations

import sys

from vcompat.diagnosis.watch import Watch

#: Columns: a log has no terminal's width.
_WIDTH = 100


def _answer(traceback: str) -> str:
    """Diagnose a traceback with what is known of this process: its packages, GPUs, variables and script."""
    # Imported here: a run that does not fail needs none of it.
    from click import unstyle

    from vcompat.diagnosis.diagnosing import diagnose_text
    from vcompat.diagnosis.stated.around import Around
    from vcompat.foundation.errors import InputError
    from vcompat.report.diagnoses.diagnosis import render
    from vcompat.rules.database import load_rules
    from vcompat.sources.gather import Sources, collect

    script = sys.argv[0] if sys.argv else ""
    try:
        gathered = collect(Sources([script] if script.endswith(".py") else []))
    except InputError:
        gathered = collect(Sources())
    around = Around(gathered.facts, gathered.plan.takes_defaults)
    diagnosis = diagnose_text(traceback, load_rules(thorough=False), around=around, name="the traceback")
    if not diagnosis.matches and not diagnosis.leads:
        return f"vcompat: what is known about this failure: nothing matches ({diagnosis.rules} rules with symptoms)"
    text = f"vcompat: what is known about this failure\n\n{render(diagnosis, _WIDTH)}"
    return text if sys.stderr.isatty() else unstyle(text)


#: What watches this process.
watch = Watch(_answer)
