"""The survey: all variants of all kernels compiled, and compared with the records."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version as installed
from typing import NamedTuple, TypeAlias

from packaging.version import Version

from vcompat.kernels import environments, kernel_record
from vcompat.kernels.child import ENDED
from vcompat.kernels.grid import KERNELS, PASSES, Attempt, Kernel, attempts, rank
from vcompat.kernels.kernel_record import Cell, KernelRecord, Measured
from vcompat.kernels.others import by_code, joined, other_attempts, other_variants
from vcompat.kernels.runner import NOT_COMPILED, Kept, Outcome, method, run
from vcompat.kernels.variants import Variant, triton_pins, variants
from vcompat.upstream.store import Store

#: A variant, and the outcomes of its attempts that were reached.
_Result: TypeAlias = tuple[Variant, Mapping[Attempt, Outcome]]


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
    own = [(one, attempts(kernel)) for kernel in KERNELS for one in variants(kernel, pins, store)]
    others = [(one, other_attempts(kernel)) for kernel in KERNELS for one in other_variants(kernel, pins, store)]
    for variant, _ in (*own, *others) if use_records else ():
        _keep_recorded(variant, kernel_record.load(variant.kernel))

    def done(variant: Variant, attempt: Attempt, outcome: Outcome) -> None:
        new.append(outcome)
        each(f"{variant.kernel.name} {variant.releases[0]}")

    for pass_ in range(PASSES):
        jobs = [(one, [attempt for attempt in wanted if rank(attempt) <= pass_]) for one, wanted in own]
        results = list(run(jobs, workers, done, until=begin + 60 * minutes))
    other_results = list(run(others, workers, done, until=begin + 60 * minutes))
    outcomes = [outcome for _, of_variant in (*results, *other_results) for outcome in of_variant.values()]
    return Surveyed(
        [_record(kernel, results, other_results) for kernel in KERNELS],
        sum(len(wanted) for _, wanted in (*own, *others)),
        len(outcomes),
        len(new),
        time.monotonic() - begin,
        max((outcome.mib for outcome in outcomes), default=0),
        sum(map(environments.size, {variant.triton for variant, _ in own})),
        [*_gaps(results, attempts), *_gaps(other_results, other_attempts)],
    )


def _keep_recorded(variant: Variant, recorded: KernelRecord) -> None:
    """Keep the recorded outcomes of a variant, if they were measured with the same code, Triton and method."""
    if recorded.method != method(variant.kernel):
        return
    kept = Kept(variant)
    before = by_code((*recorded.others, *recorded.variants)).get((variant.triton, variant.code), {})
    measured = {attempt: Outcome(*cell) for attempt, cell in before.items() if cell.word != kernel_record.UNKNOWN}
    known = kept.read()
    if measured.keys() - known.keys():
        kept.write({**measured, **known})


def _record(kernel: Kernel, results: Sequence[_Result], other_results: Sequence[_Result]) -> KernelRecord:
    measured = (
        Measured(variant.releases[0], variant.releases[-1], variant.triton, variant.code, cells)
        for variant, cells in _cells(kernel, results)
    )
    others = joined(_cells(kernel, other_results))
    return KernelRecord(kernel, installed("torch"), method(kernel), tuple(measured), others)


def _cells(kernel: Kernel, results: Sequence[_Result]) -> list[tuple[Variant, Mapping[Attempt, Cell]]]:
    return [
        (variant, {attempt: _cell(outcome) for attempt, outcome in outcomes.items()})
        for variant, outcomes in results
        if variant.kernel == kernel
    ]


def _cell(outcome: Outcome) -> Cell:
    if outcome.word == ENDED or outcome.message.startswith(NOT_COMPILED):
        return Cell(kernel_record.UNKNOWN)
    return Cell(outcome.word, outcome.message)


def _gaps(results: Sequence[_Result], wanted: Callable[[Kernel], list[Attempt]]) -> Iterator[str]:
    for variant, outcomes in results:
        late = sum(attempt not in outcomes for attempt in wanted(variant.kernel))
        if late:
            yield f"{variant.kernel.name} in vLLM {variant.releases[0]}: no time was left for {late} compilations"
        for attempt, outcome in outcomes.items():
            if _cell(outcome).word == kernel_record.UNKNOWN:
                what = (
                    f"{attempt.call} in vLLM {variant.releases[0]}, {attempt.width}, {variant.kernel.of} {attempt.size}"
                )
                yield f"{what}, capability {attempt.capability}: {outcome.message}"


def differences(measured: KernelRecord, recorded: KernelRecord) -> Iterator[str]:
    """Yield how a fresh survey of a kernel differs from its record."""
    for now in measured.variants:
        before = recorded.variant_of(now.first)
        name = f"{measured.kernel.name} in vLLM {now.first}"
        if before is None or (before.code, before.triton) != (now.code, now.triton):
            yield f"{name}: not recorded with this code and Triton {now.triton}"
        else:
            yield from _cell_differences(name, now.cells, before.cells)
    known = by_code(recorded.others)
    for (triton, code), cells in by_code(measured.others).items():
        name = f"{measured.kernel.name}, code {code}, Triton {triton}"
        yield from _cell_differences(name, cells, known.get((triton, code), {}))


def _cell_differences(name: str, cells: Mapping[Attempt, Cell], before: Mapping[Attempt, Cell]) -> Iterator[str]:
    for attempt, cell in cells.items():
        old = before.get(attempt, Cell(kernel_record.UNKNOWN))
        if old != cell:
            yield f"{name}, {' '.join(map(str, attempt))}: {_words(cell)}, recorded: {_words(old)}"


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
            variant = known.variant_of(version)
            if variant is None:
                yield f"{kernel.name}: vLLM {version} is not recorded"
            elif variant.triton != triton:
                yield f"{kernel.name}: vLLM {version} was compiled by Triton {variant.triton}, and torch pins {triton}"
            others = kernel.others if kernel.others and version < Version(kernel.others.below) else None
            for other in others.tritons if others else ():
                if not any(variant.triton == other and variant.covers(version) for variant in known.others):
                    yield f"{kernel.name}: vLLM {version} with Triton {other} is not recorded"
