from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.sources.reading.described import described_invocations
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.invocation import Others
from vcompat.sources.reading.notebooks.notebook import Notebook, read_notebook
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS


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
        (["MODEL = 'm'\nN = 2", "!python x.py {MODEL} $N"], [("python", "x.py", "m", "2")]),
        (
            ["MODEL = 'm'\nN = 2", "!python x.py {MODEL} $N $HOME_"],
            [("python", "x.py", "{MODEL}", UNKNOWN_WORDS, UNKNOWN_WORDS)],
        ),
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
    _, started = read(tmp_path, "import os, sys\nx = [1]\nprint(len(x))\n%pip install y", "!python x.py").invocations
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


#: The cells of a notebook, and the programs that they start.
PROGRAMS = [
    (["!python a.py"], ["python a.py at n.ipynb:6:1 in ''"]),
    (["\n!python a.py &"], ["python a.py at n.ipynb:7:1 in '' &"]),
    (["%run a.py 'b c'"], ["python a.py 'b c' at n.ipynb:6 in '' open: __unknown_magic__() may set variables"]),
    (
        ["if x:\n    !python a.py\n    %run b.py"],
        [
            "python a.py at n.ipynb:7:1 in '' perhaps: the command is in a block of the notebook, or in a cell that is not Python",
            "python b.py at n.ipynb:8 in '' open: __unknown_magic__() may set variables perhaps: the command is in a block of the notebook, or in a cell that is not Python",
        ],
    ),
    (
        ["x = = 1\n!python a.py"],
        [
            "python a.py at n.ipynb:7:1 in '' open: __unknown_magic__() may set variables perhaps: the command is in a block of the notebook, or in a cell that is not Python"
        ],
    ),
    (
        ["x = !python a.py", "!python b.py {x}"],
        ["python a.py at n.ipynb:6:1 in ''", "python b.py ?? at n.ipynb:12:1 in ''"],
    ),
    (
        ["%env A=1\n!python a.py\nos.environ['A'] = '2'\n!python b.py", "!python c.py"],
        [
            "python a.py at n.ipynb:7:1 in '' A=1@n.ipynb:6",
            "python b.py at n.ipynb:9:1 in '' A=2@n.ipynb:8",
            "python c.py at n.ipynb:15:1 in '' A=2@n.ipynb:8",
        ],
    ),
    (["del os.environ['A']\n!python a.py"], ["python a.py at n.ipynb:7:1 in '' A=unset@n.ipynb:6"]),
    (
        ["!python a.py", "import os\nos.environ['A'] = x\n!python b.py"],
        ["python a.py at n.ipynb:6:1 in ''", "python b.py at n.ipynb:14:1 in '' A=?@n.ipynb:13"],
    ),
    (
        [
            "os.chdir('d')\n!python a.py",
            "%cd e\n%cd ..\n!python b.py",
            "%cd /w\n!python c.py",
            "%cd $x\n!python d.py",
            "%cd f\n!python e.py",
        ],
        [
            "python a.py at n.ipynb:7:1 in d",
            "python b.py at n.ipynb:15:1 in d",
            "python c.py at n.ipynb:22:1 in /w",
            "python d.py at n.ipynb:29:1 in ?",
            "python e.py at n.ipynb:36:1 in ?",
        ],
    ),
    (["import torch\n!python a.py"], ["python a.py at n.ipynb:7:1 in '' open: an import may set variables"]),
    (
        ["%env A=1", "load_dotenv()\n!python a.py", "f()\n!python b.py", "%env B=2\n!python c.py"],
        [
            "python a.py at n.ipynb:13:1 in '' A=?@n.ipynb:6 open: load_dotenv() may set variables",
            "python b.py at n.ipynb:20:1 in '' A=?@n.ipynb:6 open: load_dotenv() may set variables",
            "python c.py at n.ipynb:27:1 in '' A=?@n.ipynb:6 B=2@n.ipynb:26 open: load_dotenv() may set variables",
        ],
    ),
    (
        ["%env A=1\nf()\nload_dotenv()\n!python a.py"],
        ["python a.py at n.ipynb:9:1 in '' A=?@n.ipynb:6 open: f() may set variables"],
    ),
    (["%%writefile a.py\nx = 1", "!python a.py"], ["python a.py at n.ipynb:13:1 in '' a.py:'x = 1\\n'"]),
    (
        ["%%writefile ./d/../b.sh\npython c.py $1", "!bash b.sh z"],
        ["python c.py z at b.sh:1:1 in '' b.sh:'python c.py $1\\n'"],
    ),
    (["%cd d", "%%writefile a.py\nx", "!python a.py"], ["python a.py at n.ipynb:19:1 in d d/a.py:'x\\n'"]),
    (["%cd $x", "%%writefile a.py\nx", "!python a.py"], ["python a.py at n.ipynb:19:1 in ? a.py:'x\\n'"]),
    (["%cd d", "%%writefile ../a.py\nx", "!python a.py"], ["python a.py at n.ipynb:19:1 in d a.py:'x\\n'"]),
    (["%%writefile {x}\ny", "!python a.py"], ["python a.py at n.ipynb:13:1 in '' {x}:unset"]),
    (
        ["%%writefile a.py\nx", "%%writefile -a a.py\ny", "!python a.py"],
        ["python a.py at n.ipynb:20:1 in '' a.py:unset"],
    ),
    (
        ["%%bash\nexport A=1\npython a.py $A {B} $C", "!python b.py"],
        ["python a.py 1 {B} ?? at n.ipynb:8:1 in '' A=1@n.ipynb:7:1", "python b.py at n.ipynb:14:1 in ''"],
    ),
    (["%%bash -s 1 2\npython a.py $2 $1"], ["python a.py 2 1 at n.ipynb:7:1 in ''"]),
    (["%%bash --bg\npython a.py"], ["python a.py at n.ipynb:7:1 in '' &"]),
    (
        ["%%script bash\n\npython a.py\npython b.py"],
        ["python a.py at n.ipynb:8:1 in ''", "python b.py at n.ipynb:9:1 in ''"],
    ),
    # The shell gets one line, in which the here-document has no end: it is not followed.
    (["!python a.py; cat > f <<E\nx\nE"], []),
    (
        ["!python a.py; cat <<< x > f"],
        ["python a.py at n.ipynb:6:1 in ''", "cat at n.ipynb:6:1 in '' f:unset -:'x\\n'"],
    ),
    (["!(python a.py &)"], ["python a.py at n.ipynb:6:1 in '' &"]),
    (["!if true; then python a.py; fi"], ["python a.py at n.ipynb:6:1 in ''"]),
    (["X = 1", "!python a.py $X {X} '$X'"], ["python a.py 1 1 $X at n.ipynb:12:1 in ''"]),
    (["!python a.py {X}\nX = 1"], ["python a.py ?? at n.ipynb:6:1 in ''"]),
    (["X = 1\n!python a.py {X}"], ["python a.py ?? at n.ipynb:7:1 in ''"]),
    (["X = 1", "X = 2", "!python a.py {X}"], ["python a.py ?? at n.ipynb:18:1 in ''"]),
    (["X = 'a b'", '!python a.py {X} "{X}"'], ["python a.py a b 'a b' at n.ipynb:12:1 in ''"]),
    (
        ["from x import *", "!python a.py {X}"],
        ["python a.py ?? at n.ipynb:12:1 in '' open: an import may set variables"],
    ),
    (["!A=1 python a.py \\\n  --b"], ["python a.py --b at n.ipynb:6:1 in '' A=1@n.ipynb:6:1"]),
    (
        ["!cd d && python a.py", "!python b.py"],
        ["python a.py at n.ipynb:6:1 in d", "python b.py at n.ipynb:12:1 in ''"],
    ),
    (["%time !python a.py"], ["python a.py at n.ipynb:6:1 in ''"]),
    ([], []),
    ([""], []),
]


@pytest.mark.parametrize(("cells", "expected"), PROGRAMS)
def test_cells_start_exactly_this(tmp_path: Path, cells: list[str], expected: list[str]) -> None:
    made = [{"cell_type": "code", "source": each.splitlines(keepends=True)} for each in cells]
    path = tmp_path / "n.ipynb"
    path.write_text(json.dumps({"cells": made}, indent=0))
    found = read_notebook(str(path))
    assert described_invocations(found.invocations) == expected
    assert len(found.file_lines) == sum(len(each["source"]) for each in made)


def test_the_lines_of_the_source_are_those_of_the_file(tmp_path: Path) -> None:
    found = read(tmp_path, "a = 1\nb = 2", cell("text", "markdown"), "", "%env A=1\n\n%%x")
    assert found.source == "a = 1\nb = 2\n__unknown_magic__()\n\n\n"
    text = (tmp_path / "train.ipynb").read_text().splitlines()
    assert [text[line - 1].strip() for line in found.file_lines] == [
        '"a = 1\\n",',
        '"b = 2"',
        '"%env A=1\\n",',
        '"\\n",',
        '"%%x"',
    ]
