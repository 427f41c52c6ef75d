"""Evaluates environment markers for the machine and the Python that a run uses, as far as these are known.

A marker has three values: true or false on every platform that the run can use, or open. Runs are on Linux.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from packaging.version import Version

if TYPE_CHECKING:
    from vcompat.facts.facts import Facts

#: The machines and Python versions of a run if they are not known. A pair of patch releases stands for all of a minor.
_MACHINES = ("x86_64", "aarch64")
_MINORS, _PATCHES = range(9, 16), (0, 30)

_TEXT = r"""(?:"[^"]*"|'[^']*')"""
#: The parts of a marker about extras and dependency groups, which the user selects when installing.
_CHOICE = re.compile(
    rf"extra\s*(?P<right>==|!=)\s*{_TEXT}|{_TEXT}\s*(?P<left>==|!=)\s*extra\b"
    rf"|{_TEXT}\s+(?P<member>not\s+in|in)\s+(?:extras|dependency_groups)\b"
)
#: Variables whose value depends on the kernel of the machine.
_OPEN = re.compile(r"\b(platform_release|platform_version|platform\.version)\b")
_TRUE, _FALSE = "python_version >= '0'", "python_version < '0'"


class Runtime(NamedTuple):
    """What is known about the machine and the Python for which an environment is installed."""

    machine: str | None = None
    """The processor architecture, such as x86_64; None if it is not known."""
    python: Version | None = None
    """The Python version; None if it is not known."""
    gpus: tuple[str, ...] = ()
    """The names of the GPUs, as NVML has them; empty if they are not known."""
    is_new: bool = False
    """Whether the environment is made anew, so that the newest release is installed of what files leave open."""
    by_hand: Facts | None = None
    """The releases that the user states instead of those of the files."""


class Bits(NamedTuple):
    """The platforms on which something holds, one bit for each."""

    certain: int
    possible: int
    """The platforms on which it holds for some choice of extras and groups."""

    def both(self, other: Bits) -> Bits:
        """Return the platforms on which this and `other` hold."""
        return Bits(self.certain & other.certain, self.possible & other.possible)


class Platforms:
    """The platforms on which a file of packages can be installed for the run."""

    def __init__(self, runtime: Runtime, requires_python: str = "") -> None:
        machines = (runtime.machine,) if runtime.machine else _MACHINES
        pythons = _pythons(runtime.python, requires_python)
        self._environments = [_environment(machine, python) for machine in machines for python in pythons]
        self._answers: dict[str, Bits] = {}
        self.everywhere = (1 << len(self._environments)) - 1
        """The bits of all platforms."""

    def applies(self, marker: str) -> bool | None:
        """Return the value of `marker`; None if it depends on the platform or on extras, or cannot be evaluated."""
        return self.value(self.bits(marker))

    def value(self, bits: Bits) -> bool | None:
        """Return the value of a condition that holds on the platforms `bits`."""
        if bits.certain == self.everywhere:
            return True
        return False if not bits.possible else None

    def any_applies(self, markers: list[str]) -> bool | None:
        """Return the value of `markers` combined with "or"; True if there are none."""
        return self.value(self.any_bits(markers))

    def any_bits(self, markers: list[str]) -> Bits:
        """Return the platforms on which one of `markers` holds; all platforms if there are none."""
        found = [self.bits(marker) for marker in markers] or [self.bits("")]
        certain = possible = 0
        for bits in found:
            certain, possible = certain | bits.certain, possible | bits.possible
        return Bits(certain, possible)

    def bits(self, marker: str) -> Bits:
        """Return the platforms on which `marker` holds."""
        if marker not in self._answers:
            self._answers[marker] = self._evaluate(marker)
        return self._answers[marker]

    def _evaluate(self, marker: str) -> Bits:
        if not marker.strip():
            return Bits(self.everywhere, self.everywhere)
        if _OPEN.search(marker):
            return Bits(0, self.everywhere)
        # Markers have no "not", so that the choices bound the value from both sides.
        least, most = (self._holds(_CHOICE.sub(choice, marker)) for choice in (_FALSE, _TRUE))
        return Bits(0, self.everywhere) if least is None or most is None else Bits(least, most)

    def _holds(self, marker: str) -> int | None:
        """Return the platforms on which a marker without extras holds; None if it cannot be evaluated."""
        from packaging.markers import InvalidMarker, Marker, UndefinedComparison, UndefinedEnvironmentName

        found = 0
        try:
            parsed = Marker(marker)
            for number, environment in enumerate(self._environments):
                found |= parsed.evaluate(dict(environment)) << number
        except (InvalidMarker, UndefinedComparison, UndefinedEnvironmentName, ValueError, RecursionError):
            return None
        return found


def without_extras(marker: str) -> str:
    """Return `marker` with no extra selected, as pip evaluates the lines of a requirements file."""

    def value(match: re.Match[str]) -> str:
        operator = match["right"] or match["left"] or match["member"]
        return _FALSE if operator in ("==", "in") else _TRUE

    return _CHOICE.sub(value, marker)


def _pythons(known: Version | None, requires: str) -> list[str]:
    """Return the Python versions that the file allows: the known one if it is among them, else all of them."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        allowed = SpecifierSet(requires)
    except InvalidSpecifier:
        allowed = SpecifierSet()
    if known is not None and allowed.contains(known, prereleases=True):
        return [str(known) if len(known.release) > 2 else f"{known}.{patch}" for patch in _PATCHES]
    every = [f"3.{minor}.{patch}" for minor in _MINORS for patch in _PATCHES]
    return [python for python in every if allowed.contains(python)] or every


def _environment(machine: str, python: str) -> Mapping[str, str]:
    return {
        "os_name": "posix",
        "sys_platform": "linux",
        "platform_system": "Linux",
        "platform_machine": machine,
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "python_version": ".".join(python.split(".")[:2]),
        "python_full_version": python,
        "implementation_version": python,
        "extra": "",
    }
