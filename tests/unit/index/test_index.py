"""The index: what is read from modules of our own making comes back for the releases that have it."""

from __future__ import annotations

from pathlib import Path

from vcompat.index.names import Answer, Names
from vcompat.index.rows import intervals, mask_of_text, text_of_mask
from vcompat.index.store import Index
from vcompat.upstream.names.build import _members, _read
from vcompat.upstream.names.extract import rows_of
from vcompat.upstream.names.write import packed


def test_sets_of_releases_are_read_as_they_were_written() -> None:
    for mask in range(1, 512):
        assert mask_of_text(text_of_mask(mask, 9), 9) == mask
        assert sum((1 << last + 1) - (1 << first) for first, last in intervals(mask)) == mask


def test_a_name_that_only_some_ways_bind_is_conditional() -> None:
    rows = rows_of("trl.x", "try:\n    import vllm\nexcept ImportError:\n    pass\nelse:\n    A = 1\nB = 2\n", False)
    assert {name for kind, _, name, _ in rows if kind == "c"} == {"vllm", "A"}


def test_an_index_of_no_modules_has_no_name(tmp_path: Path) -> None:
    from packaging.version import Version

    from vcompat.upstream.index import Release

    release = Release("trl", Version("1.0.0"), "", "", "", False)
    chunk = _read(("trl", (release,), []))
    path = tmp_path / "trl.zip"
    path.write_bytes(packed(_members([chunk], {}, [release])))
    index = Index(str(path))
    assert Names(index).name("trl", "GRPOTrainer") == Answer(0)
    assert index.places_of("GRPOTrainer") == []
