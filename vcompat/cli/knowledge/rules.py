"""``vcompat rules``, and its commands for maintainers."""

from __future__ import annotations

import sys

import click

from vcompat.cli.shared.lazy import LazyGroup
from vcompat.cli.shared.options import color_option
from vcompat.cli.shared.terminal import columns, say
from vcompat.rules.database import load_rules
from vcompat.rules.rule import COMPONENTS

_COMMANDS = {
    "verify": "Check every rule and patch against the source of every upstream release.",
    "update": "Find new upstream releases, record them, and print what they mean.",
    "scan": "Find releases of two packages that cannot work together.",
    "pulls": "Find the pull requests that changed functions, in a clone.",
}


@click.group(
    cls=LazyGroup,
    modules={name: f"vcompat.cli.knowledge.rules_{name}" for name in _COMMANDS},
    lines=_COMMANDS,
    invoke_without_command=True,
)
@click.option("--component", type=click.Choice(COMPONENTS), help="List only failures of this component.")
@color_option
@click.pass_context
def command(ctx: click.Context, component: str | None) -> int:
    """List the known failures: id, severity and title."""
    if ctx.invoked_subcommand is not None:
        return 0
    rules = [rule for rule in load_rules(thorough=False) if component in (None, rule.component)]
    if not rules:
        say(f"No rule is about {component}.")
    longest = max((len(rule.id) for rule in rules), default=0)
    # A line per rule for a program; for a person whose terminal is too narrow for it, two.
    between = "\n    " if sys.stdout.isatty() and columns() < longest + 90 else "  "
    for rule in rules:
        say(f"{rule.id:<{longest}}  {rule.severity:<7}{between}{rule.title}")
    return 0
