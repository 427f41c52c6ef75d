"""``vcompat install`` and ``uninstall`` in a virtual environment of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.cli.command_line import vcompat
from tests.unit.patching.launched import CALL, PATCH, ROOT, Done, Place, started
from vcompat.patching.launching import PTH, armed_by, pth_of
from vcompat.sources.probe.installed_patches import probe_installed_patches


class Environment:
    """A virtual environment in which the stand-in for TRL and `packaging` are installed."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.root = place.folder / "environment"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.root], check=True)
        (self.site,) = (self.root / "lib").glob("python3*/site-packages")
        (self.site / "trl").symlink_to(place.folder / "library" / "trl")
        packaging = __import__("packaging").__path__[0]
        (self.site / "packaging").symlink_to(packaging)

    def python(self, *words: str, **variables: str) -> Done:
        environment = self.place.environment(**variables)
        del environment["PYTHONPATH"]
        return started([str(self.root / "bin" / "python"), *words], environment, self.place.folder)


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return Environment(Place(tmp_path))


def test_install_reaches_each_process_until_uninstall(environment: Environment) -> None:
    assert environment.python("-c", CALL).code == 1, "off by default"
    done = vcompat("install", "--python", str(environment.root))
    assert (done.code, done.stdout.split()[1]) == (0, f"{environment.site / PTH}.")
    assert environment.python("-c", CALL)[:2] == (0, "patched\n")
    assert vcompat("uninstall", "--python", str(environment.root)).code == 0
    assert environment.python("-c", CALL).code == 1
    assert not (environment.site / PTH).exists()


@pytest.mark.parametrize(("option", "code"), [("-I", 0), ("-E", 0), ("-s", 0), ("-S", 1)])
def test_install_reaches_python_with_options_that_keep_sitecustomize_away(
    environment: Environment, option: str, code: int
) -> None:
    vcompat("install", "--python", str(environment.root))
    library = f"import sys; sys.path.append({str(environment.site)!r}); "
    assert environment.python(option, "-c", library + CALL).code == code


def test_install_can_be_switched_off_for_a_process(environment: Environment) -> None:
    vcompat("install", "--python", str(environment.root))
    assert environment.python("-c", CALL, VCOMPAT_PATCH="none").code == 1
    assert environment.python("-c", CALL, VCOMPAT_DISABLE=PATCH).code == 1


def test_install_selects_patches(environment: Environment) -> None:
    vcompat("install", "--python", str(environment.root), "--skip", PATCH)
    assert environment.python("-c", CALL).code == 1
    vcompat("install", "--python", str(environment.root), "--only", PATCH)
    assert environment.python("-c", f"{CALL}; import vcompat; print(*vcompat.status())").stdout == f"patched\n{PATCH}\n"


def test_a_process_that_imports_no_patched_package_imports_nothing_of_vcompat(environment: Environment) -> None:
    code = "import sys; print(*sorted(sys.modules), sys.path)"
    before = environment.python("-c", code).stdout
    vcompat("install", "--python", str(environment.root))
    after = environment.python("-c", code).stdout
    assert set(after.split()) - set(before.split()) <= {"vcompat_arming", "_thread"}
    assert after.partition("[")[2] == before.partition("[")[2], "sys.path"


def test_python_starts_without_a_word_where_vcompat_is_gone(environment: Environment) -> None:
    text = pth_of(None).replace(str(ROOT), "/nowhere")
    (environment.site / PTH).write_text(text)
    assert environment.python("-c", "print(1)") == (0, "1\n", "")


def test_uninstall_without_install_does_nothing(environment: Environment) -> None:
    done = vcompat("uninstall", "--python", str(environment.root))
    assert (done.code, done.stdout) == (0, "Nothing is installed.\n")


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_a_path_without_an_environment_is_one_line(tmp_path: Path, command: str) -> None:
    done = vcompat(command, "--python", str(tmp_path / "bin" / "python"))
    assert (done.code, done.stdout, done.stderr.count("\n")) == (2, "", 1)


@pytest.mark.parametrize("patches", [None, [PATCH], ["b", "a"]])
def test_the_file_states_which_patches_it_arms(patches: list[str] | None) -> None:
    expected = "all" if patches is None else ",".join(sorted(patches))
    assert armed_by(pth_of(patches)) == expected
    assert pth_of(patches).count("\n") == 1, "Python executes single lines"


@pytest.mark.parametrize("text", ["", "import sys\n", "vcompat_arming.arm("])
def test_another_file_arms_nothing(text: str) -> None:
    assert armed_by(text) == ""


def test_a_probe_finds_what_is_installed(environment: Environment) -> None:
    assert probe_installed_patches([str(environment.site)]).get("host.patched") is None
    vcompat("install", "--python", str(environment.root), "--only", PATCH)
    facts = probe_installed_patches(["/nowhere", str(environment.site)])
    assert facts.value("host.patched") == (PATCH,)
    vcompat("install", "--python", str(environment.root))
    assert len(probe_installed_patches([str(environment.site)]).value("host.patched") or ()) > 10  # type: ignore[arg-type]


def test_check_states_that_it_is_installed_and_counts_what_it_fixes(environment: Environment) -> None:
    # What vcompat requires, from the environment of the tests.
    (environment.site / "tests.pth").write_text("\n".join(entry for entry in sys.path if entry.endswith("-packages")))
    (environment.place.folder / "train.py").write_text(
        "from trl import GRPOConfig, GRPOTrainer\n"
        "config = GRPOConfig(use_vllm=True, vllm_mode='colocate', vllm_enable_sleep_mode=True)\n"
        "GRPOTrainer(model='Qwen/Qwen2.5-7B-Instruct', args=config).train()\n"
    )
    words = ["-c", f"import sys; sys.path.insert(0, {str(ROOT)!r}); import vcompat.__main__ as m; m.program()", "check"]
    words += ["train.py", "--set", "packages.trl=1.9.0", "--set", "packages.vllm=0.24.0", "--target", "1xH100"]
    plain = environment.python(*words)
    vcompat("install", "--python", str(environment.root))
    done = environment.python(*words)
    assert "Checked train.py" in plain.stdout and "vcompat install" not in plain.stdout
    assert "fixed" not in plain.stdout
    text = " ".join(done.stdout.split())
    assert "Patches: vcompat install applies" in text
    assert "(patch trl_fresh_weights_after_sleep)" in text
