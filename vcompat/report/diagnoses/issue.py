"""A failure as Markdown to send upstream: what failed, the facts, the traceback, what vcompat states."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from packaging.version import Version

from vcompat.diagnosis.diagnosing import Diagnosis
from vcompat.diagnosis.failures import follows
from vcompat.diagnosis.ranking import Match
from vcompat.diagnosis.shortened import shortened
from vcompat.facts.facts import Facts
from vcompat.facts.value import show
from vcompat.facts.vocabulary import PACKAGES
from vcompat.foundation.version import __version__
from vcompat.report.anonymous.anonymizer import Anonymizer
from vcompat.report.diagnoses.diagnosis_wording import cut
from vcompat.report.diagnoses.metrics import said
from vcompat.report.parts.markdown_parts import cell, code, escaped, fenced
from vcompat.report.rehearsals import rehearsal_issue
from vcompat.sources.probe.environment import SECRET

#: The most possible causes that are listed.
_LISTED = 5


_FRAME = re.compile(r'\s+File "(?:[^"]*/)?(?:site|dist)-packages/(?P<package>\w+)/[^"]+", line \d+')
#: Where the issues of upstream packages are.
_TRACKERS = {
    "accelerate": "huggingface/accelerate",
    "bitsandbytes": "bitsandbytes-foundation/bitsandbytes",
    "deepspeed": "deepspeedai/DeepSpeed",
    "flash_attn": "Dao-AILab/flash-attention",
    "flashinfer": "flashinfer-ai/flashinfer",
    "peft": "huggingface/peft",
    "torch": "pytorch/pytorch",
    "transformers": "huggingface/transformers",
    "triton": "triton-lang/triton",
    "trl": "huggingface/trl",
    "vllm": "vllm-project/vllm",
}


class Known(NamedTuple):
    """Names that the machine at hand tells: they may be in its logs."""

    hosts: Sequence[str] = ()
    users: Sequence[str] = ()


def issue(
    facts: Facts,
    diagnosis: Diagnosis | None,
    known: Known | None,
    around: Collection[str] = (),
    rehearsals: Sequence[Mapping[str, Any]] = (),
) -> str:
    """Return the report. `diagnosis` is None without a log; with `known`, what identifies anybody is replaced.

    `around` are the names of facts that were stated beside the log, `rehearsals` the verdicts whose output it is.
    """
    lines = _lines(diagnosis)
    texts = [text for verdict in rehearsals for text in rehearsal_issue.texts(verdict)]
    hide = _Hide(facts, [*lines, *texts, *(diagnosis.accounts if diagnosis is not None else ())], known)
    first = _headline(diagnosis, rehearsals, hide)
    parts = [f"## {first}", "", *_facts(facts, hide, None if diagnosis is None else around)]
    for verdict in rehearsals:
        parts += ["", *rehearsal_issue.section(verdict, hide.text)]
    if diagnosis is not None:
        parts += _traceback(diagnosis, lines, hide)
        parts += ["", "### Diagnosis", "", *_diagnosis(diagnosis, hide)]
    return "\n".join([*parts, "", f"vcompat {__version__}"]) + "\n"


class _Hide:
    """Replaces what identifies anybody, or nothing."""

    def __init__(self, facts: Facts, lines: Sequence[str], known: Known | None) -> None:
        self._anonymizer: Anonymizer | None = None
        if known is not None:
            values = [_stated(name, show(each.value)) for name, each in facts.known.items()]
            self._anonymizer = Anonymizer([*lines, *values], known.hosts, known.users)

    def text(self, text: str) -> str:
        return text if self._anonymizer is None else self._anonymizer.text(text)

    def process(self, name: str) -> str:
        return name if self._anonymizer is None else self._anonymizer.process(name)

    def value(self, facts: Facts, name: str) -> str:
        """The value of a fact: a version or a number is what it is."""
        value = facts.value(name)
        shown = show(value)
        if name.startswith("env.") and SECRET.search(name):
            return "(hidden)"
        values = value if isinstance(value, tuple) else (value,)
        if self._anonymizer is None or all(isinstance(one, Version | int | float | None) for one in values):
            return shown
        if name == "plan.model":
            return self._anonymizer.model(shown)
        return self._anonymizer.text(_stated(name, shown)).partition("=")[2]


def _stated(name: str, shown: str) -> str:
    """A fact as a setting, by which a host is recognized."""
    return f"{'host' if name.endswith('_host') else name.rpartition('.')[2]}={shown}"


def _headline(diagnosis: Diagnosis | None, rehearsals: Sequence[Mapping[str, Any]], hide: _Hide) -> str:
    if diagnosis is None:
        return "Environment"
    failed = next((text for verdict in rehearsals if (text := rehearsal_issue.headline(verdict))), "")
    if diagnosis.failure is not None:
        error = hide.text(diagnosis.failure.cause.error)
    elif signatures := [one for judged in diagnosis.metrics for one in said(judged) if one.signature]:
        error = signatures[0].text
    elif diagnosis.causes:
        error = hide.text(diagnosis.causes[0].seen.shown.lines[-1].text)
    elif failed:
        error = hide.text(failed)
    else:
        return "No failure in the log"
    return escaped(" ".join(cut(error).split()))


def _facts(facts: Facts, hide: _Hide, around: Collection[str] | None) -> Iterator[str]:
    """The facts in a table, packages first: those that a log states and those `around` it; all if that is None."""
    order = [f"packages.{name}" for name in PACKAGES]
    names = [name for name in facts.known if facts.value(name) not in (None, ()) and _is_stated(facts, name, around)]
    names.sort(key=lambda name: (order.index(name) if name in order else len(order), name))
    if not names:
        yield "No versions are known."
        return
    yield "| fact | value |"
    yield "| --- | --- |"
    for name in names:
        yield f"| {code(name.removeprefix('packages.'))} | {cell(hide.value(facts, name))} |"


def _is_stated(facts: Facts, name: str, around: Collection[str] | None) -> bool:
    """Whether a log, a file or the user states a fact; what follows from others tells upstream nothing."""
    return around is None or facts.known[name].place is not None or facts.is_by_hand(name) or name in around


def _lines(diagnosis: Diagnosis | None) -> list[str]:
    """The lines of the log that the report quotes."""
    if diagnosis is None:
        return []
    lines = [line.text for line in diagnosis.trace]
    if diagnosis.failure is None:
        lines = [line.text for match in diagnosis.causes[:1] for line in match.seen.shown.around]
    return shortened(lines)


def _traceback(diagnosis: Diagnosis, lines: Sequence[str], hide: _Hide) -> Iterator[str]:
    if not lines:
        return
    process = diagnosis.failure.cause.line.process if diagnosis.failure is not None else ""
    yield ""
    yield "### The first failure" + (f" ({escaped(hide.process(process))})" if process else "")
    yield ""
    yield from fenced(hide.text("\n".join(lines)).split("\n"))
    for package, address in _tracker(lines):
        yield ""
        yield f"The last frame of an upstream package is in {package}: {address}"
    failed = {(each.path, each.failure.cause.line.process) for each in diagnosis.ended}
    others = len(failed - {(diagnosis.failure_path, process)})
    if others:
        yield ""
        yield f"{others} other process{'es' if others > 1 else ''} failed, too."


def _tracker(lines: Sequence[str]) -> list[tuple[str, str]]:
    """The upstream package that has the last frame of the first traceback, and where its issues are; at most one."""
    last: list[tuple[str, str]] = []
    for line in lines:
        if (found := _FRAME.search(line)) and found["package"] in _TRACKERS:
            last = [(found["package"], f"https://github.com/{_TRACKERS[found['package']]}/issues")]
        elif last and not line.startswith(" "):
            break
    return last


def _diagnosis(diagnosis: Diagnosis, hide: _Hide) -> Iterator[str]:
    for judged in diagnosis.metrics:
        for one in said(judged):
            values = f" {one.values}." if one.values else ""
            yield f"- metrics, {one.word}: {escaped(hide.text(f'{one.text}{values}'))}"
    if not diagnosis.is_cause_found:
        against = " What the log shows of known failures is ruled out by its facts." if diagnosis.matches else ""
        yield f"Nothing known matches ({diagnosis.rules} rules with symptoms).{against}"
        if diagnosis.failure is not None and follows(diagnosis.failure):
            yield "The failure only follows from one in another process."
    for match in diagnosis.causes[:_LISTED]:
        yield from _match(match, diagnosis.facts, hide)
    if len(diagnosis.causes) > _LISTED:
        yield f"- and {len(diagnosis.causes) - _LISTED} more"


def _match(match: Match, facts: Facts, hide: _Hide) -> Iterator[str]:
    label = match.label
    because = ", ".join(f"`{code(reason.fact)} = {code(hide.value(facts, reason.fact))}`" for reason in match.because)
    yield f"- {label}{escaped(match.rule.title)} (`{match.rule.id}`){f', because {because}' if because else ''}"
    yield from (f"  - {address}" for address in match.rule.references)
