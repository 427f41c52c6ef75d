"""What the rules know of a run, once its trainer has stated the settings that it really has.

The check reads a script without running it: settings that the script computes are unknown to it.
"""

from __future__ import annotations

from collections.abc import Sequence

from vcompat.diagnosis.stated.around import Around, combined
from vcompat.diagnosis.stated.log_settings import fact_of, settings_of
from vcompat.evaluation.finding import Finding
from vcompat.facts.facts import Facts
from vcompat.rehearsal.protocol import OUTPUT, Told, values_of
from vcompat.rehearsal.verdict import FAILED, NOT_EXERCISED, PASSED, Check
from vcompat.sources.gather import Gathered, override

KNOWN = "known failures"
_SOURCE = "the trainer, when it was made"
#: Facts about an adapter.
_OF_ADAPTERS = ("plan.lora_", "plan.modules_to_save", "plan.trainable_tokens")
#: Known failures that are named.
_SHOWN = 5


def facts_of(told: Sequence[Told], gathered: Gathered) -> Facts:
    """Return the facts of the run, with derived ones: those `gathered` before it, and what its trainer stated."""
    stated = stated_by(told)
    return combined(_around(gathered, stated), stated, {})[0]


def stated_facts(told: Sequence[Told], gathered: Gathered) -> Facts:
    """Return the same facts without derived ones, and without the patches: the verdict has those that were applied."""
    stated = stated_by(told)
    facts = _around(gathered, stated).facts.copy()
    override(facts, stated)
    for name in ("host.patched", "plan.patched"):
        facts.drop_known(name)
    return facts


def _around(gathered: Gathered, stated: Facts) -> Around:
    """What was known before the run. `stated` counts: an adapter that the script only may use is none."""
    # Of several training commands it is not known which one this was.
    run = gathered.runs[0] if len(gathered.runs) == 1 else None
    around = Around(run.facts.copy(), run.takes_defaults) if run else Around(gathered.facts.copy())
    if stated.value("plan.peft") is False:
        for name in [name for name in around.facts.known if name.startswith(_OF_ADAPTERS)]:
            around.facts.drop_known(name)
    return around


def stated_by(told: Sequence[Told]) -> Facts:
    """Return what the trainer and the engine of a rehearsal stated."""
    trainer = next((one.trainer for one in told if one.trainer), {})
    stated = Facts()
    for name, value in settings_of(trainer.get("arguments", {})):
        stated.set(name, value, _SOURCE)
    for name, value in trainer.get("facts", {}).items():
        for fact, known in fact_of(name, str(value)):
            stated.set(fact, known, _SOURCE)
    dtypes = {str(output["dtype"]) for output in values_of(told, OUTPUT) if output.get("dtype")}
    if len(dtypes) == 1:
        stated.set("vllm.dtype", dtypes.pop(), "the engine, when it generated")
    return stated


def known_failures(findings: Sequence[Finding], threshold: str, strict: bool) -> Check:
    """Judge the findings of the rules on the facts of the run, as `vcompat check` does."""
    failing = [finding for finding in findings if finding.reaches(threshold, strict)]
    if not failing:
        return Check(KNOWN, PASSED, "none applies with the settings that the trainer has")
    count = f"{len(failing)} apply" if len(failing) > 1 else "one applies"
    text = f"{count} with the settings that the trainer has, which the check could not read"
    names = [f"{finding.title} ({finding.rule.id})" for finding in failing[:_SHOWN]]
    more = [f"and {len(failing) - _SHOWN} more"] if len(failing) > _SHOWN else []
    return Check(KNOWN, FAILED, text, (*names, *more))


def not_checked(option: str) -> Check:
    """The check if an option has switched it off."""
    return Check(KNOWN, NOT_EXERCISED, option)
