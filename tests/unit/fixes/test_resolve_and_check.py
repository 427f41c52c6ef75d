"""What `resolve` chooses and leaves, against what `check` finds for the same run files, hardware and packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.fixes.combinations import disagreements


@pytest.mark.parametrize("seed", range(4))
def test_check_finds_no_certain_error_that_resolve_does_not_list(seed: int, tmp_path: Path) -> None:
    assert list(disagreements(seed, 125, tmp_path)) == []
