"""``vcompat explain``."""

from __future__ import annotations

import click

from vcompat.cli.options import color_option, complete_rules
from vcompat.cli.terminal import is_ascii, say, width
from vcompat.report.explain import Span, explain
from vcompat.rules.database import find_rule, load_rules
from vcompat.upstream.affected import affected


@click.command()
@click.argument("rule", shell_complete=complete_rules)
@color_option
def command(rule: str) -> int:
    """Print everything that is known about one failure.

    RULE is an id that `vcompat check` and `vcompat rules` print. The output has what happens and why, the affected
    releases, what to do, common advice that is wrong, what a log shows, and how the range was measured.
    """
    found = find_rule(load_rules(), rule)
    spans = [Span(*each) for each in affected(found)]
    say(explain(found, width(), spans, is_ascii()))
    return 0
