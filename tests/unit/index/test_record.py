"""Recorded indexes: continued with newer releases, compared with records and with source, and updated."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from packaging.version import Version

from vcompat.index.store import Index
from vcompat.rules.record import Record, save_record
from vcompat.upstream.index import Release
from vcompat.upstream.names.build import build
from vcompat.upstream.names.name_record import index_file, stale, update
from vcompat.upstream.names.verify_names import differs
from vcompat.upstream.names.write import write_index

WALK = "def walk(tree, depth=0):\n    for leaf in tree.leaves:\n        yield leaf\n"
PAD = "def pad(tensors, side='left'):\n    first = tensors[0]\n    return fill(first, side)\n"
GROW = "def grow(tree):\n    size = tree.size\n    return size + {}\n"
#: The modules of each release; what it leaves out is as in the one before, and None removes a module. Each module but
#: the last has a name that begins a chunk.
RELEASES: tuple[dict[str, str | None], ...] = (
    {
        "__init__.py": "from .all_args import grow\nfrom trl._C import fast\n",
        "all_args.py": GROW.format(1),
        "deep_io.py": PAD,
        "my_loop.py": WALK,
        "up_core.py": "class Core:\n    size = 1\n",
    },
    # What changes in the newest release of an index need not change in the next one.
    {"all_args.py": GROW.format(2)},
    {"deep_io.py": "", "fast_data.py": PAD, "up_core.py": None},
    {"my_loop.py": "LOOP = 1\n", "sub_io.py": WALK},
    # Code that had gone is there again.
    {"deep_io.py": PAD, "sub_io_more.py": "MORE = 1\n"},
)
COUNT = len(RELEASES)


def releases(folder: Path) -> list[Release]:
    files: dict[str, str | None] = {}
    for number, changes in enumerate(RELEASES):
        files |= changes
        for name, text in files.items():
            if text is not None:
                path = folder / str(number) / "trl" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
    return [Release("trl", Version(f"{n}.0"), "", "", "", False, str(folder / str(n))) for n in range(COUNT)]


def built(known: list[Release], before: Index | None = None) -> dict[str, bytes]:
    return build("trl", known, lambda _: None, before)


def indexed(known: list[Release], path: Path) -> Index:
    write_index(path, built(known))
    return Index(str(path))


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read chunks in this process: to start others takes longer than these modules."""
    monkeypatch.setattr("vcompat.upstream.names.build.spread", map)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return built(releases(tmp_path_factory.mktemp("releases")))


@pytest.mark.parametrize("count", [2, 3, 4])
def test_an_index_is_continued_as_if_built_from_nothing(count: int, tmp_path: Path, whole: dict[str, bytes]) -> None:
    known = releases(tmp_path)
    before = indexed(known[:count], tmp_path / "trl.zip")
    # A chunk without changes is not read again: what its older releases have does not count any more.
    (tmp_path / "0" / "trl" / "all_args.py").write_text("OTHER = 1\n", encoding="utf-8")
    assert built(known, before) == whole


def test_an_index_of_other_code_is_not_continued(tmp_path: Path, whole: dict[str, bytes]) -> None:
    known = releases(tmp_path)
    members = built(known[:2])
    about = {**json.loads(members["about.json"]), "made by": "other code"}
    emptied = dict.fromkeys(members, b"")
    write_index(tmp_path / "trl.zip", {**emptied, "about.json": json.dumps(about).encode()})
    assert built(known, Index(str(tmp_path / "trl.zip"))) == whole


def test_an_index_that_is_not_of_the_recorded_releases_is_stale(tmp_path: Path, whole: dict[str, bytes]) -> None:
    records = {"trl": Record("trl", tuple(Version(f"{n}.0") for n in range(COUNT)), {})}
    missing = "trl: the index of names is missing; `--update` writes it"
    assert stale(records, tmp_path) == [missing]
    write_index(index_file("trl", tmp_path), whole)
    assert stale(records, tmp_path) == []
    fewer = {"trl": records["trl"]._replace(releases=records["trl"].releases[1:])}
    assert stale(fewer, tmp_path) == ["trl: the index of names is not of the recorded releases; `--update` writes it"]
    other = {**json.loads(whole["about.json"]), "made by": "other code"}
    write_index(index_file("trl", tmp_path), {**whole, "about.json": json.dumps(other).encode()})
    assert "built by other code" in stale(records, tmp_path)[0]


@pytest.mark.parametrize(
    ("change", "is_seen"),
    [
        (("", ""), False),
        (("size + 2", "size + 1"), True),
        (("def grow(tree)", "def grow(tree, rate=1)"), True),
        (("    size = tree.size", "    # A comment.\n    size = tree.size"), False),
    ],
)
def test_an_index_is_compared_with_the_source_of_its_newest_release(
    change: tuple[str, str], is_seen: bool, tmp_path: Path, whole: dict[str, bytes]
) -> None:
    known = releases(tmp_path)
    write_index(tmp_path / "trl.zip", whole)
    path = tmp_path / str(COUNT - 1) / "trl" / "all_args.py"
    path.write_text(path.read_text(encoding="utf-8").replace(*change), encoding="utf-8")
    assert differs(Index(str(tmp_path / "trl.zip")), known[-1], "trl.all_args") == is_seen


def test_an_update_writes_what_is_not_up_to_date_and_states_what_is_new(
    tmp_path: Path, whole: dict[str, bytes]
) -> None:
    known = releases(tmp_path)
    index = indexed(known[:3], index_file("trl", tmp_path))
    assert index.moves == {"trl.deep_io:pad": [(1, "trl.fast_data:pad")]}
    save_record(Record("trl", tuple(release.version for release in known), {}), tmp_path)
    done = update(["trl", "numpy"], known, lambda _: None, tmp_path)
    assert done.written == (index_file("trl", tmp_path),)
    assert done.news == (("trl", "2 modules begin, 0 end; 1 functions and classes moved"),)
    with zipfile.ZipFile(done.written[0]) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == whole
    assert update(["trl"], known, lambda _: None, tmp_path) == ((), (), ())


def test_a_release_that_cannot_be_read_leaves_the_index_as_it_is(tmp_path: Path) -> None:
    save_record(Record("trl", (Version("99.0"),), {}), tmp_path)
    done = update(["trl"], [], lambda _: None, tmp_path)
    assert not done.written
    assert done.troubles[0].startswith("the index of trl was not written: trl 99.0: ")
