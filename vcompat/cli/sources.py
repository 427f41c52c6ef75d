"""Where facts come from, as several commands take it: files of the plan, target, environment, facts by hand."""

from __future__ import annotations

import argparse
import os

from vcompat.cli.settings import split
from vcompat.evaluation.config import Config, find_config, read_config
from vcompat.sources.gather import Sources

FILES_HELP = (
    "files of the plan, told apart by their contents: a training script, a launch script, configurations of TRL, "
    "accelerate, DeepSpeed, PEFT or a model, a lock file. They are read and never run; what they name is read too"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the commands take."""
    parser.add_argument("files", nargs="*", metavar="FILE", help=FILES_HELP)
    parser.add_argument(
        "--target",
        default="",
        metavar="GPUS",
        help="judge for hardware that is not here: 8xV100-32GB, 2x8xH100 (machines x GPUs), a profile in TOML, or "
        "what `vcompat probe` saved there",
    )
    parser.add_argument(
        "--env",
        default="",
        metavar="PATH",
        help="judge for packages that are not here: requirements.txt, pylock.toml, uv.lock, poetry.lock, an export of "
        "conda, a folder of packages, an unpacked image or an archive of `docker save`",
    )
    parser.add_argument("--python", default="", metavar="PATH", help="judge for another interpreter's packages")
    parser.add_argument(
        "--set",
        dest="settings",
        action="append",
        default=[],
        metavar="FACT=VALUE",
        help="state a fact, such as packages.vllm=0.7.2, gpu.compute_capability=7.0 or plan.vllm_mode=colocate; "
        "'none' says that there is nothing (a package not installed), 'unknown' that it is not known",
    )
    parser.add_argument(
        "--facts", action="append", default=[], metavar="FILE", help="add the facts that `vcompat probe` saved"
    )
    parser.add_argument("--no-probe", action="store_true", help="do not look at this machine; judge only what is given")
    parser.add_argument(
        "--config",
        metavar="FILE",
        help="settings of the project (default: the nearest vcompat.toml or pyproject.toml with [tool.vcompat])",
    )
    parser.add_argument("--no-config", action="store_true", help="take no settings of the project")


def config_of(arguments: argparse.Namespace) -> Config:
    """The project's settings, as far as they are wanted. Raises InputError."""
    path = "" if arguments.no_config else arguments.config or find_config()
    return read_config(path) if path else Config()


def sources_of(arguments: argparse.Namespace, config: Config) -> Sources:
    """What the command line says, and the project's settings where it says nothing."""
    return Sources(
        files=arguments.files or [os.path.normpath(path) for path in config.plan],
        settings={**config.settings, **dict(split(setting) for setting in arguments.settings)},
        facts_files=arguments.facts or config.facts,
        probe=not arguments.no_probe,
        target=arguments.target or config.target,
        environment=arguments.env or ("" if arguments.python else config.environment),
        python=arguments.python or ("" if arguments.env else config.python),
    )
