"""Source trees as sides of ``vcompat rules scan``: which package they are, which version, and what they require."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from packaging.version import Version

from vcompat.foundation.errors import InputError
from vcompat.upstream.checkout import checkout_in
from vcompat.upstream.requirements import declared

USER = {
    "trl/__init__.py": "from vllm import LLM\nfrom vllm.utils import get_ip\nLLM(model='m', device='cuda')\n",
    "VERSION": "1.17.0.dev0\n",
    "pyproject.toml": """
[project]
name = "trl"
dependencies = ["transformers>=4.56.2"]
[project.optional-dependencies]
vllm = ["vllm>=0.22.0,<=0.31.0; python_version < '3.14'"]
""",
}
OTHER = {
    "vllm/__init__.py": "from vllm.entrypoints.llm import LLM\n",
    "vllm/entrypoints/__init__.py": "",
    "vllm/entrypoints/llm.py": "class LLM:\n    def __init__(self, model):\n        pass\n",
    "vllm/utils.py": "def get_ip():\n    pass\n",
}


def tree(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def scan(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "vcompat", "rules", "scan", *arguments]
    # Without an index, so that only the trees can answer.
    environment = {**os.environ, "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "VCOMPAT_CACHE": str(folder / "cache")}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("PKG-INFO", "Metadata-Version: 2.1\nName: trl\nVersion: 1.2.3\n"),
        ("trl/__init__.py", "import os\n__version__ = '1.2.3'\n"),
        ("trl/_version.py", '__version__ = version = "1.2.3"\n'),
        ("VERSION", "1.2.3\n"),
        ("version.txt", "1.2.3\n"),
    ],
)
@pytest.mark.parametrize("root", ["", "src/"])
def test_the_version_is_what_a_file_states(name: str, text: str, root: str, tmp_path: Path) -> None:
    below = root if name.startswith("trl/") else ""
    tree(tmp_path, {f"{root}trl/__init__.py": "", f"{below}{name}": text})
    found = checkout_in(tmp_path)
    assert (found.package, found.version, found.local) == ("trl", Version("1.2.3"), str(tmp_path))
    assert checkout_in(tmp_path, Version("9")).version == Version("9")


def test_a_tree_without_a_version_needs_one(tmp_path: Path) -> None:
    tree(tmp_path, {"vllm/__init__.py": "__version__ = compute()\n", "VERSION": "not a version"})
    with pytest.raises(InputError, match=f"no file states the version of vllm; expected vllm==VERSION@{tmp_path}"):
        checkout_in(tmp_path)


def test_a_folder_without_a_package_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a source tree; expected a source tree of vllm, trl"):
        checkout_in(tree(tmp_path, {"other/__init__.py": ""}))


def test_requirements_are_those_of_the_project_table(tmp_path: Path) -> None:
    tree(tmp_path, USER)
    assert declared("trl", Version("1.17.0.dev0"), lambda path: _text(tmp_path / path)) == {
        "transformers": ">=4.56.2",
        "vllm": ">=0.22.0,<=0.31.0",
    }
    (tmp_path / "pyproject.toml").write_text("[project]\ndependencies = 3\n")
    assert declared("trl", Version("1.17.0.dev0"), lambda path: _text(tmp_path / path)) == {}


def _text(path: Path) -> str | None:
    return path.read_text() if path.is_file() else None


def test_two_trees_are_compared(tmp_path: Path) -> None:
    tree(tmp_path / "trl", USER)
    tree(tmp_path / "engine", OTHER)
    done = scan(tmp_path, "./trl", "vllm==0.34.0@./engine")
    assert done.stdout.splitlines() == [
        "trl 1.17.0.dev0 declares vllm >=0.22.0,<=0.31.0, without 0.34.0",
        "trl 1.17.0.dev0 passes vllm.LLM(device=)",
        "    in trl/__init__.py:3 in 1.17.0.dev0",
        "    vllm 0.34.0: not defined",
        "",
        "trl 1.17.0.dev0 uses 4 names of vllm; vllm 0.34.0 lacks 1 of them",
    ]
    assert done.returncode == 1


def test_trees_that_fit_have_exit_code_0(tmp_path: Path) -> None:
    tree(tmp_path / "trl", {**USER, "trl/__init__.py": "from vllm.utils import get_ip\n"})
    tree(tmp_path / "engine", OTHER)
    done = scan(tmp_path, "./trl", "vllm==0.30.0@./engine")
    assert done.stdout.splitlines() == [
        "trl 1.17.0.dev0 declares vllm >=0.22.0,<=0.31.0, with 0.30.0",
        "trl 1.17.0.dev0 uses 1 name of vllm; vllm 0.30.0 lacks 0 of them",
    ]
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["./nothing", "vllm"], "nothing: not a source tree"),
        (["trl==1.x", "vllm"], "'1.x' is not a version; expected a release such as trl==1.2.3"),
        (["trl==1.16.0", "vllm"], "trl==1.16.0: the package index cannot be reached"),
        (["./trl", "trl==1.0.0@./trl"], "a package always fits itself"),
    ],
)
def test_a_side_that_cannot_be_read_is_one_line(arguments: list[str], complaint: str, tmp_path: Path) -> None:
    tree(tmp_path / "trl", USER)
    done = scan(tmp_path, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1
