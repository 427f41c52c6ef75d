"""``vcompat resolve``."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from pathlib import Path

import click
from packaging.version import InvalidVersion, Version

from vcompat.cli.options import color_option, set_option, split, target_option
from vcompat.cli.terminal import say, width
from vcompat.fixes.resolve import ORDER, Catalogue, Wish, parse_kept, resolve
from vcompat.foundation.errors import InputError
from vcompat.foundation.version import __version__
from vcompat.foundation.writing import write_whole
from vcompat.report import resolution
from vcompat.rules.database import load_rules
from vcompat.rules.rule import SEVERITIES
from vcompat.sources.gather import Sources, collect
from vcompat.upstream.verify import recorded


@click.command()
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
) -> int:
    """Choose releases of TRL, vLLM, transformers, torch and related packages for this hardware and this run.

    The result is the newest set that works together by its own metadata and that no known error rules out. What other
    releases cannot avoid is listed. Newness counts in this order: TRL, vLLM, transformers, torch, accelerate, peft,
    deepspeed. torch is assumed to be the wheel on the package index. Works offline, from the recorded metadata of
    upstream releases.

    Exit code: 0, 1 if there is no such set, 2 for input that cannot be used.
    """
    if gpu is not None and not all(re.fullmatch(r"\s*\d+\.\d\s*", one) for one in gpu.split(",")):
        # 'V100' is a version by PEP 440: that of capability 100.
        raise InputError(f"--gpu {gpu}", "not a compute capability", "one such as 7.0; --target takes GPUs by name")
    view = recorded(ORDER)
    facts = dict(map(_setting, settings)) | ({"gpu.compute_capability": gpu} if gpu is not None else {})
    wish = _wish(plan, facts, target, python)._replace(
        kept=parse_kept(keep), threshold=threshold, allow_patched=allow_patched
    )
    found = resolve(wish, Catalogue(view.releases, view.declares, view.yanked), load_rules(thorough=False))
    say(resolution.render(found, view.releases, width()))
    if not found.pins:
        return 1
    text = resolution.constraints(found.pins, f"chosen by vcompat {__version__}{_for_what(gpu, target, plan)}")
    if output is None:
        say(f"\n{text}".rstrip())
    else:
        write_whole(Path(output), text, "a file to write the constraints to")
        say(f"\nWrote {output}. Install with: pip install -c {output} vllm trl")
    return 0


def _wish(plan: Sequence[str], settings: dict[str, str], target: str, python: str | None) -> Wish:
    facts, read, _ = collect(Sources(plan, settings, probe=False, target=target))
    if facts.get("plan.use_vllm") is None and not plan:
        facts.set("plan.use_vllm", True, "assumed, since no run file is given")
    try:
        version = Version(python or platform.python_version())
    except InvalidVersion:
        raise InputError(f"--python {python}", "not a version", "one such as 3.11") from None
    return Wish(facts, read.takes_defaults, version, {})


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
