"""What the code of a run uses: the modules that are read, what surely runs, and what is presumed or left out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from vcompat.facts.place import Place
from vcompat.facts.use import Used
from vcompat.sources.reading.python.search_path import module_in
from vcompat.sources.reading.uses.project_uses import uses_of


class Folder:
    """The modules in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find(self, level: int, name: str, path: str) -> str:
        above = os.path.join(os.path.dirname(path), *[os.pardir] * (level - 1)) if level else str(self.folder)
        return module_in(above, name.split(".") if name else []) or ""

    def read(self, path: str) -> bytes | None:
        return Path(path).read_bytes()

    def has(self, root: str) -> bool:
        return (self.folder / root).is_dir()

    def leaves_alone(self, root: str) -> bool:
        return root not in ("strange", "unsloth")

    def place(self, path: str, line: int, offset: int) -> Place:
        return Place(path, line, offset + 1)


def uses(folder: Path, modules: dict[str, str]) -> list[Used]:
    for name, text in modules.items():
        path = folder / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    main = folder / "main.py"
    return list(uses_of(str(main), main.read_bytes(), Folder(folder)))


def shown(found: list[Used]) -> list[str]:
    """Each use, with ? if it is presumed to run and the condition if there is one."""
    return [f"{used.use}{' ?' * bool(used.presumes)}{f' if {used.branch}' if used.branch else ''}" for used in found]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from trl import A", ["imports trl.A"]),
        ("import trl\ntrl.A.b(x=1)", ["imports trl", "names trl.A.b", "passes trl.A.b(x=)"]),
        ("import trl.x as y\ny.A", ["imports trl.x", "names trl.x.A"]),
        ("from trl import A\na = A(x=1)\na.go()", ["imports trl.A", "passes trl.A(x=)", "calls trl.A.go"]),
        # A variable that is also bound otherwise, and names with several meanings
        ("from trl import A\na = A()\ndef f(a):\n    a.go()\nf(1)", ["imports trl.A"]),
        ("from trl import A\nfrom mine import A\nA(x=1)", ["imports trl.A"]),
        ("from trl import A\nA = 1\nA.b", ["imports trl.A"]),
        # Functions
        ("def f():\n    from trl import A\nf()", ["imports trl.A ?"]),
        ("def f():\n    from trl import A", []),
        ("def f():\n    from trl import A\ndef g():\n    f()\ng()", ["imports trl.A ?"]),
        ("def f():\n    from trl import A\ndef g():\n    f()", []),
        ("class C:\n    from trl import A\n    def f(self):\n        from trl import B", ["imports trl.A"]),
        ("class C:\n    def f(self):\n        from trl import B\nC().f()", ["imports trl.B ?"]),
        (
            "from trl import T\nclass C(T):\n    def step(self):\n        super().gone()\nC()",
            ["imports trl.T", "overrides trl.T.step", "calls trl.T.gone ?"],
        ),
        ("f = lambda: trl.A\nimport trl", ["imports trl"]),
        ("import trl\nf = lambda: trl.A", ["imports trl", "names trl.A ?"]),
        (
            "from trl import T\nclass C(T):\n    def gone(self):\n        pass\n    def used(self):\n        pass\nC().used()",
            ["imports trl.T", "overrides trl.T.gone"],
        ),
        ("from trl import T\nclass C(T):\n    def gone(self):\n        pass", ["imports trl.T"]),
        # Conditions
        ("if x:\n    from trl import A", ["imports trl.A if x (main.py:1)"]),
        ("if x:\n    pass\nelse:\n    from trl import A", ["imports trl.A if not (x) (main.py:1)"]),
        ("if False:\n    from trl import A\nelse:\n    from trl import B", ["imports trl.B"]),
        ("if __name__ == '__main__':\n    from trl import A", ["imports trl.A"]),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from trl import A", []),
        ("if hasattr(trl, 'A'):\n    from trl import A", []),
        ("if is_vllm_available():\n    from vllm import A", ["imports vllm.A ?"]),
        ("import trl\nx and trl.A", ["imports trl", "names trl.A if x (main.py:2)"]),
        (
            "import trl\ntrl.A if x else trl.B",
            ["imports trl", "names trl.A if x (main.py:2)", "names trl.B if not (x) (main.py:2)"],
        ),
        ("for i in x:\n    from trl import A", ["imports trl.A ?"]),
        ("match x:\n    case 1:\n        from trl import A", ["imports trl.A if it is 1 (main.py:2)"]),
        # Errors that are expected
        ("try:\n    from trl import A\nexcept ImportError:\n    A = None", []),
        ("try:\n    from trl import A\nexcept ValueError:\n    A = None", ["imports trl.A"]),
        (
            "try:\n    x()\nexcept ImportError:\n    from trl import A",
            ["imports trl.A if an exception is raised (main.py:3)"],
        ),
        ("with suppress(ImportError):\n    from trl import A", []),
        # The end of the program
        ("import sys\nsys.exit()\nfrom trl import A", []),
        ("import sys\nif x:\n    sys.exit()\nfrom trl import A", ["imports trl.A ?"]),
        ("import sys\ndef f():\n    sys.exit()\nf()\nfrom trl import A", ["imports trl.A ?"]),
        ("def f():\n    pass\nf()\nfrom trl import A", ["imports trl.A"]),
        # What the project itself assigns
        ("import trl\ntrl.A = 1\ntrl.A.b", ["imports trl"]),
        ("import trl\nsetattr(trl, 'A', 1)\ntrl.A", ["imports trl"]),
        ("import sys\nsys.modules['trl.x'] = 1\nfrom trl.x import A", []),
        # Keywords of dictionaries, also under a condition
        (
            "from trl import A\nk = {'x': 1}\nif y:\n    k['z'] = 1\nA(**k)",
            ["imports trl.A", "passes trl.A(x=)", "passes trl.A(z=) if y (main.py:3)"],
        ),
        ("def (", []),
        # What may pass over an error, or never happen
        (
            "E = (ImportError,)\ntry:\n    from trl import A\nexcept E:\n    pass",
            ["imports trl.A if no handler here expects its error (main.py:2)"],
        ),
        ("import builtins\ntry:\n    from trl import A\nexcept builtins.ImportError:\n    pass", []),
        ("with mine():\n    from trl import A", ["imports trl.A if mine() raises what the block raises (main.py:1)"]),
        ("import trl\n[trl.A for i in x]", ["imports trl", "names trl.A ?"]),
        ("import trl\nassert x, trl.A", ["imports trl", "names trl.A if the assertion fails (main.py:2)"]),
        ("import trl\n1 < x < trl.A", ["imports trl", "names trl.A ?"]),
        ("import trl\ndef f(a: trl.A): pass", ["imports trl", "names trl.A ?"]),
        ("from __future__ import annotations\nimport trl\ndef f(a: trl.A): pass", ["imports trl"]),
        # What may change a package
        ("import trl\nfrom mine import *\ntrl.A", ["imports trl", "names trl.A ?"]),
        ("import trl\nfor n in x:\n    setattr(trl, n, 1)\ntrl.A", []),
        ("import trl\nvars(trl)['A'] = 1\ntrl.A", []),
        ("import trl\ntrl.__dict__['A'] = 1\ntrl.A", []),
        ("import strange\nfrom trl import A", ["imports trl.A ?"]),
        ("import unsloth\nfrom trl import A", ["imports unsloth", "imports trl.A ?"]),
        ("import sys\nsys.meta_path.insert(0, x)\nfrom trl import A", ["imports trl.A ?"]),
    ],
)
def test_one_module(source: str, expected: list[str], tmp_path: Path) -> None:
    assert shown(uses(tmp_path, {"main": source})) == expected


def test_ranges_of_releases_are_guards(tmp_path: Path) -> None:
    source = "import trl\nfrom packaging import version\nif version.parse(trl.__version__) >= version.parse('0.20'):\n    from trl import A\n"
    (_, found) = uses(tmp_path, {"main": source})
    assert found.use.guards == (">=0.20",)
    assert not found.branch
    assert not found.presumes


def test_modules_of_the_project_are_read_as_python_imports_them(tmp_path: Path) -> None:
    found = uses(
        tmp_path,
        {
            "main": "from pack.part import f\nimport other\n",
            "pack/__init__": "from trl import Package\n",
            "pack/part": "from . import beside\nfrom trl import Part\ndef f():\n    from trl import Never\n",
            "pack/beside": "from trl import Beside\n",
            "pack/unused": "from trl import Unused\n",
            "other": "if __name__ == '__main__':\n    from trl import Script\nfrom trl import Other\n",
        },
    )
    assert sorted(shown(found)) == [
        "imports trl.Beside",
        "imports trl.Other",
        "imports trl.Package",
        "imports trl.Part",
    ]


def test_a_module_needs_what_its_import_needs(tmp_path: Path) -> None:
    found = uses(
        tmp_path,
        {
            "main": "def f():\n    import a\nf()\nif x:\n    import b\n",
            "a": "from trl import A\n",
            "b": "from trl import B\n",
        },
    )
    assert shown(found) == ["imports trl.A ?", "imports trl.B if x (main.py:4)"]
    assert str(found[0].presumes[0]) == "f() runs (main.py:1)"


def test_the_surest_import_of_a_module_decides(tmp_path: Path) -> None:
    found = uses(tmp_path, {"main": "if x:\n    import a\nimport a\n", "a": "from trl import A\n"})
    assert shown(found) == ["imports trl.A"]


def test_a_package_of_the_project_is_not_compared(tmp_path: Path) -> None:
    assert uses(tmp_path, {"main": "from trl import A\n", "trl/__init__": ""}) == []
