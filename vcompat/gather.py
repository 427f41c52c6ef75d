"""Brings the facts of one run together: machine, saved facts, script, settings by hand; then what follows from them.

The later of two sources wins: what a user says outweighs what a machine shows.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from vcompat.derive import derive
from vcompat.facts import BY_HAND, Facts, parse_value, spec_of

#: What was read from an installed package says nothing of another version of it.
_OF_THE_INSTALLED = {
    "packages.vllm": ("vllm.backend", "vllm.torch_pin"),
    "packages.torch": ("torch.cuda", "torch.architectures"),
}


def gather(
    script: str | None = None,
    settings: Mapping[str, str] | None = None,
    facts_files: Iterable[str] = (),
    probe: bool = True,
) -> Facts:
    """Return all that is known about the run, and what follows from it.

    `script` is the path of a training script, `settings` maps facts to values as typed, `facts_files` are reports
    that `vcompat probe` saved. Raises InputError for any of them that cannot be used.
    """
    return derive(*collect(script, settings, facts_files, probe))


def collect(
    script: str | None = None,
    settings: Mapping[str, str] | None = None,
    facts_files: Iterable[str] = (),
    probe: bool = True,
) -> tuple[Facts, bool]:
    """The facts that `gather` starts from, and whether settings that the script leaves open have their defaults."""
    facts = Facts()
    if probe:
        from vcompat.probe.machine import probe_machine

        facts.update(probe_machine().facts)
    for path in facts_files:
        from vcompat.probe.report import read_report

        report = read_report(path)
        _forget_the_installed(facts, report.known)
        facts.update(report)
    takes_defaults = False
    if script is not None:
        from vcompat.plan.script import read_script

        read = read_script(script)
        facts.update(read.facts)
        takes_defaults = read.takes_defaults
    _forget_the_installed(facts, settings or {})
    for name, text in (settings or {}).items():
        _set(facts, name, text)
    if any(name.startswith("gpu.") for name in settings or {}):
        _offer_working_driver(facts)
    return facts, takes_defaults


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
