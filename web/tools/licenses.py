"""What the tools consist of besides vcompat, with releases, licenses and where the sources are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib.metadata import PackageMetadata, metadata

from web.tools.archive import PURE
from web.tools.npm_packages import FOLDER, PACKAGES


def licenses() -> str:
    """Return one line for each package. The packages from npm must be installed."""
    lines = [*_of_npm(), *_of_python()]
    return "\n".join(["The tools of this site contain these packages besides vcompat (MIT):", "", *lines, ""])


def _of_npm() -> Iterator[str]:
    for name in PACKAGES:
        stated = json.loads((FOLDER / name / "package.json").read_bytes())
        source = stated["repository"]
        address = source if isinstance(source, str) else source["url"]
        yield f"{name} {stated['version']}: {stated['license']}, {address.removeprefix('git+')}"


def _of_python() -> Iterator[str]:
    for name in PURE:
        stated = metadata(name)
        classified = [line.rsplit(" :: ", 1)[1] for line in stated.get_all("Classifier", []) if "License ::" in line]
        terms = stated.get("License-Expression") or stated.get("License") or ", ".join(classified)
        yield f"{name} {stated['Version']}: {terms.splitlines()[0]}, {_address(stated)}"


def _address(stated: PackageMetadata) -> str:
    """Where the sources are, as far as a package states it."""
    stated_ones = [text.split(", ", 1)[1] for text in stated.get_all("Project-URL", [])]
    addresses = [one for one in (*stated_ones, stated.get("Home-page")) if one]
    return next((one for one in addresses if "github.com" in one), addresses[0] if addresses else "no address stated")
