"""`vcompat rules verify` as a command: real releases, a release that does not exist yet, and errors."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.unit.upstream.distributions import sdist
from tests.unit.upstream.index_server import File, serve
from tests.upstream.releases import release

#: A background process of a shell ignores interrupts, and so do its children.
INTERRUPTIBLE = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)
from vcompat.__main__ import program
program()
"""
#: A port without a server.
NOWHERE = "http://127.0.0.1:9/simple/"


def verify(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vcompat", "rules", "verify", *arguments],
        env={**os.environ, "NO_COLOR": "1", "PIP_INDEX_URL": NOWHERE, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two releases of vLLM, and a future one: the newest release with edits."""
    folder = tmp_path_factory.mktemp("sources")
    for version in ("0.8.4", "0.8.5"):
        (folder / f"vllm-{version}").symlink_to(release("vllm", version))
    future = folder / "vllm-99.0"
    shutil.copytree(release("vllm", "0.33.0"), future)
    edit(future / "vllm/model_executor/layers/utils.py", "def dispatch_cpu_unquantized_gemm", "def dispatch_elsewhere")
    edit(future / "vllm/v1/worker/gpu_worker.py", "    def wake_up(self", "    # a comment\n    def wake_up(self")
    edit(future / "vllm/engine/arg_utils.py", "class EngineArgs:\n", "class EngineArgs:\n    another: int = 0\n")
    branch = "        if not multiprocess_mode:\n"
    edit(future / "vllm/v1/engine/llm_engine.py", branch, "        another = int()\n" + branch)
    return folder


@pytest.fixture(scope="module")
def verified(sources: Path) -> subprocess.CompletedProcess[str]:
    """All rules and patches against the releases in `sources`, which takes ten seconds."""
    return verify("--sources", str(sources))


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_the_records_agree_with_every_rule_and_patch() -> None:
    done = verify("--offline")
    assert "disagrees" not in done.stdout
    assert done.stdout.splitlines()[-1].endswith(": no disagreement")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_rule_agrees_with_the_releases_in_a_folder(sources: Path) -> None:
    done = verify("sleep-level-2-loses-buffers", "--sources", str(sources))
    lines = done.stdout.splitlines()
    assert lines[0].split() == "agrees sleep-level-2-loses-buffers vllm present in 0.8.4".split()
    assert lines[1].split() == "agrees vllm_restore_sleep_buffers vllm applies to 0.8.4".split()
    assert lines[-1] == "1 rule and 1 patch against 3 releases (vllm 3): no disagreement"
    assert (done.returncode, done.stderr) == (0, "")


def test_a_failure_that_is_fixed_upstream_is_a_disagreement(verified: subprocess.CompletedProcess[str]) -> None:
    assert verified.returncode == 1
    assert "cpu-weight-sync-loses-weight-loader: vllm 99.0: in the declared range, but absent" in verified.stdout
    assert "vllm_cpu_weight_sync: vllm 99.0: does not apply, although cpu-weight-sync" in verified.stdout


def test_a_new_release_is_compared_with_the_one_before(verified: subprocess.CompletedProcess[str]) -> None:
    lines = verified.stdout.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("new: vllm 99.0;"))
    news = [line for line in lines[start + 1 :] if line.startswith("  ")]
    assert "  cpu-weight-sync-loses-weight-loader: code not found; 0.33.0: affected" in news
    assert "  vllm_cpu_weight_sync: code not found; 0.33.0: applies" in news
    changed = "  engine-in-another-process: affected, as in 0.33.0, but the code changed: review it"
    assert [line.partition(" (vllm/")[0] for line in news].count(changed) == 1
    # A comment is not a change, so the code below it is not listed.
    assert not [line for line in news if "wake" in line or "sleep" in line]


def test_what_is_new_in_the_settings_of_a_release_is_reported(verified: subprocess.CompletedProcess[str]) -> None:
    lines = verified.stdout.splitlines()
    assert "  EngineArgs: new: another" in lines
    # Of the other releases, which are recorded, nothing differs.
    assert not [line for line in lines if "not as recorded" in line]


def test_a_damaged_archive_does_not_stop_the_verification(sources: Path, tmp_path: Path) -> None:
    (tmp_path / "vllm-0.8.4").symlink_to(sources / "vllm-0.8.4")
    (tmp_path / "vllm-0.8.3.tar.gz").write_bytes(sdist("vllm-0.8.3", {"vllm/a.py": "A = 1\n" * 999})[:-30])
    done = verify("sleep-level-2-loses-buffers", "--sources", str(tmp_path))
    assert "present in 0.8.4" in done.stdout
    assert "vllm 0.8.3: vllm-0.8.3.tar.gz is damaged" in done.stdout
    assert (done.returncode, done.stderr) == (2, "")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["no-such-rule"], "there is no rule 'no-such-rule'"),
        (["--package", "numpy"], "--package numpy: nothing is measured in this package"),
        (["--sources", "/no/such/folder"], "/no/such/folder: No such file or directory"),
        (["--sources", os.devnull], "/dev/null: Not a directory"),
        (["--offline", "--update"], "--sources, --offline and --update exclude each other"),
    ],
)
def test_bad_input_is_reported_in_one_line(arguments: list[str], complaint: str) -> None:
    done = verify(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_without_network_stored_releases_are_inspected(tmp_path: Path) -> None:
    releases = tmp_path / "releases"
    releases.mkdir()
    with serve({"peft": [File("peft-0.17.0.tar.gz", real_peft())]}) as address:
        verify("peft-imports-hybrid-cache", PIP_INDEX_URL=address, VCOMPAT_CACHE=str(tmp_path))
    done = verify("peft-imports-hybrid-cache", VCOMPAT_CACHE=str(tmp_path))
    assert "present in 0.17.0" in done.stdout
    assert "peft: the package index cannot be reached" in done.stdout
    assert "releases used from the cache: 1" in done.stdout
    assert (done.returncode, done.stderr) == (2, "")


def real_peft() -> bytes:
    tree = release("peft", "0.17.0")
    return sdist("peft-0.17.0", {"src/peft/peft_model.py": (tree / "src/peft/peft_model.py").read_text()})


def test_an_interrupt_stops_it_and_leaves_only_complete_releases(tmp_path: Path) -> None:
    content = sdist("peft-0.17.0", {"src/peft/peft_model.py": "A = 1\n"})
    files = [File(f"peft-0.17.{n}.tar.gz", content, delay=0 if n < 2 else 60) for n in range(12)]
    with serve({"peft": files}) as address:
        running = subprocess.Popen(
            [sys.executable, "-c", INTERRUPTIBLE, "rules", "verify", "peft-imports-hybrid-cache"],
            env={**os.environ, "PIP_INDEX_URL": address, "VCOMPAT_CACHE": str(tmp_path)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        wait_for(lambda: len(list((tmp_path / "releases").glob(".unfinished-*/*"))) > 0)
        os.killpg(running.pid, signal.SIGINT)
        _, complaint = running.communicate(timeout=300)
    assert (running.returncode, complaint) == (130, "\nvcompat: interrupted\n")
    assert {path.name for path in (tmp_path / "releases").iterdir()} <= {"peft-0.17.0.zip", "peft-0.17.1.zip"}


def wait_for(condition: object, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "timed out"
        time.sleep(0.05)
