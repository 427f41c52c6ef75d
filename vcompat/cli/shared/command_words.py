"""The words after ``--`` on the command line of vcompat: a command as one types it, which is followed and never run."""

from __future__ import annotations

import os
from collections.abc import Sequence

import click

#: The sentence of `--help` about it.
COMMAND_HELP = (
    "Words after -- are a command as one types it, such as `-- sbatch train.slurm --model M` or `-- make train`. It is"
    " followed with these arguments, from the current folder, and not run. A line with shell operators is one word:"
    " `-- 'cd src && ./run.sh'`."
)


class TakesCommand(click.Command):
    """A command of vcompat that takes the command of a run after ``--``, as the parameter `words`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what comes before the command. Raises UsageError if nothing follows ``--``."""
        own, words = split(args)
        if words is not None and not words and not ctx.resilient_parsing:
            raise click.UsageError("No command follows --.", ctx)
        rest = super().parse_args(ctx, own)
        ctx.params["words"] = as_command(words or ())
        return rest

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """Return the parts of the usage line."""
        return [*super().collect_usage_pieces(ctx), "[-- COMMAND...]"]


def split(args: Sequence[str]) -> tuple[list[str], list[str] | None]:
    """Return the words before and after the first ``--``; None for the second if there is no command.

    A word with a dash after it is no program, but a file whose name begins so.
    """
    if "--" not in args:
        return list(args), None
    at = args.index("--")
    words = list(args[at + 1 :])
    return (list(args), None) if words and words[0].startswith("-") else (list(args[:at]), words)


def as_command(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a command; one word with blanks, which names no file, is a line for a shell."""
    if len(words) == 1 and any(map(str.isspace, words[0])) and not os.path.exists(words[0]):
        return ("sh", "-c", words[0])
    return tuple(words)
