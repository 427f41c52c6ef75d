"""What Slurm's real daemons and `srun` pass on: reports, and patches. Skipped where Slurm is not installed.

The daemons run on localhost with a configuration of their own. Debian's packages slurmctld, slurmd and slurm-client are
enough, also unpacked in a folder whose usr/sbin and usr/bin are in PATH.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from vcompat.evaluation.rank_patches import compare
from vcompat.patching.process_reports import read_process
from vcompat.patching.run_folder import files_of

TASKS = 8
#: The names of the daemons in Debian's packages, without its alternatives and with them.
_NAMES = {
    "controller": ("slurmctld", "slurmctld-wlm"),
    "daemon": ("slurmd", "slurmd-wlm"),
    "step": ("slurmstepd", "slurmstepd-wlm"),
}
_CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
MpiDefault=none
PluginDir={plugins}
StateSaveLocation={folder}
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/daemon.pid
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
ReturnToService=2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName={host} NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


class Slurm(NamedTuple):
    srun: str
    environment: dict[str, str]


def _find(*names: str) -> str | None:
    return next((found for name in names if (found := shutil.which(name))), None)


def _plugins(daemon: str) -> Path | None:
    """The folder of the plugins beside the daemon's own prefix."""
    prefix = Path(os.path.realpath(daemon)).parents[1]
    return next(iter(sorted(prefix.glob("lib/*/slurm*/auth_none.so"))), None)


def _free_ports() -> list[int]:
    servers = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
    ports = [server.getsockname()[1] for server in servers]
    for server in servers:
        server.close()
    return ports


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    programs = {role: _find(*names) for role, names in _NAMES.items()}
    srun, controller, daemon = _find("srun"), programs["controller"], programs["daemon"]
    plugin = _plugins(daemon) if daemon else None
    if not srun or not controller or not daemon or plugin is None:
        pytest.skip("Slurm is not installed")
    folder = tmp_path_factory.mktemp("slurm")
    (folder / "spool").mkdir()
    configuration = folder / "slurm.conf"
    host = socket.gethostname().partition(".")[0]
    user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    configuration.write_text(
        _CONFIGURATION.format(host=host, user=user, folder=folder, plugins=plugin.parent, ports=_free_ports())
    )
    libraries = os.pathsep.join([str(plugin.parents[1]), str(plugin.parent)])
    environment = {**os.environ, "SLURM_CONF": str(configuration), "LD_LIBRARY_PATH": libraries}
    step = programs["step"] or str(Path(daemon).with_name("slurmstepd"))
    with (folder / "log").open("w") as log:
        started = [
            subprocess.Popen([program, "-D", *more], env=environment, stdout=log, stderr=log)
            for program, more in ((controller, []), (daemon, ["-d", step]))
        ]
        try:
            found = Slurm(srun, environment)
            _wait_until_idle(found, folder / "log")
            yield found
        finally:
            for process in reversed(started):
                process.terminate()
                process.wait(timeout=300)


def _wait_until_idle(slurm: Slurm, log: Path) -> None:
    for _ in range(60):
        done = subprocess.run(
            [slurm.srun, "--immediate=1", "true"], env=slurm.environment, capture_output=True, check=False
        )
        if done.returncode == 0:
            return
        time.sleep(0.5)
    pytest.fail(f"Slurm does not start a task: {log.read_text()[-2000:]}")


def _probes(slurm: Slurm, *options: str) -> str:
    """What `srun` passes on from one probe per task."""
    command = [slurm.srun, *options, "--ntasks", str(TASKS), "--overcommit", sys.executable, "-m", "vcompat"]
    return subprocess.run(
        [*command, "probe", "--format", "json"],
        env=slurm.environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    ).stdout


def _judged(reports: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "vcompat", "fleet", "--no-config", "--from", "-", *options]
    return subprocess.run(command, input=reports, capture_output=True, text=True, check=False, timeout=300)


def test_the_reports_of_all_tasks_are_judged_if_srun_labels_them(slurm: Slurm) -> None:
    done = _judged(_probes(slurm, "--label"), "--expect", "1")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert done.stdout.startswith(f"Checked 1 node ({TASKS} processes)")


def test_reports_that_srun_mixes_are_rejected_and_none_is_lost_silently(slurm: Slurm) -> None:
    reports = _probes(slurm)
    done = _judged(reports)
    whole = done.stdout.startswith(f"Checked 1 node ({TASKS} processes)")
    assert whole == (done.returncode == 0)
    assert whole or "error: Reports cannot be used" in done.stdout


def test_a_file_for_each_task_is_read_from_a_folder(slurm: Slurm, tmp_path: Path) -> None:
    assert _probes(slurm, f"--output={tmp_path}/%N-%t.json") == ""
    command = [sys.executable, "-m", "vcompat", "fleet", "--no-config", "--from", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout
    assert f"({TASKS} processes)" in done.stdout


def test_tasks_of_srun_gather_and_exchange_data_without_another_launcher(slurm: Slurm) -> None:
    pytest.importorskip("torch")
    command = [slurm.srun, "--label", "--ntasks", "3", "--overcommit", sys.executable, "-m", "vcompat.fleet"]
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port = str(server.getsockname()[1])
    done = subprocess.run(
        [*command, "--no-config", "--exercise"], env={**slurm.environment, "MASTER_PORT": port},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    shown = " ".join(line.partition(": ")[2] for line in done.stdout.splitlines())
    assert "Checked 1 node (3 processes)" in shown
    assert "Exercised over gloo, 3 of 3 ranks to the end" in shown


def test_tasks_that_srun_starts_get_the_patches_and_share_a_folder(slurm: Slurm, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    task = [sys.executable, "-c", "import trl"]
    command = [sys.executable, "-m", "vcompat", "run", "--no-check", "--", slurm.srun, "--ntasks", "2", "--overcommit"]
    environment = {**slurm.environment, "VCOMPAT_RUN_DIR": str(runs)}
    subprocess.run([*command, *task], env=environment, capture_output=True, check=True, timeout=300)
    ranks = compare([read_process(path) for path in files_of(str(runs))])
    assert sorted(ranks.each) == [0, 1]
    assert all(process.patches for process in ranks.each.values())
    assert not (ranks.differences or ranks.missing)
