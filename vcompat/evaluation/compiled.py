"""What `vcompat check --compile` measured, and what it means for the findings of rules about the same kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from vcompat.evaluation.finding import CERTAIN, POSSIBLE, Finding, Need, Reason, by_order
from vcompat.facts.facts import Facts
from vcompat.rules.kernel_claim import KernelClaim
from vcompat.rules.rule import Rule

#: The rule of failures that no other rule is about, and the fact that it is judged by.
RULE, FACT = "kernel-does-not-compile", "vllm.failing_kernels"
COMPILES, FAILS, OPEN = "compiles", "fails", "not compiled"


class Attempted(NamedTuple):
    """One call of a kernel's wrapper for one GPU, and what became of it."""

    call: str
    """The name of the call, such as prefix-prefill."""
    capability: str
    dtype: str
    size: str
    """The size that is varied, such as "heads of 64"."""
    outcome: str
    """COMPILES, FAILS or OPEN."""
    message: str = ""
    """Why it fails; why it was not compiled."""
    recorded: str = ""
    """The outcome as `evidence/kernels` has it, such as "aborts: mma -> mma layout conversion ..."."""
    runs: tuple[str, ...] = ()
    """The runs that reach the kernel, or might reach it."""
    because: tuple[Reason, ...] = ()
    """The facts with which they reach it."""
    needs: tuple[Need, ...] = ()
    """What is not known of whether they do; empty if they reach it for certain."""


class Compiled(NamedTuple):
    """The result of `--compile`."""

    vllm: str
    triton: str
    capabilities: tuple[str, ...]
    attempts: tuple[Attempted, ...]
    seconds: float = 0.0
    left_out: tuple[str, ...] = ()
    """Compute capabilities of the run for which nothing can be compiled."""

    def with_outcome(self, outcome: str) -> tuple[Attempted, ...]:
        """Return the attempts with an outcome."""
        return tuple(one for one in self.attempts if one.outcome == outcome)

    @property
    def with_what(self) -> str:
        """The releases in words."""
        return f"vLLM {self.vllm}, Triton {self.triton}"


#: Compiles what the runs reach, each with its name and its facts.
Compile = Callable[[Sequence[tuple[str, Facts]]], Compiled]


def combined(
    findings: Iterable[Finding], compiled: Compiled, rules: Sequence[Rule], runs: Sequence[str]
) -> list[Finding]:
    """Return `findings` with those of `compiled`; a failure that both are about is one finding.

    A rule that is certain of a failure stays, with the measurement as one more reason. It is only possible if the
    kernel compiles here. A possible finding of a rule gives way to a certain failure, which has its fixes.
    """
    claimed, measured = [finding for finding in findings if finding.rule.id != RULE], []
    for failure in _grouped(compiled.with_outcome(FAILS)):
        about = [finding for finding in claimed if _is_about(finding, failure[0])]
        if about and (failure[0].needs or not all(map(_gives_way, about))):
            claimed = [_confirmed(finding, failure, compiled) for finding in claimed]
        else:
            claimed = [finding for finding in claimed if finding not in about]
            measured += [_finding(rule, failure, about, compiled, runs) for rule in rules if rule.id == RULE]
    return sorted([*(_doubted(finding, compiled, runs) for finding in claimed), *measured], key=by_order)


def _gives_way(finding: Finding) -> bool:
    return not finding.is_certain and not finding.fixed_by


def _grouped(failures: Iterable[Attempted]) -> Iterator[list[Attempted]]:
    """Failures of one kernel with one message are one."""
    groups: dict[object, list[Attempted]] = {}
    for one in failures:
        key = (one.call, one.message, one.runs, not one.needs)
        groups.setdefault(key, []).append(one)
    yield from groups.values()


def _is_about(finding: Finding, failure: Attempted) -> bool:
    """Whether the rule of a finding claims this failure."""
    return any(any(text in failure.recorded for text in claim.states) for claim in _claims(finding, failure))


def _claims(finding: Finding, attempt: Attempted) -> Iterator[KernelClaim]:
    """Yield what the rule of a finding claims about a call."""
    for claim in finding.rule.evidence.kernels:
        sized = not claim.heads or attempt.size.rpartition(" ")[2] in map(str, claim.heads)
        for_gpu = not claim.capabilities or attempt.capability in claim.capabilities
        if claim.call == attempt.call and sized and for_gpu:
            yield claim


def _confirmed(finding: Finding, failure: Sequence[Attempted], compiled: Compiled) -> Finding:
    """A finding whose rule claims the failure has the measurement as one more reason."""
    first = failure[0]
    if not _is_about(finding, first):
        return finding
    reason = Reason(f"{first.call} for {_cards(failure)}", first.message, f"compiled with {compiled.with_what}")
    return finding._replace(because=(*finding.because, reason))


def _doubted(finding: Finding, compiled: Compiled, runs: Sequence[str]) -> Finding:
    """A certain finding of a rule is only possible if all of the kernel that it is about compiles here."""
    if not finding.is_certain or finding.fixed_by or compiled.left_out:
        return finding
    about = [one for one in compiled.attempts if any(_claims(finding, one))]
    covered = {run for one in about for run in one.runs}
    if not covered.issuperset(finding.runs or runs) or any(one.outcome != COMPILES for one in about):
        return finding
    call, sizes = about[0].call, ", ".join(dict.fromkeys(one.size for one in about))
    why = f"{call} compiles for {_cards(about)} with {compiled.with_what} ({sizes})"
    return finding._replace(certainty=POSSIBLE, needs=(*finding.needs, Need("", why)))


def _finding(
    rule: Rule, failure: Sequence[Attempted], about: Sequence[Finding], compiled: Compiled, runs: Sequence[str]
) -> Finding:
    """Return the finding of a failure; those that are `about` it and give way to it have its fixes."""
    first = failure[0]
    sizes = ", ".join(dict.fromkeys(one.size for one in failure))
    concerned = first.runs if set(first.runs) != set(runs) else ()
    return Finding(
        rule,
        POSSIBLE if first.needs else CERTAIN,
        first.because,
        first.needs,
        "",
        next((finding.fixes for finding in about), ()) or rule.fixes,
        concerned,
        subject=first.call,
        headline=f"vLLM's kernel {first.call} fails for compute capability {_cards(failure)}: {_short(first.message)}",
        detail=f"Compiled in {first.dtype}, {sizes}, with {compiled.with_what}.",
    )


def _short(message: str) -> str:
    """The first of several things that a compiler states."""
    return message.partition(" / ")[0]


def _cards(attempts: Iterable[Attempted]) -> str:
    return ", ".join(dict.fromkeys(one.capability for one in attempts))
