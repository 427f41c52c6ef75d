"""Reads which releases the name of a container's image states: ``vllm/vllm-openai:v0.8.5``, ``verl:app-vllm0.10.0``.

Nothing is fetched: that the image has them is presumed. A tag such as ``vllm018.dev1`` states none.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from vcompat.facts.facts import Place
from vcompat.foundation.bounded_reading import MB, read_text
from vcompat.sources.reading.packages.stated_packages import Declared, Entry

_LIMIT = 5 * MB
_RELEASE = r"v?(\d+\.\d+(?:\.\d+)*(?:\.post\d+)?)(?![\w.])"
#: Images whose tag begins with the release of a package.
_OF_TAG = {
    r"(?:.*/)?vllm/vllm-openai": "vllm",
    r"(?:.*/)?pytorch/pytorch": "torch",
    r".*/(?:huggingface-)?pytorch-(?:training|inference)": "torch",
    r"(?:.*/)?huggingface/trl": "trl",
}
#: Packages in the tags of other images, by the names that they have there.
_IN_TAG = {
    "vllm": "vllm",
    "torch": "torch",
    "pytorch": "torch",
    "th": "torch",
    "transformers": "transformers",
    "trl": "trl",
}
_NAMED = re.compile(rf"(?<![A-Za-z])({'|'.join(_IN_TAG)})[-_]?{_RELEASE}")
_REFERENCE = re.compile(r"(?<![\w./:-])(?:docker://)?((?:[\w.-]+(?::\d+)?[/#])+[\w.-]+):([\w][\w.-]*)")
_FROM = re.compile(r"(?mi)^[ \t]*FROM[ \t]+(?:--\S+[ \t]+)*(\S+)(?:[ \t]+AS[ \t]+(\S+))?")
_DEFAULT = re.compile(r"(?mi)^[ \t]*ARG[ \t]+(\w+)=[\"']?([^\s\"']+)")


def read_images(path: str) -> Declared:
    """Return what the names of the images in a Dockerfile or a launch script state, which may be what is installed.

    Of a Dockerfile, the image counts that its last stage is built from. Raises InputError if the file cannot be read.
    """
    text = read_text(path, _LIMIT, "a Dockerfile or a launch script")
    is_script = path.endswith((".sh", ".slurm", ".sbatch"))
    declared = Declared()
    declared.of_image = True
    for reference, line in _of_script(text) if is_script else _of_dockerfile(text):
        for package, version in releases_of(reference):
            place, depends = Place(path, line), f"the image {reference}"
            declared.add(Entry(package, place, version, applies=None, depends=depends))
    return declared


def releases_of(reference: str) -> list[tuple[str, str]]:
    """Return the packages and releases that the name of an image, such as ``pytorch/pytorch:2.6.0``, states."""
    name, _, tag = reference.rpartition(":")
    first = re.match(_RELEASE.removesuffix(r"(?![\w.])") + r"(?![.\d])", tag)
    package = next((package for pattern, package in _OF_TAG.items() if re.fullmatch(pattern, name)), "")
    found = [(package, first[1])] if package and first else []
    return found + [(_IN_TAG[other], version) for other, version in _NAMED.findall(tag)]


def _of_script(text: str) -> Iterator[tuple[str, int]]:
    for match in _REFERENCE.finditer(text):
        line = text.count("\n", 0, match.start())
        if not text.splitlines()[line].lstrip().startswith("#") or "#SBATCH" in text.splitlines()[line]:
            yield f"{match[1]}:{match[2]}", line + 1


def _of_dockerfile(text: str) -> Iterator[tuple[str, int]]:
    """Yield the image that the last stage is built from."""
    defaults = dict(_DEFAULT.findall(text))
    stages: dict[str, tuple[str, int]] = {}
    last: tuple[str, int] | None = None
    for match in _FROM.finditer(text):
        reference = re.sub(r"\$\{?(\w+)\}?", lambda name: defaults.get(name[1], name[0]), match[1])
        last = stages.get(reference.lower()) or (reference, text.count("\n", 0, match.start(1)) + 1)
        if match[2]:
            stages[match[2].lower()] = last
    if last is not None:
        yield last


def is_dockerfile(path: str) -> bool:
    """Return whether the name of a file is that of a Dockerfile."""
    name = os.path.basename(path).lower()
    return name.startswith("dockerfile") or name.endswith(".dockerfile")
