"""The command line: one file per command; this one finds them and turns errors into one line and an exit code."""

from __future__ import annotations

import sys
from importlib import import_module

import click

from vcompat.errors import InputError

#: Each command and its first line of help, here so that `vcompat --help` need not import them all.
COMMANDS = {
    "check": "Say what will go wrong in a run, why, and what to do.",
    "probe": "Print the facts of this machine as JSON.",
    "explain": "Print all that is known about one failure.",
    "rules": "List the failures that vcompat knows.",
    "patches": "List the patches that vcompat can apply at run time.",
}


class _Commands(click.Group):
    """Imports a command when it is called: a check must not pay for the others."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"vcompat.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _print_version(ctx: click.Context, option: click.Parameter, wanted: bool) -> None:
    if wanted:
        from vcompat import __version__

        click.echo(f"vcompat {__version__}")
        ctx.exit()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Print the version.",
)
def group() -> None:
    """vcompat says before a colocated GRPO run what will go wrong on your GPUs, with your versions and your
    configuration. It imports none of torch, vLLM, TRL and transformers, and runs nothing of what it reads.
    """


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code: 0, 1 (findings) or 2 (input that cannot be used, in one line)."""
    try:
        result = group.main(args=arguments, prog_name="vcompat", standalone_mode=False)
    except InputError as error:
        return _refuse(str(error))
    except click.ClickException as error:
        return _refuse(" ".join(error.format_message().split()))
    except (click.Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:
        # The reader (head, less) has seen enough; keep the interpreter from complaining at exit.
        sys.stdout = None
        return 0
    return result if isinstance(result, int) else 0


def _refuse(line: str) -> int:
    click.echo(f"vcompat: {line}", err=True)
    return 2
