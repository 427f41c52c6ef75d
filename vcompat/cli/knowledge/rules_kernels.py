"""``vcompat rules verify --kernels``, and the same for ``vcompat rules update --minutes``."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

from vcompat.cli.shared.progress import progress
from vcompat.cli.shared.terminal import say
from vcompat.facts.records import backends
from vcompat.foundation.errors import InputError
from vcompat.kernels import kernel_record, survey
from vcompat.kernels.backends import choice_record
from vcompat.kernels.backends import choice_survey as choices
from vcompat.kernels.environments import NotInstalled
from vcompat.kernels.grid import KERNELS
from vcompat.kernels.runner import NotRun
from vcompat.report.parts import kernels as report
from vcompat.upstream.store import Unavailable

#: Variants compiled at a time. An attempt takes up to 3 GB, and most take 0.4 GB.
_WORKERS = 2


def is_current() -> bool:
    """Whether the records of kernels and backends have every recorded vLLM release."""
    return not any((*survey.stale(), *choice_record.stale()))


def choose_all(update: bool, tell: Callable[[str], None] = say) -> bool:
    """Run each release's choice of a backend, `tell` what differs from the record, and write it with `update`.

    Returns whether anything differs.
    """
    try:
        with progress(0) as each:
            record, gaps = choices.survey(_WORKERS, each)
    except (NotRun, Unavailable) as trouble:
        raise InputError("vcompat rules verify --kernels", str(trouble)) from None
    different = list(choice_record.differences(record, backends.load()))
    for line in [*different, *(f"not measured: {gap}" for gap in gaps)]:
        tell(line)
    if update and (path := choice_record.save(record)):
        tell(f"Wrote {path}.")
    return bool(different)


def compile_all(update: bool, minutes: float, tell: Callable[[str], None] = say) -> int:
    """Compile all kernels, `tell` what differs from the records, and write them with `update`. Returns the exit code.

    Raises InputError if it cannot be done.
    """
    if find_spec("torch") is None:
        raise InputError("vcompat rules verify --kernels", "torch is not installed", "an environment with torch")
    others = choose_all(update, tell)
    try:
        with progress(0) as each:
            surveyed = survey.survey(_WORKERS, minutes, each, use_records=update)
    except (NotInstalled, NotRun, Unavailable) as trouble:
        raise InputError("vcompat rules verify --kernels", str(trouble)) from None
    different = [line for one in surveyed.records for line in survey.differences(one, kernel_record.load(one.kernel))]
    for line in different:
        tell(line)
    for kernel in KERNELS:
        tell(f"left out, {kernel.name}: {kernel.left_out}{f'; {kernel.because}' if kernel.below else ''}")
    for line in surveyed.gaps:
        tell(f"not measured: {line}")
    if update:
        for one in surveyed.records:
            path = kernel_record.save(one)
            if path:
                tell(f"Wrote {path}.")
    tell(report.total(surveyed))
    return 1 if (different or others) and not update else 0
