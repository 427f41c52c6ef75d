"""Releases are stored completely or not at all."""

from __future__ import annotations

import errno
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.version import Version

from tests.unit.upstream.distributions import sdist, wheel
from tests.unit.upstream.index_server import File, serve
from vcompat.upstream.index import IndexUnreachable, Release, releases_of
from vcompat.upstream.store import Store, Unavailable

unearth = pytest.importorskip("unearth", reason="the index client is an extra")

GOOD = sdist("pkg-1.0", {"pkg/a.py": "A = 1\n"})
FILES = [
    File("pkg-1.0.tar.gz", GOOD),
    File("pkg-1.0-py3-none-any.whl", wheel({"pkg/a.py": "A = 'from the wheel'\n"})),
    File("pkg-1.1-cp38-abi3-manylinux_2_31_x86_64.whl", wheel({"pkg/a.py": "A = 2\n", "pkg/lib.so": "x"})),
    File("pkg-1.2.tar.gz", GOOD[:-20]),
    File("pkg-1.3.tar.gz", GOOD, sha256="0" * 64),
    File("pkg-1.4.tar.gz", GOOD, status=500),
    File("pkg-1.5.tar.gz", GOOD * 1000, sent=1000),
    File("pkg-1.6.tar.gz", GOOD, yanked=True),
    File("pkg-1.7.exe", b"MZ"),
    File("pkg-1.8-py3-none-any.whl", wheel({"pkg/lib.so": "x"})),
]


#: Wheels of which only the text files are requested.
LARGE = wheel({"torch/a.py": "A = 1\n", "torch/lib.so": "x" * 1000})
PARTS = [
    File("torch-2.0.0-cp311-cp311-manylinux1_x86_64.whl", LARGE, ranges=True),
    File("torch-2.1.0-cp311-cp311-manylinux1_x86_64.whl", LARGE),
    File("torch-2.2.0-cp311-cp311-manylinux1_x86_64.whl", LARGE[:-20], ranges=True),
]


@pytest.fixture(scope="module")
def client() -> Iterator[object]:
    with serve({"pkg": FILES, "torch": PARTS}) as address:
        yield unearth.PackageFinder(index_urls=[address], ignore_compatibility=True)


@pytest.fixture
def store(tmp_path: Path, client: object) -> Store:
    return Store(tmp_path / "releases", client)


def found(client: object, version: str) -> Release:
    return next(release for release in releases_of("pkg", client) if release.version == Version(version))


def left(store: Store) -> list[str]:
    return sorted(str(path.relative_to(store.folder)) for path in store.folder.rglob("*"))


def test_the_index_lists_every_release_with_the_file_to_inspect(client: object) -> None:
    listed = {str(release.version): release for release in releases_of("pkg", client)}
    assert listed["1.0"].file == "pkg-1.0.tar.gz"
    assert listed["1.1"].file == "pkg-1.1-cp38-abi3-manylinux_2_31_x86_64.whl"
    assert [version for version, release in listed.items() if release.yanked] == ["1.6"]


def test_a_release_is_fetched_once_and_stored(store: Store, client: object) -> None:
    release = found(client, "1.0")
    with store.open(release) as archive:
        assert archive.read("pkg/a.py") == "A = 1\n"
    assert store.has("pkg", Version("1.0"))
    assert left(store) == ["pkg-1.0.zip"]
    with store.open(release._replace(address="http://127.0.0.1:9/nobody-listens")) as archive:
        assert archive.read("pkg/a.py") == "A = 1\n"


@pytest.mark.parametrize(("version", "text"), [("1.1", "A = 2\n"), ("1.6", "A = 1\n")])
def test_wheels_and_yanked_releases_are_read_too(store: Store, client: object, version: str, text: str) -> None:
    with store.open(found(client, version)) as archive:
        assert archive.read("pkg/a.py") == text


@pytest.mark.parametrize(
    ("version", "complaint"),
    [
        ("1.2", "pkg 1.2: pkg-1.2.tar.gz is damaged"),
        ("1.3", "pkg 1.3: pkg-1.3.tar.gz does not match the hash on the package index"),
        ("1.4", "pkg 1.4: cannot be fetched"),
        ("1.5", "pkg 1.5: cannot be fetched"),
        ("1.8", "pkg 1.8: pkg-1.8-py3-none-any.whl contains no Python file"),
    ],
)
def test_an_incomplete_or_damaged_download_is_reported_and_not_stored(
    store: Store, client: object, version: str, complaint: str
) -> None:
    with pytest.raises(Unavailable, match=complaint):
        store.open(found(client, version))
    assert left(store) == []


def test_the_text_files_of_a_large_wheel_are_read_by_parts(store: Store, client: object) -> None:
    first, *others = releases_of("torch", client)
    with store.open(first) as archive:
        assert (archive.names(), archive.read("torch/a.py")) == (frozenset({"torch/a.py"}), "A = 1\n")
    for release, complaint in zip(others, ("does not support range requests", "not an archive"), strict=True):
        with pytest.raises(Unavailable, match=complaint):
            store.open(release)
    assert store.versions("torch") == [first.version]


def test_a_release_without_a_usable_file_is_reported(store: Store) -> None:
    nothing = Release("pkg", Version("1.7"), "", "", "", False)
    with pytest.raises(Unavailable, match="neither a source distribution nor a wheel"):
        store.open(nothing)


def test_a_damaged_stored_release_is_fetched_again(store: Store, client: object) -> None:
    release = found(client, "1.0")
    store.open(release).close()
    (store.folder / "pkg-1.0.zip").write_bytes(b"PK damaged by a disk")
    with store.open(release) as archive:
        assert archive.read("pkg/a.py") == "A = 1\n"


def test_a_full_disk_is_reported_in_one_line_and_leaves_no_file(
    store: Store, client: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: str, target: str) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    # Stands in for a full disk: the last step fails as it would there.
    monkeypatch.setattr("vcompat.upstream.store.os.replace", full)
    with pytest.raises(Unavailable, match=r"pkg 1\.0: cannot be stored in .*: No space left on device"):
        store.open(found(client, "1.0"))
    assert left(store) == []


def test_a_folder_that_cannot_be_created_is_reported_in_one_line(tmp_path: Path, client: object) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Unavailable, match=r"pkg 1\.0: cannot be stored in .*: (Not a directory|File exists)"):
        Store(tmp_path / "file" / "releases", client).open(found(client, "1.0"))


def test_unfinished_downloads_of_killed_processes_are_removed(store: Store) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    here = f".unfinished-{platform.node()}"
    ages = {f"{here}-{ended.pid}-a": 60, f"{here}-{os.getpid()}-a": 60, ".unfinished-other-host-1-a": 60}
    for name, age in {**ages, ".unfinished-other-host-2-a": 2 * 24 * 3600}.items():
        (store.folder / name).mkdir(parents=True)
        os.utime(store.folder / name, (time.time() - age,) * 2)
    store.tidy()
    assert left(store) == sorted([f"{here}-{os.getpid()}-a", ".unfinished-other-host-1-a"])


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/simple/", None])
def test_an_unreachable_index_or_an_unknown_package_is_reported(address: str | None) -> None:
    with serve({}) as empty:
        client = unearth.PackageFinder(index_urls=[address or empty])
        with pytest.raises(IndexUnreachable, match="the package index"):
            releases_of("pkg", client)
