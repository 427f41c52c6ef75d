"""The cells of a notebook, and the line of the file that holds each of their lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from vcompat.foundation.errors import InputError
from vcompat.sources.reading.notebooks import notebook_file
from vcompat.sources.reading.notebooks.notebook_file import read_cells

#: The text of a file; the lines of each cell and their lines in the file; or the complaint.
NOTEBOOKS = [
    ('{"cells": []}', []),
    ('{"cells": [{"cell_type": "code", "source": ["a\\n", "b"]}]}', [(["a", "b"], [1, 1])]),
    (
        '{\n "cells": [\n  {"cell_type": "markdown", "source": ["m"]},\n  {"cell_type": "code",\n   "source": [\n    "a\\n",\n    "b\\n"\n   ]},\n  {"cell_type": "code", "source": "c\\nd"},\n  5,\n  {"cell_type": "code", "source": []},\n  {"source": ["e"]},\n  {"cell_type": "code",\n "source":\n ["f"]}\n ]\n}',
        [(["a", "b"], [6, 7]), (["c", "d"], [9, 9]), ([], []), (["f"], [15])],
    ),
    (
        '{"cells": [{"cell_type": "code", "source": [""]}, {"cell_type": "code", "source": ""}, {"cell_type": "code"}, {"cell_type": "code", "source": 5}, {"cell_type": "code", "source": null}, {"cell_type": "code", "source": ["\\n"]}, {"cell_type": "code", "source": "\\n\\n"}]}',
        [([], []), ([], []), ([], []), ([], []), ([], []), ([""], [1]), (["", ""], [1, 1])],
    ),
    (
        '{"cells": [{"cell_type": "code", "source": [1,\n "a",\n null,\n "b\\n",\n "c\\nd\\n",\n "",\n "e"]}]}',
        [(["ab", "c", "d", "e"], [2, 5, 5, 7])],
    ),
    (
        '{"cells": [{"cell_type": "code", "outputs": [{"text": ["x,", "y"], "source": ["z"]}],\n "metadata": {"source": ["q"], "tags": ["a"]},\n "source": [\n"a"]}]}',
        [(["a"], [4])],
    ),
    (
        '{"cells": [{"cell_type": "code", "metadata": {"tags": ["a", "skip-execution"]}, "source": ["a"]}, {"cell_type": "code", "metadata": {"tags": "skip-execution"}, "source": ["b"]}, {"cell_type": "code", "metadata": 5, "source": ["c"]}]}',
        [(["b"], [1]), (["c"], [1])],
    ),
    (
        '{"cells": [{"cell_type": "code", "input": ["a\\n",\n"b"]}, {"cell_type": "code", "input": ["a"], "source": ["c"]}]}',
        [(["a", "b"], [1, 2]), (["c"], [2])],
    ),
    (
        '{"worksheets": [\n{"cells": [{"cell_type": "code",\n "input": ["a"]}]}, {"cells": [{"cell_type": "code", "input": ["b"]}]}]}',
        [(["a"], [3])],
    ),
    ('{"worksheets": []}', ["n.ipynb: has no cells; expected a Jupyter notebook"]),
    ('{"worksheets": 5}', ["n.ipynb: has no cells; expected a Jupyter notebook"]),
    ('{"worksheets": [5]}', ["n.ipynb: has no cells; expected a Jupyter notebook"]),
    ('{"worksheets": [{"cells": 5}]}', ["n.ipynb: has no cells; expected a Jupyter notebook"]),
    ('{"cells": 5, "worksheets": [{"cells": []}]}', []),
    (
        '{"cells": [], "metadata": {"kernelspec": {"language": "R", "name": "ir"}}}',
        ["n.ipynb: a notebook in r; expected a notebook in Python"],
    ),
    (
        '{"cells": [], "metadata": {"kernelspec": {"language": "julia"}}}',
        ["n.ipynb: a notebook in julia; expected a notebook in Python"],
    ),
    ('{"cells": [], "metadata": {"kernelspec": {"name": "python3"}}}', []),
    ('{"cells": [], "metadata": {"kernelspec": {"name": "conda-env-x"}}}', []),
    ('{"cells": [], "metadata": {"kernelspec": {"name": "MyVenv"}}}', []),
    (
        '{"cells": [], "metadata": {"kernelspec": {"name": "x"}}}',
        ["n.ipynb: a notebook in x; expected a notebook in Python"],
    ),
    ('{"cells": [], "metadata": {"language_info": {"name": "Python"}}}', []),
    (
        '{"cells": [], "metadata": {"language_info": {"name": "R"}}}',
        ["n.ipynb: a notebook in r; expected a notebook in Python"],
    ),
    (
        '{"cells": [], "metadata": {"kernelspec": {"name": "x", "language": ""}, "language_info": {"name": "python"}}}',
        [],
    ),
    ('{"cells": [], "metadata": {"kernelspec": 5}}', []),
    ('{"cells": [], "metadata": 5}', []),
    (
        '{"cells": [], "metadata": {"kernelspec": {"language": "LLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLL"}}}',
        ["n.ipynb: a notebook in llllllllllllllllllllllllllllllllllllllll; expected a notebook in Python"],
    ),
    ("[]", ["n.ipynb: not a notebook; expected a Jupyter notebook"]),
    ("5", ["n.ipynb: not a notebook; expected a Jupyter notebook"]),
    ("", ["n.ipynb:1: not valid JSON: Expecting value; expected a Jupyter notebook"]),
    (
        "{",
        ["n.ipynb:1: not valid JSON: Expecting property name enclosed in double quotes; expected a Jupyter notebook"],
    ),
    ('{\n"a":\n}', ["n.ipynb:3: not valid JSON: Expecting value; expected a Jupyter notebook"]),
    ('{"cells": [{"cell_type": "code", "source": ["\\"[{,:\\\\", \n"x"]}]}', [(['"[{,:\\x'], [1])]),
    (
        '{"cells": [{"a": [1, [2, {"b": [3]}], 4], "cell_type": "code",\n"source": ["a"]}, [],\n{"cell_type": "code", "source": ["b"]}]}',
        [(["a"], [2]), (["b"], [3])],
    ),
]


def cells(tmp_path: Path, text: str) -> list[Any]:
    (tmp_path / "n.ipynb").write_text(text)
    try:
        return [tuple(each) for each in read_cells(str(tmp_path / "n.ipynb"))]
    except InputError as error:
        return [str(error).removeprefix(f"{tmp_path}/")]


@pytest.mark.parametrize(("text", "expected"), NOTEBOOKS)
def test_a_notebook_has_these_cells(tmp_path: Path, text: str, expected: list[Any]) -> None:
    assert cells(tmp_path, text) == expected


def test_a_notebook_is_read_up_to_limits(tmp_path: Path) -> None:
    def notebook(count: int, source: str) -> str:
        return json.dumps({"cells": [{"cell_type": "code", "source": source}] * count})

    assert len(cells(tmp_path, notebook(5_000, "x"))) == 5_000
    assert cells(tmp_path, notebook(5_001, "x")) == ["n.ipynb: more than 5000 cells; expected a Jupyter notebook"]
    assert len(cells(tmp_path, notebook(2, "\n" * 50_000))) == 2
    assert cells(tmp_path, notebook(1, "\n" * 100_001)) == [
        "n.ipynb: more than 100000 lines of code; expected a Jupyter notebook"
    ]
    assert cells(tmp_path, "[" * 100_000) == [
        "n.ipynb: not valid JSON, or nested too deeply; expected a Jupyter notebook"
    ]


def test_a_notebook_has_50_megabytes_at_most(tmp_path: Path) -> None:
    path = tmp_path / "n.ipynb"
    with path.open("wb") as file:
        # A file with a hole takes no time to write.
        file.truncate(50_000_001)
    with pytest.raises(InputError, match="expected a Jupyter notebook"):
        read_cells(str(path))
    assert notebook_file.SIZE_LIMIT == 50_000_000
