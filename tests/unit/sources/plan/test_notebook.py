from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from vcompat.foundation.errors import InputError
from vcompat.sources.plan.invocation import UNKNOWN, UNKNOWN_WORDS, Others
from vcompat.sources.plan.notebook import Notebook, read_notebook


def cell(text: str, kind: str = "code", **more: Any) -> dict[str, Any]:
    return {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True), **more}


def read(tmp_path: Path, *cells: str | dict[str, Any], **more: Any) -> Notebook:
    made = [cell(each) if isinstance(each, str) else each for each in cells]
    path = tmp_path / "train.ipynb"
    path.write_text(json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more}, indent=1))
    found = read_notebook(str(path))
    ast.parse(found.source)
    assert len(found.file_lines) == found.source.count("\n")
    return found


def test_cells_become_one_python_text(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        cell("# Training", "markdown"),
        "%pip install -q trl\n!nvidia-smi\nimport os\nos.environ['A'] = '1'",
        "%env VLLM_USE_V1=1\n%load_ext autoreload\nfrom trl import GRPOTrainer",
        cell("print(1)", metadata={"tags": ["skip-execution"]}),
        "%%time\ntrainer.train()",
    )
    assert found.source.splitlines() == [
        "pass",
        "pass",
        "import os",
        "os.environ['A'] = '1'",
        "import os; os.environ['VLLM_USE_V1'] = '1'",
        "pass",
        "from trl import GRPOTrainer",
        "",
        "trainer.train()",
    ]
    text = (tmp_path / "train.ipynb").read_text().splitlines()
    for number, line in ((4, "os.environ['A']"), (5, "%env VLLM_USE_V1"), (9, "trainer.train()")):
        assert line in text[found.file_lines[number - 1] - 1]


@pytest.mark.parametrize(
    ("text", "python"),
    [
        ("%env A=1", "import os; os.environ['A'] = '1'"),
        ("%env A 1 2", "import os; os.environ['A'] = '1 2'"),
        ('%set_env A="1"', "import os; os.environ['A'] = '\"1\"'"),
        ("%env A=$x", "import os; os.environ['A'] = __unknown_output__()"),
        ("%env", "pass"),
        ("%env A", "pass"),
        ("%cd /content", "import os; os.chdir('/content')"),
        ("%cd $x", "import os; os.chdir(__unknown_output__())"),
        ("%time f(x)", "f(x)"),
        ("%time x = 1", "x = 1"),
        ("%timeit f()", "__unknown_magic__()"),
        ("%run a.py", "__unknown_magic__()"),
        ("%something", "__unknown_magic__()"),
        ("x = !ls", "x = __unknown_output__()"),
        ("x = %sql select", "x = __unknown_magic__()"),
        ("if x:\n    !ls\n    %pip install y", "if x:\n    pass\n    pass"),
        ("?print", "pass"),
        ("print?", "pass"),
        ("a.b??", "pass"),
        ("x = '''\n%env A=1\n!ls\n'''", "x = '''\n%env A=1\n!ls\n'''"),
        ("f(a,\n  b\n  %c)", "f(a,\n  b\n  %c)"),
        ("x = a \\\n  %b", "x = a \\\n  %b"),
        ("s = 'a'  # it's %env\n%env A=1", "s = 'a'  # it's %env\nimport os; os.environ['A'] = '1'"),
        ("!a \\\n  b\nx = 1", "pass\n\nx = 1"),
        ("%%capture\nx = 1", "\nx = 1"),
        ("%%capture out\nx = 1", "out = __unknown_output__()\nx = 1"),
        ("%%bash\nexport A=1", "\n"),
        ("%%writefile a.py\nx = (", "\n"),
        ("%%html\n<b>", "\n"),
        ("%%memit\nx = 1", "if __unknown_magic__():\n    x = 1"),
        ("%%sql\nselect * from", "if __unknown_magic__():\n    __unknown_magic__()"),
        ("x = = 1", "__unknown_magic__()"),
        ("pip install trl", "__unknown_magic__()"),
        ("await f()", "await f()"),
        ("x = 5 % 3", "x = 5 % 3"),
        ("y = a != b", "y = a != b"),
    ],
)
def test_ipython_syntax_becomes_python(tmp_path: Path, text: str, python: str) -> None:
    assert read(tmp_path, text).source == python + "\n"


def words(found: Notebook) -> list[tuple[str, ...]]:
    return [each.words for each in found.invocations]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["!accelerate launch train.py --n 1"], [("accelerate", "launch", "train.py", "--n", "1")]),
        (["%%bash\nexport A=1\npython x.py $A"], [("python", "x.py", "1")]),
        (["%%bash -s 7\npython x.py $1"], [("python", "x.py", "7")]),
        (["%%script bash\npython x.py"], [("python", "x.py")]),
        (["%%script perl\npython x.py"], []),
        (["!python x.py \\\n  --a 1 \\\n  --b 2"], [("python", "x.py", "--a", "1", "--b", "2")]),
        (["out = !python x.py"], [("python", "x.py")]),
        (["MODEL = 'm'\nN = 2", "!python x.py {MODEL} $N $HOME_"], [("python", "x.py", "m", "2", UNKNOWN_WORDS)]),
        (["M = 'a'\nM = 'b'", "!python x.py {M}"], [("python", "x.py", UNKNOWN_WORDS)]),
        (["lr = f()", "!python x.py --lr '{lr}'"], [("python", "x.py", "--lr", UNKNOWN)]),
        (["!python x.py {lr}", "lr = 1"], [("python", "x.py", UNKNOWN_WORDS)]),
        (["x = 1\n!python x.py {nothing} ${x}"], [("python", "x.py", "{nothing}", UNKNOWN_WORDS)]),
        (["%run train.py --x 1"], [("python", "train.py", "--x", "1")]),
        (["for i in range(3):\n    !python x.py"], [("python", "x.py")]),
    ],
)
def test_commands_start_programs(tmp_path: Path, cells: list[str], expected: list[tuple[str, ...]]) -> None:
    assert words(read(tmp_path, *cells)) == expected


def test_a_command_in_a_block_may_not_run(tmp_path: Path) -> None:
    inside, outside = read(tmp_path, "if x:\n    !python a.py", "!python b.py &").invocations
    assert "block" in inside.why_uncertain
    assert (outside.why_uncertain, outside.background) == ("", True)


def test_commands_see_the_variables_files_and_folder_of_the_cells_before(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "%env A=1\nimport os\nos.environ['B'] = '2'\n!python early.py",
        "%%writefile train.py\nx = 1",
        "os.environ.update({'C': '3'})\ndel os.environ['A']\n%cd sub",
        "!python late.py",
    )
    early, late = found.invocations
    assert (dict(early.environment.values), early.environment.others) == ({"A": "1", "B": "2"}, Others.INHERITED)
    assert dict(late.environment.values) == {"A": None, "B": "2", "C": "3"}
    assert (late.folder, late.files) == ("sub", {"train.py": "x = 1\n"})
    text = (tmp_path / "train.ipynb").read_text().splitlines()
    assert "python late.py" in text[late.place.line - 1]
    assert "os.environ['B']" in text[early.environment.places["B"].line - 1]


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("import torch", "1"),
        ("f()", "1"),
        ("load_dotenv()", UNKNOWN),
        ("%unknown", UNKNOWN),
        ("os.environ['A'] = f()", UNKNOWN),
        ("for k in d:\n    os.environ[k] = d[k]", UNKNOWN),
        ("x = = 1", UNKNOWN),
    ],
)
def test_code_that_is_not_followed_opens_variables(tmp_path: Path, code: str, value: str) -> None:
    (started,) = read(tmp_path, "%env A=1", code, "!python x.py").invocations
    assert started.environment.values["A"] == value
    assert started.environment.others is Others.UNKNOWN


def test_code_without_calls_keeps_the_variables_known(tmp_path: Path) -> None:
    (started,) = read(tmp_path, "import os, sys\nx = [1]\nprint(len(x))\n%pip install y", "!python x.py").invocations
    assert started.environment.others is Others.INHERITED


def test_format_3_and_sources_in_one_string(tmp_path: Path) -> None:
    path = tmp_path / "old.ipynb"
    sheet = {"cells": [{"cell_type": "code", "language": "python", "input": ["x = 1\n", "y = 2"]}]}
    path.write_text(json.dumps({"nbformat": 3, "metadata": {}, "worksheets": [sheet]}, indent=1))
    old = read_notebook(str(path))
    assert old.source == "x = 1\ny = 2\n"
    assert '"y = 2"' in path.read_text().splitlines()[old.file_lines[1] - 1]
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": "a = 1\nb = 2\n"}, {"cell_type": "code"}]}))
    assert read_notebook(str(path)).source == "a = 1\nb = 2\n"
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": ["a = [1,\n 2]\nb", " = 2"]}]}))
    assert read_notebook(str(path)).source == "a = [1,\n 2]\nb = 2\n"


def test_outputs_that_look_like_sources_do_not_confuse_lines(tmp_path: Path) -> None:
    output = {"output_type": "stream", "text": ['"source": [', '\\"x\\"', "{", "]"]}
    found = read(tmp_path, {**cell("a = '\\\\\"{['\n"), "outputs": [output]}, "b = 1")
    assert '"b = 1"' in (tmp_path / "train.ipynb").read_text().splitlines()[found.file_lines[1] - 1]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"cells": 5}', "[" * 100_000, '{"cells": [' * 20_000, "\0", '{"worksheets": []}',
     '{"cells": [], "metadata": {"kernelspec": {"language": "R", "name": "ir"}}}'],
)  # fmt: skip
def test_other_files_are_input_errors(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.ipynb").write_text(text)
    with pytest.raises(InputError) as caught:
        read_notebook(str(tmp_path / "x.ipynb"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "cells",
    ["[5]", "[null]", '[{"cell_type": "code", "source": 5}]', '[{"cell_type": "code", "source": [1, null, "x"]}]',
     '[{"cell_type": "code", "source": "%%"}]', '[{"cell_type": "code", "source": "%\\n!\\n?\\n"}]',
     '[{"cell_type": "code", "source": "%%bash\\nif ["}]', '[{"cell_type": "code", "metadata": 5, "source": "%%"}]',
     '[{"cell_type": "code", "source": "x = (((((\\n%env A=1"}]', '[{"cell_type": "code", "source": "\\u2028%env A"}]'],
)  # fmt: skip
def test_odd_cells_are_read(tmp_path: Path, cells: str) -> None:
    (tmp_path / "x.ipynb").write_text(f'{{"cells": {cells}}}')
    ast.parse(read_notebook(str(tmp_path / "x.ipynb")).source)
