"""``vcompat resolve``."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from pathlib import Path

import click
from packaging.version import InvalidVersion, Version

from vcompat.cli.shared.command_words import COMMAND_HELP, TakesCommand
from vcompat.cli.shared.options import color_option, set_option, split, target_option
from vcompat.cli.shared.terminal import say, width
from vcompat.facts.facts import bounded
from vcompat.fixes.planned_runs import runs_of
from vcompat.fixes.releases import Wish, parse_kept, recorded_releases
from vcompat.fixes.resolving import resolve
from vcompat.foundation.errors import InputError
from vcompat.foundation.version import __version__
from vcompat.foundation.writing import write_whole
from vcompat.report.parts.layout import field
from vcompat.report.upgrades import resolution
from vcompat.rules.database import load_rules
from vcompat.rules.rule import SEVERITIES
from vcompat.sources.gather import RunFacts, Sources


@click.command(cls=TakesCommand, epilog=COMMAND_HELP)
@click.option("--gpu", metavar="CAPABILITY", help="Compute capability of the GPUs, such as 7.0 or 9.0.")
@target_option
@click.option(
    "--plan",
    multiple=True,
    metavar="FILE",
    type=click.Path(),
    help="A training script or another run file; its settings are read, and it is never run. May be repeated.",
)
@click.option(
    "--keep",
    multiple=True,
    metavar="RANGE",
    help="A package that must stay, such as trl==0.18.2 or 'vllm<0.12'. May be repeated.",
)
@set_option
@click.option("--python", metavar="VERSION", help="Version of Python (default: the one that runs this).")
@click.option(
    "--threshold",
    type=click.Choice(SEVERITIES),
    default="error",
    help="Rule a set out if a certain finding has this severity or above (default: error).",
)
@click.option("--allow-patched", is_flag=True, help="Accept a failure that vcompat.patch() fixes.")
@click.option("-o", "--output", metavar="FILE", type=click.Path(), help="Write constraints for `pip install -c`.")
@click.option("--all", "everything", is_flag=True, help="Show every reason why releases are ruled out.")
@color_option
def command(
    gpu: str | None,
    target: str,
    plan: Sequence[str],
    keep: Sequence[str],
    settings: Sequence[str],
    python: str | None,
    threshold: str,
    allow_patched: bool,
    output: str | None,
    everything: bool,
    words: Sequence[str],
) -> int:
    """Choose releases of TRL, vLLM, transformers, torch and related packages for this hardware and this run.

    The result is the newest set that works together by its own metadata and that no known error rules out. Newness
    counts in this order: TRL, vLLM, transformers, torch, accelerate, peft, deepspeed. torch is assumed to be the wheel
    on the package index. What releases cannot avoid is listed: an error of the run or the hardware that remains.
    Without --gpu or --target, the hardware is this machine's. Works offline, from the recorded metadata of upstream
    releases.

    Exit code: 0; 1 if there is no such set, or if an error remains; 2 for input that cannot be used.
    """
    if gpu is not None and not all(re.fullmatch(r"\s*\d+\.\d\s*", one) for one in gpu.split(",")):
        # 'V100' is a version by PEP 440: that of capability 100.
        raise InputError(f"--gpu {gpu}", "not a compute capability", "one such as 7.0; --target takes GPUs by name")
    catalogue = recorded_releases()
    facts = dict(map(_setting, settings)) | ({"gpu.compute_capability": gpu} if gpu is not None else {})
    wish = Wish(
        runs_of(Sources(plan, facts, target=target, command=words)),
        _python(python),
        parse_kept(keep),
        threshold,
        allow_patched,
    )
    resolved = resolve(wish, catalogue, load_rules(thorough=False))
    say(resolution.render(resolved, catalogue.releases, width(), everything))
    _say_presumed(wish.runs)
    if resolved.pins and output is not None:
        text = resolution.constraints(resolved.pins, f"chosen by vcompat {__version__}{_for_what(gpu, target, plan)}")
        write_whole(Path(output), text, "a file to write the constraints to")
        # The installer adds what these require.
        named = [pin.package for pin in resolved.pins if pin.package in ("trl", "vllm", "peft", "deepspeed")]
        say(f"\nWrote {output}. Install with: {resolution.install(resolved, named, output)}")
    return 1 if resolved.left or not resolved.pins else 0


def _say_presumed(runs: Sequence[RunFacts]) -> None:
    """Print what is presumed of the runs for which releases were chosen."""
    presumes = bounded(one for run in runs for _, known in run.facts.all_known() for one in known.presumes)
    if presumes:
        say("\n".join(field("presumes", "; ".join(map(str, presumes)), width())))


def _python(text: str | None) -> Version:
    try:
        return Version(text or platform.python_version())
    except InvalidVersion:
        raise InputError(f"--python {text}", "not a version", "one such as 3.11") from None


def _setting(text: str) -> tuple[str, str]:
    name, value = split(text)
    if name.startswith("packages."):
        package = name.removeprefix("packages.")
        raise InputError(f"--set {text}", "releases are what resolve chooses", f"--keep {package}=={value}")
    return name, value


def _for_what(gpu: str | None, target: str, plan: Sequence[str]) -> str:
    text = f" for compute capability {gpu}" if gpu else ""
    text += f" for {target}" if target else ""
    return text + "".join(f" and {os.path.basename(name)}" for name in plan)
