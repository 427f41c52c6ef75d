"""What `grep` finds in a file that is there now: presumed, and unknown in the certain reading."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.described import shown
from vcompat.sources.reading.shell import run_shell

SETTINGS = '# The model\nmodel: "org/small"\nsteps: 30\nseeds: 1 2\n'


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("grep -Po '^model: \"\\K[^\"]*' s.yaml", "org/small"),
        ("grep -oP '(?<=steps: ).*' s.yaml", "30"),
        ("grep -oE '[0-9]+' s.yaml", "'30\\n1\\n2'"),
        ("grep -m1 -o '[0-9][0-9]*' s.yaml", "30"),
        ("grep steps s.yaml", "'steps: 30'"),
        ("grep -ow mode s.yaml", "?"),
        ("grep -c steps s.yaml", "?"),
        ("grep -o 'a(b' s.yaml", "?"),
        ("grep -oP '(?<!a)b' s.yaml", "?"),
        ("grep steps none.yaml", "?"),
        ("grep steps s.yaml s.yaml", "?"),
        ("grep nothing s.yaml", "?"),
    ],
)
def test_a_search_in_a_file_is_presumed(tmp_path: Path, command: str, printed: str) -> None:
    (tmp_path / "s.yaml").write_text(SETTINGS)
    for presuming, expected in ((False, "?"), (True, printed)):
        folder = str(tmp_path)
        ran = run_shell(f'X=$({command})\nprog "$X"\n', f"{folder}/run.sh", folder=folder, presuming=presuming)
        assert " ".join(map(shown, ran.invocations[-1].words[1:])) == expected
        assert len(ran.presumes) == (expected != "?")


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("grep -q steps s.yaml", "0"),
        ("grep -qE '^steps: [0-9]+$' s.yaml", "0"),
        ("grep -qi STEPS s.yaml", "0"),
        ("grep -q STEPS s.yaml", "1"),
        ("! grep -q nothing s.yaml", "0"),
        ("grep -q steps none.yaml", "?"),
        ("grep -qv steps s.yaml", "?"),
        ("grep -q 'a(b)*' s.yaml", "?"),
    ],
)
def test_whether_a_file_has_a_line_is_presumed(tmp_path: Path, command: str, status: str) -> None:
    (tmp_path / "s.yaml").write_text(SETTINGS)
    for presuming in (False, True):
        text = f"if {command}; then X=0; else X=1; fi\nprog $X\n"
        ran = run_shell(text, f"{tmp_path}/run.sh", folder=str(tmp_path), presuming=presuming)
        assert " ".join(map(shown, ran.invocations[-1].words[1:])) == (status if presuming else "?")
