"""The releases that must change with an upgrade: as few as possible, so that all work together."""

from __future__ import annotations

import platform
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.fixes.compatibility import Compatibility, Reason
from vcompat.fixes.evaluator import Evaluator
from vcompat.fixes.planned_runs import is_amd
from vcompat.fixes.releases import DEPENDENTS, ORDER, Catalogue, Pin, Wish
from vcompat.fixes.resolving import Resolution, resolve, resolved
from vcompat.rules.rule import Rule
from vcompat.sources.gather import RunFacts, drop_packages
from vcompat.sources.reading.packages.presumed import REQUIRED_BY

#: The packages in the order in which their releases are kept if not all can be: a change of torch is the costliest.
_KEPT_FIRST = ("torch", "vllm", "transformers", "trl", "accelerate", "peft", "deepspeed", *DEPENDENTS)


#: Why nothing is known of other packages.
_FOREIGN = "what else must change is not known: the builds on the package index are for NVIDIA GPUs"


class Companions(NamedTuple):
    """The releases that an upgrade leads to."""

    pins: tuple[Pin, ...] = ()
    """Releases that work together, of the packages that the runs need; empty if there are none."""
    why: Mapping[str, str] = {}
    """For each package whose present release does not work with these, why."""
    ruled_out: tuple[tuple[Pin, Reason], ...] = ()
    """If none work together: the releases that are ruled out, with the reasons."""
    unasked: tuple[tuple[str, tuple[Pin, ...]], ...] = ()
    """If none work together: for each range that is asked for, or package, that prevents it, the set without it."""
    unchecked: str = ""
    """Why `pins` are only those that are asked for, and what works with them is not known; empty if it is."""


def companions(
    runs: Sequence[RunFacts],
    asked: Mapping[str, SpecifierSet],
    now: Mapping[str, SpecifierSet],
    catalogue: Catalogue,
    rules: Sequence[Rule],
) -> Companions:
    """Find the newest releases in `asked` that work together, and keep those in `now` with them if possible.

    Only `rules` rule releases out. Raises InputError for a range without a release.
    """
    if any(_is_foreign(run.facts) for run in runs):
        pins = tuple(_newest(package, allowed, catalogue) for package, allowed in asked.items())
        return Companions(pins, unchecked=_FOREIGN)
    # What the project has takes part in the search, and does not become older if possible.
    oldest = {package: _in_range(package, allowed, catalogue)[0] for package, allowed in now.items()}
    free = {package: SpecifierSet(f">={pin.version}") for package, pin in oldest.items()}
    hardware = _hardware(runs, {*asked, *now})
    wish = Wish(hardware, _python(runs), {**free, **asked}, allow_patched=True, first=tuple(asked))
    newest = resolved(wish, catalogue, rules)
    if newest is None:
        # An older dependent may only lack an upper bound.
        free |= {package: SpecifierSet() for package in free if package not in DEPENDENTS}
        newest = resolve(wish._replace(kept={**free, **asked}), catalogue, rules)
    if newest.pins:
        return _with_fewest_changes(newest, wish._replace(kept=free), now, catalogue, rules)
    names = {f"{package}{range_}": package for package, range_ in free.items() if package not in asked}
    unasked = tuple((names.get(kept, kept), pins) for kept, pins in newest.without)
    return Companions(ruled_out=newest.ruled_out, unasked=unasked)


def _with_fewest_changes(
    newest: Resolution, wish: Wish, now: Mapping[str, SpecifierSet], catalogue: Catalogue, rules: Sequence[Rule]
) -> Companions:
    """Keep the releases in `now` with those of the packages asked for in `newest`: all of them, else one by one."""
    asked = [pin for pin in newest.pins if pin.package in wish.first]
    exact = {pin.package: SpecifierSet(f"=={pin.version}") for pin in asked}

    def keeping(kept: Mapping[str, SpecifierSet]) -> Resolution | None:
        trial = resolved(wish._replace(kept=kept), catalogue, rules)
        return trial if trial is not None and len(trial.left) <= len(newest.left) else None

    all_kept = keeping({**now, **exact})
    if all_kept is not None:
        return Companions(all_kept.pins)
    judge = Compatibility(wish._replace(kept={**now, **exact}), catalogue, Evaluator(wish.runs, catalogue, rules))
    best, kept, why = newest, {**wish.kept, **exact}, []
    for package in [package for package in _KEPT_FIRST if package in now and package not in wish.first]:
        trial = None
        if not all(_reason(judge, old, asked) for old in _in_range(package, now[package], catalogue)):
            trial = keeping({**kept, package: now[package]})
        if trial is None:
            why.append(_newest(package, now[package], catalogue))
        else:
            best, kept[package] = trial, now[package]
    return Companions(best.pins, {old.package: _why(judge, old, best.pins) for old in why})


def _why(judge: Compatibility, old: Pin, pins: Sequence[Pin]) -> str:
    """Return why a release does not work with `pins` of other packages."""
    others = [pin for pin in pins if pin.package != old.package]
    reason = _reason(judge, old, others) or judge.excluded((*others, old))
    return reason.text if reason is not None else "no set of releases with it was found"


def _reason(judge: Compatibility, old: Pin, others: Sequence[Pin]) -> Reason | None:
    return judge.by_itself(old) or next(filter(None, (judge.together(old, other) for other in others)), None)


def _newest(package: str, allowed: SpecifierSet, catalogue: Catalogue) -> Pin:
    return max(_in_range(package, allowed, catalogue))


def _is_foreign(facts: Facts) -> bool:
    """Whether the hardware is another than the builds on the package index are for."""
    return is_amd(facts) or facts.value("vllm.backend") not in (None, "cuda", "cpu")


def _in_range(package: str, allowed: SpecifierSet, catalogue: Catalogue) -> list[Pin]:
    return [Pin(package, one) for one in catalogue.releases[package] if allowed.contains(one, prereleases=True)]


def _hardware(runs: Sequence[RunFacts], stated: Collection[str]) -> list[RunFacts]:
    """Return the runs without what is known of their packages, of which releases are `stated`."""
    hardware = [run.presumed() for run in runs]
    for run in hardware:
        if "vllm" not in stated and run.facts.value("plan.use_vllm") is not True:
            run.facts.set("plan.use_vllm", False, "no release of vLLM is stated")
        drop_packages(run.facts)
        if run.facts.value("gpu.nvml", "ok") != "ok":
            run.facts.forget("gpu.nvml", "no GPU was found on this machine")
    return hardware


def _python(runs: Sequence[RunFacts]) -> Version:
    versions = [run.facts.value("host.python") for run in runs]
    return next((one for one in versions if isinstance(one, Version)), Version(platform.python_version()))


def present(facts: Facts, catalogue: Catalogue) -> dict[str, SpecifierSet]:
    """Return the recorded releases that a project has of the packages in `catalogue`, or among which its release is."""
    ranges = {}
    for package in catalogue.releases:
        releases = releases_of(facts, package)
        recorded = [one for one in releases if Version(one.public) in catalogue.releases[package]]
        if recorded:
            ranges[package] = SpecifierSet(f">={min(recorded).public},<={max(recorded).public}")
            if len(recorded) == 1:
                ranges[package] = SpecifierSet(f"=={recorded[0].public}")
    return ranges


def releases_of(facts: Facts, package: str) -> tuple[Version, ...]:
    """Return the release of a package, or those that it can have; none if that is not known.

    What is only presumed to come with vLLM changes with it, and is none of the project's own packages.
    """
    known, likely = facts.get(f"packages.{package}"), facts.likely(f"packages.{package}")
    if known is None and likely is not None and package not in ORDER and likely.source.startswith(REQUIRED_BY):
        return ()
    chosen = known or likely
    values = facts.candidates(f"packages.{package}") if chosen is None else (chosen.value,)
    return tuple(value for value in values if isinstance(value, Version))
