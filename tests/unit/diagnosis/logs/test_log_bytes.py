"""Which bytes are read for a path: compressed or not, whole or not, and what cannot be read."""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

import pytest

from vcompat.diagnosis.logs.log_bytes import BLOCK, Unreadable, blocks, open_log, paths_of
from vcompat.foundation.errors import InputError

TEXT = b"".join(b"line %d\n" % number for number in range(100_000))


def read(path: Path) -> bytes:
    log = open_log(str(path))
    with log.file:
        return b"".join(blocks(log))


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("data", [b"", b"x", TEXT], ids=["empty", "one byte", "many blocks"])
def test_plain_and_compressed_logs_have_the_same_contents(tmp_path: Path, data: bytes) -> None:
    assert read(write(tmp_path / "log", data)) == data
    assert read(write(tmp_path / "log.gz", gzip.compress(data))) == data


def test_a_gzip_file_of_several_members_is_read_to_its_end(tmp_path: Path) -> None:
    assert read(write(tmp_path / "log.gz", gzip.compress(b"one\n") + gzip.compress(TEXT))) == b"one\n" + TEXT


def test_zstd_is_read_with_the_library_that_python_has(tmp_path: Path) -> None:
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    zstd = pytest.importorskip(name)
    assert read(write(tmp_path / "log.zst", zstd.compress(TEXT))) == TEXT


def test_blocks_of_a_decompression_bomb_are_bounded(tmp_path: Path) -> None:
    log = open_log(str(write(tmp_path / "log.gz", gzip.compress(b"\0" * 20_000_000))))
    with log.file:
        sizes = [len(block) for block in blocks(log)]
    assert sum(sizes) == 20_000_000
    assert max(sizes) <= BLOCK


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (gzip.compress(TEXT)[:-2000], "truncated gzip data"),
        (gzip.compress(TEXT)[:-8] + bytes(8), "damaged gzip data"),
        (bytes(range(256)) + bytes(2000), "binary data, not a log"),
        (bytes(range(256)) * 100, "binary data, not a log"),
    ],
)
def test_what_is_damaged_is_read_up_to_there(tmp_path: Path, data: bytes, reason: str) -> None:
    log = open_log(str(write(tmp_path / "log", data)))
    got = []
    with log.file, pytest.raises(Unreadable, match=reason):
        got.extend(blocks(log))
    assert TEXT.startswith(b"".join(got))


@pytest.mark.parametrize("data", [b"caf\xe9 " * 100, b"step 1\n\0step 2\n" * 10, bytes(range(1, 256)) * 10])
def test_a_text_with_strange_bytes_is_read(tmp_path: Path, data: bytes) -> None:
    assert read(write(tmp_path / "log", data)) == data


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_encodings_with_several_bytes_per_character_are_read_as_text(tmp_path: Path, encoding: str) -> None:
    text = "Résumé of the run \x1b[0m\r\n"
    assert read(write(tmp_path / "log", text.encode(encoding))).decode() == text


@pytest.mark.parametrize("data", [(b"\x05\0\0\0" * 9), b"\x01\0\x02\0" * 9, b"\0" * 99])
def test_numbers_in_a_binary_file_are_no_text(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(Unreadable, match="binary data"):
        read(write(tmp_path / "log", data))


def test_utf_16_is_read_as_text(tmp_path: Path) -> None:
    assert read(write(tmp_path / "log", "Résumé\r\n".encode("utf-16"))).decode() == "Résumé\r\n"


def test_a_folder_stands_for_the_files_in_it(tmp_path: Path) -> None:
    (tmp_path / "node1").mkdir()
    names = [tmp_path / "node1" / "rank_1.log", tmp_path / "rank_0.log"]
    for name in names:
        name.write_text("x")
    assert paths_of(str(tmp_path)) == [str(name) for name in names]


def test_a_folder_without_files_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a folder without files"):
        paths_of(str(tmp_path))


def test_devices_and_missing_files_are_errors(tmp_path: Path) -> None:
    for path, reason in ((os.devnull, "a device"), (str(tmp_path / "none"), "No such file")):
        with pytest.raises(InputError, match=reason):
            open_log(path)
