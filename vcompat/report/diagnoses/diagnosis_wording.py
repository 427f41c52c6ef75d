"""Phrases that the formats of a diagnosis share: what was read, what to do if nothing known matches."""

from __future__ import annotations

import os

from vcompat.diagnosis.diagnosing import Diagnosis
from vcompat.diagnosis.failures import Failure, follows
from vcompat.diagnosis.killed import meaning
from vcompat.diagnosis.leads.lead import Change, Lead
from vcompat.diagnosis.logs.prefixes import Line
from vcompat.diagnosis.ranking import CERTAIN, CERTAINTIES, CONTRADICTED, Match
from vcompat.facts.place import Place
from vcompat.facts.value import show
from vcompat.report.parts.formats import at, relative
from vcompat.report.parts.wording import packages, shell

#: The most characters of an error that are shown in a sentence or a cell.
_LONGEST = 300
#: The most logs that are named.
_NAMED = 3

FOLLOWS = "That only follows from a failure in another process. Look for it above, or in the logs of other processes."


#: What is said before rules of which metrics show each equally.
SEVERAL = "One of these could be the cause. --with the training script, or --set, tells which apply:"


#: What is said before rules that certainly apply, of which the log shows nothing.
APPLYING = "No text in the log shows these, but with what is known of the run they apply:"
#: What is said before rules that are near by their words.
NEAR = "Rules whose words are nearest to these, though no text in the log shows them:"


def read(diagnosis: Diagnosis) -> str:
    """What was read, with which versions, as one sentence."""
    names = [relative(path) for path in diagnosis.paths]
    what = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more logs" if len(names) > _NAMED else "")
    gpu = show(diagnosis.facts.value("gpu.name", ()))
    stated = ", ".join(filter(None, [packages(diagnosis.facts), gpu if gpu != "none" else ""]))
    count = f"{diagnosis.lines:,} line{'s' if diagnosis.lines != 1 else ''}"
    return f"Read {what}: {count}, {f'with {stated}' if stated else 'without versions'}."


def word(match: Match) -> str:
    """What a match is."""
    return "cause" if match.certainty == CERTAIN else f"{match.certainty} cause"


def answers(diagnosis: Diagnosis) -> tuple[Match, ...]:
    """The match that is the answer; none if metrics show a failure that several rules explain equally well."""
    first = diagnosis.causes[:1]
    is_open = all(match.seen.shown.signature and match.certainty != CERTAIN for match in first)
    return () if is_open and len(diagnosis.causes) > 1 else first


def others(diagnosis: Diagnosis) -> list[Match]:
    """The matches beside the answer that no fact contradicts, certain ones first."""
    rest = diagnosis.causes[len(answers(diagnosis)) :]
    return sorted(rest, key=lambda match: CERTAINTIES.index(match.certainty))


def ruled_out(diagnosis: Diagnosis) -> list[Match]:
    """The matches that a fact contradicts."""
    return [match for match in diagnosis.matches if match.certainty == CONTRADICTED]


def first_elsewhere(diagnosis: Diagnosis) -> Failure | None:
    """The failure that was first, unless it is what shows the cause."""
    shown = {line for match in diagnosis.causes[:1] for line in match.seen.shown.lines}
    shown |= {lead.line for lead in diagnosis.leads}
    shown |= {one.seen.line for one in diagnosis.hang.waiting if one.seen} if diagnosis.hang else set()
    failure = diagnosis.failure
    return failure if failure is not None and failure.cause.line not in shown else None


def nothing(diagnosis: Diagnosis) -> tuple[str, str]:
    """The answer if there is no cause, and what to do."""
    known = f"Nothing known matches ({diagnosis.rules} rules with symptoms)."
    headline = "No known cause fits what the log states." if diagnosis.matches else known
    if diagnosis.cut is not None:
        return (
            headline,
            f"The traceback at {at(diagnosis.cut)} has no error at its end: what follows it names the failure.",
        )
    if diagnosis.failure is None:
        return headline, "The log states no failure either."
    if advice := meaning(diagnosis.failure.cause.error):
        return headline, advice
    if diagnosis.failure.cause.error.startswith("KeyboardInterrupt"):
        return headline, "The run was interrupted, by Ctrl-C or SIGINT."
    if follows(diagnosis.failure):
        return headline, FOLLOWS
    return headline, f"To report it upstream: {report_command(diagnosis)}"


#: What is said before leads.
LEADS = "No rule is certain; the code of the releases says:"
NO_SET = "no set of recorded releases works with it"


def lead_place(lead: Lead, diagnosis: Diagnosis) -> str:
    """The line of a log that a lead is about."""
    path = diagnosis.failure_path or next(iter(diagnosis.paths), "")
    return f"{cut(lead.line.text)} ({where(lead.line, path)})"


def change_text(change: Change) -> str:
    """What to install."""
    if change.install == ():
        return f"{change.package}{change.ranges}"
    return shell("pip install", change.install or (f"{change.package}{change.ranges}",))


def change_note(change: Change) -> str:
    """Why that would help, and what it means for other packages."""
    if change.install == ():
        return f"{change.because}; {NO_SET}"
    if change.others:
        return f"{change.because}; {', '.join(change.others)} must change with it"
    return change.because


def report_command(diagnosis: Diagnosis) -> str:
    """The command that prints what to send upstream."""
    paths = diagnosis.paths if len(diagnosis.paths) <= _NAMED and all(map(os.path.exists, diagnosis.paths)) else ["LOG"]
    return f"{shell('vcompat report', paths)} --anonymize"


def where(line: Line, path: str) -> str:
    """The place of a line, with the process that wrote it."""
    place = at(Place(path, line.number))
    return f"{place}, {line.process}" if line.process else place


def cut(text: str) -> str:
    """Text that fits a sentence."""
    text = text.strip()
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
