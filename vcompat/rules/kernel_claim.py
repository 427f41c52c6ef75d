"""What a rule claims about a kernel: that it applies exactly where the kernel's recorded outcome is the failure.

A rule states it under ``[[evidence.kernels]]``. ``vcompat.kernels`` makes the records in ``evidence/kernels``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from vcompat.rules.keys import check_keys


class KernelClaim(NamedTuple):
    """The outcomes that a rule is about."""

    call: str
    """The name of the call, such as prefix-prefill."""
    states: tuple[str, ...]
    """Texts; an outcome that contains one of them is the failure."""
    heads: tuple[int, ...]
    """The head sizes, or other sizes of the grid, that the rule is about; empty for all."""
    capabilities: tuple[str, ...]
    """The compute capabilities on which the run can reach the kernel; empty for all."""
    given: Mapping[str, str]
    """The facts with which the rule is judged, besides vLLM's release and the compute capability."""


def parse_kernel_claim(table: Mapping[str, Any], where: str) -> KernelClaim:
    """Build a claim from its table. Raises InputError with `where` and what was expected."""
    check_keys(table, {"call": str, "states": list, "given": dict}, {"heads": list, "capabilities": list}, where)
    given = {str(name): str(value) for name, value in table["given"].items()}
    states, heads, cards = (tuple(table.get(key, ())) for key in ("states", "heads", "capabilities"))
    return KernelClaim(table["call"], states, heads, cards, given)
