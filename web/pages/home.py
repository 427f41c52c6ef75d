"""The first page."""

from __future__ import annotations

from collections.abc import Iterator

from vcompat.index.packages import IMPORTED
from vcompat.rules.record import load_record
from vcompat.upstream.requirements import PARTNERS
from web import documents, knowledge
from web.dates import dates
from web.page import Page

#: Pages that the first one leads to, with what each answers.
_CARDS = (
    ("rules", "Known failures", "Every failure with its error text, affected releases, fixes and evidence."),
    ("diagnose", "Diagnose a log", "Name the cause of a failed run from its log, in this browser."),
    ("check", "Check a run", "Check a script and releases for any GPU, in this browser."),
    ("matrix", "Releases that work together", "TRL, vLLM, torch and transformers, for each GPU generation."),
    ("packages", "Releases of a package", "Which failures, requirements and settings each release brings or ends."),
    ("settings", "Settings by release", "Which release has which setting, and with which default."),
    ("patches", "Patches", "What vcompat.patch() fixes at run time."),
)
_COMMANDS = ("vcompat check train.py", "vcompat diagnose run.log", "vcompat resolve --target 8xH100")
_NEWEST = 8


def pages() -> Iterator[Page]:
    """Yield the first page. Cards of pages that the site does not have are left out when it is shown."""
    days = dates()
    dated = [(days[rule.id], rule.id, rule) for rule in knowledge.rules() if rule.id in days]
    newest = sorted(dated, key=lambda one: one[:2], reverse=True)[:_NEWEST]
    yield Page(
        "index",
        "home.html",
        "What will go wrong in a GRPO run with TRL and vLLM",
        "Known failures of GRPO training with TRL and vLLM in the same processes: their errors, the affected releases "
        "and the fixes.",
        {
            "count": len(knowledge.rules()),
            "releases": sum(len(load_record(one, with_rows=False).releases) for one in {*PARTNERS, *IMPORTED}),
            "cards": _CARDS,
            "commands": _COMMANDS,
            "newest": [(knowledge.name_of(rule), rule, day) for day, _, rule in newest],
            "documents": documents.titles(),
        },
        {"@type": "WebSite", "name": "vcompat"},
    )
