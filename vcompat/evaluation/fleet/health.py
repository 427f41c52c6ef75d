"""What is wrong with single nodes: GPUs, shared memory, clocks, names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from vcompat.evaluation.fleet.fleet_finding import Entry, FleetFinding, Group, Names, compared, events, finding
from vcompat.sources.nodes.reported_node import Gpu

#: A share of /dev/shm below which it is almost full, unless so many MiB are free.
_ALMOST_FULL, _ENOUGH_MIB = 0.05, 1024
#: MiB that a container gets by default, from Docker and from Kubernetes.
_DEFAULT_MIB = 64
#: A factor between sizes of /dev/shm that are taken for equal: it is a share of the memory, which differs slightly.
_ALIKE = 1.1
#: MiB that processes may take on a GPU, such as those of monitors, without a finding.
_LITTLE_MIB = 1024
#: Seconds by which a clock may be wrong without a finding.
SKEW = 1.0
#: Seconds by which a report may be older than the newest without a finding.
OLD = 7200.0


def health(names: Names, now: float | None) -> Iterator[FleetFinding]:
    """Yield what is wrong with nodes. `now` is the time here after all reports were written; None if unknown."""
    yield from finding("gpu-not-available", _unavailable(names, True))
    yield from finding("gpus-absent", _unavailable(names, False))
    yield from finding("gpu-errors", _gpus(names, _errors))
    yield from finding("gpu-slowed", _gpus(names, _slowdown))
    yield from finding("gpu-used", _gpus(names, _usage))
    yield from finding("shm-small", _shared_memory(names))
    yield from finding("clocks-loose", _loose(names))
    yield from finding("clocks-differ", _ahead(names, now))
    yield from finding("reports-old", _old(names))
    yield from finding("same-host-name", _same_names(names))


def _unavailable(names: Names, in_job: bool) -> Iterator[Entry]:
    """Yield the nodes on which NVML fails, if it works on others: a fleet without GPUs is none with lost ones.

    `in_job` selects processes that a launcher of ranks started. Of others it is not known whether they need GPUs.
    """
    statuses = [str(report.facts.value("gpu.nvml", "unknown")) for report in names.reports]
    if "ok" in statuses:
        yield from events(
            ("NVML", f"{status}: {report.facts.why_unknown('gpu') or 'no reason is stated'}", node)
            for (node, report), status in zip(names.named, statuses, strict=True)
            if status not in ("ok", "unknown") and ("RANK" in report.env) == in_job
        )


def _gpus(names: Names, wrong: Callable[[Gpu], str]) -> Iterator[Entry]:
    """Yield the GPUs with which something is wrong, in the words of `wrong`, which is empty for all others."""
    yield from events(
        (f"GPU {gpu.number}", text, node) for node, report in names.named for gpu in report.gpus if (text := wrong(gpu))
    )


def _errors(gpu: Gpu) -> str:
    count = gpu.uncorrected_errors
    parts = [f"{count} uncorrected error{'' if count == 1 else 's'}"] if count else []
    parts += ["a row waits for remapping, which needs a reset"] if gpu.remapping_pending else []
    parts += ["remapping of a row failed"] if gpu.remapping_failed else []
    return ", ".join(parts)


def _slowdown(gpu: Gpu) -> str:
    return f"slowed down by {', '.join(gpu.slowed_by)}" if gpu.slowed_by else ""


def _usage(gpu: Gpu) -> str:
    """What processes take. Memory that the driver itself reserves is not counted."""
    if not gpu.processes:
        return ""
    used = [used for _, used in gpu.processes if used is not None]
    total = sum(used) if len(used) == len(gpu.processes) else gpu.used_mib
    if total is not None and total < _LITTLE_MIB:
        return ""
    taken = "an unknown amount of memory" if total is None else f"{total} MiB"
    pids = ", ".join(str(pid) for pid, _ in gpu.processes[:8]) + (", ..." if len(gpu.processes) > 8 else "")
    return f"{taken} used by process {pids}"


def _shared_memory(names: Names) -> Iterator[Entry]:
    sizes: dict[int, int] = {}
    full = []
    for number, (node, report) in enumerate(names.named):
        size, free = report.own.get("host.shm_mib"), report.node.shm_free_mib
        if not isinstance(size, int):
            continue
        sizes[number] = size
        if free is not None and free < _ENOUGH_MIB and free < size * _ALMOST_FULL:
            full.append(("/dev/shm", f"{free} MiB of {size} MiB free", node))
    shown = _ranges(sizes.values())
    differing = compared("size of /dev/shm", {number: shown[size] for number, size in sizes.items()}, names)
    yield from differing
    # NCCL connects the GPUs of a node through it.
    small = [n for n, size in sizes.items() if size <= _DEFAULT_MIB and len(names.reports[n].gpus) > 1]
    if small and not differing:
        text = f"{sizes[small[0]]} MiB, no more than containers get by default"
        yield from events(("size of /dev/shm", text, names.nodes[n]) for n in small)
    yield from events(full)


def _ranges(sizes: Iterable[int]) -> dict[int, str]:
    """Return for each size in MiB the range of sizes that it is alike with."""
    clusters: list[list[int]] = []
    for size in sorted(set(sizes)):
        if clusters and size <= clusters[-1][-1] * _ALIKE:
            clusters[-1].append(size)
        else:
            clusters.append([size])
    named = {}
    for cluster in clusters:
        text = f"{cluster[0]} MiB" if len(cluster) == 1 else f"{cluster[0]} to {cluster[-1]} MiB"
        named.update(dict.fromkeys(cluster, text))
    return named


def _loose(names: Names) -> Iterator[Entry]:
    """Yield clocks that the kernel does not hold for synchronized, if it does on other nodes."""
    kept = {n: report.node.synchronized for n, report in enumerate(names.reports)}
    if True in kept.values():
        loose = tuple(dict.fromkeys(names.nodes[n] for n, value in kept.items() if value is False))
        if loose:
            yield Entry("clock", (Group("not reported as synchronized", loose),))


def _ahead(names: Names, now: float | None) -> Iterator[Entry]:
    """Yield clocks that are certainly ahead of this one."""
    if now is not None:
        # A report was written before it was read, so a later time is wrong, unless this clock is.
        yield from events(
            ("clock", f"at least {report.node.time - now:.0f} s ahead of this machine's clock", node)
            for node, report in names.named
            if report.node.time is not None and report.node.time > now + SKEW
        )


def _old(names: Names) -> Iterator[Entry]:
    times = [(node, report.node.time) for node, report in names.named if report.node.time is not None]
    newest = max((time for _, time in times), default=0.0)
    yield from events(
        ("report", f"{(newest - time) / 3600:.0f} h older than the newest", node)
        for node, time in times
        if newest - time > OLD
    )


def _same_names(names: Names) -> Iterator[Entry]:
    for host in names.ambiguous:
        several = tuple(dict.fromkeys(node for node in names.nodes if node.startswith(f"{host}/")))
        yield Entry(host, (Group(f"{len(several)} machines", several),))
