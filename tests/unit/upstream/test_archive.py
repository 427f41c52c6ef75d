"""What is kept of a distribution, and how damage is reported."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from tests.unit.upstream.distributions import sdist, wheel
from vcompat.upstream.archive import LARGEST, Archive, BadArchive, Tree, pack

FILES = {"pkg/a.py": "A = 1\n", "PKG-INFO": "Name: pkg\n", "pkg/data.bin": "x", "README.md": "no"}


def packed(folder: Path, name: str, content: bytes) -> Path:
    (folder / name).write_bytes(content)
    pack(folder / name, folder / "packed.zip")
    return folder / "packed.zip"


def test_text_files_of_a_source_distribution_are_kept(tmp_path: Path) -> None:
    with Archive(packed(tmp_path, "pkg-1.0.tar.gz", sdist("pkg-1.0", FILES))) as archive:
        assert archive.names() == {"pkg/a.py", "PKG-INFO"}
        assert archive.read("pkg/a.py") == "A = 1\n"
        assert archive.read("pkg/b.py") is None


def test_a_wheel_is_read_with_the_paths_of_a_source_tree(tmp_path: Path) -> None:
    with Archive(packed(tmp_path, "pkg-1.0-py3-none-any.whl", wheel({"pkg/a.py": "A = 1\n"}))) as archive:
        assert archive.read("src/pkg/a.py") == archive.read("pkg/a.py") == "A = 1\n"


def test_an_unpacked_tree_is_read_like_an_archive(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "a.py").write_text("A = 1\n")
    (tmp_path / "pkg" / "data.bin").write_text("x")
    tree = Tree(tmp_path)
    assert tree.names() == {"pkg/a.py"}
    assert (tree.read("pkg/a.py"), tree.read("pkg/data.bin")) == ("A = 1\n", None)


@pytest.mark.parametrize("cut", [1, 40, 100, -1])
def test_a_truncated_archive_is_rejected(tmp_path: Path, cut: int) -> None:
    whole = sdist("pkg-1.0", {f"pkg/{n}.py": f"VALUE = {n}\n" * 50 for n in range(50)})
    with pytest.raises(BadArchive, match=r"pkg-1\.0\.tar\.gz"):
        packed(tmp_path, "pkg-1.0.tar.gz", whole[:cut])


@pytest.mark.parametrize("content", [b"", b"not an archive at all", b"PK\x03\x04 half a zip"])
def test_a_file_that_is_not_an_archive_is_rejected(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(BadArchive):
        packed(tmp_path, "pkg-1.0.tar.gz", content)


def test_a_damaged_wheel_is_rejected(tmp_path: Path) -> None:
    content = bytearray(wheel({"pkg/a.py": "A = 1\n" * 1000}))
    content[100:110] = b"0123456789"
    with pytest.raises(BadArchive, match="damaged"):
        packed(tmp_path, "pkg-1.0-py3-none-any.whl", bytes(content))


def test_escaping_paths_links_and_oversized_files_are_left_out(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, size in (("pkg-1.0/../../out.py", 1), ("pkg-1.0/huge.py", LARGEST + 1), ("pkg-1.0/a.py", 1)):
            info = tarfile.TarInfo(name)
            info.size = size
            archive.addfile(info, io.BytesIO(b" " * size))
        link = tarfile.TarInfo("pkg-1.0/link.py")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    with Archive(packed(tmp_path, "pkg-1.0.tar.gz", buffer.getvalue())) as kept:
        assert kept.names() == {"a.py"}
