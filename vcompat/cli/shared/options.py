"""Options that several commands take, and what the shell completes for them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from vcompat.evaluation.config import Config, find_config, read_config
from vcompat.foundation.errors import InputError
from vcompat.sources.gather import NO_ENVIRONMENT, Sources

F = TypeVar("F", bound=Callable[..., Any])

FILES_HELP = (
    "RUN FILES are detected by content: training scripts, notebooks, launch scripts, Dockerfiles,"
    " configurations of TRL, accelerate, DeepSpeed,"
    " PEFT or a model, lock files. They are read and never run; files that they name are read, too."
)


def _set_color(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    """Set colors by the option, else off if NO_COLOR is set, else on if the output is a terminal."""
    if value in ("always", "never"):
        ctx.color = value == "always"
    elif value == "auto" or (ctx.color is None and not os.environ.get("NO_COLOR")):
        ctx.color = None
    elif ctx.color is None:
        ctx.color = False


color_option = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    expose_value=False,
    callback=_set_color,
    help="When to color the output (default: auto; NO_COLOR switches it off).",
)


def _complete_settings(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from vcompat.facts.value import CHOICES
    from vcompat.facts.vocabulary import FLAG, VOCABULARY

    name, equals, value = incomplete.partition("=")
    if equals:
        spec = VOCABULARY.get(name)
        words = ("true", "false") if spec is not None and spec.kind == FLAG else CHOICES.get(name, ())
        return [f"{name}={word}" for word in (*words, "none", "unknown") if word.startswith(value)]
    return [f"{fact}=" for fact in VOCABULARY if fact.startswith(incomplete)]


def complete_rules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Ids of rules that begin with `incomplete`."""
    from vcompat.rules.database import load_rules

    return [rule.id for rule in load_rules(thorough=False) if rule.id.startswith(incomplete)]


def complete_facts(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names of facts that begin with `incomplete`."""
    from vcompat.facts.vocabulary import VOCABULARY

    return [name for name in VOCABULARY if name.startswith(incomplete)]


class Target(click.ParamType):  # type: ignore[type-arg, unused-ignore] # generic from click 8.2 on
    """GPUs by name, or the path of a profile: the shell completes both."""

    name = "gpus"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem

        from vcompat.sources.targets.target import known_gpus

        count, times, name = incomplete.rpartition("x")
        names = [f"{count}{times}{gpu}" for gpu in known_gpus() if gpu.lower().startswith(name.lower())]
        return [CompletionItem(word) for word in names] or [CompletionItem(incomplete, type="file")]


path = click.Path()

target_option = click.option(
    "--target",
    default="",
    type=Target(),
    metavar="GPUS",
    help="Judge for other hardware: 8xV100-32GB, 2x8xH100 (machines x GPUs), a profile in TOML, or the output of "
    "`vcompat probe` on another machine.",
)
set_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="FACT=VALUE",
    shell_complete=_complete_settings,
    help="State a fact, such as packages.vllm=0.7.2, gpu.compute_capability=7.0 or plan.vllm_mode=colocate. 'none' "
    "means that there is nothing (a package not installed, a variable not set), 'unknown' that the fact is not known. "
    "A text in double quotes is taken as it is: 'env.NAME=\"none\"'. May be repeated.",
)


def all_of(*options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Return a decorator that adds all of some options, which the help shows in this order."""

    def add(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


#: The options with which a log's facts are completed.
around_options = all_of(
    click.option(
        "--with",
        "files",
        multiple=True,
        metavar="FILE",
        type=path,
        help="A file of the run: its script, a launch script, a configuration, a lock file, or what `vcompat probe` "
        "wrote on its machine. May be repeated.",
    ),
    click.option("--here", is_flag=True, help="The run failed on this machine, with the packages installed here."),
)
#: The options that say where facts come from.
source_options = all_of(
    click.argument("files", nargs=-1, metavar="[RUN FILES]...", type=path),
    target_option,
    click.option(
        "--env",
        "environment",
        default="",
        metavar="PATH",
        type=path,
        help="Judge for other packages: requirements.txt, pyproject.toml, setup.py, a lock file (pylock.toml or that "
        "of uv, poetry or pdm), environment.yml, a list of conda, a folder of packages or an unpacked image. "
        "Without it, and where torch, vLLM and TRL are not installed, the files of the run's project state the "
        "releases; 'none' switches that off.",
    ),
    click.option(
        "--newest",
        is_flag=True,
        help="Judge for a new environment: of what the project's files, or --env, leave open, the newest releases that "
        "they allow, as an installer takes them. Not this machine's packages.",
    ),
    click.option(
        "--python", default="", metavar="PATH", type=path, help="Judge for the packages of another interpreter."
    ),
    set_option,
    click.option(
        "--facts",
        "facts_files",
        multiple=True,
        metavar="FILE",
        type=path,
        help="Add the facts in a file that `vcompat probe` wrote. May be repeated.",
    ),
    click.option(
        "--no-probe", is_flag=True, help="Do not look at this machine; judge only what the command line names."
    ),
    click.option(
        "--config",
        "config_file",
        metavar="FILE",
        type=path,
        help="The project's settings (default: the nearest vcompat.toml or pyproject.toml with [tool.vcompat]).",
    ),
    click.option("--no-config", is_flag=True, help="Ignore the project's settings."),
    color_option,
)


def sources_of(where: Mapping[str, Any]) -> tuple[Config, Sources]:
    """The project's settings, and where facts come from: the options of `source_options`, else these settings.

    Raises InputError.
    """
    config = _config_of(where)
    environment = where["environment"] or ("" if where["python"] else config.environment)
    words = where.get("words", ())
    sources = Sources(
        files=where["files"] or ([] if words else [os.path.normpath(name) for name in config.plan]),
        settings={**config.settings, **dict(map(split, where["settings"]))},
        facts_files=where["facts_files"] or config.facts,
        probe=not where["no_probe"],
        target=where["target"] or config.target,
        environment="" if environment == NO_ENVIRONMENT else environment,
        project=environment != NO_ENVIRONMENT,
        newest=where["newest"],
        python=where["python"] or ("" if where["environment"] else config.python),
        command=words or (() if where["files"] else config.command),
        folder="" if words else config.command_folder,
    )
    return config, sources


def _config_of(where: Mapping[str, Any]) -> Config:
    path = "" if where["no_config"] else where["config_file"] or find_config()
    return read_config(path) if path else Config()


def split(setting: str) -> tuple[str, str]:
    """The fact and the value of ``--set FACT=VALUE``, as typed. Raises InputError if there is no ``=``."""
    name, equals, value = setting.partition("=")
    if not equals:
        raise InputError(f"--set {setting}", "no '='", "FACT=VALUE, such as packages.vllm=0.7.2")
    return name.strip(), value
