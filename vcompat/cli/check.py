"""``vcompat check``."""

from __future__ import annotations

import click

from vcompat import __version__
from vcompat.cli.terminal import width
from vcompat.database import load_rules
from vcompat.evaluate import evaluate
from vcompat.gather import gather
from vcompat.rule import SEVERITIES


@click.command()
@click.argument("script", required=False)
@click.option(
    "--set", "settings", multiple=True, metavar="FACT=VALUE",
    help="State a fact, such as packages.vllm=0.7.2, gpu.compute_capability=7.0 or plan.vllm_mode=colocate. "
    "'none' says that there is nothing (a package not installed), 'unknown' that it is not known.",
)  # fmt: skip
@click.option("--facts", "facts_files", multiple=True, metavar="FILE", help="Add the facts that `vcompat probe` saved.")
@click.option("--no-probe", is_flag=True, help="Do not look at this machine; judge only what is given.")
@click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to report.",
)
@click.option(
    "--fail-on", type=click.Choice([*SEVERITIES, "never"]), default="error", show_default=True,
    help="Exit with 1 if a finding, certain or possible, that no patch settles is of this severity or above.",
)  # fmt: skip
@click.pass_context
def command(
    ctx: click.Context,
    script: str | None,
    settings: tuple[str, ...],
    facts_files: tuple[str, ...],
    no_probe: bool,
    output: str,
    fail_on: str,
) -> int:
    """Say what will go wrong in a run, why, and what to do.

    SCRIPT is a training script; it is read for its settings and never run. Without one, and for what it leaves
    open, findings are "possible" and name the facts that would decide them.

    Exit code 0: nothing at or above --fail-on. 1: findings. 2: input that cannot be used.
    """
    given = dict(_split(setting) for setting in settings)
    facts = gather(script=script, settings=given, facts_files=facts_files, probe=not no_probe)
    rules = load_rules()
    findings = evaluate(rules, facts)
    if output == "json":
        from vcompat.report import json

        click.echo(json.render(findings, facts, len(rules), __version__))
    else:
        from vcompat.report import text

        click.echo(text.render(findings, facts, len(rules), width()))
    return 1 if any(finding.reaches(fail_on) for finding in findings) else 0


def _split(setting: str) -> tuple[str, str]:
    name, equals, value = setting.partition("=")
    if not equals:
        raise click.UsageError(f"--set {setting}: no '='; expected FACT=VALUE, such as packages.vllm=0.7.2")
    return name.strip(), value
