"""What a release requires of other packages, from its own metadata.

Wheels and newer source distributions list requirements in their metadata, older source distributions in a file that
setuptools wrote beside the source.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from email.parser import HeaderParser
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from vcompat.sources.probe.installed_packages import OTHER_NAMES

#: The packages whose releases must be compatible; requirements between them are recorded.
PARTNERS = ("torch", "vllm", "trl", "transformers", "peft", "accelerate", "deepspeed")
#: Libraries that rules compare with what partners pin. Their own releases, some of hundreds of MiB, are not inspected.
PINNED = ("compressed-tensors", "flashinfer", "nccl", "triton", "xformers")
#: Further libraries that rules compare with what the partners require of them, or they of the partners.
LIBRARIES = ("huggingface-hub", "tokenizers", "torchvision", "torchaudio", *PINNED)
#: The name under which the supported Python versions are recorded.
PYTHON = "python"
#: The environment that markers are evaluated for: Linux, where training runs.
LINUX = {
    "sys_platform": "linux",
    "platform_system": "Linux",
    "platform_machine": "x86_64",
    "os_name": "posix",
    "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
    "python_version": "3.11",
    "python_full_version": "3.11.9",
}
Read = Callable[[str], str | None]


def declared(package: str, version: Version, read: Read) -> dict[str, str]:
    """Return what the release requires on Linux of partners and libraries, and for PYTHON the supported versions.

    The extra named like the partner is included: TRL requires vLLM only in its extra ``vllm``.
    """
    ranges = required_ranges(package, version, read, (*PARTNERS, *LIBRARIES))
    metadata = HeaderParser().parsestr(_metadata(package, version, read))
    python = str(metadata.get("Requires-Python") or "").replace(" ", "")
    if python:
        ranges[PYTHON] = _joined(set(python.split(",")))
    return dict(sorted(ranges.items()))


def required_ranges(package: str, version: Version, read: Read, others: Collection[str]) -> dict[str, str]:
    """Return what the release requires on Linux of `others`; an empty text for any version.

    The extra named like the required package is included.
    """
    required: dict[str, set[str]] = {}
    for line in requirement_lines(package, version, read):
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            continue
        distribution = canonicalize_name(requirement.name)
        name = OTHER_NAMES.get(distribution, str(distribution))
        if name in others and name != package and not requirement.url and _holds(requirement, name):
            required.setdefault(name, set()).update(map(str, requirement.specifier))
    return {name: _joined(ranges) for name, ranges in sorted(required.items())}


def requirement_lines(package: str, version: Version, read: Read) -> list[str]:
    """Return all requirements of the release as its metadata lists them, with their markers."""
    metadata = HeaderParser().parsestr(_metadata(package, version, read))
    lines: list[str] = metadata.get_all("Requires-Dist", []) or list(_listed_by_setuptools(package, read))
    return lines or list(_listed_in_project(read))


def _joined(ranges: Collection[str]) -> str:
    return ",".join(sorted(ranges, key=_lower_bound_first))


def _lower_bound_first(part: str) -> tuple[bool, bool, str]:
    return not part.startswith((">", "=", "~")), not part.startswith("<"), part


def _metadata(package: str, version: Version, read: Read) -> str:
    for path in ("PKG-INFO", f"{package.replace('-', '_')}-{version}.dist-info/METADATA"):
        text = read(path)
        if text is not None:
            return text
    return ""


def _listed_by_setuptools(package: str, read: Read) -> Iterator[str]:
    """The requirements in ``requires.txt``, whose section headers contain the extra and the marker."""
    text = read(f"{package}.egg-info/requires.txt") or read(f"src/{package}.egg-info/requires.txt") or ""
    marker = ""
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("["):
            extra, _, condition = line.strip("[]").partition(":")
            parts = [f'extra == "{extra}"'] if extra else []
            marker = " and ".join(parts + ([f"({condition})"] if condition else []))
        else:
            yield f"{line}; {marker}" if marker else line


def _listed_in_project(read: Read) -> Iterator[str]:
    """The requirements in ``pyproject.toml``, all that a clone has. None if they are computed elsewhere."""
    import tomli

    try:
        project: Any = tomli.loads(read("pyproject.toml") or "").get("project", {})
        yield from project.get("dependencies", ())
        for extra, lines in project.get("optional-dependencies", {}).items():
            for line in lines:
                requirement, _, marker = line.partition(";")
                yield f'{requirement}; extra == "{extra}"' + (f" and ({marker})" if marker else "")
    except (tomli.TOMLDecodeError, AttributeError, TypeError):
        return


def _holds(requirement: Requirement, name: str) -> bool:
    """Whether a requirement applies on Linux, without extras or with the extra named like the package."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({**LINUX, "extra": extra}) for extra in ("", name))
