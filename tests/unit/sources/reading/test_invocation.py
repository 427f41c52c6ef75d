from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.sources.reading.files import read_plan
from vcompat.sources.reading.invocation import written
from vcompat.sources.reading.recognize import recognize
from vcompat.sources.reading.word import UNKNOWN

FILES = {"a.py": "A", "d/b.py": "B", "./c.py": None, "/w/x.py": "X", "-": "IN"}


@pytest.mark.parametrize(
    ("folder", "name", "expected"),
    [
        ("", "a.py", (True, "A")), ("", "./a.py", (True, "A")), ("", "d/../a.py", (True, "A")), ("d", "a.py", (False, None)), ("d", "../a.py", (True, "A")),
        ("d", "b.py", (True, "B")), ("", "d/b.py", (True, "B")), ("", "b.py", (False, None)), ("", "c.py", (True, None)), ("d", "/w/x.py", (True, "X")),
        ("/w", "x.py", (True, "X")), (UNKNOWN, "a.py", (True, None)), (UNKNOWN, "b.py", (False, None)), ("", "-", (True, "IN")), ("d", "-", (True, "IN")),
        (UNKNOWN, "-", (True, "IN")), ("", "", (False, None)), ("a.py", "", (False, None)),
    ],
)  # fmt: skip
def test_a_file_is_written_if_its_path_from_the_start_is(
    folder: str, name: str, expected: tuple[bool, str | None]
) -> None:
    assert written(FILES, folder, name) == expected


def test_a_script_of_the_same_name_in_another_folder_is_not_the_written_one(tmp_path: Path) -> None:
    script = "from trl import GRPOConfig, GRPOTrainer\nGRPOTrainer(args=GRPOConfig(num_generations={}))\n"
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "train.py").write_text(script.format(8))

    def value() -> object:
        return read_plan([recognize(str(tmp_path / "run.sh"))]).facts.value("plan.num_generations")

    written_there = script.format(2)
    (tmp_path / "run.sh").write_text(f"cat > train.py <<'E'\n{written_there}E\ncd sub\npython train.py\n")
    assert value() == 8
    (tmp_path / "run.sh").write_text(f"cd sub\ncat > train.py <<'E'\n{written_there}E\npython train.py\n")
    assert value() == 2
