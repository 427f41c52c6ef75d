"""The records of kernels: read back as written, refused when malformed, and compared with a fresh survey."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.version import Version

from vcompat.foundation.errors import InputError
from vcompat.kernels.grid import FULL, HALF, KERNELS, Attempt
from vcompat.kernels.kernel_record import (
    ABORTS,
    COMPILES,
    NO_MEMORY,
    RAISES,
    UNKNOWN,
    Cell,
    KernelRecord,
    Measured,
    load,
    save,
)
from vcompat.kernels.survey import differences

KERNEL = KERNELS[0]
CALL = KERNEL.calls[0]


def measured(first: str, last: str) -> Measured:
    cells = {
        Attempt(CALL, "7.0", HALF, 64): Cell(ABORTS, 'it "cannot" \\ lower'),
        Attempt(CALL, "7.5", HALF, 64): Cell(NO_MEMORY, "98304"),
        Attempt(CALL, "8.0", HALF, 64): Cell(COMPILES),
        Attempt(CALL, "8.0", HALF, 128): Cell(RAISES, "from f16 to f16"),
        Attempt(CALL, "7.0", FULL, 64): Cell(UNKNOWN),
    }
    return Measured(Version(first), Version(last), "3.1.0", "abc", cells)


RECORD = KernelRecord(KERNEL, "2.13.0", "m", (measured("0.5.5", "0.6.0"), measured("0.7.0", "0.7.0")))


def known(record: KernelRecord) -> list[dict[Attempt, Cell]]:
    return [{a: cell for a, cell in one.cells.items() if cell.word != UNKNOWN} for one in record.variants]


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    assert save(RECORD, tmp_path) is not None
    found = load(KERNEL, tmp_path)
    assert known(found) == known(RECORD)
    assert [one[:4] for one in found.variants] == [one[:4] for one in RECORD.variants]
    assert save(found, tmp_path) is None


def test_a_cell_that_was_not_compiled_is_read_as_not_measured(tmp_path: Path) -> None:
    save(RECORD, tmp_path)
    assert load(KERNEL, tmp_path).variants[0].cells[Attempt(CALL, "9.0", HALF, 64)] == Cell(UNKNOWN)


def test_a_release_between_the_first_and_the_last_of_a_variant_is_covered() -> None:
    assert RECORD.variant_of(Version("0.5.6")) == RECORD.variants[0]
    assert RECORD.variant_of(Version("0.6.1")) is None


@pytest.mark.parametrize("text", ["[", 'torch = "1"', 'torch = "1"\nvariants = [{}]\n[outcomes]'])
def test_a_malformed_record_is_refused_with_its_path(text: str, tmp_path: Path) -> None:
    path = tmp_path / f"{KERNEL.name}.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=str(path)):
        load(KERNEL, tmp_path)


def test_a_survey_that_equals_the_record_differs_in_nothing() -> None:
    assert list(differences(RECORD, RECORD)) == []


def test_an_outcome_that_differs_from_the_record_is_stated_with_both() -> None:
    attempt = Attempt(CALL, "8.0", HALF, 64)
    one = RECORD.variants[0]
    fresh = RECORD._replace(variants=(one._replace(cells={**one.cells, attempt: Cell(ABORTS, "no")}),))
    (line,) = differences(fresh, RECORD)
    assert "aborts no, recorded: compiles" in line


def test_code_that_is_not_recorded_is_stated() -> None:
    fresh = RECORD._replace(variants=(RECORD.variants[0]._replace(code="new"),))
    (line,) = differences(fresh, RECORD)
    assert "not recorded with this code" in line
