"""`vcompat rules update`: releases that are taken out of the records are found again, and recorded bit by bit as before."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from tests.unit.upstream.index_server import serve_links
from tests.upstream.releases import cache_directory
from vcompat.facts.builds.cuda_builds import load_builds
from vcompat.facts.records.wheels import load_wheels
from vcompat.index.packages import IMPORTED
from vcompat.patches import load_patches
from vcompat.rules.database import load_rules
from vcompat.rules.record import Record, load_record, record_folder, save_record
from vcompat.upstream.architectures.model_record import recorded_models, save_models
from vcompat.upstream.architectures.release_models import KINDS
from vcompat.upstream.index import Release, finder, releases_of
from vcompat.upstream.names.build import build
from vcompat.upstream.names.name_record import index_file
from vcompat.upstream.names.stamp import stamp
from vcompat.upstream.names.write import write_index
from vcompat.upstream.settings.setting_records import recorded_tables, save_tables
from vcompat.upstream.store import Store
from vcompat.upstream.verify_claims import every_package
from vcompat.upstream.wheels.compiled_record import save_wheels
from vcompat.upstream.wheels.pipeline import save_builds

ROOT = Path(__file__).resolve().parents[2]
EVERY = every_package(load_rules(), load_patches())
#: Packages whose releases are small. The others take minutes, or hundreds of megabytes.
QUICK = ("trl", "peft")
EVERY_AT_ONCE = "every package at once"


@pytest.fixture(scope="module")
def index() -> Iterator[str]:
    """The package index as it was when the records were written: the files of the recorded releases."""
    with serve_links({package: links(load_record(package, with_rows=False)) for package in EVERY}) as address:
        yield address


def links(record: Record) -> str:
    """Links to the files of the recorded releases; without the index, to files of that name, which the cache has."""
    try:
        files = [
            (one.link.filename, address(one.link), one.link.is_yanked)
            for one in finder().find_all_packages(record.package, allow_yanked=True)
            if one.version and Version(one.version) in record.releases
        ]
    except Exception:  # the type depends on the HTTP library of the client
        stem = record.package.replace("-", "_")
        names = {f"{stem}-{version}.tar.gz": version in record.yanked for version in record.releases}
        files = [(name, f"http://127.0.0.1:9/{name}", yanked) for name, yanked in names.items()]
    return "\n".join(
        f'<a href="{escape(url)}"{" data-yanked" if yanked else ""}>{name}</a>' for name, url, yanked in files
    )


def address(link: Any) -> str:
    digest = next(iter((link.hash_option or {}).get("sha256", [])), "")
    return f"{link.url_without_fragment}#sha256={digest}" if digest else str(link.url_without_fragment)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with records of its own."""
    for name in ("vcompat", "rules"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(record_folder(), tmp_path / "evidence")
    return tmp_path


def take_out(gone: Mapping[str, Collection[Version]], evidence: Path) -> None:
    """Take releases out of all records of their packages, as if they had never been inspected."""
    for package, versions in gone.items():
        take_out_of_source_records(package, versions, evidence)
    libraries = {name: without(known, gone.get(name.partition("/")[0], ())) for name, known in load_wheels().items()}
    builds = {name: without(known, gone.get("vllm", ())) for name, known in load_builds().items()}
    for package, versions in gone.items():
        if package in IMPORTED:
            shutil.copyfile(index_without(package, versions), index_file(package, evidence))
    # What saves these two adds to what is there.
    for name in ("wheels.json", "vllm_builds.json"):
        (evidence / name).unlink()
    save_wheels({name: known for name, known in libraries.items() if known}, evidence)
    save_builds(builds, evidence)


def take_out_of_source_records(package: str, gone: Collection[Version], evidence: Path) -> None:
    old = load_record(package)
    declares = {name: without(ranges, gone) for name, ranges in old.declares.items()}
    save_record(
        old._replace(
            releases=tuple(version for version in old.releases if version not in gone),
            rows={key: row._replace(seen=without(row.seen, gone)) for key, row in old.rows.items()},
            declares={name: ranges for name, ranges in declares.items() if ranges},
            yanked=tuple(version for version in old.yanked if version not in gone),
        ),
        evidence,
    )
    if tables := recorded_tables(package):
        save_tables(package, without(tables, gone), evidence / "settings")
    if package in KINDS:
        save_models(package, without(recorded_models(package), gone), evidence / "models")


def index_without(package: str, gone: Collection[Version]) -> Path:
    """The index as it was before the releases that are gone. It is built from nothing, once."""
    store = Store(cache_directory() / "releases")
    known = [version for version in load_record(package, with_rows=False).releases if version not in gone]
    path = cache_directory() / "indexes" / f"{package}-{known[-1]}-{stamp()}.zip"
    if not path.is_file():
        files = (
            {one.version: one for one in releases_of(package)} if not all(store.has(package, v) for v in known) else {}
        )
        for version in known:
            store.open(files.get(version, Release(package, version, "", "", "", False))).close()
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("VCOMPAT_CACHE", str(cache_directory()))
            releases = [Release(package, version, "", "", "", False) for version in known]
            write_index(path, build(package, releases, lambda _: None))
    return path


def without(known: Mapping[Version, Any], gone: Collection[Version]) -> dict[Version, Any]:
    return {version: one for version, one in known.items() if version not in gone}


def contents(evidence: Path) -> dict[str, bytes]:
    return {str(path.relative_to(evidence)): path.read_bytes() for path in evidence.rglob("*") if path.is_file()}


def update(checkout: Path, index: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vcompat", "rules", "update", *arguments],
        cwd=checkout,
        env={**os.environ, "NO_COLOR": "1", "PIP_INDEX_URL": index, "VCOMPAT_CACHE": str(cache_directory()),
             "PYTHONPATH": str(checkout), "COLUMNS": "80"},
        capture_output=True, text=True, timeout=3000, check=False,
    )  # fmt: skip


def slow(package: str) -> object:
    skipped = package not in QUICK and os.environ.get("VCOMPAT_SLOW_TESTS") != "1"
    marks = [pytest.mark.skipif(skipped, reason="takes minutes: VCOMPAT_SLOW_TESTS=1")]
    return pytest.param(package, marks=[*marks, pytest.mark.slow] if package == "trl" else marks)


@pytest.mark.parametrize("package", [slow(package) for package in [*EVERY, EVERY_AT_ONCE]])
def test_releases_are_found_again_and_recorded_bit_by_bit_as_before(package: str, checkout: Path, index: str) -> None:
    evidence, page = checkout / "evidence", checkout / "page.md"
    before = contents(evidence)
    packages = EVERY if package == EVERY_AT_ONCE else [package]
    gone = {name: load_record(name, with_rows=False).releases[-2:] for name in packages}
    take_out(gone, evidence)
    assert contents(evidence) != before
    only = [] if package == EVERY_AT_ONCE else ["--package", package]
    done = update(checkout, index, *only, "--no-scan", "--output", str(page))
    assert done.returncode in (0, 1), done.stdout + done.stderr
    after = contents(evidence)
    assert sorted(after) == sorted(before)
    assert [name for name in before if after[name] != before[name]] == []
    found = page.read_text().partition("### Rules that end")[0]
    assert all(f"- `{name}`: " in page.read_text() for name in packages if name in IMPORTED)
    assert all(f"- `{name} {version}`: " in found for name, versions in gone.items() for version in versions)
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_nothing_is_written_if_nothing_is_new(checkout: Path, index: str) -> None:
    before = contents(checkout / "evidence")
    done = update(checkout, index)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Upstream releases: none is new\nNothing needs a person.\n")
    assert contents(checkout / "evidence") == before
