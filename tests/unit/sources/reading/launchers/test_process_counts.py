"""How many processes each launcher starts, on which devices, for each command, environment and batch job."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.marked_words import word
from vcompat.facts.facts import Facts, Place
from vcompat.sources.reading.commands.started import read_started
from vcompat.sources.reading.invocation import Environment, Invocation, Others
from vcompat.sources.reading.launchers.launch_facts import launch_facts

PLACE = Place("run.sh", 3)


def environment_of(text: str) -> Environment:
    """Return the environment with the assignments in `text`: ``-`` is not set, ``?`` not known."""
    words = text.split()
    pairs = [word.split("=", 1) for word in words if "=" in word]
    others = Others.UNSET if "unset" in words else Others.UNKNOWN if "unknown" in words else Others.INHERITED
    return Environment({name: None if value == "-" else word(value) for name, value in pairs}, others)


def launched(command: str, given: str) -> Facts:
    """Return the facts of a command; `given` has variables, and options of the batch job, with ``--``."""
    words = tuple(map(word, command.split()))
    started = read_started(words)
    assert started is not None
    job = [word for word in given.split() if word.startswith("--")]
    environment = environment_of(" ".join(word for word in given.split() if word not in job))
    return launch_facts(
        started,
        Invocation(words, PLACE, environment),
        directives=dict(word.split("=") for word in job) if job else None,
    )


def counted(facts: Facts) -> str:
    """Return launcher, machines, processes per machine, all processes, why some are not known, and the devices."""
    told, whys = [str(facts.value("plan.launcher"))], set()
    for name in ("plan.num_machines", "plan.processes_per_machine", "plan.world_size"):
        if name in facts.known:
            assert facts.known[name][1:] == ("run.sh:3", PLACE)
            told.append(str(facts.value(name)))
        else:
            assert facts.open_at(name) == PLACE
            told.append("?")
            whys.add(facts.reasons[name].removeprefix("run.sh:3: "))
    assert len(whys) < 2
    devices = facts.known.get("plan.trainer_devices")
    if devices is not None:
        assert devices[1:] == ("run.sh:3", PLACE)
        visible = facts.known["env.CUDA_VISIBLE_DEVICES"]
        told.append("devices " + " ".join(devices.value) + f" ({visible.source}: {visible.value})")
        assert visible.place == (None if visible.source == "launch script" else PLACE)
    elif "plan.trainer_devices" in facts.reasons:
        for name in ("plan.trainer_devices", "env.CUDA_VISIBLE_DEVICES"):
            assert facts.reasons[name] == "run.sh:3: DeepSpeed selects the devices"
        (place,) = {facts.open_at(name) for name in ("plan.trainer_devices", "env.CUDA_VISIBLE_DEVICES")}
        told.append("all devices" if place is None else "DeepSpeed's devices")
    return " ".join(told) + "".join(f": {why}" for why in whys)


@pytest.mark.parametrize(
    ("command", "given", "expected"),
    [

        ('python x.py', '', 'python 1 1 1'),
        ('python x.py', 'CUDA_VISIBLE_DEVICES=0,2', 'python 1 1 1 devices 0 2 (launch script: 0,2)'),
        ('python x.py', 'CUDA_VISIBLE_DEVICES=?', 'python 1 1 1'),
        ('python x.py', 'CUDA_VISIBLE_DEVICES=-', 'python 1 1 1'),
        ('python x.py', 'WORLD_SIZE=2', 'python ? ? ?: WORLD_SIZE is set, so that other processes are started elsewhere'),
        ('python x.py', 'WORLD_SIZE=-', 'python 1 1 1'),
        ('python x.py', 'WORLD_SIZE=?', 'python ? ? ?: WORLD_SIZE is set, so that other processes are started elsewhere'),
        ('torchrun x.py', 'WORLD_SIZE=2 CUDA_VISIBLE_DEVICES=1', 'torchrun 1 1 1 devices 1 (launch script: 1)'),
        ('torchrun x.py', 'unknown', 'torchrun ? ? ?: torchrun gets it at run time'),
        ('torchrun x.py', 'unset', 'torchrun 1 1 1'),
        ('torchrun x.py', 'PET_NNODES=2 PET_NPROC_PER_NODE=3', 'torchrun 2 3 6'),
        ('torchrun x.py', 'PET_NNODES=- PET_NPROC_PER_NODE=?', 'torchrun 1 ? ?: torchrun gets it at run time'),
        ('torchrun --nnodes 4 --nproc_per_node 2 x.py', 'unknown PET_NNODES=2 PET_NPROC_PER_NODE=3', 'torchrun 4 2 8'),
        ('torchrun --nnodes 2:2 --nproc_per_node gpu x.py', '', 'torchrun 2 ? ?: torchrun gets it at run time'),
        ('torchrun --nnodes 2:4 --nproc_per_node 2 x.py', '', 'torchrun ? 2 ?: torchrun gets it at run time'),
        ('torchrun --nnodes 1234567 --nproc_per_node ? x.py', '', 'torchrun 1234567 ? ?: torchrun gets it at run time'),
        ('torchrun --nnodes 12345678 --nproc_per_node ² x.py', '', 'torchrun ? ? ?: torchrun gets it at run time'),
        ('torchrun --new 1 --nproc_per_node 2 x.py', '', 'torchrun ? 2 ?: torchrun is not known to have the option --new'),
        ('torchrun --nproc_per_node 4 * x.py', '', 'torchrun ? ? ?: words that are not known are options of torchrun'),
        ('torchrun --nproc_per_node 4 ? --standalone x.py', '', 'torchrun ? ? ?: words that are not known are options of torchrun'),
        ('torchrun --nproc_per_node 4 --?=8 x.py', '', 'torchrun ? ? ?: torchrun is not known to have the option --...=8'),
        ('torchrun * --nproc_per_node 4 x.py', '', 'torchrun ? 4 ?: words that are not known are options of torchrun'),
        ('deepspeed --num_gpus 4 * x.py', '', "deepspeed ? ? ? DeepSpeed's devices: words that are not known are options of deepspeed"),
        ('deepspeed x.py', '', "deepspeed 1 ? ? all devices: DeepSpeed starts one process per GPU"),
        ('deepspeed x.py', 'CUDA_VISIBLE_DEVICES=3,1', 'deepspeed 1 2 2 devices 3 1 (run.sh:3, set by DeepSpeed: 3,1)'),
        ('deepspeed x.py', 'CUDA_VISIBLE_DEVICES=?', "deepspeed 1 ? ? DeepSpeed's devices: DeepSpeed starts one process per GPU"),
        ('deepspeed x.py', 'CUDA_VISIBLE_DEVICES=-', "deepspeed 1 ? ? all devices: DeepSpeed starts one process per GPU"),
        ('deepspeed x.py', 'CUDA_VISIBLE_DEVICES=GPU-1', "deepspeed 1 ? ? DeepSpeed's devices: DeepSpeed includes localhost"),
        ('deepspeed --num_gpus 2 x.py', 'CUDA_VISIBLE_DEVICES=3,1', 'deepspeed 1 2 2 devices 0 1 (run.sh:3, set by DeepSpeed: 0,1)'),
        ('deepspeed --num_gpus 0 x.py', '', "deepspeed 1 ? ? DeepSpeed's devices: it is not constant"),
        ('deepspeed --num_gpus 1 x.py', '', 'deepspeed 1 1 1 devices 0 (run.sh:3, set by DeepSpeed: 0)'),
        ('deepspeed --num_gpus 100 x.py', '', "deepspeed 1 100 100 DeepSpeed's devices"),
        ('deepspeed --num_gpus ? x.py', '', "deepspeed 1 ? ? DeepSpeed's devices: it is not constant"),
        ('deepspeed --num_gpus 12345678 x.py', '', "deepspeed 1 ? ? DeepSpeed's devices: it is not constant"),
        ('deepspeed --num_gpus 1234567 x.py', '', "deepspeed 1 1234567 1234567 DeepSpeed's devices"),
        ('deepspeed --num_nodes 2 x.py', '', "deepspeed 2 ? ? DeepSpeed's devices: it is in a hostfile"),
        ('deepspeed --num_nodes 1 --num_gpus 2 x.py', '', 'deepspeed 1 2 2 devices 0 1 (run.sh:3, set by DeepSpeed: 0,1)'),
        ('deepspeed --num_nodes 0 --num_gpus 0 x.py', '', "deepspeed ? ? ? DeepSpeed's devices: it is in a hostfile"),
        ('deepspeed --hostfile h --num_gpus 2 x.py', '', 'deepspeed ? 2 ? devices 0 1 (run.sh:3, set by DeepSpeed: 0,1): it is in a hostfile'),
        ('deepspeed --hostfile h x.py', '', "deepspeed ? ? ? DeepSpeed's devices: it is in a hostfile"),
        ('deepspeed --new 1 --num_gpus 2 x.py', '', "deepspeed ? 2 ? DeepSpeed's devices: deepspeed is not known to have the option --new"),
        ('deepspeed --new 1 --num_nodes 2 --include a:0 x.py', '', "deepspeed 2 ? ? DeepSpeed's devices: deepspeed is not known to have the option --new"),
        ('deepspeed --include a:0,3 x.py', '', 'deepspeed 1 2 2 devices 0 3 (run.sh:3, set by DeepSpeed: 0,3)'),
        ('deepspeed --include a:0@b:1 x.py', '', "deepspeed ? ? ? DeepSpeed's devices: DeepSpeed includes a"),
        ('deepspeed --include a:? x.py', '', "deepspeed ? ? ? DeepSpeed's devices: DeepSpeed includes a"),
        ('deepspeed --include a x.py', '', "deepspeed 1 ? ? DeepSpeed's devices: DeepSpeed includes a"),
        ('deepspeed --include a:0,b x.py', '', "deepspeed 1 ? ? DeepSpeed's devices: DeepSpeed includes a"),
        ('deepspeed --exclude a:0 x.py', 'CUDA_VISIBLE_DEVICES=1', "deepspeed 1 ? ? DeepSpeed's devices: DeepSpeed excludes devices of the machine"),
        ('srun python x.py', '', 'srun ? ? ?: it is set where the job is submitted'),
        ('srun * python x.py', '', 'srun ? ? ?: words that are not known are options of srun'),
        ('srun python x.py', '--time=1', 'srun 1 1 1'),
        ('srun python x.py', '--nodes=2', 'srun 2 1 2'),
        ('srun python x.py', '--nodes=2 --ntasks=8', 'srun 2 4 8'),
        ('srun python x.py', '--nodes=2 --ntasks=7', 'srun 2 ? 7: srun gets it at run time'),
        ('srun python x.py', '--nodes=0 --ntasks=7', 'srun 0 ? 7: srun gets it at run time'),
        ('srun python x.py', '--ntasks=4', 'srun ? ? 4: srun gets it at run time'),
        ('srun python x.py', '--ntasks-per-node=4', 'srun 1 4 4'),
        ('srun python x.py', '--nodes=2 --ntasks-per-node=4', 'srun 2 4 8'),
        ('srun --ntasks 4 python x.py', '--nodes=2 --ntasks-per-node=8', 'srun 2 2 4'),
        ('srun --ntasks-per-node=2 python x.py', '--nodes=2 --ntasks=8', 'srun 2 2 4'),
        ('srun -N2 -n=4 python x.py', '', 'srun 2 2 4'),
        ('srun -N 2 --ntasks-per-node 3 python x.py', '', 'srun 2 3 6'),
        ('srun -N ? python x.py', '', 'srun ? 1 ?: srun gets it at run time'),
        ('srun -n * python x.py', '', 'srun ? ? ?: srun gets it at run time'),
        ('srun --ntasks=? -N 2 python x.py', '--ntasks=8', 'srun 2 ? ?: srun gets it at run time'),
        ('srun --ntasks-per-node=? -N 2 python x.py', '', 'srun 2 ? ?: srun gets it at run time'),
        ('srun -N 2-4 --ntasks-per-node=1 python x.py', '', 'srun ? 1 ?: srun gets it at run time'),
        ('srun -p gpu --nodes 3 python x.py', '', 'srun 3 1 3'),
        ('/usr/bin/srun -N 2 torchrun x.py', '', 'torchrun 1 1 1'),
        ('env A=1 /usr/bin/srun -N 3 python x.py', '', 'srun 3 1 3'),
        ('mpirun -n 4 python x.py', '', 'mpirun ? ? 4: mpirun gets it at run time'),
        ('mpirun -np 8 -ppn 4 python x.py', '', 'mpirun 2 4 8'),
        ('mpiexec --np 8 --ppn 3 python x.py', '', 'mpirun ? 3 8: mpirun gets it at run time'),
        ('orterun --n 0 --npernode 2 python x.py', '', 'mpirun ? 2 0: mpirun gets it at run time'),
        ('prterun -c 6 -npernode 2 python x.py', '', 'mpirun 3 2 6'),
        ('mpiexec.hydra -perhost 2 python x.py', '', 'mpirun ? 2 ?: mpirun gets it at run time'),
        ('mpirun.real -N 2 python x.py', '', 'mpirun ? 2 ?: mpirun gets it at run time'),
        ('mpirun -np ? -N 2 python x.py', '', 'mpirun ? 2 ?: mpirun gets it at run time'),
        ('mpirun * -np 2 python x.py', '', 'mpirun ? ? ?: words that are not known are options of mpirun'),
        ('/opt/mpirun -np 2 python x.py', '', 'mpirun ? ? 2: mpirun gets it at run time'),
        ('mpirun -np 2 deepspeed --num_gpus 3 x.py', '', 'deepspeed 1 3 3 devices 0 1 2 (run.sh:3, set by DeepSpeed: 0,1,2)'),
        ('nohup mpirun -x A -np 2 python x.py', '', 'mpirun ? ? 2: mpirun gets it at run time'),
        ('uv run python x.py', '', 'python 1 1 1'),

    ],
)  # fmt: skip
def test_the_processes_of_each_launcher(command: str, given: str, expected: str) -> None:
    assert counted(launched(command, given)) == expected


def test_deepspeed_lists_the_devices_of_up_to_99_processes() -> None:
    assert counted(launched("deepspeed --num_gpus 99 x.py", "")).startswith("deepspeed 1 99 99 devices 0 1 2 3")
    assert launched("deepspeed --num_gpus 99 x.py", "").value("env.CUDA_VISIBLE_DEVICES") == ",".join(
        str(number) for number in range(99)
    )
