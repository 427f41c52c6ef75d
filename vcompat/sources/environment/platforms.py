"""Evaluates environment markers for the machine and the Python that a run uses, as far as these are known.

A marker has three values: true or false on every platform that the run can use, or open. Runs are on Linux.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from packaging.version import Version

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


class Platforms:
    """The platforms on which a file of packages can be installed for the run."""

    def __init__(self, runtime: Runtime, requires_python: str = "") -> None:
        machines = (runtime.machine,) if runtime.machine else _MACHINES
        pythons = _pythons(runtime.python, requires_python)
        self._environments = [_environment(machine, python) for machine in machines for python in pythons]
        self._answers: dict[str, bool | None] = {}

    def applies(self, marker: str) -> bool | None:
        """Return the value of `marker`; None if it depends on the platform or on extras, or cannot be evaluated."""
        if not marker.strip():
            return True
        if marker not in self._answers:
            self._answers[marker] = self._evaluate(marker)
        return self._answers[marker]

    def any_applies(self, markers: list[str]) -> bool | None:
        """Return the value of `markers` combined with "or"; True if there are none."""
        values = [self.applies(marker) for marker in markers]
        return not values or (True if True in values else None if None in values else False)

    def _evaluate(self, marker: str) -> bool | None:
        if _OPEN.search(marker):
            return None
        # Markers have no "not", so that the choices bound the value from both sides.
        most = set(self._values(_CHOICE.sub(_TRUE, marker)))
        least = set(self._values(_CHOICE.sub(_FALSE, marker)))
        if most == {False}:
            return False
        return True if least == {True} else None

    def _values(self, marker: str) -> Iterator[bool | None]:
        from packaging.markers import InvalidMarker, Marker, UndefinedComparison, UndefinedEnvironmentName

        try:
            parsed = Marker(marker)
            for environment in self._environments:
                yield parsed.evaluate(dict(environment))
        except (InvalidMarker, UndefinedComparison, UndefinedEnvironmentName, ValueError, RecursionError):
            yield None


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
