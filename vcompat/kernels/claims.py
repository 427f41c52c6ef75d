"""What rules claim about kernels, against the records: a rule must apply exactly where the kernel fails."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from packaging.version import Version

from vcompat.facts.facts import Facts
from vcompat.kernels import kernel_record
from vcompat.kernels.grid import CAPABILITIES, HALF, KERNELS
from vcompat.kernels.kernel_record import COMPILES, UNKNOWN, KernelRecord, Measured
from vcompat.rules.kernel_claim import KernelClaim
from vcompat.rules.record import load_record
from vcompat.rules.rule import Rule
from vcompat.sources.gather import Sources, gather

#: How a kernel fares, as far as a claim is concerned.
FAILS, RUNS, FAILS_OTHERWISE = "fails", "runs", "fails otherwise"


class Row(NamedTuple):
    """One release: for each capability that was measured, what happens with each size."""

    version: Version
    triton: str
    fares: Mapping[str, Mapping[int, str]]


def rows(claim: KernelClaim, with_others: bool = False) -> Iterator[Row]:
    """Yield the recorded releases, the oldest first, with the Triton that their torch requires, or also with others.

    Sizes that were not measured are left out.
    """
    known = next((one for one in kernel_record.load_all() if claim.call in one.kernel.calls), None)
    for version in load_record("vllm", with_rows=False).releases if known else ():
        for one in _measured(known, version, with_others) if known else ():
            yield Row(
                version, one.triton, {card: _fares(one, claim, card) for card in claim.capabilities or CAPABILITIES}
            )


def _measured(known: KernelRecord, version: Version, with_others: bool) -> Iterator[Measured]:
    one = known.variant_of(version)
    if one:
        yield one
    yield from (other for other in known.others if with_others and other.covers(version))


def _fares(one: Measured, claim: KernelClaim, capability: str) -> dict[int, str]:
    by_size = {}
    for attempt, cell in one.cells.items():
        if (attempt.call, attempt.capability, attempt.width) != (claim.call, capability, HALF):
            continue
        if cell.word == UNKNOWN or (claim.heads and attempt.size not in claim.heads):
            continue
        stated = any(text in f"{cell.word}: {cell.message}" for text in claim.states)
        by_size[attempt.size] = FAILS if stated else RUNS if cell.word == COMPILES else FAILS_OTHERWISE
    return by_size


def contradictions(rules: Iterable[Rule]) -> Iterator[str]:
    """Yield a line for each release and card for which a rule says something else than the record."""
    for rule in rules:
        for claim in rule.evidence.kernels:
            recorded = list(rows(claim, with_others=True))
            if not any(fares for row in recorded for fares in row.fares.values()):
                yield f"{rule.id}: nothing is recorded of {claim.call}"
            for row in recorded:
                for capability, fares in row.fares.items():
                    wrong = _wrong(rule, claim, row, capability, fares)
                    if wrong:
                        yield f"{rule.id}: vLLM {row.version}, Triton {row.triton} at {capability}: {wrong}"


def _wrong(rule: Rule, claim: KernelClaim, row: Row, capability: str, fares: Mapping[int, str]) -> str:
    """How the rule contradicts the record for one release, Triton and card; empty if it does not."""
    applies = rule.when.truth(_facts(claim, row, capability))
    if applies is None:
        return "the rule is open, although all its facts are given"
    contrary = [str(size) for size, word in fares.items() if (word == FAILS) is not applies]
    if not contrary:
        return ""
    does = "the rule applies, and the kernel does not fail so" if applies else "the rule does not apply, and it fails"
    of = next((kernel.of for kernel in KERNELS if claim.call in kernel.calls), "sizes")
    return f"{does} with {of} {', '.join(contrary)}"


def _facts(claim: KernelClaim, row: Row, capability: str) -> Facts:
    releases = {"packages.vllm": str(row.version), "packages.triton": row.triton}
    known = {**claim.given, **releases, "gpu.compute_capability": capability}
    return gather(Sources(settings=known, probe=False))
