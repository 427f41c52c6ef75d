"""Combines the facts of one run: machine, target, environment, run files and ``--set``; then derives further facts.

A later source overrides an earlier one, so that what a user sets overrides what is read from the machine.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from packaging.version import Version

from vcompat.facts.derive import derive
from vcompat.facts.facts import BY_HAND, UNKNOWN_BY_HAND, Facts, Known, Likely
from vcompat.facts.value import parse_stated
from vcompat.facts.vocabulary import spec_of_stated
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.runs import in_common
from vcompat.sources.reading.whole import NO_PLAN, Plan, Run

if TYPE_CHECKING:
    from vcompat.sources.reading.packages.platforms import Runtime
    from vcompat.sources.reading.python.values.core import Gpus
    from vcompat.sources.reading.recognize import Recognized

#: Facts that are read from an installed package. They do not hold for another version of it.
_READ_FROM_INSTALLED = {
    "packages.vllm": ("vllm.backend", "vllm.torch_pin", "vllm.cuda", "vllm.architectures"),
    "packages.torch": ("torch.cuda", "torch.architectures", "gpu.vendor"),
    "packages.bitsandbytes": ("bitsandbytes.cuda_versions",),
}
#: The packages of which this machine must have one, so that it counts as what the run uses.
_MAIN = ("torch", "vllm", "trl")
#: What kernels are compiled with at run time, and the part of it that belongs to an interpreter.
_TOOLS = ("host.c_compiler", "host.cuda_toolkit", "host.ninja", "host.python_headers")
_TOOLS_OF_PYTHON = ("host.ninja", "host.python_headers")


#: As the path of an environment: none, also not that of the project.
NO_ENVIRONMENT = "none"


class Sources(NamedTuple):
    """The sources that a user names."""

    files: Sequence[str] = ()
    """Run files; also lock files, probe reports and cluster profiles. The kind is detected by content."""
    settings: Mapping[str, str] = {}
    """The facts of ``--set``, with their values as text."""
    facts_files: Iterable[str] = ()
    """Reports of `vcompat probe`."""
    probe: bool = True
    """Whether to probe this machine."""
    target: str = ""
    """The hardware to check for instead of this machine's."""
    environment: str = ""
    """The packages to check for: a lock file, a folder or an image."""
    python: str = ""
    """The interpreter whose packages to check."""
    project: bool = True
    """Whether the releases come from the project of the run files, where nothing else states any."""
    newest: bool = False
    """Whether the environment is made anew, with the newest releases that the files allow."""
    packages: bool = True
    """Whether packages count that no environment states: those of this machine, or of a target's description."""
    command: Sequence[str] = ()
    """The words of a command that starts the run."""
    folder: str = ""
    """The folder in which `command` is started, relative to the current one."""
    patched: Sequence[str] | None = None
    """The patches that `vcompat run` applies in each Python process of `command`; None if another program starts it."""
    hook: str = ""
    """The folder on PYTHONPATH by which it does, on this machine; empty if `command` is only followed."""


class RunFacts(NamedTuple):
    """The facts of one run before derivation."""

    name: str
    """The position of its command; empty if there is one run."""
    command: str
    facts: Facts
    takes_defaults: bool

    def presumed(self) -> RunFacts:
        """Return the run with its likely facts taken for known."""
        facts = self.facts.presumed()
        takes_defaults = self.takes_defaults or facts.whole is not None
        facts.whole = facts.likely_stated = None
        facts.stated = tuple(one._replace(presumes=()) for one in facts.stated)
        facts.uses = tuple(one._replace(presumes=()) for one in facts.uses)
        return self._replace(facts=facts, takes_defaults=takes_defaults)


class Gathered(NamedTuple):
    """The facts that all runs share, before derivation, the plan, and each run."""

    facts: Facts
    plan: Plan
    runs: tuple[RunFacts, ...] = ()
    stated_by: tuple[str, ...] = ()
    """The files of the project that state the releases; empty if something else does."""


def gather(sources: Sources) -> Facts:
    """Return all facts of the run, including derived ones. Raises InputError for a source that cannot be read."""
    gathered = collect(sources)
    return derive(gathered.facts, gathered.plan.takes_defaults)


def collect(sources: Sources, around: Facts | None = None) -> Gathered:
    """Return the facts without derived ones, and the plan. Raises InputError for a source that cannot be read.

    `around`, from `surroundings`, saves asking the machine and the packages again.
    """
    files = _Files(sources.files)
    facts = _surroundings(sources, files) if around is None else around.copy()
    plan = files.read_plan(sources, bool(sources.target or files.targets), facts)
    stated_by = _add_project(facts, sources, files, plan)
    if plan.runs and not stated_by:
        _leave_packages_open(facts, sources, files)
    if sources.patched is not None:
        _add_patches(facts, sources.patched)
    if len(plan.runs) < 2:
        run = plan.runs[0] if plan.runs else Run("", "", Facts(), False)
        _add_run(facts, run, sources.settings)
        return Gathered(facts, plan, (RunFacts("", run.command, facts, run.takes_defaults),), stated_by)
    runs = tuple(RunFacts(run.name, run.command, facts.copy(), run.takes_defaults) for run in plan.runs)
    for each, run in zip(runs, plan.runs, strict=True):
        _add_run(each.facts, run, sources.settings)
    return Gathered(in_common([(each.name, each.facts) for each in runs]), plan, runs, stated_by)


def _add_project(facts: Facts, sources: Sources, files: _Files, plan: Plan) -> tuple[str, ...]:
    """Add the releases that the project of the run files states, if nothing else states any. Return its files."""
    others = (sources.environment, sources.python, sources.facts_files, files.environments, files.reports)
    # A command that names no file is one of the project in whose folder it is started.
    run_files = plan.files or ((os.path.join(os.curdir, "command"),) if sources.command else ())
    if any(others) or not (sources.project and sources.packages and run_files):
        _check_newest(sources, bool(sources.environment or files.environments))
        return ()
    if not sources.newest and any(facts.value(f"packages.{name}") is not None for name in _MAIN):
        return ()
    from vcompat.sources.reading.packages.project_releases import find_project

    project = find_project(run_files, _runtime(facts, sources), _needed(plan) if sources.newest else ())
    if project is None:
        _check_newest(sources, False)
        return ()
    drop_packages(facts)
    _leave_tools_open(facts, _TOOLS)
    override(facts, project.facts)
    return project.files


def _leave_packages_open(facts: Facts, sources: Sources, files: _Files) -> None:
    """Make this machine's packages unknown if torch, vLLM and TRL are not among them: the run has another environment.

    So it is where vcompat has an environment of its own, and in CI.
    """
    named = (sources.environment, sources.python, sources.facts_files, files.environments, files.reports)
    if any(named) or any(facts.value(f"packages.{name}") is not None for name in _MAIN):
        return
    drop_packages(facts)
    _leave_tools_open(facts, _TOOLS_OF_PYTHON)


#: The packages that a run needs without importing them, by the fact that says so.
_NEEDED = {"plan.use_vllm": "vllm", "plan.peft": "peft", "plan.deepspeed": "deepspeed"}


def _needed(plan: Plan) -> list[str]:
    """Return the packages that the runs need without importing them."""
    facts = [run.facts.presumed() for run in plan.runs] or [plan.facts.presumed()]
    return [package for name, package in _NEEDED.items() if any(each.value(name) for each in facts)]


def _add_patches(facts: Facts, patched: Sequence[str]) -> None:
    """Add the patches that `vcompat run` applies to those that are installed."""
    installed = facts.value("host.patched")
    both = (*patched, *(installed if isinstance(installed, tuple) else ()))
    facts.set("host.patched", tuple(dict.fromkeys(map(str, both))), "vcompat run")


def _check_newest(sources: Sources, has_environment: bool) -> None:
    """Raise InputError if --newest has nothing to choose from."""
    if sources.newest and not has_environment:
        expected = "a run file beside requirements.txt, pyproject.toml or alike, or --env with such a file"
        raise InputError("--newest", "no file of the run's project states packages", expected)


def surroundings(sources: Sources) -> Facts:
    """Return the facts that no run file states: those of the machine, the target, the packages and the reports.

    Raises InputError for a source that cannot be read.
    """
    return _surroundings(sources, _Files(sources.files))


def _surroundings(sources: Sources, files: _Files) -> Facts:
    targets = [sources.target] * bool(sources.target) + files.targets
    environments = [sources.environment] * bool(sources.environment) + files.environments
    reports = [*sources.facts_files, *files.reports]
    facts = _machine(sources, bool(targets)) if sources.probe else Facts()
    for target in targets:
        from vcompat.sources.targets.target import read_target

        facts.update(read_target(target))
    for path in reports:
        from vcompat.sources.probe.probe_report import read_report

        override(facts, read_report(path))
    backend_of_target = facts.get("vllm.backend") if targets else None
    if environments or sources.python or not sources.packages:
        drop_packages(facts)
        _leave_tools_open(facts, _TOOLS if environments else _TOOLS_OF_PYTHON if sources.python else ())
    for path in environments:
        from vcompat.sources.reading.packages.declared import read_environment

        override(facts, read_environment(path, _runtime(facts, sources)))
    if sources.python:
        from vcompat.sources.reading.packages.installed import read_interpreter

        override(facts, read_interpreter(sources.python))
    _fit_to_amd(facts, backend_of_target)
    return facts


def _add_run(facts: Facts, run: Run, settings: Mapping[str, str]) -> None:
    """Add what the run files say about a run to the facts of the machine, then what ``--set`` says."""
    before = {name: facts.get(name) for name in run.overridable}
    facts.update(run.facts)
    for name, place in run.overridable.items():
        known = before[name]
        if known is None:
            ours, reason = run.facts.get(name), f"{place}: set only if the caller has not set it"
            facts.forget(name, reason, place)
            if ours is not None:
                # Imported here: without run files, nothing is presumed.
                from vcompat.facts.presumption import CALLER, Presumption

                presumes = (Presumption(CALLER, f"the caller does not set {name.removeprefix('env.')}", place),)
                facts.set_likely(name, Likely(ours.value, ours.source, ours.place, presumes, reason, place))
        elif known.value is not None:
            facts.set(name, *known)
    set_by_hand(facts, settings)
    if "plan.model" in settings:
        _describe_model(facts)


def _describe_model(facts: Facts) -> None:
    """Derive from the name of a model that the user states what the name of one in a script states."""
    from vcompat.sources.reading.configurations.model_config import state_name

    before = [name for name, known in facts.all_known() if name.startswith("plan.model_") and known.source != BY_HAND]
    for name in (
        *before,
        "plan.attention_heads",
        "plan.key_value_heads",
        "plan.head_size",
        "plan.linear_sizes",
        "plan.vocabulary_size",
    ):
        if not facts.is_by_hand(name):
            facts.drop_known(name)
    model = facts.value("plan.model")
    if isinstance(model, str):
        state_name(facts, model, None, BY_HAND)


class _Files:
    """The files that a user named, by kind. The readers are imported only if there are files."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.targets: list[str] = []
        self.environments: list[str] = []
        self.reports: list[str] = []
        self.plan: list[Recognized] = []
        if paths:
            from vcompat.sources.reading import recognize as kinds

            others = {kinds.TARGET: self.targets, kinds.ENVIRONMENT: self.environments, kinds.FACTS: self.reports}
            for path in paths:
                file = kinds.recognize(path)
                if file.kind in others:
                    others[file.kind].append(path)
                else:
                    self.plan.append(file)

    def read_plan(self, sources: Sources, has_target: bool, around: Facts) -> Plan:
        """Read the run files and the command; with `probe`, also what the user's home on this machine has for them.

        Conditions in scripts follow the GPUs `around` them.
        """
        if not self.plan and not sources.command:
            return NO_PLAN
        from vcompat.sources.reading.files import ELSEWHERE, Command, Home, read_plan

        command = Command(sources.command, sources.hook, sources.folder) if sources.command else None
        if not sources.probe:
            return read_plan(self.plan, ELSEWHERE._replace(gpus=_gpus(around, sources.settings)), command)
        default = os.path.join(_home(), "accelerate", "default_config.yaml")
        home = Home(_hub(), None if has_target else default, _gpus(around, sources.settings))
        return read_plan(self.plan, home, command)


def _gpus(around: Facts, settings: Mapping[str, str]) -> Gpus:
    """Return the GPUs that the run is checked for; ``--set`` states them, too."""
    from vcompat.sources.reading.python.values.core import Gpus

    stated = around.copy()
    set_by_hand(stated, {name: text for name, text in settings.items() if name.startswith(("gpu.", "torch."))})
    count, capabilities = stated.value("gpu.count"), stated.value("gpu.compute_capability")
    every = {one for one in capabilities if isinstance(one, Version)} if isinstance(capabilities, tuple) else set()
    return Gpus(
        count if isinstance(count, int) else None,
        every.pop() if len(every) == 1 else None,
        isinstance(stated.value("torch.cuda"), Version),
    )


def _home() -> str:
    """Return the folder in which Hugging Face's libraries keep what belongs to the user."""
    return os.environ.get("HF_HOME") or os.path.join(os.path.expanduser("~"), ".cache", "huggingface")


def _hub() -> str:
    """Return the folder in which huggingface_hub caches models."""
    return os.environ.get("HF_HUB_CACHE") or os.path.join(_home(), "hub")


def _machine(sources: Sources, has_target: bool) -> Facts:
    """Return the facts of this machine; only its packages if there is a target."""
    if not has_target:
        from vcompat.sources.probe.machine import probe_machine

        return probe_machine().facts
    facts = Facts()
    if sources.packages and not (sources.environment or sources.python):
        from vcompat.sources.probe.builds.bitsandbytes_build import probe_bitsandbytes
        from vcompat.sources.probe.builds.torch_build import probe_torch
        from vcompat.sources.probe.builds.vllm_build import probe_vllm
        from vcompat.sources.probe.installed_packages import probe_packages
        from vcompat.sources.probe.installed_patches import probe_installed_patches

        facts.update(probe_packages())
        facts.update(probe_torch())
        facts.update(probe_vllm())
        facts.update(probe_bitsandbytes())
        facts.update(probe_installed_patches())
        if facts.value("torch.cuda", "unknown") is None:
            # People check a GPU target from a machine without GPUs, where a CPU build of torch is installed.
            facts.forget("torch.cuda", "the installed torch is a CPU build, but the target has GPUs")
    return facts


def drop_packages(facts: Facts) -> None:
    """Drop the packages of this machine: the run uses others, and those that no file lists are unknown."""
    facts.reopen("packages")
    facts.drop_known("host.patched")
    for name in facts.names():
        if name.startswith(("packages.", "torch.", "vllm.", "bitsandbytes.")):
            facts.drop(name)


def _leave_tools_open(facts: Facts, names: Iterable[str]) -> None:
    """Make the tools of this machine unknown: a declared environment, such as an image, may have others."""
    for name in names:
        if facts.recorded(name) is not None:
            facts.forget(name, "found on this machine, not in the environment to check")


def _runtime(facts: Facts, sources: Sources) -> Runtime:
    """Return the machine and the Python for which the packages are installed; ``--set`` states them, too."""
    from vcompat.sources.reading.packages.platforms import Runtime

    stated, releases = facts.copy(), Facts()
    for name, text in sources.settings.items():
        if name in ("host.machine", "host.python", "gpu.name"):
            _set(stated, name, text)
        elif name.startswith("packages."):
            _set(releases, name, text)
    machine, python, gpus = (stated.value(name) for name in ("host.machine", "host.python", "gpu.name"))
    return Runtime(
        machine if isinstance(machine, str) else None,
        python if isinstance(python, Version) else None,
        tuple(map(str, gpus)) if isinstance(gpus, tuple) else (),
        sources.newest,
        releases,
    )


def _fit_to_amd(facts: Facts, backend_of_target: Known | None) -> None:
    """Correct the facts of a run on AMD GPUs, which use neither a CUDA build of torch nor one of vLLM."""
    if backend_of_target is None or backend_of_target.value != "rocm":
        return
    if facts.recorded("vllm.backend") is None:
        facts.set("vllm.backend", *backend_of_target)
    if isinstance(facts.value("torch.cuda"), Version):
        for name in ("torch.cuda", "torch.architectures"):
            facts.forget(name, "the declared torch is a build for CUDA, but the target has AMD GPUs")


def override(facts: Facts, other: Facts) -> None:
    """Merge `other`; what was read from an installed package does not hold for another version of it."""
    stated = {name for name in other.names() if "." in name}
    stated |= _READ_FROM_INSTALLED.keys() if "packages" in other.closed else set()
    _forget_installed(facts, stated)
    facts.update(other)


def set_by_hand(facts: Facts, settings: Mapping[str, str]) -> None:
    """Set facts as ``--set`` states them. Raises InputError for one that does not exist or has another type."""
    _forget_installed(facts, settings)
    for name, text in settings.items():
        _set(facts, name, text)
    if any(name.startswith("gpu.") for name in settings):
        _assume_working_driver(facts)


def _forget_installed(facts: Facts, stated: Container[str]) -> None:
    """Drop the facts that were read from an installed package if `stated` replaces its version but not those facts."""
    for package, read in _READ_FROM_INSTALLED.items():
        if package in stated:
            for fact in read:
                if fact not in stated:
                    facts.drop(fact)


def _assume_working_driver(facts: Facts) -> None:
    """Set NVML's status to ok: GPUs that a user describes with ``--set`` work, even if this machine has none."""
    if not facts.is_by_hand("gpu.nvml"):
        facts.set("gpu.nvml", "ok", "assumed, since --set describes the GPUs")


def _set(facts: Facts, name: str, text: str) -> None:
    where = f"--set {name}={text}"
    spec = spec_of_stated(name, where)
    if text.strip().lower() == "unknown":
        facts.forget(name, UNKNOWN_BY_HAND)
    else:
        facts.set(name, parse_stated(spec, text, where), BY_HAND)
