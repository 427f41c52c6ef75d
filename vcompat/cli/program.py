"""The command line: one file per command; this one finds them and turns errors into one line and an exit code.

``argparse`` rather than a library with more comfort, whose import alone would add some 20 ms to a check of 50.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from typing import NoReturn

from vcompat.cli.terminal import width
from vcompat.foundation.errors import InputError
from vcompat.foundation.suggest import did_you_mean

#: Each command and its first line of help, here so that `vcompat --help` need not import them all.
COMMANDS = {
    "check": "say what will go wrong in a run, why, and what to do",
    "fix": "change the settings that findings name, or show how",
    "plan": "print what the files of a plan say",
    "probe": "print the facts of this machine as JSON",
    "resolve": "say which releases to install for this hardware and this plan",
    "support": "print what the releases of a package declare of the others",
    "explain": "print all that is known about one failure",
    "rules": "list the failures that vcompat knows",
    "rules verify": "hold every rule and patch against the source of every upstream release",
    "rules scan": "look for releases of two packages that cannot work together",
    "patches": "list the patches that vcompat can apply at run time",
}

_DESCRIPTION = """\
vcompat says before a colocated GRPO run (TRL with vLLM) what will go wrong on your GPUs, with your versions and your
configuration. It imports none of torch, vLLM, TRL and transformers, and runs nothing of what it reads.
"""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code: 0, 1 (findings) or 2 (input that cannot be used, in one line)."""
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except InputError as error:
        print(f"vcompat: {error}", file=sys.stderr)
        return 2
    except SystemExit as asked_for_help:
        return int(asked_for_help.code or 0)
    except KeyboardInterrupt:
        print("vcompat: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader (head, less) has seen enough; keep the interpreter from complaining at exit.
        sys.stdout = None
        return 0
    except OSError as error:
        # What is read is guarded where it is read; this is the report, on a disk that is full.
        print(f"vcompat: the report cannot be written: {error.strerror}", file=sys.stderr)
        sys.stdout = None
        return 2


class _Parser(argparse.ArgumentParser):
    """Raises InputError where argparse would print its usage and exit."""

    def error(self, message: str) -> NoReturn:
        raise InputError(self.prog, f"{message} (`{self.prog} --help` says what there is)")


def _run(arguments: list[str]) -> int:
    name = arguments[0] if arguments else "--help"
    if name.startswith("-"):
        _top_level().parse_args([name])
        raise InputError("vcompat", f"'{name}' comes before a command", "a command first: " + ", ".join(COMMANDS))
    if name not in COMMANDS:
        raise InputError("vcompat", f"no command '{name}'", did_you_mean(name, COMMANDS) or ", ".join(COMMANDS))
    words = 2 if " ".join(arguments[:2]) in COMMANDS else 1
    name = " ".join(arguments[:words])
    command = import_module(f"vcompat.cli.{name.replace(' ', '_')}")
    parser = _Parser(
        prog=f"vcompat {name}",
        description=command.DESCRIPTION,
        formatter_class=_formatter,
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    result: int = command.run(parser.parse_args(arguments[words:]))
    return result


def _formatter(prog: str) -> argparse.HelpFormatter:
    # Told the width, argparse does not import what would find it out.
    return argparse.RawDescriptionHelpFormatter(prog, width=width())


def _top_level() -> argparse.ArgumentParser:
    from vcompat import __version__

    commands = "\n".join(f"  {name:<14}{line}" for name, line in COMMANDS.items())
    parser = _Parser(
        prog="vcompat",
        usage="vcompat [-h] [--version] COMMAND ...",
        description=_DESCRIPTION,
        epilog=f"commands:\n{commands}\n\nvcompat COMMAND --help says more.",
        formatter_class=_formatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"vcompat {__version__}")
    return parser
