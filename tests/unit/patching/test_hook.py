"""Which processes get the patches by the folder on PYTHONPATH, and what stays as it is without it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import packaging
import pytest

from tests.unit.patching.launched import CALL, PATCH, ROOT, Place, started
from vcompat.patches import load_patches
from vcompat.patching.hook import vcompat_arming
from vcompat.patching.launching import HOOK, environment_of_run

FINDERS = "import sys; print([type(finder).__name__ for finder in sys.meta_path if type(finder).__name__ == '_Armed'])"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_the_hook_waits_for_every_package_that_a_patch_changes() -> None:
    modules = {change.module.partition(".")[0] for patch in load_patches() for change in patch.changes}
    assert modules == vcompat_arming.PACKAGES


def test_a_script_that_knows_nothing_of_vcompat_gets_the_patch(place: Place) -> None:
    assert place.python("-c", CALL)[:2] == (0, "patched\n")


def test_the_stand_in_fails_without_the_patch(place: Place) -> None:
    """So that the other tests can fail."""
    done = started([sys.executable, "-c", CALL], place.environment(), place.folder)
    assert done.code == 1 and "TypeError" in done.stderr


@pytest.mark.parametrize(
    "starting",
    [
        "import subprocess; subprocess.run([sys.executable, '-c', CALL], check=True)",
        "import multiprocessing as m; p = m.get_context('spawn').Process(target=exec, args=(CALL,)); p.start(); p.join()",
        "import multiprocessing as m; p = m.get_context('fork').Process(target=exec, args=(CALL,)); p.start(); p.join()",
        "import multiprocessing as m; p = m.get_context('forkserver').Process(target=exec, args=(CALL,)); p.start(); p.join()",
        "import os; os.execv(sys.executable, [sys.executable, '-c', CALL])",
        "import os; os.system(f'{sys.executable} -c \"{CALL}\"')",
    ],
)  # fmt: skip
def test_a_process_that_a_process_of_the_run_starts_gets_the_patch(place: Place, starting: str) -> None:
    (place.folder / "start.py").write_text(f"import sys\nCALL = {CALL!r}\nif __name__ == '__main__':\n    {starting}\n")
    done = place.python("start.py")
    assert done[:2] == (0, "patched\n"), done.stderr


@pytest.mark.parametrize("option", ["-I", "-E", "-S"])
def test_python_that_ignores_pythonpath_or_site_is_not_reached(place: Place, option: str) -> None:
    code = f"import sys; sys.path.insert(0, {str(place.folder / 'library')!r}); {CALL}"
    done = place.python(option, "-c", code)
    assert done.code == 1 and "TypeError" in done.stderr


def test_a_process_that_imports_no_patched_package_imports_nothing_of_vcompat(place: Place) -> None:
    code = "import sys, json; print(json.dumps(sorted(sys.modules)))"
    plain = started([sys.executable, "-c", code], place.environment(), place.folder)
    armed = place.python("-c", code)
    assert set(json.loads(armed.stdout)) - set(json.loads(plain.stdout)) <= {
        "sitecustomize",
        "vcompat_arming",
        "_thread",
    }
    assert not place.runs.exists(), "nor does it write a ledger"


def test_the_path_of_a_process_is_what_it_is_without_the_run(place: Place) -> None:
    code = "import sys; print(sys.path)"
    plain = started([sys.executable, "-c", code], place.environment(PYTHONPATH="other"), place.folder)
    assert place.python("-c", code, PYTHONPATH="other").stdout == plain.stdout


def test_a_sitecustomize_of_the_user_runs_as_it_does_without_the_run(place: Place) -> None:
    (place.folder / "mine").mkdir()
    (place.folder / "mine" / "sitecustomize.py").write_text("print('mine', __file__)\nhere = 1\n")
    code = f"{CALL}; import sitecustomize; print(sitecustomize.here)"
    done = place.python("-c", code, PYTHONPATH=str(place.folder / "mine"))
    assert done[:2] == (0, f"mine {place.folder}/mine/sitecustomize.py\npatched\n1\n"), done.stderr


#: How other tools that start programs this way, such as ddtrace-run, import the sitecustomize after their own.
CHAINING = """
import os, sys
here = os.path.dirname(os.path.abspath(__file__))
before = list(sys.path)
sys.path[:] = [entry for entry in sys.path if entry != here]
ours = sys.modules.pop('sitecustomize')
try:
    import sitecustomize
except ImportError:
    sys.modules['sitecustomize'] = ours
sys.path[:] = before
print('chaining')
"""


@pytest.mark.parametrize("is_first", [True, False])
def test_another_tool_that_chains_gets_its_turn_and_so_does_vcompat(place: Place, is_first: bool) -> None:
    other = place.folder / "other"
    other.mkdir()
    (other / "sitecustomize.py").write_text(CHAINING)
    environment = environment_of_run(place.environment(PYTHONPATH=str(other)), [PATCH], str(place.runs))
    if is_first:
        environment["PYTHONPATH"] = os.pathsep.join([str(other), environment["PYTHONPATH"]])
    done = started([sys.executable, "-c", CALL], environment, place.folder)
    assert done[:2] == (0, "chaining\npatched\n"), done.stderr


def test_an_error_in_a_sitecustomize_of_the_user_is_reported_as_python_does(place: Place) -> None:
    (place.folder / "mine").mkdir()
    (place.folder / "mine" / "sitecustomize.py").write_text("import nothing_like_it\n")
    plain = started([sys.executable, "-c", ""], place.environment(PYTHONPATH="mine"), place.folder)
    done = place.python("-c", CALL, PYTHONPATH="mine")
    assert done[:2] == (0, "patched\n")
    assert "nothing_like_it" in plain.stderr and done.stderr.startswith(plain.stderr)


def test_the_finder_is_gone_once_the_patches_are_armed(place: Place) -> None:
    assert place.python("-c", FINDERS).stdout == "['_Armed']\n"
    assert place.python("-c", f"import trl; {FINDERS}").stdout == "[]\n"


@pytest.mark.parametrize("wanted", ["none", ""])
def test_a_process_without_wanted_patches_is_not_armed(place: Place, wanted: str) -> None:
    environment = place.environment(VCOMPAT_PATCH=wanted, PYTHONPATH=HOOK)
    assert started([sys.executable, "-c", FINDERS], environment, place.folder).stdout == "[]\n"


def test_a_script_that_undoes_the_patches_leaves_its_children_without_them(place: Place) -> None:
    code = f"import trl, vcompat, subprocess, sys; vcompat.unpatch(); sys.exit(subprocess.run([sys.executable, '-c', {CALL!r}]).returncode)"
    assert place.python("-c", code).code == 1


def test_several_threads_that_import_at_once_all_get_the_patch(place: Place) -> None:
    code = (
        "import threading, importlib\n"
        "names = ['trl.trainer.grpo_trainer', 'trl', 'trl.trainer'] * 8\n"
        "threads = [threading.Thread(target=importlib.import_module, args=(name,)) for name in names]\n"
        "[thread.start() for thread in threads]; [thread.join() for thread in threads]\n" + CALL
    )
    assert place.python("-c", code)[:2] == (0, "patched\n")


def test_what_goes_wrong_with_the_patches_is_one_line_and_the_program_goes_on(place: Place) -> None:
    environment = {**place.environment(PYTHONPATH=HOOK), "VCOMPAT_PATCH": "no_such_patch"}
    done = started([sys.executable, "-c", "import trl; print(trl.__version__)"], environment, place.folder)
    assert done[:2] == (0, "0.16.1\n")
    assert done.stderr.count("\n") == 1 and "vcompat: no patches in process" in done.stderr


def test_the_hook_comes_first_and_once_and_the_user_s_entries_stay() -> None:
    given = {"PYTHONPATH": os.pathsep.join(["a", HOOK, "", "b"]), "OTHER": "x"}
    made = environment_of_run(given, [PATCH], "/run")
    assert made["PYTHONPATH"].split(os.pathsep) == [HOOK, "a", "", "b"]
    assert made["OTHER"] == "x" and made["VCOMPAT_PATCH"] == PATCH and "VCOMPAT_WATCH" not in made


@pytest.mark.parametrize("before", [{}, {"PYTHONPATH": ""}])
def test_an_empty_pythonpath_does_not_become_the_current_folder(before: dict[str, str]) -> None:
    assert environment_of_run(before, [PATCH], "/run")["PYTHONPATH"] == HOOK


def test_an_environment_without_vcompat_gets_the_patch_from_the_vcompat_of_the_run(place: Place) -> None:
    """An environment with upstream packages has `packaging`, which they require."""
    environment = place.folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    (place.folder / "library" / "packaging").symlink_to(Path(packaging.__file__).parent)
    python = str(environment / "bin" / "python")
    assert started([python, "-c", "import vcompat"], place.environment(), place.folder).code == 1
    done = place.armed(python, "-c", f"{CALL}; import vcompat; print(vcompat.__file__)")
    assert done.stdout == f"patched\n{ROOT}/vcompat/__init__.py\n", done.stderr


def test_the_diagnosis_of_a_run_that_is_watched_follows_the_traceback(place: Place) -> None:
    done = place.python("-c", "import trl; raise ValueError('nothing known')", watch=True)
    assert done.code == 1
    assert "ValueError: nothing known" in done.stderr.partition("what is known about this failure")[0]
    assert "what is known about this failure" in done.stderr
