"""Creates installed distributions for tests of the package probe."""

from __future__ import annotations

from pathlib import Path


def install(site: Path, name: str, version: str, top_level: str = "", requires: str = "", folder: str = "") -> None:
    """Create the metadata of an installed distribution in `site`."""
    directory = site / (folder or f"{name.replace('-', '_')}-{version}.dist-info")
    directory.mkdir(parents=True)
    (directory / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}\n\nVersion: 9.9 of a description\n"
    )
    if top_level:
        (directory / "top_level.txt").write_text(top_level + "\n")
        (site / top_level).mkdir(exist_ok=True)
