"""What changes for the runs of a project if it takes other releases: failures that begin and end, and defaults."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from vcompat.evaluation.checking import today
from vcompat.evaluation.config import Config
from vcompat.evaluation.evaluate import evaluate_runs
from vcompat.evaluation.finding import POSSIBLE, Finding
from vcompat.evaluation.judgement import judge, read_baseline
from vcompat.evaluation.nearest import with_values
from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts, Likely
from vcompat.facts.presumption import RELEASE, Presumption
from vcompat.facts.value import show_candidates
from vcompat.fixes.companions import Companions, companions, present, releases_of
from vcompat.fixes.default_changes import DefaultChange, default_changes
from vcompat.fixes.releases import DEPENDENTS, ORDER, Catalogue, Pin, check_kept, recorded_releases
from vcompat.foundation.errors import InputError
from vcompat.rules.rule import Fix, Rule
from vcompat.sources.gather import Gathered, RunFacts, set_by_hand
from vcompat.sources.reading.runs import in_common

#: The packages that an upgrade can change.
PACKAGES = (*ORDER, *DEPENDENTS)
#: Packages that are compiled for one release of torch.
_COMPILED = ("flash-attn", "xformers")
#: Builds of torch and vLLM that an upgrade does not change.
_BUILDS = ("cpu", "rocm", "xpu")


class Change(NamedTuple):
    """A package with its present and its new release."""

    package: str
    before: str
    """As text: a release, or those that it can be; empty if none is stated."""
    after: Version
    is_asked: bool
    why: str = ""
    """Why the present release cannot stay, if its change is not asked for."""


class Upgrade(NamedTuple):
    """What an upgrade changes."""

    changes: tuple[Change, ...]
    """Those that are asked for first."""
    stays: tuple[tuple[str, str], ...]
    """The other packages in ORDER with their releases, as text, if these are recorded."""
    rebuilt: tuple[tuple[str, str], ...]
    """Packages with their releases, as text, that are compiled for the present torch, which changes."""
    companions: Companions
    begins: tuple[Finding, ...]
    """Certain and likely findings of the new releases that the present ones do not have, the worst first."""
    ends: tuple[Finding, ...]
    """Certain and likely findings of the present releases that the new ones do not have."""
    lasts: tuple[Finding, ...]
    """Certain and likely findings of both."""
    defaults: tuple[DefaultChange, ...]
    facts: Facts
    """What the runs have in common, with the new releases."""

    @property
    def code(self) -> tuple[Finding, ...]:
        """What begins: names and arguments that the code uses and that are gone."""
        return tuple(finding for finding in self.begins if finding.rule.is_about_names)

    @property
    def settings(self) -> tuple[Finding, ...]:
        """What begins: settings that do not exist any more, or whose values are refused."""
        return tuple(finding for finding in self.begins if finding.rule.is_about_settings)

    @property
    def failures(self) -> tuple[Finding, ...]:
        """What begins beside `code` and `settings`."""
        return tuple(one for one in self.begins if not one.rule.has_subjects)

    def breaks(self, config: Config) -> bool:
        """Whether a failure of severity error begins, by a project's settings, or no releases work together."""
        failing = (finding.reaches("error", config.strict, config.fail_on_likely) for finding in self.begins)
        return not self.companions.pins or any(failing)


def upgrade(
    gathered: Gathered,
    config: Config,
    rules: tuple[Rule, ...],
    asked: Mapping[str, SpecifierSet],
    stated: Iterable[Pin] = (),
) -> Upgrade:
    """Compare the present releases with the newest in `asked`, and with what must change with them.

    `stated` are present releases that the project does not state. Raises InputError for a range in `asked` without a
    release, and for a package in it whose present release is not known.
    """
    catalogue = recorded_releases(PACKAGES)
    check_kept(asked, catalogue, "--to")
    now = [_with(run, stated, catalogue) for run in gathered.runs]
    common = in_common([(run.name, run.facts) for run in now])
    _check_known(common, asked)
    before = _Evaluated.of(now, config, rules)
    has = present(common, catalogue)
    asked = {package: _newer(package, allowed, has, catalogue) for package, allowed in asked.items()}
    together = companions(now, asked, has, catalogue, _deciding(rules, before))
    together = together._replace(why={**together.why, **dict(_too_old(common, has, together.pins, catalogue))})
    changes = _changes(common, asked, together, catalogue)
    pins = [Pin(change.package, change.after) for change in changes]
    after = _Evaluated.of([_with(run, pins, catalogue) for run in now], config, rules)
    changed = {change.package for change in changes}
    still = {finding.name for finding in after.findings}
    return Upgrade(
        tuple(changes),
        tuple(_staying(common, has.keys() - changed, together)),
        tuple(_listed(common, _COMPILED if "torch" in changed else ())),
        together,
        tuple(_forward(finding, changes, catalogue) for finding in _begun(before, after, together)),
        tuple(finding for finding in before.applying if finding.name not in still),
        tuple(finding for finding in after.applying if finding.name in before.names),
        tuple(default_changes(before.facts, after.facts)),
        in_common(after.facts),
    )


class _Evaluated(NamedTuple):
    """The runs with the present releases or with the new ones, and what applies to them."""

    facts: list[tuple[str, Facts]]
    findings: list[Finding]
    """Those that no patch of the run fixes and that the project neither suppresses nor accepts."""

    @staticmethod
    def of(runs: Sequence[RunFacts], config: Config, rules: tuple[Rule, ...]) -> _Evaluated:
        facts = [(run.name, derive(run.facts, run.takes_defaults)) for run in runs]
        accepted = read_baseline(config.baseline) if config.baseline else frozenset()
        every = with_values(evaluate_runs(rules, facts), rules, runs)
        kept = judge(every, rules, config.suppressions, accepted, today).findings
        return _Evaluated(facts, [finding for finding in kept if not finding.fixed_by])

    @property
    def applying(self) -> list[Finding]:
        """The certain and likely ones."""
        return [finding for finding in self.findings if finding.certainty != POSSIBLE]

    @property
    def names(self) -> set[str]:
        """Those of `applying`."""
        return {finding.name for finding in self.applying}


def _deciding(rules: Iterable[Rule], before: _Evaluated) -> list[Rule]:
    """Return the rules that rule releases out: a failure that the runs have already is none of an upgrade."""
    had = {finding.rule.id for finding in before.applying}
    return [rule for rule in rules if not (rule.has_subjects or rule.id in had)]


def _too_old(
    facts: Facts, present: Container[str], pins: Iterable[Pin], catalogue: Catalogue
) -> Iterator[tuple[str, str]]:
    """Yield packages whose release is not recorded and that the metadata of `pins` rules out, with that metadata."""
    for package in [name for name in PACKAGES if name not in present]:
        for pin in pins:
            said = catalogue.declares[pin.package].get(package, {}).get(pin.version, "")
            if not all(SpecifierSet(said).contains(one, prereleases=True) for one in releases_of(facts, package)):
                yield package, f"{pin} requires {package}{said}"


def _newer(
    package: str, allowed: SpecifierSet, present: Mapping[str, SpecifierSet], catalogue: Catalogue
) -> SpecifierSet:
    """Return a range without releases that are older than the present one, unless it is exact or has no others."""
    if package not in present or any(part.operator.startswith("==") for part in allowed):
        return allowed
    now = min(present[package].filter(catalogue.releases[package], prereleases=True))
    newer = allowed & SpecifierSet(f">={now}")
    return newer if any(newer.filter(catalogue.releases[package], prereleases=True)) else allowed


def _begun(before: _Evaluated, after: _Evaluated, together: Companions) -> Iterator[Finding]:
    """Yield what begins, once; where no releases work together, only what the code and the settings make fail."""
    had, seen = before.names, set()
    for finding in after.applying:
        counts = together.pins or finding.rule.has_subjects
        if counts and finding.name not in had and (finding.failure, finding.place) not in seen:
            seen.add((finding.failure, finding.place))
            yield finding


def _check_known(facts: Facts, asked: Iterable[str]) -> None:
    """Raise InputError for a package whose present release is not known."""
    for package in asked:
        if len(releases_of(facts, package)) != 1:
            candidates = facts.candidates(f"packages.{package}")
            reason = f"it is one of {show_candidates(candidates)}" if candidates else "nothing states it"
            expected = f"--from {package}==VERSION with the release that is installed"
            raise InputError(f"--to {package}", f"the release that the project has is not known: {reason}", expected)


def _changes(
    facts: Facts, asked: Mapping[str, SpecifierSet], together: Companions, catalogue: Catalogue
) -> list[Change]:
    """Return the packages that change; without a set that works, only those that are asked for."""
    pins = {pin.package: pin.version for pin in together.pins}
    for package, allowed in asked.items() if not pins else ():
        pins[package] = max(allowed.filter(catalogue.releases[package], prereleases=True))
    changes = []
    why = dict(together.why)
    if "vllm" in pins and not releases_of(facts, "vllm") and facts.presumed().value("plan.use_vllm") is True:
        why["vllm"] = "the run uses it, and nothing states its release"
    for package in [*asked, *(name for name in PACKAGES if name in why and name not in asked)]:
        releases = [one.public for one in releases_of(facts, package)]
        if package in pins and pins[package].public not in releases:
            before = _shown(facts, package)
            changes.append(Change(package, before, pins[package], package in asked, why.get(package, "")))
    return changes


def _staying(facts: Facts, packages: Container[str], together: Companions) -> Iterator[tuple[str, str]]:
    """Yield packages with the release that they have, or with one of those that they can have that works."""
    working = {pin.package: pin.version for pin in together.pins}
    ordered = [name for name in ORDER if name in packages and working and not together.unchecked]
    for package, shown in _listed(facts, ordered):
        is_one = len(releases_of(facts, package)) == 1 or package not in working
        yield package, shown if is_one else f"{working[package]} (of {shown})"


def _listed(facts: Facts, packages: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield those of `packages` of which releases are known, with these."""
    return ((package, _shown(facts, package)) for package in packages if releases_of(facts, package))


def _shown(facts: Facts, package: str) -> str:
    return show_candidates(releases_of(facts, package))


def _forward(finding: Finding, changes: Iterable[Change], catalogue: Catalogue) -> Finding:
    """Return a finding without fixes that undo a change, unless it has no others and its headline does not say it."""
    undone = {change.package: change.after for change in changes}

    def is_forward(fix: Fix) -> bool:
        after = undone.get(fix.details["package"]) if fix.kind == "version" and "range" in fix.details else None
        if after is None:
            return True
        releases = catalogue.releases[fix.details["package"]]
        return any(one > after for one in SpecifierSet(fix.details["range"]).filter(releases, prereleases=True))

    forward = tuple(filter(is_forward, finding.fixes))
    return finding._replace(fixes=forward if forward or finding.rule.is_about_names else finding.fixes)


def _with(run: RunFacts, pins: Iterable[Pin], catalogue: Catalogue) -> RunFacts:
    """Return a run with other releases. Builds for other hardware than NVIDIA's GPUs stay what they are."""
    facts = run.facts.copy()
    for package, version in pins:
        old, backend = facts.value(f"packages.{package}"), facts.get("vllm.backend")
        local = old.local if isinstance(old, Version) and old.local in _BUILDS else ""
        set_by_hand(facts, {f"packages.{package}": f"{version.public}+{local}" if local else str(version)})
        if package == "torch" and not local:
            _presume_build(facts, version, catalogue)
        if package == "vllm" and backend is not None:
            facts.set("vllm.backend", *backend)
    return run._replace(facts=facts)


def _presume_build(facts: Facts, torch: Version, catalogue: Catalogue) -> None:
    """Make likely that torch is the wheel on the package index."""
    declares = catalogue.declares.get("torch", {})
    cuda, architectures = (declares.get(what, {}).get(torch, "") for what in ("cuda", "architectures"))
    if not (cuda and architectures) or facts.value("host.machine", "x86_64") != "x86_64":
        return
    source = f"wheel of torch {torch}"
    presumes = (Presumption(RELEASE, f"torch {torch} is the wheel on the package index"),)
    facts.set_likely("torch.cuda", Likely(Version(cuda), source, None, presumes))
    facts.set_likely("torch.architectures", Likely(tuple(architectures.split(",")), source, None, presumes))
