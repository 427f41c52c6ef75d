"""What the tools consist of besides vcompat, with releases, licenses and where the sources are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.metadata import metadata

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
        stated = metadata(name).json
        classified = [line.rsplit(" :: ", 1)[1] for line in stated.get("classifier", ()) if "License ::" in line]
        terms = str(stated.get("license_expression") or stated.get("license") or ", ".join(classified))
        yield f"{name} {stated['version']}: {terms.splitlines()[0]}, {_address(stated)}"


def _address(stated: Mapping[str, str | list[str]]) -> str:
    """Where the sources are, as far as a package states it."""
    found = [text.split(", ", 1)[1] for text in stated.get("project_url", ())]
    found += [str(stated["home_page"])] if "home_page" in stated else []
    return next((one for one in found if "github.com" in one), found[0] if found else "no address stated")
