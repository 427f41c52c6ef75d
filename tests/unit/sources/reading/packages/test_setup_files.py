"""Dependencies in setup.py and setup.cfg. setup.py is parsed, never run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.packages.declared_files import read, stated
from vcompat.foundation.errors import InputError

SETUP = "from setuptools import setup\n"


@pytest.mark.parametrize(
    ("text", "trl", "vllm"),
    [
        ('setup(install_requires=["trl==0.18.0", "vllm==0.8.4"])', "0.18.0", "0.8.4"),
        ('setuptools.setup(install_requires=("trl==0.18.0",))', "0.18.0", "?"),
        ('BASE = ["trl==0.18.0"]\nsetup(install_requires=BASE + ["vllm==0.8.4"])', "0.18.0", "0.8.4"),
        ('BASE = ["trl==0.18.0"]\nALL = BASE + ["vllm==0.8.4"]\nsetup(install_requires=ALL)', "0.18.0", "0.8.4"),
        # The table of dependencies that many projects keep.
        ('_all = ["trl==0.18.0", "vllm==0.8.4"]\ndeps = {b: a for a in _all for b in split(a)}\n'
         'install = [deps["trl"]]\nsetup(install_requires=install)', "0.18.0", "?"),
        ('_all = ["trl==0.18.0", "vllm==0.8.4"]\nsetup(install_requires=names("trl", "vllm"))', "0.18.0", "0.8.4"),
        ('setup(install_requires=["trl==0.18.0"], extras_require={"x": ["vllm==0.8.4"]})', "0.18.0", "?"),
        ('setup(install_requires=["trl>=0.18,<0.22", "vllm==0.8.4"])', "?", "0.8.4"),
        ('if True:\n    setup(install_requires=["trl==0.18.0"])', "0.18.0", "?"),
    ],
)  # fmt: skip
def test_a_setup_py_states_the_requirements_of_its_call(tmp_path: Path, text: str, trl: str, vllm: str) -> None:
    facts = read(tmp_path, "setup.py", SETUP + text + "\n")
    assert (stated(facts, "packages.trl"), stated(facts, "packages.vllm")) == (trl, vllm)


def test_a_setup_py_is_not_executed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    begun = "from pathlib import Path\nPath('was-run').touch()\nraise SystemExit(3)\n"
    facts = read(tmp_path, "setup.py", f"{begun}{SETUP}setup(install_requires=['trl==0.18.0'])\n")
    assert stated(facts, "packages.trl") == "0.18.0"
    assert not (tmp_path / "was-run").exists()


def test_a_requirement_has_the_line_that_states_it(tmp_path: Path) -> None:
    known = read(tmp_path, "setup.py", f"{SETUP}DEPS = [\n    'trl==0.18.0',\n]\nsetup(install_requires=DEPS)\n").get(
        "packages.trl"
    )
    assert known is not None and known.place is not None and known.place.line == 3
    known = read(tmp_path, "setup.cfg", "[options]\ninstall_requires =\n    torch\n    trl==0.18.0\n").get(
        "packages.trl"
    )
    assert known is not None and known.place is not None and known.place.line == 4


def test_a_setup_cfg_states_the_requirements_of_its_options(tmp_path: Path) -> None:
    text = (
        "[options]\ninstall_requires =\n    trl==0.18.0\n    vllm>=0.8,<0.9\n[options.extras_require]\nx = torch==2.6\n"
    )
    facts = read(tmp_path, "setup.cfg", text)
    assert stated(facts, "packages.trl") == "0.18.0"
    assert facts.candidates("packages.vllm") and "allows >=0.8,<0.9" in facts.why_unknown("packages.vllm")
    assert stated(facts, "packages.torch") == "?"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("setup.py", "def (:\n", "not valid Python"),
        ("setup.py", "setup(name='x')\n", "no install_requires"),
        ("setup.py", "setup(install_requires=open('requirements.txt').read().split())\n", "no install_requires"),
        ("setup.py", "A = B\nB = A\nsetup(install_requires=A)\n", "no install_requires"),
        ("setup.py", "x = " + "(" * 5000 + "\n", "not valid Python"),
        ("setup.cfg", "[metadata]\nname = x\n", "no install_requires"),
        ("setup.cfg", "install_requires\n", "not valid"),
    ],
)
def test_a_setup_file_without_a_list_is_refused_with_one_line(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    with pytest.raises(InputError, match=message) as refused:
        read(tmp_path, name, text)
    assert len(str(refused.value).splitlines()) == 1
