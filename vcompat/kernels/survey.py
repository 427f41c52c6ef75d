"""The survey: all variants of all kernels compiled, and compared with the records."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version as installed
from typing import NamedTuple

from packaging.version import Version

from vcompat.kernels import environments, kernel_record
from vcompat.kernels.child import ENDED
from vcompat.kernels.grid import KERNELS, PASSES, Attempt, Kernel, attempts, rank
from vcompat.kernels.kernel_record import Cell, KernelRecord, Measured
from vcompat.kernels.others import by_code, joined, other_attempts, other_variants
from vcompat.kernels.runner import NOT_COMPILED, Kept, Outcome, method, run
from vcompat.kernels.variants import Variant, triton_pins, variants
from vcompat.upstream.store import Store


class Surveyed(NamedTuple):
    """The result of a survey."""

    records: list[KernelRecord]
    wanted: int
    """The attempts of the whole grid."""
    attempts: int
    """Those that have an outcome."""
    compiled: int
    """The attempts that were compiled now; the other outcomes were kept from an earlier survey."""
    seconds: float
    mib: int
    """The most memory that an attempt took."""
    bytes: int
    """What the Triton releases take on the disk."""
    gaps: list[str]
    """Lines that state what was to be measured and was not, and why."""


def survey(workers: int, minutes: float, each: Callable[[str], None], use_records: bool) -> Surveyed:
    """Compile every variant of every kernel, for so many `minutes` at most, and call `each` for each compilation.

    What time does not suffice for is not measured. A later survey continues there. With `use_records`, what is recorded
    of the same code by the same method is not compiled again. Raises NotRun, NotInstalled.
    """
    begin, new = time.monotonic(), []
    store, pins = Store(), triton_pins()
    every_variant = [one for kernel in KERNELS for one in variants(kernel, pins, store)]
    others = [(one, other_attempts(one.kernel)) for kernel in KERNELS for one in other_variants(kernel, pins, store)]

    if use_records:
        for one in (*every_variant, *(one for one, _ in others)):
            _keep_recorded(one, kernel_record.load(one.kernel))

    def done(variant: Variant, attempt: Attempt, outcome: Outcome) -> None:
        new.append(outcome)
        each(f"{variant.kernel.name} {variant.releases[0]}")

    for pass_ in range(PASSES):
        jobs = [(one, [each for each in attempts(one.kernel) if rank(each) <= pass_]) for one in every_variant]
        results = list(run(jobs, workers, done, until=begin + 60 * minutes))
    other_results = list(run(others, workers, done, until=begin + 60 * minutes))
    measured = {
        kernel.name: tuple(_measured(one, found) for one, found in results if one.kernel == kernel)
        for kernel in KERNELS
    }
    outcomes = [outcome for _, found in (*results, *other_results) for outcome in found.values()]
    torch = installed("torch")
    return Surveyed(
        [
            KernelRecord(kernel, torch, method(kernel), measured[kernel.name], _others(kernel, other_results))
            for kernel in KERNELS
        ],
        sum(len(attempts(one.kernel)) for one in every_variant) + sum(len(wanted) for _, wanted in others),
        len(outcomes),
        len(new),
        time.monotonic() - begin,
        max((outcome.mib for outcome in outcomes), default=0),
        sum(environments.size(version) for version in {one.triton for one in every_variant}),
        [*_gaps(results, attempts), *_gaps(other_results, other_attempts)],
    )


def _keep_recorded(variant: Variant, recorded: KernelRecord) -> None:
    """Keep the recorded outcomes of a variant, if they were measured with the same code, Triton and method."""
    if recorded.method != method(variant.kernel):
        return
    kept = Kept(variant)
    before = by_code((*recorded.others, *recorded.variants)).get((variant.triton, variant.code), {})
    found = {attempt: Outcome(*cell) for attempt, cell in before.items() if cell.word != kernel_record.UNKNOWN}
    known = kept.read()
    if found.keys() - known.keys():
        kept.write({**found, **known})


def _measured(variant: Variant, found: Mapping[Attempt, Outcome]) -> Measured:
    cells = {attempt: _cell(outcome) for attempt, outcome in found.items()}
    return Measured(variant.releases[0], variant.releases[-1], variant.triton, variant.code, cells)


def _others(kernel: Kernel, results: Sequence[tuple[Variant, Mapping[Attempt, Outcome]]]) -> tuple[Measured, ...]:
    own = [(one, found) for one, found in results if one.kernel == kernel]
    return joined([(one, {attempt: _cell(outcome) for attempt, outcome in found.items()}) for one, found in own])


def _cell(outcome: Outcome) -> Cell:
    if outcome.word == ENDED or outcome.message.startswith(NOT_COMPILED):
        return Cell(kernel_record.UNKNOWN)
    return Cell(outcome.word, outcome.message)


def _gaps(
    results: Sequence[tuple[Variant, Mapping[Attempt, Outcome]]], wanted: Callable[[Kernel], list[Attempt]]
) -> Iterator[str]:
    for variant, found in results:
        late = sum(attempt not in found for attempt in wanted(variant.kernel))
        if late:
            yield f"{variant.kernel.name} in vLLM {variant.releases[0]}: no time was left for {late} compilations"
        for attempt, outcome in found.items():
            if _cell(outcome).word == kernel_record.UNKNOWN:
                what = (
                    f"{attempt.call} in vLLM {variant.releases[0]}, {attempt.width}, {variant.kernel.of} {attempt.size}"
                )
                yield f"{what}, capability {attempt.capability}: {outcome.message}"


def differences(found: KernelRecord, recorded: KernelRecord) -> Iterator[str]:
    """Yield how a fresh survey of a kernel differs from its record."""
    for one in found.variants:
        before = recorded.variant_of(one.first)
        name = f"{found.kernel.name} in vLLM {one.first}"
        if before is None or (before.code, before.triton) != (one.code, one.triton):
            yield f"{name}: not recorded with this code and Triton {one.triton}"
            continue
        for attempt, cell in one.cells.items():
            old = before.cells.get(attempt, Cell(kernel_record.UNKNOWN))
            if old != cell:
                yield f"{name}, {' '.join(map(str, attempt))}: {_words(cell)}, recorded: {_words(old)}"
    yield from _other_differences(found, recorded)


def _other_differences(found: KernelRecord, recorded: KernelRecord) -> Iterator[str]:
    known = by_code(recorded.others)
    for (triton, code), cells in by_code(found.others).items():
        before = known.get((triton, code), {})
        for attempt, cell in cells.items():
            old = before.get(attempt, Cell(kernel_record.UNKNOWN))
            if old != cell:
                name = f"{found.kernel.name}, code {code}, Triton {triton}, {' '.join(map(str, attempt))}"
                yield f"{name}: {_words(cell)}, recorded: {_words(old)}"


def _words(cell: Cell) -> str:
    return f"{cell.word} {cell.message}".strip()


def stale() -> Iterator[str]:
    """Yield what the records of the kernels lack or have in excess, by the other records alone: nothing is compiled."""
    pins = triton_pins()
    for known in kernel_record.load_all():
        kernel = known.kernel
        for version, triton in sorted(pins.items()):
            if version < Version(kernel.since) or (kernel.below and version >= Version(kernel.below)):
                continue
            one = known.variant_of(version)
            if one is None:
                yield f"{kernel.name}: vLLM {version} is not recorded"
            elif one.triton != triton:
                yield f"{kernel.name}: vLLM {version} was compiled by Triton {one.triton}, and torch pins {triton}"
            others = kernel.others if kernel.others and version < Version(kernel.others.below) else None
            for other in others.tritons if others else ():
                if not any(one.triton == other and one.covers(version) for one in known.others):
                    yield f"{kernel.name}: vLLM {version} with Triton {other} is not recorded"
