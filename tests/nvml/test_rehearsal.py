"""The samples of a rehearsal with the real nvidia-ml-py, in real processes, and the stub of the driver library."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.nvml import stub
from vcompat.rehearsal.memory import peaks_of
from vcompat.rehearsal.protocol import Told, read_folder
from vcompat.rehearsal.verdict import Peak

ROOT = Path(__file__).resolve().parents[2]
#: A rank that uses memory in phases. The module is a stand-in for the hardware: no CUDA device is here.
RANK = """
import os, sys, time
from types import SimpleNamespace
from vcompat.rehearsal.inside.events import Events
from vcompat.rehearsal.protocol import END
rank, used = int(os.environ["RANK"]), os.environ["VCOMPAT_STUB_NVML_USED"]
cuda = SimpleNamespace(is_initialized=lambda: True, current_device=lambda: rank, device_count=lambda: 2,
    memory_reserved=lambda: 7 << 20, get_device_properties=lambda number: SimpleNamespace())
def use(*mib):
    open(used + ".new", "w").write(" ".join(map(str, mib)))
    os.rename(used + ".new", used)
events = Events(sys.argv[1], 60)
use(300, 400)
events.memory.start()
while not any(name.startswith("memory-") and os.path.getsize(f"{sys.argv[1]}/{name}") for name in os.listdir(sys.argv[1])):
    time.sleep(0.01)
sys.modules["torch"] = SimpleNamespace(cuda=cuda)
with events.phase("trainer"):
    use(1000, 2000)
    with events.phase("engine start"):
        use(30_000, 40_000)
        time.sleep(1)
    use(5000, 6000)
with events.phase("generation"): use(20_000, 25_000)
events.finish(END)
"""


def told(folder: Path, library: Path, rank: int, **variables: str) -> Told:
    run = folder / str(rank)
    run.mkdir()
    known = {"RANK": str(rank), "WORLD_SIZE": "2", "VCOMPAT_STUB_NVML_USED": str(folder / f"used-{rank}")}
    environment = stub.environment(library, "2xA100", **{**known, **variables}, PYTHONPATH=str(ROOT))
    subprocess.run([sys.executable, "-c", RANK, str(run)], env=environment, check=True)
    (one,) = read_folder(str(run))
    return one


def of_gpu(one: Told) -> dict[str, Peak]:
    return {peak.phase: peak for peak in peaks_of([one]) if peak.gpu is not None}


def test_the_memory_of_each_phase_is_that_of_the_gpu_of_the_rank(nvml_stub: Path, tmp_path: Path) -> None:
    one = told(tmp_path, nvml_stub, 1)
    (gpu,) = one.memory.gpus
    assert (gpu.number, gpu.total, gpu.before) == (1, 81920, 400)
    peaks = of_gpu(one)
    assert {name: peak.peak_mib for name, peak in peaks.items()} == {
        # What the engine has when its start ends is there when the rest of the trainer begins.
        "trainer": 40_000, "engine start": 40_000, "generation": 25_000,
    }  # fmt: skip
    assert {peak.torch_reserved_mib for peak in peaks.values()} == {7}
    # In a container, NVML's process IDs are those of another namespace.
    is_stated = os.stat("/proc/self/ns/pid").st_ino == 0xEFFFFFFC
    assert peaks["engine start"].process_mib == (20_000 if is_stated else None)
    host = [peak for peak in peaks_of([one]) if peak.gpu is None]
    assert len(host) == 3 and all(5 < peak.peak_mib < 500 for peak in host)


def test_a_rank_alone_states_each_gpu_that_it_sees(nvml_stub: Path, tmp_path: Path) -> None:
    one = told(tmp_path, nvml_stub, 0, WORLD_SIZE="1")
    assert [gpu.number for gpu in one.memory.gpus] == [0, 1]
    assert {peak.peak_mib for peak in peaks_of([one]) if peak.phase == "generation" and peak.gpu == 1} == {25_000}


def test_a_gpu_is_found_by_the_variable_that_selects_it(nvml_stub: Path, tmp_path: Path) -> None:
    one = told(tmp_path, nvml_stub, 0, CUDA_VISIBLE_DEVICES="1")
    assert [gpu.number for gpu in one.memory.gpus] == [1]


def test_without_a_driver_the_memory_of_the_host_is_sampled(nvml_stub: Path, tmp_path: Path) -> None:
    one = told(tmp_path, nvml_stub, 0, VCOMPAT_STUB_NVML="driver-not-loaded")
    assert one.memory.gpus == () and len(one.memory.samples) > 3 and of_gpu(one) == {}
