"""Findings as text, for a person at a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from vcompat.evaluation.finding import CERTAIN, Finding
from vcompat.evaluation.outcome import Outcome
from vcompat.facts.facts import Facts
from vcompat.facts.value import show
from vcompat.report.style import style
from vcompat.rules.instruction import instruction
from vcompat.rules.rule import Fix, Rule

EFFECTS = {
    "silent-corruption": "trains on wrong data without a word",
    "crash": "the run dies",
    "hang": "the run hangs",
    "degraded": "the run is worse than it looks",
}
_COLOURS = {"error": "red", "warning": "yellow", "note": "cyan"}
_PACKAGES = ("trl", "vllm", "torch", "transformers", "accelerate", "deepspeed", "peft")
_MARGIN = 12


def render(report: Outcome) -> str:
    """The report of a check."""
    width, judgement = report.width, report.judgement
    head = [*_field("checked", checked(report.facts), width), *_field("the run", intention(report.facts), width)]
    blocks = ["\n".join(head)]
    blocks += ["\n".join(_finding(finding, width)) for finding in judgement.findings]
    blocks += ["\n".join(_quiet(quiet.finding, quiet.reason, width)) for quiet in judgement.quiet]
    blocks += ["\n".join(_field("expired", text, width)) for text in judgement.expired]
    blocks += ["\n".join(_field("idle", text, width)) for text in judgement.idle]
    blocks += ["\n".join(_field("not judged", _unjudged(report), width))] if report.unjudged else []
    blocks.append(total(judgement.findings, len(report.rules), len(judgement.quiet), len(judgement.expired)))
    return "\n\n".join(blocks)


def intention(facts: Facts) -> str:
    """What was understood of the plan; empty where no file states one."""
    if not any(known.place is not None for name, known in facts.known.items() if name.startswith("plan.")):
        return ""
    told = [show(facts.value(name)) for name in ("plan.configuration", "plan.model") if facts.value(name)]
    if facts.value("plan.peft"):
        told.append("an adapter")
    told += [f"{show(facts.value(f'plan.{name}'))} {word}" for name, word in _COUNTED if _several(facts, name)]
    if facts.value("plan.deepspeed_stage"):
        told.append(f"ZeRO-{show(facts.value('plan.deepspeed_stage'))}")
    if facts.value("plan.use_vllm") is None:
        told.append("vLLM or not is left open" if facts.get("plan.use_vllm") is None else "no vLLM")
    elif not facts.value("plan.use_vllm"):
        told.append("no vLLM")
    else:
        told.append(f"vLLM in {show(facts.value('plan.vllm_mode'))} mode" if facts.value("plan.vllm_mode") else "vLLM")
        told += [f"{name} {show(facts.value(f'plan.{name}'))}" for name in _TOLD if facts.value(f"plan.{name}")]
    return ", ".join(told)


def _several(facts: Facts, name: str) -> bool:
    value = facts.value(f"plan.{name}")
    return isinstance(value, int) and value > 1


_COUNTED = (("num_machines", "machines"), ("world_size", "processes"))
#: Settings of vLLM that say how it is colocated.
_TOLD = ("vllm_tensor_parallel_size", "vllm_gpu_memory_utilization", "vllm_enable_sleep_mode")


def _unjudged(report: Outcome) -> str:
    """What could not be estimated, or advised, for want of facts."""
    wanting = list(dict.fromkeys(name for names in report.unjudged.values() for name in names))
    return f"{', '.join(sorted(report.unjudged))}; not known: {', '.join(wanting)}"


def _quiet(finding: Finding, reason: str, width: int) -> Iterator[str]:
    yield f"{'quiet':<{_MARGIN}}" + finding.rule.title
    yield from _field("", f"{reason} ({finding.rule.id})", width)


def checked(facts: Facts) -> str:
    """What was judged, in one sentence."""
    packages = [
        f"{name} {show(facts.value(f'packages.{name}'))}" for name in _PACKAGES if facts.value(f"packages.{name}")
    ]
    hardware = f"GPUs unknown ({why})" if (why := facts.why_unknown("gpu.count")) else "GPUs unknown"
    if facts.get("gpu.count") is not None:
        names = show(facts.value("gpu.name", ()))
        capability = show(facts.value("gpu.compute_capability", ()))
        count = show(facts.value("gpu.count"))
        known = [text for text in ("" if names == "none" else names, f"compute capability {capability}") if text]
        gpus = "1 GPU" if count == "1" else f"{count} GPUs"
        hardware = f"{gpus}: {', '.join(known)}" if capability != "none" else f"{gpus} in this run"
    return f"{', '.join(packages) or _NO_PACKAGES}; {hardware}"


#: Where most rules have nothing to say, and a reader should know why.
_NO_PACKAGES = "no torch, vLLM or TRL, of which most rules speak (--env names an environment that has them)"


def _finding(finding: Finding, width: int) -> Iterator[str]:
    rule = finding.rule
    yield _headline(finding)
    if finding.settled_by:
        yield from _field("by", f"the patch {finding.settled_by}, which the script applies", width)
    yield from _field("without it" if finding.settled_by else "effect", EFFECTS[rule.effect], width)
    if finding.certainty == CERTAIN and not finding.settled_by:
        yield from _field("", rule.summary, width)
    yield from _field("because", ", ".join(f"{r.fact} = {r.value} ({r.source})" for r in finding.because), width)
    yield from _field(
        "depends on",
        ", ".join(f"{n.fact}" + (f" ({n.reason})" if n.reason else "") for n in finding.needs),
        width,
    )
    if not finding.settled_by:
        yield from _what_to_do(finding.fixes, width)
    yield from _field("more", f"vcompat explain {rule.id}", width)


def _headline(finding: Finding) -> str:
    rule = finding.rule
    word = "settled" if finding.settled_by else rule.severity if finding.certainty == CERTAIN else "possible"
    colour = "green" if finding.settled_by else _COLOURS[rule.severity]
    return style(f"{word:<{_MARGIN}}", colour, bold=finding.certainty == CERTAIN) + style(rule.title, bold=True)


def _what_to_do(fixes: Iterable[Fix], width: int) -> Iterator[str]:
    label = "what to do"
    for fix in fixes:
        if fix.kind in ("hardware", "advice"):
            yield from _field(label, instruction(fix), width)
        else:
            # Not wrapped: it is to be copied.
            yield f"{label:<{_MARGIN}}" + style(instruction(fix), "green")
        if fix.note:
            yield from _field("", fix.note, width, extra=2)
        label = "or"


def _field(label: str, text: str, width: int, extra: int = 0) -> Iterable[str]:
    if not text:
        return []
    first = f"{label:<{_MARGIN}}" + " " * extra
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=" " * (_MARGIN + extra),
        break_long_words=False,
        break_on_hyphens=False,
    )


def total(findings: Sequence[Finding], rules: int, quiet: int = 0, expired: int = 0) -> str:
    """How many findings there are of each kind, and how many `rules` were held against the facts."""
    open_ones = [finding for finding in findings if not finding.settled_by]
    certain = [finding for finding in open_ones if finding.certainty == CERTAIN]
    possible, settled = len(open_ones) - len(certain), len(findings) - len(open_ones)
    parts = [_count(len([f for f in certain if f.rule.severity == s]), s) for s in _COLOURS]
    parts += [f"{possible} possible" if possible else "", f"{settled} settled by patches" if settled else ""]
    parts += [f"{quiet} quiet" if quiet else "", _count(expired, "expired suppression")]
    said = ", ".join(part for part in parts if part)
    return f"{said or 'nothing found'} ({rules} rules)"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'s' if number != 1 else ''}" if number else ""


def explain(rule: Rule, width: int, seen: Iterable[str] = ()) -> str:
    """Everything that a rule says, for someone who reads about it for the first time.

    `seen` are the releases that show it, a text for each package.
    """
    lines = [
        style(rule.title, bold=True),
        f"{rule.id}: {rule.severity} in {rule.component}; {EFFECTS[rule.effect]}",
        "",
    ]
    lines += textwrap.wrap(rule.summary, width)
    if rule.wrong_advice:
        lines += ["", *textwrap.wrap(f"What is said about it elsewhere: {rule.wrong_advice}", width)]
    lines += ["", *_what_to_do(rule.fixes, width)]
    if rule.symptoms:
        lines += [
            "",
            "In a log it looks like this (regular expressions):",
            *(f"  {s.pattern}" for s in rule.symptoms),
        ]
    lines += ["", *_evidence(rule, width)]
    for text in seen:
        lines += _field("seen in", text, width)
    if rule.references:
        lines += ["", *(f"see         {url}" for url in rule.references)]
    return "\n".join(lines)


def _evidence(rule: Rule, width: int) -> Iterator[str]:
    for found in rule.evidence.fingerprints:
        place = f"{found.package}: {' or '.join(found.module)}{', ' + found.object if found.object else ''}"
        shape = [f"has `{text}`" for text in found.has] + [f"lacks `{text}`" for text in found.lacks]
        shape += ["is not there"] if found.missing else []
        yield from _field("measured", f"{place}: {', '.join(shape)}", width)
    for statement in rule.evidence.requirements:
        since = f" {statement.since} and later" if statement.since else ""
        what = f"what each release of {statement.package}{since} declares of {statement.of}"
        yield from _field("measured", f"{what}, in its own metadata", width)
    if rule.evidence.unmeasured:
        yield from _field("unmeasured", rule.evidence.unmeasured, width)
