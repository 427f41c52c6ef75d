"""How a rule's range was measured: in upstream's source and metadata, by compiled kernels, by real runs of code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from vcompat.report.parts.kernels import Grid, grid_of
from vcompat.report.rules.explanation import IN_RECORDS
from vcompat.report.rules.tried import tried
from vcompat.rules.fingerprint import Fingerprint
from vcompat.rules.rule import Rule


class Looked(NamedTuple):
    """One place in the source of every release, and what affected code is known by."""

    place: str
    terms: tuple[tuple[str, str], ...]
    """A verb and a text of code; the text is empty where the verb says all."""


class Measured(NamedTuple):
    """The evidence of a rule."""

    looked: list[Looked]
    others: list[str]
    """Requirements and records, a sentence each."""
    trials: list[tuple[str, str]]
    """What a trial showed, and its code."""
    grids: list[Grid]
    unmeasured: str
    """Why a range was not measured; empty if it was."""


def measured(rule: Rule) -> Measured:
    """Return the evidence of a rule."""
    evidence = rule.evidence
    trials = [(tried(rule, trial), trial.code.strip()) for trial in evidence.trials]
    return Measured(
        [one for fingerprint in evidence.fingerprints for one in _looked(fingerprint)],
        list(_others(rule)),
        [(shown, code) for shown, code in trials if shown],
        [grid for claim in evidence.kernels if (grid := grid_of(claim)).lines],
        evidence.unmeasured,
    )


def _looked(fingerprint: Fingerprint) -> Iterator[Looked]:
    terms = [("contains", text) for text in fingerprint.has] + [("lacks", text) for text in fingerprint.lacks]
    yield Looked(fingerprint.place, (*terms, *([("does not exist", "")] if fingerprint.missing else [])))
    for further in fingerprint.also:
        yield from _looked(further)


def _others(rule: Rule) -> Iterator[str]:
    for statement in rule.evidence.requirements:
        since = f" {statement.since} and later" if statement.since else ""
        yield f"What each release of {statement.package}{since} requires of {statement.of}, from its metadata."
    for name in rule.evidence.in_records:
        yield f"{IN_RECORDS[name][:1].upper()}{IN_RECORDS[name][1:]}."
