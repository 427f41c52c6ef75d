"""``vcompat facts``."""

from __future__ import annotations

import click

from vcompat.cli.shared.options import color_option, complete_facts
from vcompat.cli.shared.terminal import say, width
from vcompat.facts.vocabulary import VOCABULARY, spec_of
from vcompat.report.rules.fact_table import details, table
from vcompat.rules.database import load_rules


@click.command()
@click.argument("name", required=False, metavar="[FACT]", shell_complete=complete_facts)
@click.option(
    "--format", "format_", type=click.Choice(["text", "json", "markdown"]), default="text", help="The format."
)
@color_option
def command(name: str | None, format_: str) -> int:
    """List every fact that can be known about a run: kind, unit, meaning, and where it comes from.

    With FACT, a name such as plan.vllm_mode or the beginning of one such as gpu, list these with the rules that use
    them.
    """
    specs = [
        spec for spec in VOCABULARY.values() if name is None or spec.name == name or spec.name.startswith(f"{name}.")
    ]
    if name == "env":
        say("env.NAME is the value of an environment variable, such as env.VLLM_USE_V1; none if it is not set.")
        return 0
    if name is not None and not specs:
        specs = [spec_of(name, "vcompat facts")]
    rules = load_rules(thorough=False)
    say(table(specs, rules, format_, width()) if name is None or format_ != "text" else details(specs, rules, width()))
    return 0
