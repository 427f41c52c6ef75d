"""``vcompat resolve``."""

from __future__ import annotations

import argparse
import os
import platform
from pathlib import Path

from packaging.version import InvalidVersion, Version

from vcompat import __version__
from vcompat.cli.settings import split
from vcompat.cli.terminal import say, width
from vcompat.fixes.resolve import ORDER, Catalogue, Wish, parse_kept, resolve
from vcompat.foundation.errors import InputError
from vcompat.foundation.writing import write_whole
from vcompat.report import resolution
from vcompat.rules.database import load_rules
from vcompat.rules.rule import SEVERITIES
from vcompat.sources.gather import Sources, collect
from vcompat.upstream.verify import recorded

DESCRIPTION = """\
Say which releases of TRL, vLLM, transformers, torch and their companions to install for this hardware and this plan:
the newest that go together by their own metadata and that no known failure strikes for certain.

Newness counts in this order: TRL, vLLM, transformers, torch, accelerate, peft, deepspeed. torch is taken to be the
wheel on the package index. It works from what is recorded of upstream's releases, without network.

Exit code: 0, 1 if there is no such set, 2 for input that cannot be used.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--gpu", metavar="CAPABILITY", help="compute capability of the GPUs, such as 7.0 or 9.0")
    parser.add_argument("--target", default="", metavar="GPUS", help="the GPUs, such as 8xV100-32GB, or a profile")
    parser.add_argument(
        "--plan",
        action="append",
        default=[],
        metavar="FILE",
        help="a training script or another file of the plan; it is read for its settings and never run",
    )
    parser.add_argument(
        "--keep",
        action="append",
        default=[],
        metavar="RANGE",
        help="a package that has to stay, such as trl==0.18.2 or 'vllm<0.12' (repeat for more)",
    )
    parser.add_argument(
        "--set", dest="settings", action="append", default=[], metavar="FACT=VALUE", help="state a fact, as for check"
    )
    parser.add_argument("--python", metavar="VERSION", help="version of Python (default: the one that runs this)")
    parser.add_argument(
        "--threshold",
        choices=SEVERITIES,
        default="error",
        help="a set is out if a certain finding is of this severity or above (default: error)",
    )
    parser.add_argument("--allow-patched", action="store_true", help="accept a failure that vcompat.patch() settles")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write constraints for `pip install -c`")


def run(arguments: argparse.Namespace) -> int:
    """Resolve, and print or write the set."""
    view = recorded(ORDER)
    found = resolve(_wish(arguments), Catalogue(view.releases, view.declares, view.yanked), load_rules(thorough=False))
    say(resolution.render(found, view.releases, width()))
    if not found.pins:
        return 1
    text = resolution.constraints(found.pins, f"chosen by vcompat {__version__}{_for_what(arguments)}")
    if arguments.output is None:
        say(f"\n{text}".rstrip())
    else:
        write_whole(arguments.output, text)
        say(f"\nwritten: {arguments.output}; install with: pip install -c {arguments.output} vllm trl")
    return 0


def _wish(arguments: argparse.Namespace) -> Wish:
    settings = dict(_setting(setting) for setting in arguments.settings)
    if arguments.gpu is not None:
        settings["gpu.compute_capability"] = arguments.gpu
    facts, plan = collect(Sources(arguments.plan, settings, probe=False, target=arguments.target))
    if facts.get("plan.use_vllm") is None and not arguments.plan:
        facts.set("plan.use_vllm", True, "no plan says otherwise")
    try:
        python = Version(arguments.python or platform.python_version())
    except InvalidVersion:
        raise InputError(f"--python {arguments.python}", "no version", "one such as 3.11") from None
    kept = parse_kept(arguments.keep)
    return Wish(facts, plan.takes_defaults, python, kept, arguments.threshold, arguments.allow_patched)


def _setting(text: str) -> tuple[str, str]:
    name, value = split(text)
    if name.startswith("packages."):
        package = name.removeprefix("packages.")
        raise InputError(f"--set {text}", "releases are what is looked for", f"--keep {package}=={value}")
    return name, value


def _for_what(arguments: argparse.Namespace) -> str:
    gpu = f" for compute capability {arguments.gpu}" if arguments.gpu else ""
    gpu += f" for {arguments.target}" if arguments.target else ""
    return gpu + ("".join(f" and {os.path.basename(path)}" for path in arguments.plan))
