"""The matrix has what ``vcompat resolve`` chooses with each release of TRL kept."""

import pytest
from packaging.version import Version

from vcompat.fixes.planned_runs import runs_of
from vcompat.fixes.releases import Wish, parse_kept
from vcompat.fixes.resolving import resolve
from vcompat.rules.database import load_rules
from vcompat.sources.gather import Sources

pytest.importorskip("sphinx", reason="needs the extra 'site'")
from web.pages.generations import GENERATIONS
from web.pages.matrix import PYTHON, catalogued, table

GENERATION = next(one for one in GENERATIONS if one.capability == "7.0")


@pytest.mark.parametrize("kept", ["0.19.1", "0.29.1", "1.10.0"])
def test_a_row_is_what_resolve_chooses(kept):
    row = next(one for one in table(GENERATION).rows if one.pin.version == Version(kept))
    wish = Wish(runs_of(Sources(target=GENERATION.target)), PYTHON, parse_kept([f"trl=={kept}"]))
    found = resolve(wish, catalogued(), load_rules())
    assert row.pins == found.pins
    assert row.pins and row.reason is None


def test_a_hole_has_a_reason_and_resolve_finds_no_set_without_an_error():
    holes = [row for row in table(GENERATION).rows if not row.pins]
    assert holes
    assert all(row.reason is not None and row.reason.text for row in holes)
    wish = Wish(runs_of(Sources(target=GENERATION.target)), PYTHON, parse_kept([f"trl=={holes[0].pin.version}"]))
    found = resolve(wish, catalogued(), load_rules())
    assert found.pins == () or found.left


def test_cells_of_the_grid_that_do_not_work_have_a_reason():
    cells = [cell for _, line in table(GENERATION).grid for cell in line]
    assert any(cell.works for cell in cells)
    assert all(cell.title and cell.title != "not known" for cell in cells if not cell.works)
