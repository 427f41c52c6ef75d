"""Brings the facts of one run together: machine, target, environment, plan, settings by hand; then what follows.

The later of two sources wins: what a user says outweighs what a machine shows.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from vcompat.facts.derive import derive
from vcompat.facts.facts import BY_HAND, Facts
from vcompat.facts.value import parse_value
from vcompat.facts.vocabulary import spec_of
from vcompat.sources.plan.part import NO_PLAN, Plan

if TYPE_CHECKING:
    from vcompat.sources.plan.recognise import Recognised

#: What was read from an installed package says nothing of another version of it.
_OF_THE_INSTALLED = {
    "packages.vllm": ("vllm.backend", "vllm.torch_pin"),
    "packages.torch": ("torch.cuda", "torch.architectures"),
}


class Sources(NamedTuple):
    """Where facts come from, as a user names it."""

    files: Sequence[str] = ()
    """The plan: scripts, configurations, launch scripts; also lock files, reports and profiles, told apart."""
    settings: Mapping[str, str] = {}
    """Facts, with their values as typed."""
    facts_files: Iterable[str] = ()
    """Reports that `vcompat probe` saved."""
    probe: bool = True
    """Whether this machine is looked at."""
    target: str = ""
    """Hardware that is not here."""
    environment: str = ""
    """Packages that are not here: a lock file, a folder, an image."""
    python: str = ""
    """The interpreter whose packages count."""


class Gathered(NamedTuple):
    """What is known before anything is derived."""

    facts: Facts
    plan: Plan


def gather(sources: Sources) -> Facts:
    """Return all that is known about the run, and what follows from it. Raises InputError for what cannot be used."""
    facts, plan = collect(sources)
    return derive(facts, plan.takes_defaults)


def collect(sources: Sources) -> Gathered:
    """The facts that `gather` starts from, and the plan as its files have it."""
    files = _Told(sources.files)
    targets = [sources.target] * bool(sources.target) + files.targets
    environments = [sources.environment] * bool(sources.environment) + files.environments
    reports = [*sources.facts_files, *files.reports]
    facts = _machine(sources, bool(targets)) if sources.probe else Facts()
    for target in targets:
        from vcompat.sources.target.target import read_target

        facts.update(read_target(target))
    for path in reports:
        from vcompat.sources.probe.report import read_report

        _update(facts, read_report(path))
    for path in environments:
        from vcompat.sources.environment.declared import read_environment

        _update(facts, read_environment(path))
    if environments and facts.get("torch.architectures") is None:
        from vcompat.sources.environment.wheels import state_torch_build

        state_torch_build(facts)
    if sources.python:
        from vcompat.sources.environment.installed import read_interpreter

        _update(facts, read_interpreter(sources.python))
    plan = files.read_plan(_hub() if sources.probe else "")
    facts.update(plan.facts)
    _by_hand(facts, sources.settings)
    return Gathered(facts, plan)


class _Told:
    """The files that a user named, told apart. What reads them is imported where there are any."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.targets: list[str] = []
        self.environments: list[str] = []
        self.reports: list[str] = []
        self.plan: list[Recognised] = []
        if paths:
            from vcompat.sources.plan import recognise as kinds

            others = {kinds.TARGET: self.targets, kinds.ENVIRONMENT: self.environments, kinds.FACTS: self.reports}
            for path in paths:
                file = kinds.recognise(path)
                if file.kind in others:
                    others[file.kind].append(path)
                else:
                    self.plan.append(file)

    def read_plan(self, hub: str) -> Plan:
        """What the files of the plan say; `hub` is where models are cached."""
        if not self.plan:
            return NO_PLAN
        from vcompat.sources.plan.files import read_plan

        return read_plan(self.plan, hub)


def _hub() -> str:
    """Where huggingface_hub keeps what it fetched."""
    home = os.environ.get("HF_HOME") or os.path.join(os.path.expanduser("~"), ".cache", "huggingface")
    return os.environ.get("HF_HUB_CACHE") or os.path.join(home, "hub")


def _machine(sources: Sources, has_target: bool) -> Facts:
    """This machine's facts; of one that only stands in for a target, the packages."""
    if not has_target:
        from vcompat.sources.probe.machine import probe_machine

        return probe_machine().facts
    facts = Facts()
    if not (sources.environment or sources.python):
        from vcompat.sources.probe.packages import probe_packages
        from vcompat.sources.probe.torch_build import probe_torch

        facts.update(probe_packages())
        facts.update(probe_torch())
        if facts.value("torch.cuda", "unknown") is None:
            # A build for the CPU stands in, on a machine without GPUs, for the one that the target will have.
            facts.forget("torch.cuda", "torch here is built for the CPU, and the target has GPUs")
    return facts


def _update(facts: Facts, other: Facts) -> None:
    stated = set(other.known) | ({"packages.vllm", "packages.torch"} if "packages" in other.closed else set())
    _forget_the_installed(facts, stated)
    facts.update(other)


def _by_hand(facts: Facts, settings: Mapping[str, str]) -> None:
    _forget_the_installed(facts, settings)
    for name, text in settings.items():
        _set(facts, name, text)
    if any(name.startswith("gpu.") for name in settings):
        _offer_working_driver(facts)


def _forget_the_installed(facts: Facts, stated: Container[str]) -> None:
    """Where another version of a package is stated, drop what was read from the installed one and is not stated too."""
    for package, read in _OF_THE_INSTALLED.items():
        if package in stated:
            for fact in read:
                if fact not in stated:
                    facts.known.pop(fact, None)


def _offer_working_driver(facts: Facts) -> None:
    """Who describes the GPUs by hand means a machine where they work, whatever this one answers."""
    if not facts.is_by_hand("gpu.nvml"):
        facts.set("gpu.nvml", "ok", "the GPUs are given by --set")


def _set(facts: Facts, name: str, text: str) -> None:
    where = f"--set {name}={text}"
    spec = spec_of(name, where)
    if text.strip().lower() == "unknown" and not name.startswith("env."):
        facts.forget(name, "declared unknown")
    else:
        facts.set(name, parse_value(spec, text, where), BY_HAND)
