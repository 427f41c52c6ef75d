"""The command ``vcompat``: what it consists of, and errors as one line and an exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress

import click

from vcompat.cli.shared.lazy import LazyGroup
from vcompat.cli.shared.options import color_option
from vcompat.cli.shared.terminal import discard, prepare, width
from vcompat.foundation.errors import InputError
from vcompat.foundation.version import __version__

#: Each command and its first line of help.
COMMANDS = {
    "check": "Report what will go wrong in a run, why, and what to do.",
    "fix": "Change the settings that findings name, or show how.",
    "run": "Check a command, then start it with the patches.",
    "rehearse": "Run a few steps of a command; report what held.",
    "status": "Show which process of a run applied which patch.",
    "diagnose": "Name the cause of a failure that a log shows.",
    "report": "Print what to send upstream about a failure.",
    "upgrade": "Report what breaks in a run with newer releases.",
    "resolve": "Choose releases for this hardware and this run.",
    "plan": "Show what is known about a run from its files.",
    "probe": "Print the facts of this machine as JSON.",
    "fleet": "Judge the nodes of a job as a whole.",
    "facts": "List every fact: meaning, unit, source, rules.",
    "explain": "Print everything that is known about one failure.",
    "rules": "List the known failures; verify and scan them.",
    "patches": "List the patches that apply at run time.",
    "install": "Apply the patches in each process of an environment.",
    "uninstall": "Undo `vcompat install`.",
    "support": "Print what releases of a package require of others.",
    "mcp": "Serve these answers to an assistant, over MCP.",
    "init": "Write the settings and the CI file of a project.",
}
#: Those that print what vcompat knows are in a folder of their own.
_KNOWLEDGE = ("facts", "explain", "rules", "patches", "support")
#: The module of each command. That of `facts` has another name, since `vcompat.facts.facts` is what facts are.
MODULES = {
    name: f"vcompat.cli.{'knowledge.' if name in _KNOWLEDGE else ''}{'list_facts' if name == 'facts' else name}"
    for name in COMMANDS
}
#: What click raises from 8.2 on for a group without a command; before, it prints the help itself.
_HELP: tuple[type[click.UsageError], ...] = tuple(filter(None, [getattr(click.exceptions, "NoArgsIsHelpError", None)]))
#: The exit code of a program that SIGINT ended.
INTERRUPTED = 130


@click.group(
    cls=LazyGroup,
    modules=MODULES,
    lines=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Run `vcompat COMMAND --help` for the options of a command.",
)
@click.version_option(__version__, message="vcompat %(version)s")
@color_option
def program() -> None:
    """Find out what will go wrong in a colocated GRPO run (TRL with vLLM) before the launch.

    vcompat imports none of torch, vLLM, TRL and transformers, and runs nothing of what it reads. Only `run` and
    `rehearse` start a command.
    """


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code: 0, 1 (findings) or 2 (input that cannot be used, in one line)."""
    prepare()
    try:
        result = program.main(arguments, prog_name="vcompat", standalone_mode=False, terminal_width=width())
    except InputError as error:
        return _refuse(str(error).removeprefix("vcompat: ").removeprefix("vcompat "))
    except _HELP as error:
        click.echo(error.format_message())
        return 0
    except click.ClickException as error:
        return _refuse(_one_line(error, sys.argv[1:] if arguments is None else arguments))
    except (KeyboardInterrupt, click.Abort):
        print("vcompat: interrupted", file=sys.stderr)
        return INTERRUPTED
    except OSError as error:
        # Input is guarded where it is read; this is the report, on a full disk.
        code = _refuse(f"the report cannot be written: {error.strerror}")
        discard()
        return code
    return result if isinstance(result, int) else 0


#: Options that people try, and those that they mean.
_MEANT = {
    "--gpu": "--target",
    "--gpus": "--target",
    "--hardware": "--target",
    "--lock": "--env",
    "--requirements": "--env",
}


def _one_line(error: click.ClickException, arguments: Sequence[str]) -> str:
    """A message of click's in one line, with the command that it is about."""
    context = getattr(error, "ctx", None)
    if isinstance(error, click.NoSuchOption) and error.option_name in _MEANT and context is not None:
        options = {option for parameter in context.command.params for option in parameter.opts}
        if (meant := _MEANT[error.option_name]) in options:
            text = f"No such option '{error.option_name}'. Did you mean '{meant}'?"
            error = click.NoSuchOption(error.option_name, text, ctx=context)
    # For an option without its value click does not tell the command.
    named = [word for word in arguments if word in COMMANDS]
    command = context.command_path if context is not None else " ".join(["vcompat", *named[:1]])
    message = " ".join(error.format_message().split()).rstrip(".")
    return f"{command}: {message} (see `{command} --help`)".removeprefix("vcompat ").removeprefix("vcompat: ")


def _refuse(line: str) -> int:
    # Imported here: only errors are printed this way.
    from vcompat.report.parts.layout import printable

    with suppress(OSError):
        print(f"vcompat: {printable(line)}", file=sys.stderr)
    return 2
