"""What a rank tries on its own node: shared memory, and copies between GPUs."""

from __future__ import annotations

import os
import tempfile

import torch

#: Bytes that are written to /dev/shm, and that are copied from GPU to GPU.
_SHARED, _COPIED = 16 << 20, 16 << 20


def shared_memory(folder: str = "/dev/shm") -> list[list[str]]:
    """Write and read as much as a queue of NCCL or vLLM takes. Return what is wrong, as pairs of subject and text."""
    if not os.path.isdir(folder):
        return [["/dev/shm", "does not exist"]]
    data = os.urandom(1 << 20) * (_SHARED >> 20)
    try:
        with tempfile.TemporaryFile(dir=folder, prefix="vcompat-") as file:
            # write() reports that nothing is left; memory that is mapped would end the process with a bus error.
            file.write(data)
            file.seek(0)
            same = file.read() == data
    except OSError as error:
        return [["/dev/shm", f"{_SHARED >> 20} MiB cannot be written: {error.strerror or error}"]]
    return [] if same else [["/dev/shm", "returns other data than was written"]]


def peer_copies(local_rank: int) -> list[list[str]]:
    """Copy random bytes between all pairs of GPUs that this process sees, and compare them.

    Only the first rank of a node does so. Return the pairs that differ, as pairs of subject and text.
    """
    count = torch.cuda.device_count()
    if local_rank or count < 2:
        return []
    wrong = []
    for first in range(count):
        sent = torch.randint(0, 256, (_COPIED,), dtype=torch.uint8, device=f"cuda:{first}")
        expected = sent.cpu()
        for second in range(count):
            if second != first:
                differing = int((sent.to(f"cuda:{second}").cpu() != expected).sum())
                if differing:
                    wrong.append([f"GPU {first} to GPU {second}", f"{differing} of {_COPIED} bytes differ"])
    return wrong
