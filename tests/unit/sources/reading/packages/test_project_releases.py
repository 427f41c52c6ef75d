"""The releases that the project of a run states: which of its files count, and what follows where they differ."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from packaging.version import Version

from vcompat.facts.presumption import RELEASE
from vcompat.facts.value import show
from vcompat.sources.gather import Sources, collect
from vcompat.sources.reading.packages.platforms import Runtime
from vcompat.sources.reading.packages.project_releases import Project, find_project

SCRIPT = "from trl import GRPOConfig, GRPOTrainer\nGRPOTrainer(model='a/b', args=GRPOConfig(use_vllm=True))\n"
LOCK = 'version = 1\n[[package]]\nname = "trl"\nversion = "0.19.0"\nsource = { registry = "https://pypi.org/simple" }\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    top = tmp_path / "project"
    (top / ".git").mkdir(parents=True)
    monkeypatch.chdir(top)
    return top


def write(files: dict[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


def found(files: dict[str, str], *run_files: str) -> Project | None:
    write({"train.py": SCRIPT, **files})
    return find_project(run_files or ["train.py"])


@pytest.mark.parametrize(
    ("files", "trl", "stated_by"),
    [
        ({"requirements.txt": "trl==0.18.0\n"}, "0.18.0", ["requirements.txt"]),
        ({"pyproject.toml": '[project]\nname = "x"\nversion = "1"\ndependencies = ["trl==0.18.0"]\n'}, "0.18.0",
         ["pyproject.toml"]),
        ({"setup.py": "setup(install_requires=['trl==0.18.0'])\n"}, "0.18.0", ["setup.py"]),
        ({"setup.cfg": "[options]\ninstall_requires =\n    trl==0.18.0\n"}, "0.18.0", ["setup.cfg"]),
        ({"environment.yml": "dependencies:\n  - pip:\n    - trl==0.18.0\n"}, "0.18.0", ["environment.yml"]),
        ({"Dockerfile": "FROM x\nRUN pip install trl==0.18.0\n"}, "0.18.0", ["Dockerfile"]),
        # A lock file is made from the others.
        ({"uv.lock": LOCK, "requirements.txt": "trl==0.18.0\n"}, "0.19.0", ["uv.lock"]),
        # A range allows the pin of another file.
        ({"requirements.txt": "trl>=0.17\n", "setup.py": "setup(install_requires=['trl==0.18.0'])\n"}, "0.18.0",
         ["requirements.txt", "setup.py"]),
        # What cannot be read, nobody has named.
        ({"requirements.txt": "trl==0.18.0\n", "setup.py": "def (:\n"}, "0.18.0", ["requirements.txt"]),
        ({"setup.py": "def (:\n"}, None, []),
        ({"requirements.txt": "numpy\n"}, None, []),
        ({}, None, []),
    ],
)  # fmt: skip
def test_the_files_of_a_project_state_releases(files: dict[str, str], trl: str | None, stated_by: list[str]) -> None:
    project = found(files)
    assert [str(Path(path)) for path in (project.files if project else ())] == stated_by
    assert (str(project.facts.value("packages.trl")) if project else None) == trl


def test_two_files_that_contradict_each_other_leave_a_release_unknown_and_are_both_named() -> None:
    project = found(
        {"requirements.txt": "trl==0.18.0\nvllm==0.8.4\n", "setup.py": "setup(install_requires=['trl==0.19.0'])"}
    )
    assert project is not None
    assert project.facts.get("packages.trl") is None and project.facts.likely("packages.trl") is None
    why = project.facts.why_unknown("packages.trl")
    assert "requirements.txt:1" in why and "setup.py:1" in why
    assert project.facts.value("packages.vllm") == Version("0.8.4")


def test_a_pin_outside_the_range_of_another_file_is_unknown_and_both_are_named() -> None:
    project = found({"requirements.txt": "trl==0.18.0\n", "setup.py": "setup(install_requires=['trl>=0.19'])\n"})
    assert project is not None and project.facts.get("packages.trl") is None
    assert all(name in project.facts.why_unknown("packages.trl") for name in ("requirements.txt:1", "setup.py:1"))


def test_the_ranges_of_several_files_narrow_each_other() -> None:
    project = found({"requirements.txt": "trl>=0.18\n", "setup.py": "setup(install_requires=['trl<0.19'])\n"})
    assert project is not None
    assert {str(one) for one in project.facts.candidates("packages.trl")} == {"0.18.0", "0.18.1", "0.18.2"}


def test_the_nearest_folder_counts_that_states_one_of_the_main_packages(folder: Path) -> None:
    files = {
        "src/run/train.py": SCRIPT,
        "src/run/requirements.txt": "numpy==1.0\n",
        "src/requirements.txt": "trl==0.18.0\n",
        "requirements.txt": "trl==0.19.0\nvllm==0.8.4\n",
        "../requirements.txt": "trl==0.20.0\n",
    }
    for missing, release in ((None, "0.18.0"), ("src/requirements.txt", "0.19.0"), ("requirements.txt", None)):
        if missing is not None:
            files.pop(missing)
            Path(missing).unlink()
        project = found(files, "src/run/train.py")
        # Above the top of the repository nothing belongs to the project.
        assert (str(project.facts.value("packages.trl")) if project else None) == release


def test_what_a_script_itself_requires_counts_with_the_files_beside_it() -> None:
    block = "# /// script\n# dependencies = ['trl==0.18.0']\n# ///\n"
    project = found({"own.py": block + SCRIPT}, "own.py")
    assert project is not None and project.facts.value("packages.trl") == Version("0.18.0")
    project = found({"requirements.txt": "trl==0.19.0\n"}, "own.py")
    assert project is not None and project.facts.get("packages.trl") is None
    assert "different versions" in project.facts.why_unknown("packages.trl")


def test_a_release_that_a_later_command_may_change_is_likely_and_presumes_that_it_does_not() -> None:
    project = found({"run.sh": "pip install trl==0.18.0\npip install vllm==0.8.4\npython train.py\n"}, "run.sh")
    assert project is not None
    assert project.facts.value("packages.vllm") == Version("0.8.4")
    likely = project.facts.likely("packages.trl")
    assert project.facts.get("packages.trl") is None and likely is not None
    assert likely.value == Version("0.18.0")
    ((kind, text, place),) = likely.presumes
    assert (kind, text) == (RELEASE, "later commands in run.sh keep trl 0.18.0")
    assert place is not None and place.line == 1


@pytest.mark.parametrize(
    ("sources", "stated_by"),
    [
        (Sources(["train.py"], probe=False), ["requirements.txt"]),
        (Sources(["train.py"], probe=False, project=False), []),
        (Sources(["train.py", "other.txt"], probe=False), []),
        (Sources(["train.py"], probe=False, environment="other.txt"), []),
        (Sources(["train.py"], probe=False, packages=False), []),
        (Sources([], probe=False), []),
        # Who states one by hand keeps the others.
        (Sources(["train.py"], {"packages.trl": "0.20.0"}, probe=False), ["requirements.txt"]),
        (Sources(["train.py"], {"packages.ray": "2.40.0"}, probe=False), ["requirements.txt"]),
    ],
)
def test_a_check_takes_the_releases_of_the_project_where_nothing_else_states_any(
    sources: Sources, stated_by: list[str]
) -> None:
    write({"train.py": SCRIPT, "requirements.txt": "trl==0.18.0\n", "other.txt": "vllm==0.8.4\n"})
    gathered = collect(sources)
    assert [str(Path(path)) for path in gathered.stated_by] == stated_by
    by_hand = sources.settings.get("packages.trl")
    expected = Version(by_hand) if by_hand else Version("0.18.0") if stated_by else None
    assert gathered.facts.value("packages.trl") == expected


RANGES = "trl>=0.18\nvllm==0.11.2\n"


@pytest.mark.parametrize(
    ("files", "by_hand", "expected"),
    [
        # The others stay as the files state them.
        ({"requirements.txt": "trl==0.18.0\nvllm==0.8.4\n"}, "trl=0.19.0", "trl=0.19.0 vllm=0.8.4 torch~2.6.0"),
        ({"requirements.txt": RANGES}, "trl=0.24.0", "trl=0.24.0 vllm=0.11.2 torch~2.9.0"),
        ({"requirements.txt": RANGES}, "ray=2.40.0", "vllm=0.11.2 torch~2.9.0"),
        # What the stated release pins replaces what that of the file pinned.
        ({"requirements.txt": RANGES}, "vllm=0.10.0", "vllm=0.10.0 torch~2.7.1"),
        ({"requirements.txt": RANGES + "torch==2.9.0\n"}, "vllm=0.10.0", "vllm=0.10.0 torch=2.9.0"),
        ({"requirements.txt": RANGES}, "vllm=none", "vllm=none"),
        ({"requirements.txt": RANGES}, "trl=unknown", "vllm=0.11.2 torch~2.9.0"),
        # A file that contradicts itself, or a command that may not run, is overruled.
        ({"requirements.txt": "trl==0.18.0\ntrl==0.19.0\nvllm==0.8.4\n"}, "trl=0.19.0", "trl=0.19.0 vllm=0.8.4 torch~2.6.0"),
        ({"run.sh": "pip install trl==0.18.0\npip install vllm==0.8.4\npython train.py\n"}, "trl=0.19.0", "trl=0.19.0 vllm=0.8.4 torch~2.6.0"),
    ],
)  # fmt: skip
def test_a_release_that_the_user_states_replaces_that_of_the_project_and_no_other(
    files: dict[str, str], by_hand: str, expected: str
) -> None:
    write({"train.py": SCRIPT, **files})
    name, _, value = by_hand.partition("=")
    start = "run.sh" if "run.sh" in files else "train.py"
    facts = collect(Sources([start], {f"packages.{name}": value}, probe=False)).facts
    found = []
    for package in ("trl", "vllm", "torch"):
        known, likely = facts.get(f"packages.{package}"), facts.likely(f"packages.{package}")
        found += [f"{package}={show(known.value)}"] if known else [f"{package}~{show(likely.value)}"] if likely else []
    assert " ".join(found) == expected


@pytest.mark.parametrize("settings", [{}, {"packages.trl": "0.19.0"}])
def test_the_releases_of_a_project_keep_the_patches_that_the_run_gets(settings: dict[str, str]) -> None:
    write({"train.py": SCRIPT, "requirements.txt": "trl==0.18.0\n"})
    facts = collect(Sources(command=["python", "train.py"], settings=settings, probe=False, patched=["one"])).facts
    assert facts.value("packages.trl") == Version(settings.get("packages.trl", "0.18.0"))
    assert facts.value("host.patched") == ("one",)


def test_a_list_of_requirements_may_have_an_empty_ending() -> None:
    project = found({"requirements_.txt": "trl==0.18.0\n"})
    assert likely(project, "packages.trl") == ("0.18.0", ["what requirements_.txt lists is installed"])


@pytest.mark.parametrize("name", ["setup.sh", "env.sh", "setup_env.sh"])
def test_a_script_that_prepares_the_project_counts_also_above_the_folder_of_its_files(name: str) -> None:
    files = {
        ".git/HEAD": "",
        name: "cd src\npip install vllm==0.7.2\n",
        "src/setup.py": "from setuptools import setup\nsetup(install_requires=['trl==0.14.0'])\n",
        "src/run/train.py": SCRIPT,
    }
    project = found(files, "src/run/train.py")
    assert project is not None
    stated = {name: project.facts.value(f"packages.{name}") for name in ("trl", "vllm")}
    assert stated == {"trl": Version("0.14.0"), "vllm": Version("0.7.2")}


def likely(project: Project | None, name: str) -> tuple[str, list[str]]:
    """The likely value of a fact, and what it presumes."""
    assert project is not None
    found = project.facts.likely(name)
    return ("", []) if found is None else (str(found.value), [one.text for one in found.presumes])


@pytest.mark.parametrize(
    ("commands", "vllm"),
    [
        ('if [ -n "$COLAB" ]; then pip install vllm==0.8.4; else pip install vllm; fi', "0.8.4"),
        ('if [ -n "$COLAB" ]; then pip install vllm==0.8.4; else pip install vllm==0.8.4; fi', "0.8.4"),
        ('if [ -n "$COLAB" ]; then pip install vllm==0.8.4; else pip install vllm==0.8.5; fi', ""),
        ('pip install vllm\nif [ -n "$COLAB" ]; then pip install vllm==0.8.4; fi', ""),
        ('if [ -n "$COLAB" ]; then pip install vllm; fi', ""),
    ],
)
def test_the_one_release_that_a_condition_pins_is_likely(commands: str, vllm: str) -> None:
    value, presumes = likely(found({"setup.sh": commands + "\n"}), "packages.vllm")
    assert value == vllm
    assert presumes == (["the command that installs vllm 0.8.4 runs"] if vllm else [])


@pytest.mark.parametrize(
    ("script", "vllm"),
    [("from trl import GRPOConfig\nGRPOConfig(output_dir='o')\n", ""), (SCRIPT + "# with vllm\n", "0.10.2")],
)
@pytest.mark.parametrize("name", ["setup.sh", "setup_dev_env.sh"])
def test_an_optional_engine_that_the_run_does_not_use_is_not_likely(name: str, script: str, vllm: str) -> None:
    asked = 'read -p "Install vllm? [y/N]: " v\nif [[ "$v" == "y" ]]; then\n  pip install vllm==0.10.2\nfi\n'
    project = found({"requirements.txt": "trl>=0.24.0\n", name: asked, "train.py": script}, "train.py")
    assert likely(project, "packages.vllm")[0] == vllm


def test_a_later_command_is_presumed_to_keep_what_a_condition_pins() -> None:
    commands = 'if [ -n "$COLAB" ]; then pip install vllm==0.8.4; fi\npip install trl==0.18.0\n'
    value, presumes = likely(found({"setup.sh": commands}), "packages.vllm")
    assert value == "0.8.4" and presumes[1:] == ["later commands in setup.sh keep vllm 0.8.4"]


@pytest.mark.parametrize(
    ("name", "is_read"),
    [
        ("set_env.sh", True),
        ("install_deps.sh", True),
        ("setup-conda.sh", True),
        ("setup_vllm_env.sh", True),
        ("environment.sh", True),
        ("train_setup2.sh", False),
        ("eval.sh", False),
    ],
)
def test_what_a_script_that_may_prepare_the_environment_installs_is_likely(name: str, is_read: bool) -> None:
    files = {name: "pip install trl==0.18.0\n", "requirements.txt": "vllm\n"}
    value, presumes = likely(found(files), "packages.trl")
    assert (value, presumes) == (("0.18.0", [f"what {name} installs is installed"]) if is_read else ("", []))


def test_scripts_that_install_different_releases_leave_it_open() -> None:
    files = {"install_cu118.sh": "pip install trl==0.18.0\n", "install_cu121.sh": "pip install trl==0.19.0\n"}
    files["requirements.txt"] = "vllm\n"
    assert likely(found(files), "packages.trl") == ("", [])


@pytest.mark.parametrize(
    ("extras", "trl", "extra"),
    [
        ("extras_require={'train': ['trl==0.18.0']}", "0.18.0", "train"),
        ("extras_require={'train': ['trl==0.18.0'], 'all': ['trl==0.18.0']}", "0.18.0", "all"),
        ("extras_require=more", "0.18.0", "rl"),
        ("extras_require={'everything': list(deps.values())}", "0.17.0", "everything"),
        ("extras_require={'none': []}", "", ""),
        ("extras_require={'a': ['trl==0.18.0'], 'b': ['trl==0.19.0']}", "", ""),
        ("extras_require={'a': ['trl>=0.18']}", "", ""),
        ("extras_require=unknown()", "", ""),
    ],
)
def test_what_an_extra_of_a_setup_py_pins_is_likely(extras: str, trl: str, extra: str) -> None:
    before = "_deps = ['trl==0.17.0', 'wandb']\ndeps = {b: a for a in _deps}\nmore = {}\nmore['rl'] = ['trl==0.18.0']\n"
    project = found({"setup.py": f"{before}setup(install_requires=['vllm==0.8.4'], {extras})\n"})
    value, presumes = likely(project, "packages.trl")
    assert (value, presumes) == (trl, [f"the extra {extra} is installed"] if trl else [])


def test_what_vllm_pins_is_likely_where_no_file_states_it() -> None:
    value, presumes = likely(found({"requirements.txt": "vllm==0.8.4\n"}), "packages.torch")
    assert value == "2.6.0" and presumes == ["pip installs what vllm 0.8.4 pins"]
    project = found({"requirements.txt": "vllm==0.8.4\ntorch\n"})
    assert likely(project, "packages.torch")[0] == "" and likely(project, "packages.transformers")[0] == ""


@pytest.mark.parametrize(
    ("files", "cuda"),
    [
        ({"requirements.txt": "torch==2.9.0\n"}, "12.8"),
        ({"requirements.txt": "--index-url https://download.pytorch.org/whl/cu130\ntorch==2.9.0\n"}, "13.0"),
        ({"setup.sh": "pip install torch==2.9.0\n"}, "12.8"),
        ({"setup.sh": "pip install torch==2.9.0 --index-url https://download.pytorch.org/whl/cu130\n"}, "13.0"),
        ({"setup.sh": "pip install --extra-index-url=https://download.pytorch.org/whl/cu130 torch==2.9.0\n"}, ""),
        ({"setup.sh": "uv pip install --torch-backend auto torch==2.9.0\n"}, ""),
        ({"setup.sh": "export PIP_INDEX_URL=https://example.org/simple\npip install torch==2.9.0\n"}, ""),
        ({"setup.sh": "pip install vllm==0.11.2\n"}, "12.8"),
    ],
)
def test_the_build_of_the_index_is_likely(files: dict[str, str], cuda: str) -> None:
    write({"train.py": SCRIPT, **files})
    project = find_project(["train.py"], Runtime("x86_64"))
    assert project is not None and project.facts.get("torch.cuda") is None
    value, presumes = likely(project, "torch.cuda")
    assert value == cuda
    assert not cuda or presumes[-1].startswith("torch 2.9.0 is ")


LATER = "install:\n\tpip install -e .\n\tpip install torch==2.8.0 trl==0.27.0\n\nstyle:\n\tpip install torch==1.0\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [("Makefile", LATER), ("setup.sh", "pip install -e .\npip install torch==2.8.0 trl==0.27.0\n")],
)
def test_commands_that_install_something_else_than_the_files_list_are_likely(name: str, text: str) -> None:
    Path("requirements.txt").write_text("torch==2.6.0\ntrl==0.18.0\ntransformers==4.52.3\n")
    Path(name).write_text(text)
    Path("t.py").write_text("")
    found = find_project(["t.py"])
    assert found is not None
    assert found.facts.get("packages.torch") is None
    line = 3 if name == "Makefile" else 2
    assert found.facts.why_unknown("packages.torch") == (
        f"requirements.txt:1:1 and {name}:{line}:1 declare different versions"
    )
    likely = found.facts.likely("packages.torch")
    assert likely is not None and str(likely.value) == "2.8.0"
    assert [str(one) for one in likely.presumes] == [
        f"the commands of {name} are the last that install torch ({name}:{line}:1)"
    ]
    assert str(found.facts.value("packages.transformers")) == "4.52.3"


def test_a_makefile_without_a_target_that_installs_states_nothing() -> None:
    Path("Makefile").write_text("style:\n\tpip install torch==1.0\n")
    Path("t.py").write_text("")
    assert find_project(["t.py"]) is None


READ_ME = "# A project\n\n`pip install trl==0.1` is old.\n\n```bash\n$ uv pip install vllm==0.8.5.post1\npip install trl\n```\n\n```\npip install torch==2.6.0\n```\n"


def test_what_a_readme_installs_is_likely_where_nothing_else_states_a_release() -> None:
    Path("README.md").write_text(READ_ME)
    Path("requirements.txt").write_text("trl==0.18.0\nvllm\ntorch==2.7.0\n")
    Path("t.py").write_text("")
    found = find_project(["t.py"])
    assert found is not None
    assert list(map(os.path.normpath, found.files)) == ["requirements.txt", "README.md"]
    assert {package: str(found.facts.value(f"packages.{package}")) for package in ("trl", "torch")} == {
        "trl": "0.18.0",
        "torch": "2.7.0",
    }
    likely = found.facts.likely("packages.vllm")
    assert likely is not None and str(likely.value) == "0.8.5.post1"
    assert [str(one) for one in likely.presumes] == ["what README.md installs is installed (README.md:6:1)"]


@pytest.mark.parametrize(
    "others", ["vllm>=0.9", "vllm @ git+https://example.org/vllm.git", "vllm==0.8.4; python_version < '3'"]
)
def test_a_readme_says_nothing_about_a_release_that_another_file_excludes(others: str) -> None:
    Path("README.md").write_text(READ_ME)
    Path("requirements.txt").write_text(f"trl==0.18.0\n{others}\n")
    Path("t.py").write_text("")
    found = find_project(["t.py"])
    assert found is not None
    likely = found.facts.likely("packages.vllm")
    assert (likely is None) is ("python_version" not in others)


def test_a_list_of_releases_in_a_readme_is_what_it_installs() -> None:
    Path("README.md").write_bytes(
        b"# A\r\n```bash\r\ntorch==2.5.0\r\ntrl==0.16.0  # new\r\npython t.py --x==1\r\n```\r\n"
    )
    Path("t.py").write_text("")
    found = find_project(["t.py"])
    assert found is not None
    likely = dict(found.facts.all_likely())
    assert {name: str(one.value) for name, one in likely.items()} == {
        "packages.torch": "2.5.0",
        "packages.trl": "0.16.0",
    }


@pytest.mark.parametrize(
    ("files", "vllm"),
    [
        ({"requirements-train.txt": "vllm==0.24.0\n"}, "0.24.0"),
        ({"requirements-train.txt": "vllm==0.24.0\n", "requirements.txt": "torch==2.9\n"}, "0.24.0"),
        ({"requirements-train.txt": "vllm==0.24.0\n", "requirements.txt": "vllm\n"}, "0.24.0"),
        ({"requirements-train.txt": "vllm==0.24.0\n", "requirements.txt": "vllm<0.24\n"}, ""),
        ({"requirements-train.txt": "vllm==0.24.0\n", "requirements.txt": "vllm>=0.9\n"}, "0.24.0"),
        ({"requirements-gpu.txt": "vllm==0.24.0\n", "requirements_old.txt": "vllm==0.8.4\n"}, ""),
        ({"requirements-train.txt": "vllm==0.24.0\n", "requirements_old.txt": "vllm==0.8.4\n"}, "0.24.0"),
        ({"requirements_train.txt": "trl==0.20\n", "requirements_gpu.txt": "vllm==0.24.0\n"}, "0.24.0"),
        ({"requirements_train.txt": "trl==0.20\n", "requirements_eval.txt": "vllm==0.24.0\n"}, ""),
        ({"requirements-grpo.txt": "vllm==0.24.0\n", "requirements-sft-gpu.txt": "vllm==0.8.4\n"}, "0.24.0"),
        ({"requirements-train.txt": "vllm==0.24.0\n", "uv.lock": "version = 1\n"}, "0.24.0"),
    ],
)
def test_what_another_list_of_requirements_pins_is_likely(files: dict[str, str], vllm: str) -> None:
    for name, text in files.items():
        Path(name).write_text(text)
    Path("t.py").write_text("")
    found = find_project(["t.py"])
    assert found is not None and found.facts.get("packages.vllm") is None
    likely = found.facts.likely("packages.vllm")
    assert (str(likely.value) if likely else "") == vllm
    listed = next(name for name, text in files.items() if "vllm==0.24.0" in text)
    assert likely is None or [each.text for each in likely.presumes] == [f"what {listed} lists is installed"]


@pytest.mark.parametrize(
    ("files", "known", "likely"),
    [
        ({"env.yml": "0.9.0"}, "0.9.0", ""),
        ({"conda_env.yaml": "0.9.0"}, "0.9.0", ""),
        ({"environment.yml": "0.9.0", "environment_eval.yml": "0.8.4"}, "", ""),
        ({"environment.yml": "0.9.0", "environment_grpo.yml": "0.8.4"}, "", "0.8.4"),
        ({"environment.yml": "0.9.0", "envoy.yml": "0.8.4"}, "0.9.0", ""),
    ],
)
def test_the_environment_of_conda_that_is_named_after_grpo_is_likely(
    files: dict[str, str], known: str, likely: str
) -> None:
    for name, version in files.items():
        Path(name).write_text(f"name: a\ndependencies:\n  - pip:\n      - vllm=={version}\n")
    Path("t.py").write_text("")
    found = find_project(["t.py"])
    assert found is not None
    presumed = found.facts.likely("packages.vllm")
    assert str(found.facts.value("packages.vllm") or "") == known
    assert (str(presumed.value) if presumed else "") == likely


def test_a_list_in_a_folder_above_pins_what_the_nearer_one_allows() -> None:
    Path("src").mkdir()
    Path("src/setup.py").write_text(
        "from setuptools import setup\nsetup(install_requires=['vllm>=0.8', 'trl==0.18.0'])\n"
    )
    Path("requirements.txt").write_text("vllm==0.9.0\ntrl==0.20.0\ntorch==2.7.0\n")
    Path("src/t.py").write_text("")
    found = find_project(["src/t.py"])
    assert found is not None
    likely = {name: str(one.value) for name, one in found.facts.all_likely()}
    assert likely.items() >= {"packages.vllm": "0.9.0", "packages.torch": "2.7.0"}.items()
    assert str(found.facts.value("packages.trl")) == "0.18.0"


def test_a_readme_alone_states_likely_releases() -> None:
    Path("README.md").write_text(READ_ME)
    Path("t.py").write_text("")
    found = find_project(["t.py"])
    assert found is not None and found.facts.get("packages.torch") is None
    likely = found.facts.likely("packages.torch")
    assert likely is not None and str(likely.source) == "README.md:11:1"
    Path("README.md").write_text("# A project\n```bash\npip install trl\n```\n")
    assert find_project(["t.py"]) is None


OPTIONAL = """
[project]
name = "a"
version = "1"
dependencies = ["trl==0.24.0", "torch>=2.6"]
[project.optional-dependencies]
vllm = ["vllm==0.11.2"]
dev = ["torch==2.8.0", "pytest"]
"""


def test_what_one_extra_pins_is_likely_where_the_project_itself_does_not_require_it() -> None:
    Path("pyproject.toml").write_text(OPTIONAL)
    Path("t.py").write_text("")
    found = find_project(["t.py"])
    assert found is not None
    assert str(found.facts.value("packages.trl")) == "0.24.0"
    torch = found.facts.likely("packages.torch")
    assert torch is not None and torch.source == "the requirements of vllm 0.11.2"
    likely = found.facts.likely("packages.vllm")
    assert likely is not None and str(likely.value) == "0.11.2"
    assert [one.text for one in likely.presumes] == ["the extra vllm is installed"]


def test_what_two_extras_pin_differently_is_unknown() -> None:
    Path("pyproject.toml").write_text(OPTIONAL + 'old = ["vllm==0.8.4"]\n')
    Path("t.py").write_text("")
    found = find_project(["t.py"])
    assert found is not None
    assert found.facts.likely("packages.vllm") is None


FREEZE = "".join(
    f"{name}==1.0.0\n"
    for name in sorted(
        [*(f"dependency-{number:02}" for number in range(50)), "certifi", "charset-normalizer", "filelock", "fsspec", "idna",
         "packaging", "requests", "tqdm", "urllib3", "trl"]
    )
)  # fmt: skip


@pytest.mark.parametrize(
    ("files", "absent"),
    [
        ({"requirements.txt": FREEZE}, True),
        # Edited by hand since then.
        ({"requirements.txt": f"deepspeed\n{FREEZE}"}, True),
        # What is mentioned, or installed by another file, was not in the environment that was listed.
        ({"requirements.txt": FREEZE, "train.py": f"{SCRIPT}import peft\n"}, False),
        ({"requirements.txt": FREEZE, "README.md": "```\npip install peft\n```\n"}, False),
        # A list by hand.
        ({"requirements.txt": "trl==1.0.0\ncertifi==1.0.0\n"}, False),
        ({"requirements.txt": FREEZE.replace("==1.0.0", "")}, False),
        ({"requirements.txt": "\n".join(reversed(FREEZE.split()))}, False),
    ],
)  # fmt: skip
def test_what_pip_freeze_does_not_list_is_likely_not_installed(files: dict[str, str], absent: bool) -> None:
    project = found(files)
    assert project is not None
    likely = project.facts.likely("packages.peft")
    assert (likely is not None and likely.value is None) is absent
    if likely is not None:
        assert [one.text for one in likely.presumes] == ["requirements.txt lists all that is installed"]
