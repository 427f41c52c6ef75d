"""What can be wrong with a fleet: each kind of finding, with its severity, what it means and what to do."""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """One thing that can be wrong."""

    id: str
    severity: str
    """One of ``rules.rule.SEVERITIES``."""
    title: str
    summary: str
    fix: str


_ONE_ENVIRONMENT = "Install the same lock file on all nodes, or start all from one image."

_KINDS = (
    Kind(
        "reports-rejected",
        "error",
        "Reports cannot be used",
        "These nodes are not judged.",
        "Run `vcompat probe --format json` again on them. If srun passes the reports on, use `srun --label`, which "
        "keeps the output of tasks apart, or `srun --output='reports/%N-%t.json'`.",
    ),
    Kind(
        "nodes-missing",
        "error",
        "Nodes did not report",
        "A run that waits for them does not start: each rank waits for all others at the first collective operation.",
        "Look at these nodes, or exclude them from the job.",
    ),
    Kind(
        "ranks-silent",
        "error",
        "Ranks did not report in time",
        "A run with them hangs at the first collective operation.",
        "Look at the nodes and the processes of these ranks.",
    ),
    Kind(
        "ranks-cannot-connect",
        "error",
        "Ranks cannot connect to each other",
        "All reached the rendezvous, but not each other: gloo's connections failed or were too slow.",
        "Look at firewalls and at the interface that GLOO_SOCKET_IFNAME or the host name selects.",
    ),
    Kind(
        "ranks-stopped",
        "error",
        "Ranks stopped while all exchanged data",
        "They reported before, and gave no sign for half of --timeout or more. All others wait for them.",
        "Look at these processes and their nodes: `py-spy dump --pid`, `dmesg`, `nvidia-smi`.",
    ),
    Kind(
        "exchange-wrong",
        "error",
        "Exchanged data arrive wrong",
        "The numbers that a rank received are not those that were sent. A run trains on wrong gradients or weights.",
        "Exclude the node that all entries have in common. If only GPUs of one node are concerned, try "
        "NCCL_P2P_DISABLE=1: with PCIe access control (ACS, IOMMU) copies between GPUs can be wrong.",
    ),
    Kind(
        "exchange-failed",
        "error",
        "Exchanges of data fail",
        "The backend of the run reports an error on these ranks.",
        "Run it again with NCCL_DEBUG=INFO, and look at the first line that has WARN.",
    ),
    Kind(
        "exchange-blocked",
        "error",
        "Exchanges of data do not end",
        "All ranks that take part are alive, but the exchange did not end in half of --timeout. A run hangs there.",
        "Look at the network between these nodes: firewalls, MTU, NCCL_SOCKET_IFNAME, NCCL_IB_HCA, NCCL_IB_DISABLE.",
    ),
    Kind(
        "exchange-unfinished",
        "warning",
        "The exercise did not end in time",
        "No rank stopped and no exchange is known to be blocked. The machine can be loaded, or the network slow.",
        "Run it again with a longer --timeout.",
    ),
    Kind(
        "exchange-slow",
        "warning",
        "Ranks exchange data more slowly than others of the job",
        "They take at least five times as long as usual, not counting the time that they wait for a processor. All "
        "ranks wait for the slowest one at each collective operation.",
        "Look at links and network of these nodes: `nvidia-smi topo -m`, `ibstat`, NCCL_DEBUG=INFO for the transport.",
    ),
    Kind(
        "node-fails",
        "error",
        "Shared memory or copies between GPUs do not work",
        "NCCL, vLLM's engine and data loaders exchange data there.",
        "In containers set --shm-size or --ipc=host. If copies between GPUs are wrong, disable PCIe access control "
        "(ACS, IOMMU), or set NCCL_P2P_DISABLE=1.",
    ),
    Kind(
        "world-size-and-ranks",
        "error",
        "Ranks do not match WORLD_SIZE",
        "Each rank from 0 to WORLD_SIZE - 1 must exist once. Otherwise init_process_group waits for the missing ranks.",
        "Start all ranks by one launch command per node, with the same number of nodes and processes.",
    ),
    Kind(
        "ranks-twice",
        "error",
        "Several processes have the same rank",
        "Ranks must be unique: two processes with the same rank disturb each other, or the launch fails.",
        "Give each node its own --node_rank or --machine_rank.",
    ),
    Kind(
        "launch-variables-differ",
        "error",
        "WORLD_SIZE or MASTER_PORT differs between processes",
        "Ranks with another port do not find rank 0. With another WORLD_SIZE they wait for ranks that do not exist.",
        "Set them in one place, such as the job script.",
    ),
    Kind(
        "master-addresses-differ",
        "warning",
        "MASTER_ADDR differs between processes",
        "No address is known that all of them stand for. Ranks that connect to different machines wait for each other.",
        "Set it in one place, such as the job script.",
    ),
    Kind(
        "master-is-loopback",
        "error",
        "MASTER_ADDR is a loopback address on a machine without rank 0",
        "Its ranks connect to their own machine, and do not find rank 0.",
        "Set MASTER_ADDR to the name of the node with rank 0.",
    ),
    Kind(
        "name-unresolved",
        "error",
        "MASTER_ADDR does not resolve",
        "The processes of these nodes cannot connect to rank 0.",
        "Correct MASTER_ADDR, DNS or /etc/hosts on these nodes.",
    ),
    Kind(
        "name-slow",
        "warning",
        "MASTER_ADDR was not resolved in time",
        "Two look-ups took too long or failed temporarily. The resolver or the node can be overloaded.",
        "Run `getent hosts $MASTER_ADDR` on these nodes. Correct DNS, or list the address in /etc/hosts.",
    ),
    Kind(
        "host-unresolved",
        "warning",
        "Own host names do not resolve to an address that others can reach",
        "gloo listens on the address of the own host name, unless GLOO_SOCKET_IFNAME names an interface. With a "
        "loopback address, other nodes cannot connect.",
        "Set GLOO_SOCKET_IFNAME, or correct /etc/hosts on these nodes.",
    ),
    Kind(
        "port-in-use",
        "error",
        "MASTER_PORT is in use",
        "Rank 0 cannot listen on it (address already in use), or ranks connect to something else.",
        "Set another MASTER_PORT, or end the process that listens.",
    ),
    Kind(
        "packages-differ",
        "warning",
        "Package versions differ between nodes",
        "Ranks with different code can take different steps: collective operations that do not match hang, or exchange "
        "wrong data.",
        _ONE_ENVIRONMENT,
    ),
    Kind(
        "other-packages-differ",
        "warning",
        "Versions of further packages differ between nodes",
        "The nodes were not installed from the same lock file.",
        _ONE_ENVIRONMENT,
    ),
    Kind(
        "builds-differ",
        "warning",
        "Builds of torch or vLLM differ between nodes",
        "They have different kernels, or link different versions of CUDA and NCCL.",
        _ONE_ENVIRONMENT,
    ),
    Kind(
        "gpus-differ",
        "warning",
        "GPU architectures differ between nodes",
        "Ranks choose kernels, data types and attention backends by their GPU. A job runs at the speed of the slowest, "
        "and its ranks can compute different results.",
        "Select nodes of one kind, such as with Slurm's --constraint.",
    ),
    Kind(
        "gpu-models-differ",
        "warning",
        "Models or settings of GPUs differ between nodes",
        "All ranks wait for the slowest GPU, and what fits into the memory of one may not fit into that of another.",
        "Select nodes of one kind, such as with Slurm's --constraint.",
    ),
    Kind(
        "visible-gpus-differ",
        "warning",
        "Processes see different numbers of GPUs",
        "A lost GPU, another CUDA_VISIBLE_DEVICES or another limit of the container. A launcher that is not told how "
        "many processes to start, starts one per GPU that it sees.",
        "Compare `nvidia-smi -L` and CUDA_VISIBLE_DEVICES on these nodes.",
    ),
    Kind(
        "gpu-shared-by-ranks",
        "error",
        "Several ranks have the same GPU",
        "NCCL refuses two ranks on one GPU (Duplicate GPU detected), and both take its memory.",
        "Start as many processes per node as there are GPUs, and let the launcher set CUDA_VISIBLE_DEVICES.",
    ),
    Kind(
        "drivers-differ",
        "warning",
        "Drivers differ between nodes",
        "Nodes with the older driver run fewer CUDA versions, and an update of some nodes only is hard to find later.",
        "Update the driver on all nodes.",
    ),
    Kind(
        "hosts-differ",
        "warning",
        "Systems differ between nodes",
        "Extensions that are compiled at run time can differ, or fail on some nodes only.",
        "Start all ranks from one image.",
    ),
    Kind(
        "variables-differ",
        "warning",
        "NCCL, vLLM or CUDA variables differ between processes",
        "Ranks with different settings can select different algorithms, transports or kernels.",
        "Set them in one place, such as the job script.",
    ),
    Kind(
        "gpu-not-available",
        "error",
        "NVML does not answer, or a GPU is lost, on nodes with ranks of the job",
        "Other ranks have GPUs that can be used, these have none.",
        "Look at `nvidia-smi` and the kernel's log (`dmesg | grep -i xid`) on these nodes, or exclude them.",
    ),
    Kind(
        "gpus-absent",
        "warning",
        "NVML does not answer, or a GPU is lost, on some nodes",
        "Other nodes have GPUs that can be used. It is not known whether the job needs GPUs on these.",
        "If it does, look at `nvidia-smi` and the kernel's log (`dmesg | grep -i xid`) there, or exclude them.",
    ),
    Kind(
        "gpu-errors",
        "error",
        "GPUs have uncorrected memory errors",
        "NVIDIA's diagnostics reject such a GPU. A process that reads bad memory ends with an error, and a row that "
        "waits for remapping needs a reset.",
        "Reset the GPU or restart the node. If the errors come back or remapping failed, have the GPU replaced.",
    ),
    Kind(
        "gpu-slowed",
        "warning",
        "GPUs are slowed down by temperature or power",
        "All ranks wait for the slowest GPU at each collective operation.",
        "Look at cooling and power supply of these nodes, or exclude them.",
    ),
    Kind(
        "gpu-used",
        "warning",
        "GPUs are used by somebody else",
        "vLLM takes its share of the whole memory, and does not start if less is free.",
        "End these processes, such as those of an earlier run, or exclude the nodes.",
    ),
    Kind(
        "shm-small",
        "warning",
        "/dev/shm is small, almost full, or differs between nodes",
        "NCCL, vLLM's engine and data loaders exchange data there. A full one ends them with a bus error.",
        "In containers set --shm-size or --ipc=host. Remove what ended runs left in /dev/shm.",
    ),
    Kind(
        "clocks-differ",
        "warning",
        "Clocks differ",
        "Logs of different nodes cannot be put in order, and certificates can be refused.",
        "Start chrony or another time service on these nodes.",
    ),
    Kind(
        "reports-old",
        "warning",
        "Some reports are much older than others",
        "What they state may not hold any more.",
        "Run `vcompat probe` again on these nodes, or set their clocks right.",
    ),
    Kind(
        "clocks-loose",
        "note",
        "Clocks are not reported as synchronized on some nodes",
        "No time service runs there, or it does not tell the kernel, as chrony without rtcsync. On other nodes the "
        "kernel reports a synchronized clock.",
        "Look at `timedatectl` on these nodes.",
    ),
    Kind(
        "same-host-name",
        "warning",
        "Several machines have the same host name",
        "Logs, schedulers and name resolution cannot tell them apart.",
        "Give each machine a name of its own.",
    ),
    Kind(
        "not-evaluated",
        "warning",
        "Rules were not evaluated for all nodes",
        "There are more kinds of nodes than are evaluated. The most frequent ones are.",
        "Make the nodes equal first.",
    ),
    Kind(
        "vcompat-differs",
        "note",
        "Reports were written by different environments",
        "Some facts are known for some nodes only, so they are not compared for the others.",
        "Install the same vcompat and nvidia-ml-py on all nodes.",
    ),
)

KINDS = {kind.id: kind for kind in _KINDS}
