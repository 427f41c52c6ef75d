"""``vcompat rules``."""

from __future__ import annotations

import click

from vcompat.database import load_rules


@click.command()
@click.option("--component", help="Only failures of this component, such as vllm.")
def command(component: str | None) -> int:
    """List the failures that vcompat knows: severity, effect, name and title."""
    rules = [rule for rule in load_rules() if component in (None, rule.component)]
    if component and not rules:
        raise click.UsageError(f"--component {component}: no rule speaks of it")
    width = max(len(rule.id) for rule in rules)
    for rule in rules:
        click.echo(f"{rule.id:<{width}}  {rule.severity:<7}  {rule.effect:<17}  {rule.title}")
    return 0
