"""Phrases that the formats of an upgrade's report share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vcompat.evaluation.finding import CODE as CODE_USE
from vcompat.evaluation.finding import Finding
from vcompat.fixes.compatibility import Reason
from vcompat.fixes.default_changes import DefaultChange
from vcompat.fixes.upgrade_effects import PACKAGES, Change, Upgrade
from vcompat.report.parts.formats import at
from vcompat.report.parts.wording import hardware, shell
from vcompat.rules.rule import Fix

#: What the sections are called.
CODE, SETTINGS, FAILURES = "Stops working", "Settings that do not fit", "Failures begin"
RELEASES, DEFAULTS = "Must change, too", "Defaults that change, of settings that are not set"
ENDS, LASTS = "Failures end", "Failures stay"
#: What is printed where no releases work together.
NO_SET = "No set of releases works with this"
#: Kinds of fixes that `vcompat fix` writes.
_WRITTEN = ("config", "rename", "remove")


class Subject(NamedTuple):
    """What is upgraded."""

    files: tuple[str, ...]
    """The run files, or what was named instead of them."""
    stated_by: tuple[str, ...]
    """The files of the project that state the present releases."""
    run: str
    """The run, in a line; empty if nothing is known of it."""
    arguments: tuple[str, ...]
    """The words of a command line that names the same run, without its releases."""
    present: tuple[str, ...]
    """The words that state present releases."""
    command: tuple[str, ...]
    """The words of its command; empty if files were named."""
    fails: bool
    """Whether the exit code is 1."""


def heading(upgrade: Upgrade, subject: Subject) -> str:
    """What is upgraded, from which releases to which, as one sentence."""
    asked = [f"{one.package} {one.before} -> {one.after}" for one in upgrade.changes if one.is_asked]
    rest = len(subject.files) - 2
    more = f" and {rest} more {'file' if rest == 1 else 'files'}" if rest > 0 else ""
    what = f"{', '.join(subject.files[:2])}{more}" or "this environment"
    stated = f" (the present releases are stated in {', '.join(subject.stated_by[:3])})" if subject.stated_by else ""
    if not asked:
        return f"Nothing changes for {what}: what is asked for is what it has{stated}."
    return f"Upgrade of {what}: {', '.join(asked)}{stated}, on {hardware(upgrade.facts)}."


def sections(upgrade: Upgrade) -> list[tuple[str, Sequence[Finding]]]:
    """What begins, by kind, with the title of each kind; kinds without findings are left out."""
    found = [(CODE, upgrade.code), (SETTINGS, upgrade.settings), (FAILURES, upgrade.failures)]
    return [(title, findings) for title, findings in found if findings]


def total(upgrade: Upgrade) -> str:
    """How much of each kind there is, as one sentence without its end."""
    counts = [
        (len(upgrade.code), "name that is gone", "names that are gone"),
        (len(upgrade.settings), "setting to change", "settings to change"),
        (len(upgrade.failures), "failure begins", "failures begin"),
        (len(upgrade.ends), "failure ends", "failures end"),
        (len(upgrade.lasts), "failure stays", "failures stay"),
        (sum(one.matters for one in upgrade.defaults), "default that matters changes", "defaults that matter change"),
    ]
    parts = [f"{number} {one if number == 1 else several}" for number, one, several in counts if number]
    return ", ".join(parts) or "No known failure begins"


def best(finding: Finding) -> list[Fix]:
    """The fix to show: the first that removes the failure, else the first; none if there is none."""
    return [next((fix for fix in finding.fixes if fix.removes_failure), finding.fixes[0])] if finding.fixes else []


def places(finding: Finding) -> list[str]:
    """Where the setting is, or each use of a name that is gone."""
    found = [reason.place for reason in finding.because if reason.fact == CODE_USE] or [finding.place]
    return [at(place) for place in found if place is not None and place.line]


def more(finding: Finding) -> str:
    """The command that prints more about a finding; empty if there is none."""
    if finding.rule.is_about_settings:
        return ""
    if not finding.rule.is_about_names:
        return f"vcompat explain {finding.rule.id}"
    package, use = finding.because[0].fact.removeprefix("packages."), finding.because[1].value
    name = (use if finding.subject.startswith("module ") else finding.subject).rpartition(".")[2]
    return "" if finding.fixes else f"vcompat support {package} --names {name}"


def others(upgrade: Upgrade) -> list[Change]:
    """The packages that must change, too."""
    return [change for change in upgrade.changes if not change.is_asked]


def conflicts(upgrade: Upgrade) -> list[str]:
    """Why no set of releases works: what rules the releases out that are asked for, and what they require."""
    first: dict[str, str] = {}
    asked = {change.package: change.after for change in upgrade.changes if change.is_asked}
    of_asked = tuple(f"requires another version of {package}" for package in asked)
    for pin, reason in upgrade.companions.ruled_out:
        counts = pin.version == asked[pin.package] if pin.package in asked else _decides(reason, of_asked)
        if counts and not any(reason.text in one for one in first.values()):
            first.setdefault(pin.package, reason.text if reason.text.startswith(str(pin)) else f"{pin}: {reason.text}")
    return list(first.values())


def _decides(reason: Reason, of_asked: tuple[str, ...]) -> bool:
    """Whether a reason is a rule, or that a package requires other releases of one that is asked for."""
    return bool(reason.rule) or reason.kind.endswith(of_asked)


def install(upgrade: Upgrade) -> str:
    """The command that installs what changes; empty if nothing does, or if no set of releases works."""
    if not upgrade.companions.pins or not upgrade.changes:
        return ""
    return shell("pip install", [f"{change.package}=={change.after}" for change in upgrade.changes])


def listed(changes: Sequence[DefaultChange], everything: bool) -> tuple[list[DefaultChange], int]:
    """The changed defaults to show, and how many others there are."""
    shown = [change for change in changes if change.matters or everything]
    return shown, len(changes) - len(shown)


def default(value: object) -> str:
    """A default as Python writes it, shortened."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def new_default(change: DefaultChange) -> str:
    """The new default, or that the setting is gone."""
    return "gone" if change.is_gone else default(change.after)


def next_command(upgrade: Upgrade, subject: Subject) -> str:
    """The command that a reader is likely to run next; empty if there is none.

    It writes the changes of settings; where no releases work together, it asks for the newest that do.
    """
    command = shell(" --", subject.command) if subject.command else ""
    if not upgrade.companions.pins:
        return _other_upgrade(upgrade, subject, command)
    fixes = [fix for finding in upgrade.begins if finding.place is not None for fix in finding.fixes]
    if not any(fix.kind in _WRITTEN for fix in fixes):
        return ""
    releases = [(name, upgrade.facts.value(f"packages.{name}")) for name in PACKAGES]
    stated = [f"--set packages.{name}={release}" for name, release in releases if release]
    return " ".join([shell("vcompat fix", subject.arguments), *stated]) + command


def _other_upgrade(upgrade: Upgrade, subject: Subject, command: str) -> str:
    asked = {change.package: change.after for change in upgrade.changes if change.is_asked}
    for _, pins in upgrade.companions.unasked:
        others = [pin for pin in pins if pin.package in asked]
        if any(pin.version != asked[pin.package] for pin in others):
            words = [word for pin in others for word in ("--to", f"{pin.package}=={pin.version}")]
            return shell("vcompat upgrade", [*words, *subject.arguments, *subject.present]) + command
    return ""
