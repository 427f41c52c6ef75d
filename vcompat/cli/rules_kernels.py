"""``vcompat rules verify --kernels``."""

from __future__ import annotations

from vcompat.cli.progress import progress
from vcompat.cli.terminal import say
from vcompat.facts import backends
from vcompat.foundation.errors import InputError
from vcompat.kernels import record, survey
from vcompat.kernels.backends import survey as choices
from vcompat.kernels.backends import writing
from vcompat.kernels.environments import NotInstalled
from vcompat.kernels.grid import KERNELS
from vcompat.kernels.runner import NotRun
from vcompat.report import kernels as report
from vcompat.upstream.store import Unavailable

#: Variants compiled at a time. An attempt takes up to 3 GB, and most take 0.4 GB.
_WORKERS = 2


def choose_all(update: bool) -> bool:
    """Run each release's choice of a backend, print what differs from the record, and write it with `update`.

    Returns whether anything differs.
    """
    try:
        with progress(0) as each:
            found, gaps = choices.survey(_WORKERS, each)
    except (NotRun, Unavailable) as trouble:
        raise InputError("vcompat rules verify --kernels", str(trouble)) from None
    different = list(writing.differences(found, backends.load()))
    for line in [*different, *(f"not measured: {gap}" for gap in gaps)]:
        say(line)
    if update and (path := writing.save(found)):
        say(f"Wrote {path}.")
    return bool(different)


def compile_all(update: bool, minutes: float) -> int:
    """Compile all kernels, print what differs from the records, and write them with `update`. Returns the exit code."""
    others = choose_all(update)
    try:
        with progress(0) as each:
            found = survey.survey(_WORKERS, minutes, each, use_records=update)
    except (NotInstalled, NotRun, Unavailable) as trouble:
        raise InputError("vcompat rules verify --kernels", str(trouble)) from None
    different = [line for one in found.records for line in survey.differences(one, record.load(one.kernel))]
    for line in different:
        say(line)
    for kernel in KERNELS:
        say(f"left out, {kernel.name}: {kernel.left_out}{f'; {kernel.because}' if kernel.below else ''}")
    for line in found.gaps:
        say(f"not measured: {line}")
    if update:
        for one in found.records:
            path = record.save(one)
            if path:
                say(f"Wrote {path}.")
    say(report.total(found))
    return 1 if (different or others) and not update else 0
