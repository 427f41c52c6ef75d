"""Phrases that several formats share: what was checked, what the run is, how many findings there are, what is next."""

from __future__ import annotations

from collections.abc import Sequence

from vcompat.evaluation.finding import Finding
from vcompat.evaluation.grouping import Group, grouped
from vcompat.evaluation.outcome import Outcome
from vcompat.facts.facts import Facts
from vcompat.facts.frameworks import TRL
from vcompat.facts.value import show, show_candidates
from vcompat.report.parts.formats import relative
from vcompat.rules.rule import SEVERITIES

EFFECTS = {
    "silent-corruption": "silently trains on wrong data",
    "crash": "the run crashes",
    "hang": "the run hangs",
    "degraded": "runs, but slower or worse than it should",
}
_PACKAGES = (
    *("trl", "vllm", "torch", "transformers", "accelerate", "deepspeed", "peft"),
    *("unsloth", "ms-swift", "llamafactory", "verl"),
)
_MAIN_PACKAGES = ("packages.torch", "packages.vllm", "packages.trl")
#: The first line where most rules have nothing to evaluate, and a reader should know why.
_NO_PACKAGES = "no torch, vLLM or TRL (--env names an environment that has them)"
_UNKNOWN_PACKAGES = "unknown releases of torch, vLLM and TRL (--env names their environment)"
#: Settings of vLLM that describe how it is colocated.
_DESCRIBING = (
    "vllm_tensor_parallel_size",
    "vllm_gpu_memory_utilization",
    "vllm_enable_sleep_mode",
    "tensor_parallel_size",
    "gpu_memory_utilization",
)


def checked(outcome: Outcome) -> str:
    """What was checked, as one sentence."""
    facts = outcome.facts
    files = [relative(path) for path in outcome.files]
    rest = len(files) - 3
    more = f" and {rest} more {'file' if rest == 1 else 'files'}" if rest > 0 else ""
    what = ", ".join(files[:3]) + more if files else outcome.subject
    stated_by = ", ".join(map(relative, outcome.stated_by[:3]))
    main = packages(facts, "--set" if stated_by else "")
    verb_ends = "s" if len(outcome.stated_by) == 1 else ""
    # A script states what it needs by its imports only.
    imports = all(path in outcome.files and path.endswith(".py") for path in outcome.stated_by)
    allows = f"for what {stated_by} use" if imports else f"that {stated_by} allow"
    how = f"the newest {allows}{verb_ends}" if "--newest" in outcome.arguments else f"stated in {stated_by}"
    nothing = _UNKNOWN_PACKAGES if all(facts.get(name) is None for name in _MAIN_PACKAGES) else _NO_PACKAGES
    stated = f"{main} ({how})" if main and stated_by else main or nothing
    if stated_by and not main:
        stated = f"no release of torch, vLLM or TRL, which {stated_by} leave{verb_ends} open"
    return f"Checked {what}, with {stated}, on {hardware(facts)}."


def packages(facts: Facts, by_hand: str = "") -> str:
    """The main packages with their versions, or the releases that they can have, as far as these are known.

    `by_hand` is a note for those that the user states.
    """
    found = ((name, _release(facts, f"packages.{name}")) for name in _PACKAGES)
    notes = {name: f" ({by_hand})" for name in _PACKAGES if by_hand and facts.is_by_hand(f"packages.{name}")}
    return ", ".join(f"{name} {release}{notes.get(name, '')}" for name, release in found if release)


def _release(facts: Facts, name: str) -> str:
    if likely := facts.likely(name):
        return f"{show(likely.value)} (likely)" if likely.value is not None else ""
    if candidates := facts.candidates(name):
        return show_candidates(candidates)
    return show(facts.value(name)) if facts.value(name) else ""


def hardware(facts: Facts) -> str:
    """The GPUs in words."""
    likely = facts.likely("gpu.count")
    count, candidates = likely or facts.get("gpu.count"), facts.candidates("gpu.count")
    if count is None and not candidates:
        return "unknown GPUs"
    if count is None:
        gpus = f"up to {show(candidates[-1])} GPUs"
    else:
        number = show(count.value)
        gpus = "1 GPU" if number == "1" else f"{number} GPUs" if number != "0" else "no GPU"
        gpus += " (likely)" if likely is not None else ""
    names, capability = show(facts.value("gpu.name", ())), show(facts.value("gpu.compute_capability", ()))
    known = [text for text in ("" if names == "none" else names, f"compute capability {capability}") if text]
    return f"{gpus} ({', '.join(known)})" if capability != "none" else gpus


def intention(outcome: Outcome) -> str:
    """What was understood of the run; empty if no file states a setting. What is only likely is said to be so."""
    facts = outcome.facts
    if outcome.files and not any(_is_of_run(facts, name) for name in facts.names()):
        return "no trainer was found in these files"
    return of_run(facts)


def of_run(facts: Facts) -> str:
    """What is understood of a run by its `facts`; empty if no file states a setting."""
    every, certain = _intention(facts.presumed()), _intention(facts)
    likely = ", ".join(part for part in every if part not in certain)
    known = ", ".join(part for part in every if part in certain)
    return "; ".join(filter(None, (known, f"likely: {likely}" if likely else "")))


def _is_of_run(facts: Facts, name: str) -> bool:
    """Return whether the run files say something about how a model is trained or served, if only that it is open."""
    if not name.startswith("plan.") or name in ("plan.patched", "plan.notebook"):
        return False
    known = facts.get(name)
    return known.place is not None if known is not None else facts.is_open(name)


def _intention(facts: Facts) -> list[str]:
    if not any(known.place is not None for name, known in facts.known.items() if name.startswith("plan.")):
        return []
    words = [show(facts.value(name)) for name in ("plan.configuration", "plan.model") if facts.value(name)]
    if facts.value("plan.framework", TRL) != TRL:
        words.insert(0, show(facts.value("plan.framework")))
    if isinstance(bits := facts.value("plan.loaded_in_bits"), int):
        words.append(f"{bits} bits per weight")
    if facts.value("plan.peft"):
        words.append("an adapter")
    for name, unit in (("num_machines", "machines"), ("world_size", "processes")):
        value = facts.value(f"plan.{name}")
        words += [f"{value} {unit}"] if isinstance(value, int) and value > 1 else []
    if facts.value("plan.deepspeed_stage"):
        words.append(f"ZeRO-{show(facts.value('plan.deepspeed_stage'))}")
    return [*words, *_vllm(facts)]


def _vllm(facts: Facts) -> list[str]:
    if facts.get("plan.use_vllm") is None:
        return ["use_vllm is not known"]
    if not facts.value("plan.use_vllm"):
        return ["no vLLM"]
    mode = facts.value("plan.vllm_mode")
    stated = [name for name in _DESCRIBING if facts.value(f"plan.{name}")]
    # The trainer passes its own setting on to the engine.
    shown = [name for name in stated if f"vllm_{name}" not in stated]
    settings = [f"{name}={show(facts.value(f'plan.{name}'))}" for name in shown]
    return [f"vLLM in {show(mode)} mode" if mode else "vLLM", *settings]


def word_for(finding: Finding) -> str:
    """``error``, ``warning`` or ``note`` for a certain finding, with ``likely`` before it for a likely one.

    Otherwise ``possible`` or ``fixed``.
    """
    if finding.fixed_by or not (finding.is_certain or finding.is_likely):
        return "fixed" if finding.fixed_by else "possible"
    return f"likely {finding.rule.severity}" if finding.is_likely else finding.rule.severity


def presumed(finding: Finding) -> str:
    """What a likely finding presumes, in one sentence without its first words; empty for others."""
    return "; ".join(map(str, finding.presumes))


def groups(outcome: Outcome) -> list[Group]:
    """The possible findings by the input that would decide them."""
    return grouped(outcome.possible, outcome.facts, outcome.files)


def depends(group: Group, width: int = 0) -> str:
    """A group as one line: how many rules depend on what, and how to state it; shortened to `width` columns, if any."""
    count, question = len(group.findings), group.question
    rules = "1 rule depends" if count == 1 else f"{count} rules depend"
    line = f"{rules} on {question.subject}" + (f": {question.advice}" if question.advice else "")
    return f"{rules} on {question.subject}: pass {question.also}" if question.also and 0 < width < len(line) else line


def total(outcome: Outcome) -> str:
    """How many findings of each kind there are, of how many rules."""
    certain, judgement = outcome.certain, outcome.judgement
    parts = [_count(len([f for f in certain if f.rule.severity == severity]), severity) for severity in SEVERITIES]
    parts += [
        f"{len(outcome.likely)} likely" if outcome.likely else "",
        f"{len(outcome.possible)} possible" if outcome.possible else "",
        f"{len(outcome.fixed)} fixed by patches" if outcome.fixed else "",
        f"{len(judgement.suppressed)} suppressed" if judgement.suppressed else "",
        _count(len(judgement.expired), "expired suppression"),
    ]
    counted = ", ".join(part for part in parts if part)
    return f"{counted or 'No known failure applies'} ({len(outcome.rules)} rules)"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'s' if number != 1 else ''}" if number else ""


def next_command(outcome: Outcome) -> str:
    """The command that a reader is likely to run next; empty if nothing is left to do."""
    certain = outcome.certain
    if certain and _has_setting(certain) and outcome.files:
        return shell("vcompat fix", outcome.arguments) + _typed(outcome)
    if certain or outcome.likely:
        return f"vcompat explain {(certain or outcome.likely)[0].rule.id}"
    first = next((group for group in groups(outcome) if group.question.example), None)
    if first is None:
        return ""
    return f"{shell('vcompat check', outcome.arguments)} {first.question.example}{_typed(outcome)}"


def _typed(outcome: Outcome) -> str:
    """Return the end of a command line of vcompat: the command that was checked, if there is one."""
    return shell(" --", outcome.command) if outcome.command else ""


def _has_setting(findings: Sequence[Finding]) -> bool:
    kinds = ("config", "env", "rename", "remove")
    return any(fix.kind in kinds for finding in findings for fix in finding.fixes) and any(
        finding.place is not None for finding in findings
    )


def shell(command: str, words: Sequence[str]) -> str:
    """A command line that a shell reads as these `words`."""
    # Imported here: a report without findings names no command.
    import shlex

    return " ".join([command, *map(shlex.quote, words)])
