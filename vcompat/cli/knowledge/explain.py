"""``vcompat explain``."""

from __future__ import annotations

import click

from vcompat.cli.shared.options import color_option, complete_rules
from vcompat.cli.shared.terminal import is_ascii, say, width
from vcompat.foundation.suggest import did_you_mean
from vcompat.report.parts.layout import field, printable
from vcompat.report.rules.explanation import Span, explain
from vcompat.rules.database import find_rule, load_rules
from vcompat.rules.rule import Rule
from vcompat.upstream.affected import affected


@click.command()
@click.argument("rule", shell_complete=complete_rules)
@color_option
def command(rule: str) -> int:
    """Print everything that is known about one failure.

    RULE is an id that `vcompat check` and `vcompat rules` print. The output has what happens and why, the affected
    releases, what to do, common advice that is wrong, what a log shows, and how the range was measured. For other
    words, such as a part of an error, the nearest rules are listed, and the exit code is 2.
    """
    rules = load_rules()
    known = next((one for one in rules if one.id == rule), None)
    if known is None:
        return _nearest(rule, rules)
    spans = [Span(*each) for each in affected(known)]
    say(explain(known, width(), spans, is_ascii()))
    return 0


def _nearest(text: str, rules: tuple[Rule, ...]) -> int:
    """Print the rules that fit the words best that are no id. Raises InputError if there are none."""
    # Imported here: only words that are no id are compared with all rules.
    from vcompat.diagnosis.described import nearest

    near = [] if did_you_mean(text, [rule.id for rule in rules]) else nearest(text, rules)
    if not near:
        find_rule(rules, text)
    lines = [f"vcompat: there is no rule '{printable(text)}'. The nearest ones:"]
    for one in near:
        lines += field("", f"{one.id}: {one.title}", width(), margin=2)
    click.echo("\n".join(lines), err=True)
    return 2
