"""What the probe reads from the driver, compared with what torch says of the same GPUs."""

from __future__ import annotations

from typing import Any

from vcompat.facts.derive import derive
from vcompat.sources.gather import Sources, gather

#: The driver keeps part of the memory that NVML reports, from some 1 to 4 percent.
_KEPT_BY_THE_DRIVER = 0.05


def test_the_probe_and_torch_see_the_same_gpus(cuda: Any) -> None:
    facts = derive(gather(Sources()))
    seen = [cuda.cuda.get_device_properties(number) for number in range(cuda.cuda.device_count())]
    assert facts.value("gpu.count") == len(seen)
    assert facts.value("gpu.name") == tuple(one.name for one in seen)
    capabilities = facts.value("gpu.compute_capability")
    assert isinstance(capabilities, tuple)
    assert [str(one) for one in capabilities] == [f"{one.major}.{one.minor}" for one in seen]


def test_the_probe_s_memory_is_that_of_torch_and_what_the_driver_keeps(cuda: Any) -> None:
    sizes = derive(gather(Sources())).value("gpu.memory_mib")
    assert isinstance(sizes, tuple)
    for number, size in enumerate(sizes):
        total = cuda.cuda.get_device_properties(number).total_memory / 2**20
        assert isinstance(size, int | float)
        assert total <= size <= total * (1 + _KEPT_BY_THE_DRIVER)


def test_torch_has_kernels_where_it_can_compute(cuda: Any) -> None:
    answers = derive(gather(Sources())).value("torch.has_kernels")
    assert isinstance(answers, tuple)
    assert len(answers) == cuda.cuda.device_count()
    for number, answer in enumerate(answers):
        try:
            ones = cuda.ones(8, device=f"cuda:{number}")
            computes = bool((ones + ones).sum().item() == 16)
        except RuntimeError:
            computes = False
        assert computes == answer
