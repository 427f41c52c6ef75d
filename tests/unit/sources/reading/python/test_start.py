"""What a script knows of how it is started: its variables, its arguments, its modules, its positions, and its limits."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.unit.sources.reading.python.executed import as_text, executed, held_as_text
from vcompat.facts.facts import Place
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.invocation import Environment, Others
from vcompat.sources.reading.python.imports import LARGEST_MODULE, MOST_MODULES
from vcompat.sources.reading.python.interpreter import Interpreter
from vcompat.sources.reading.python.parsing import parse
from vcompat.sources.reading.python.values.core import MOST_STEPS, MOST_UNCALLED_STEPS, Start, TooComplexError
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS

SET = Place("run.sh", 3, 1)


def variable(text: str, environment: Environment) -> str:
    """Return what an expression is, which reads variables."""
    run = executed(f"import os\n{text}", Start(environment=environment))
    shown = held_as_text(run.module.cells["x"]) if "x" in run.module.cells else "nothing"
    return shown + (", may raise" if run.may_raise else "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = os.environ['A_B']", ('<read from an environment variable> @2:5, may raise', '<the variable is not set> @2:5, may raise', '<read from an environment variable> @2:5, may raise')),
        ("x = os.environ['S']", "'s' @2:5, may raise"),
        ("x = os.environ['N']", '<the variable is not set> @2:5, may raise'),
        ("x = os.environ['P']", '<the launch script computes it> @2:5, may raise'),
        ("x = os.environ['W']", '<the launch script computes it> @2:5, may raise'),
        ("x = os.environ.get('A_B')", ('<read from an environment variable: None> @2:5', 'None @2:5', '<read from an environment variable: None> @2:5')),
        ("x = os.environ.get('A_B', 4)", ('<read from an environment variable: 4> @2:5', '4 @2:5', '<read from an environment variable: 4> @2:5')),
        ("x = os.getenv('N', 4)", '4 @2:5'),
        ("x = os.getenv('S', 4)", "'s' @2:5"),
        ("x = 'A_B' in os.environ", ('<depends on a condition> @2:5', 'False @2:5', '<depends on a condition> @2:5')),
        ("x = 'S' in os.environ", 'True @2:5'),
        ("x = 'N' not in os.environ", 'True @2:5'),
        ("x = 'P' in os.environ", '<depends on a condition> @2:5'),
        ("if U:\n    os.environ['A_B'] = '1'\nx = os.environ.get('A_B')", ("<read from an environment variable: '1' or None> @4:5", "<depends on a condition: '1' or None> @4:5", "<read from an environment variable: '1' or None> @4:5")),
        ("if U:\n    os.environ['A_B'] = '1'\nx = 'A_B' in os.environ", '<depends on a condition> @4:5'),
        ("os.environ.pop('S')\nx = os.environ.get('S')", 'None @3:5'),
        ("del os.environ['S']\nx = 'S' in os.environ", 'False @3:5'),
        ("os.environ[U] = '1'\nx = os.environ.get('S')", "<an unknown key is set: 's'> @3:5"),
        ("os.environ[U] = '1'\nx = os.environ.get('A_B')", '<read from an environment variable: None> @3:5'),
        ("os.environ[U] = '1'\nx = 'A_B' in os.environ", '<depends on a condition> @3:5'),
        ('x = os.environ[U]', '<computed at run time> @2:5, may raise'),
        ("os.environ |= {'A_B': '1'}\nos.environ.update(C_D='2')\nx = [os.environ['A_B'], os.environ['C_D']]", "['1' @4:6, '2' @4:25] @4:5, may raise"),
        ("d = {'A_B': '1'}\nif U:\n    d['C_D'] = '2'\nos.environ.update(d)\nx = [os.environ.get('A_B'), os.environ.get('C_D')]", ("['1' @6:6, <read from an environment variable: '2' or None> @6:29] @6:5", "['1' @6:6, <depends on a condition: '2' or None> @6:29] @6:5", "['1' @6:6, <read from an environment variable: '2' or None> @6:29] @6:5")),
        ('x = dict(os.environ)', '{**computed at run time} @2:5'),
        ('x = {**os.environ}', '{**computed at run time} @2:5'),
        ('x = os.environ.copy()', "{'S': 's' @run.sh:3:1, 'P': <the launch script computes it>, 'W': <the launch script computes it>, **the caller's variables are not all known} @2:5"),
        ('x = [k for k in os.environ]', '[*<computed at run time>] @2:5'),
        ('x = 1 if os.environ else 2', '1 @2:5'),
        ("os.environ = {'S': '2'}\nx = os.environ['S']", "<the script replaces it: 's'> @3:5, may raise"),
        ("import foreign_package\nforeign_package.run()\nx = os.environ.get('S')", "<foreign_package.run() may change it: 's'> @4:5, may raise"),
        ("import foreign_package\nforeign_package.run()\nx = os.environ.get('N')", '<foreign_package.run() may change it> @4:5, may raise'),
        ("import foreign_package\nforeign_package.run()\nx = os.environ.get('A_B')", ('<read from an environment variable: None> @4:5, may raise', 'None @4:5, may raise', '<read from an environment variable: None> @4:5, may raise')),
        ("os.environ['A_B'] = U\nx = 'A_B' in os.environ", '<depends on a condition> @3:5'),
        ("os.environ.pop(U)\nx = os.environ.get('S')", "<an unknown key is removed: 's'> @3:5"),
        ("if U:\n    os.environ['S'] = 't'\nx = [os.environ['S'], 'S' in os.environ]", "[<depends on a condition: 't' or 's'> @4:6, <depends on a condition> @4:23] @4:5, may raise"),
        ("if U:\n    del os.environ['S']\nx = [os.environ['S'], 'S' in os.environ]", "[<depends on a condition: 's'> @4:6, <depends on a condition> @4:23] @4:5, may raise"),
        ("os.environ[5] = '1'\nx = os.environ['5']", "'1' @3:5, may raise"),
        ("os.environ.clear()\nx = os.environ.get('S')", "<the script clears it: 's'> @3:5"),
        ("os.environ.setdefault('S', 't')\nx = os.environ['S']", "'s' @3:5, may raise"),
        ("x = os.environ.setdefault('A_B', 't')", ("<set only if it is not set yet: 't'> @2:5", "'t' @2:5", "<set only if it is not set yet: 't'> @2:5")),
        ("x = os.environ.setdefault('N', 't')", "'t' @2:5"),
    ],
)  # fmt: skip
def test_variables_of_the_environment(text: str, expected: str | tuple[str, ...]) -> None:
    values = {"S": "s", "N": None, "P": "a" + UNKNOWN, "W": "a " + UNKNOWN_WORDS}
    found = {
        others: variable(text, Environment(values, others, {"S": SET}))
        for others in (Others.INHERITED, Others.UNSET, Others.UNKNOWN)
    }
    assert tuple(found.values()) == ((expected,) * 3 if isinstance(expected, str) else expected)


ARGUMENTS = "import sys\nx = [sys.argv, sys.argv[0]]\nsys.argv.append('end')\ny = sys.argv[-1]"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (None, "[[*<computed at run time>] @2:6, <computed at run time> @2:16] @2:5"),
        (("a", UNKNOWN_WORDS), "[[*<computed at run time>] @2:6, <computed at run time> @2:16] @2:5"),
        ((), "[['train.py', 'end' @3:17] @2:6, 'train.py' @2:16] @2:5"),
        (("a", "--b=" + UNKNOWN), "[['train.py', 'a' @run.sh:3:1, <the command line is not known> @run.sh:3:1, 'end' @3:17] @2:6, 'train.py' @2:16] @2:5"),
    ],
)  # fmt: skip
def test_arguments_of_the_script(words: tuple[str, ...] | None, expected: str) -> None:
    assert held_as_text(executed(ARGUMENTS, Start(words, SET)).module.cells["x"]) == expected


# Modules of the project


def project(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("statement", "files", "expected"),
    [
        ("import helpers\nx = helpers.n", {"project/helpers.py": "n = 1"}, "1"),
        ("import helpers as h\nx = h.n", {"project/helpers.py": "n = 1"}, "1"),
        ("import pack.inner\nx = pack.inner.n", {"project/pack/inner.py": "n = 1", "project/pack/__init__.py": ""}, "<computed at run time>"),
        ("import pack.inner\nx = pack.n", {"project/pack/inner.py": "n = 1", "project/pack/__init__.py": "n = 2"}, "2"),
        ("import pack.inner as p\nx = p.n", {"project/pack/inner.py": "n = 1", "project/pack/__init__.py": "n = 2"}, "1"),
        ("from pack import inner\nx = inner.n", {"project/pack/inner.py": "n = 1", "project/pack/__init__.py": ""}, "1"),
        ("from pack.inner import n as m\nx = m", {"project/pack/inner.py": "n = 1"}, "1"),
        ("from pack import n\nx = n", {"project/pack/__init__.py": "n = 3"}, "3"),
        ("from helpers import n, missing\nx = [n, missing]", {"project/helpers.py": "n = 1"}, "[1 @2:6, helpers.missing @2:9]"),
        ("from helpers import *\nx = [n, _m, k]", {"project/helpers.py": "n = 1\n_m = 2\nk = 3"}, "[1 @2:6, builtin _m @2:9, 3 @2:13]"),
        ("from . import helpers\nx = helpers.n", {"project/helpers.py": "n = 1"}, "1"),
        ("from .helpers import n\nx = n", {"project/helpers.py": "n = 1"}, "1"),
                ("from ..helpers import n\nx = n", {"helpers.py": "n = 1"}, "1"),
        ("from ...helpers import n\nx = n", {"helpers.py": "n = 1"}, "package.helpers.n"),
        ("import helpers\nx = helpers.n", {"helpers.py": "n = 1"}, "1"),
        ("import helpers\nx = helpers.n", {"src/helpers.py": "n = 1"}, "1"),
        ("import helpers\nx = helpers.n", {"lib/helpers.py": "n = 1"}, "1"),
        ("import helpers\nx = helpers.n", {"lib/helpers.py": "n = 1", "project/helpers.py": "n = 2"}, "2"),
        ("import helpers\nx = helpers.n", {"other/helpers.py": "n = 1"}, "helpers.n"),
        ("import helpers\nx = helpers.n", {"project/helpers.py": "n = ("}, "helpers.n"),
        ("import helpers\nx = helpers.n", {"project/helpers.py": "n = 1\n" + "#" * LARGEST_MODULE}, "helpers.n"),
        ("import json\nx = json.n", {"project/json.py": "n = 1"}, "json.n"),
        ("import torch\nx = torch.n", {"project/torch.py": "n = 1"}, "1"),
        ("import unsloth\nx = unsloth.n", {"project/unsloth.py": "n = 1"}, "unsloth.n"),
        ("import helpers, again\nx = [helpers.l, again.l]", {"project/helpers.py": "l = [1]", "project/again.py": "from helpers import l\nl.append(2)"}, "[[1 @helpers.py:1:6, 2 @again.py:2:10] @2:6, [1 @helpers.py:1:6, 2 @again.py:2:10] @2:17]"),
        ("import one\nx = one.n", {"project/one.py": "import two\nn = two.m", "project/two.py": "import one\nm = 1"}, "1"),
        ("import train\nx = train.n", {}, "train.n"),
        ("from .train import n\nx = n", {}, "package.train.n"),
        ("import helpers.\u00e9 as h\nx = h.n", {}, "helpers.\u00e9.n"),
        ("import helpers\nx = helpers.n", {"project/helpers.py": "n = __name__ + __file__[-11:]"}, "'helpers/helpers.py'"),
        ("import helpers\nx = 1", {"project/helpers.py": "raise ImportError"}, "nothing"),
        ("try:\n    import helpers\n    x = 1\nexcept ImportError:\n    x = 2", {"project/helpers.py": "raise ImportError"}, "2"),
        ("import helpers\nhelpers.n = 5\nfrom helpers import n\nx = n", {"project/helpers.py": "n = 1"}, "5"),
        ("import helpers\nx = helpers.f()", {"project/helpers.py": "n = 2\ndef f():\n    global n\n    n = 3\n    return [n, __name__]"}, "[3 @helpers.py:5:13, 'helpers' @helpers.py:5:16]"),
        ("import helpers\nexec(U)\nx = [helpers.n, helpers.f()]", {"project/helpers.py": "n = 2\ndef f():\n    return 4"}, "[<unknown code is executed> @3:6, <unknown code is executed> @3:17]"),
        ("import helpers\nx = helpers.unknown(1)", {"project/helpers.py": "n = 2"}, "<computed at run time>"),
        ("def f():\n    from helpers import *\n    import helpers as h\n    return [n, h.n]\nx = f()", {"project/helpers.py": "n = 2"}, "[2 @4:13, 2 @4:16]"),
        ("def f():\n    global h, n\n    import helpers as h\n    from helpers import n\nf()\nx = [h.n, n]", {"project/helpers.py": "n = 2"}, "[2 @6:6, 2 @6:11]"),
    ],
)  # fmt: skip
def test_modules_of_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statement: str, files: dict[str, str], expected: str
) -> None:
    project(tmp_path, files | {"project/train.py": statement})
    monkeypatch.chdir(tmp_path)
    start = Start((), Place("run.sh", 1), Environment({"PYTHONPATH": "lib::" + UNKNOWN + "/other"}))
    run = executed(statement, start, "project/train.py")
    found = as_text(run.module.cells["x"].value) if "x" in run.module.cells else "nothing"
    assert found.replace("project/train.py:", "").replace("project/", "") == expected


@pytest.mark.parametrize(
    ("place", "folder", "module", "is_found"),
    [
        (None, "", "helpers.py", True),
        (None, "inner", "inner/helpers.py", True),
        (None, "inner", "inner/src/helpers.py", True),
        (None, "inner", "helpers.py", True),
        (None, "inner", "src/helpers.py", False),
        (None, UNKNOWN, "helpers.py", True),
        (Place("jobs/run.sh", 1), "", "jobs/helpers.py", True),
        (Place("jobs/run.sh", 1), "inner", "jobs/inner/helpers.py", True),
        (Place("jobs/run.sh", 1), UNKNOWN, "jobs/helpers.py", True),
        (Place("jobs/run.sh", 1), "", "helpers.py", True),
        (Place("jobs/run.sh", 1), "", "other/helpers.py", False),
        (None, "", "scripts/deep/er/helpers.py", True),
        (None, "", "scripts/deep/helpers.py", True),
        (None, "", "scripts/helpers.py", True),
    ],
)
def test_modules_are_looked_for_in_the_folders_of_the_script_and_of_its_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: Place | None, folder: str, module: str, is_found: bool
) -> None:
    project(tmp_path, {module: "n = 1", "scripts/deep/er/train.py": ""})
    monkeypatch.chdir(tmp_path)
    run = executed("import helpers\nx = helpers.n", Start((), place, folder=folder), "scripts/deep/er/train.py")
    assert as_text(run.module.cells["x"].value) == ("1" if is_found else "helpers.n")


def test_only_three_folders_above_the_script_are_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project(tmp_path, {"helpers.py": "n = 1", "elsewhere/run.sh": "", "a/b/c/d/train.py": ""})
    monkeypatch.chdir(tmp_path)
    start = Start((), Place("elsewhere/run.sh", 1))
    found = [
        as_text(executed("import helpers\nx = helpers.n", start, path).module.cells["x"].value)
        for path in ("a/b/c/train.py", "a/b/c/d/train.py")
    ]
    assert found == ["1", "helpers.n"]


def test_so_many_modules_are_read_and_no_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project(tmp_path, {f"m{i}.py": f"n = {i}" for i in range(MOST_MODULES + 1)})
    monkeypatch.chdir(tmp_path)
    text = "".join(f"import m{i}\n" for i in range(MOST_MODULES + 1))
    run = executed(text + f"x = [m{MOST_MODULES - 1}.n, m{MOST_MODULES}.n]")
    assert as_text(run.module.cells["x"].value).split(" @")[0] == f"[{MOST_MODULES - 1}"
    assert f"m{MOST_MODULES}.n" in as_text(run.module.cells["x"].value)


def test_a_module_that_is_not_read_may_add_to_a_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project(tmp_path, {"registry.py": "known = {'a': 1}\nsize = 2", "broken.py": "import registry\nthis is no Python"})
    monkeypatch.chdir(tmp_path)
    run = executed("import registry\nimport broken\nx = ['b' in registry.known, registry.size]")
    assert as_text(run.module.cells["x"].value) == "[<depends on a condition> @3:6, 2 @3:29]"


# Positions


@pytest.mark.parametrize(
    ("text", "lines", "expected"),
    [
        ("x = 1", (), "1 @1:5"),
        ("\n\nx = 1", (), "1 @3:5"),
        ("é = x = 1", (), "1 @1:9"),
        ("x = 1", (7,), "1 @7:0"),
        ("y = 2\nx = 1", (7, 9), "1 @9:0"),
        ("y = 2\nx = 1", (7,), "1 @0:0"),
        ("x = 0\n'é'; x = 1", (), "1 @2:10"),
    ],
)
def test_positions_are_lines_and_characters(text: str, lines: tuple[int, ...], expected: str) -> None:
    assert held_as_text(executed(text, Start(lines=lines)).module.cells["x"]) == expected


def test_a_position_without_a_node_is_the_file() -> None:
    run = executed("")
    assert [run.place(None, None), run.place(ast.Pass(), run.module)] == [Place("train.py"), Place("train.py")]
    assert run.place(ast.parse("a\nbb = 1").body[1].value, None) == Place("train.py", 2, 6)  # type: ignore[attr-defined]


# Limits


@pytest.mark.parametrize(("left", "expected"), [(4, "1, 2"), (3, "1"), (2, "1"), (1, "")])
def test_a_script_with_too_many_steps_is_given_up(left: int, expected: str) -> None:
    run = Interpreter("train.py", b"", Start())
    run.steps = MOST_STEPS - left
    # A statement and its constant are two steps.
    run.run(ast.parse("x = 1\ny = 2"))
    found = [as_text(held.value) for name, held in run.module.cells.items() if name != "__name__"]
    assert (", ".join(found), bool(run.failed)) == (expected, left < 4)


def test_a_deeply_nested_script_is_given_up() -> None:
    assert executed("x = " + "-" * 2000 + "1").failed == "the script is too complex to follow"


def test_a_step_too_many_is_an_error() -> None:
    run = executed("")
    run.steps = MOST_STEPS - 1
    run.step()
    with pytest.raises(TooComplexError):
        run.step()


UNCALLED = """
from trl import GRPOConfig
class K:
    n = 7
    def f(self, n):
        self.c = GRPOConfig(beta=self.n)
    def g(self):
        return 1
def called():
    return GRPOConfig(beta=0)
called()
def first():
    %s
    return GRPOConfig(beta=1)
def second(a, b=2):
    return GRPOConfig(beta=b)
def third():
    GRPOConfig(beta=3)
    raise ValueError
def fourth():
    other(beta=4)
"""


@pytest.mark.parametrize(
    ("before", "thorough", "expected"),
    [
        ("pass", False, [0, 7, 1, 2, 3]),
        ("[0]; " * (MOST_UNCALLED_STEPS // 3), False, [0, 7]),
        ("[0]; " * (MOST_UNCALLED_STEPS // 3), True, [0, 7, 2, 3]),
        ("[0]; " * (MOST_UNCALLED_STEPS // 3 - 5), False, [0, 7, 1]),
        ("[0]; " * (MOST_UNCALLED_STEPS // 3 - 5), True, [0, 7, 1, 2, 3]),
    ],
)
def test_functions_that_are_not_called_run_for_what_they_configure(
    before: str, thorough: bool, expected: list[object]
) -> None:
    run = executed(UNCALLED % before.rstrip("; "))
    run.run_uncalled(thorough)
    made = [event for event in run.events if event.kind == "configuration"]
    found = [as_text(event.settings["self"].value) for event in made]
    assert [text.partition("beta=")[2].partition(" @")[0] for text in found] == list(map(str, expected))
    assert [event.uncertain for event in made] == [
        "",
        *["in a function that the script does not call"] * (len(expected) - 1),
    ]


@pytest.mark.parametrize(
    ("call", "runs"),
    [
        ("GRPOConfig()", True),
        ("a.MyArguments()", True),
        ("MyTrainer()", True),
        ("EngineArgs()", True),
        ("MyParser()", True),
        ("LLM()", True),
        ("a.LLM()", True),
        ("f(vllm_mode=1)", True),
        ("f(mode=1)", False),
        ("f(**a)", False),
        ("f()()", False),
        ("f()[LLM]()", False),
        ("configure()", False),
        ("MyLLM()", False),
    ],
)
def test_functions_that_are_not_called_run_if_they_make_something(call: str, runs: bool) -> None:
    run = executed(f"def f():\n    import vllm\n    return {call}")
    run.run_uncalled()
    assert bool(run.events) == runs


# What is not Python


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (b"x = (", "train.py:1: not valid Python: '(' was never closed"),
        (b"x = 1\ny = = 2", "train.py:2: not valid Python: invalid syntax"),
        (b"x = 1\0", "train.py: contains binary data"),
        (b"# coding: nonsense\n", "train.py: not valid Python: unknown encoding: nonsense"),
        (b"x = '\xff'", "train.py:1: not valid Python: (unicode error) 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"),
        (b"x = " + b"(" * 250 + b")" * 250, "train.py:1: not valid Python: too many nested parentheses"),
        (b"x = " + b"-" * 100_000 + b"1", "train.py: nested too deeply to be read"),
    ],
)  # fmt: skip
def test_what_cannot_be_parsed_is_reported(source: bytes, expected: str) -> None:
    with pytest.raises(InputError) as error:
        parse("train.py", source)
    assert str(error.value).startswith(expected)


def test_no_warning_about_a_script_is_printed(recwarn: pytest.WarningsRecorder) -> None:
    parse("train.py", b"x = '\\d'")
    assert not recwarn.list
