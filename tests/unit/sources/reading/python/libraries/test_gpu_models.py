"""What scripts ask about GPUs: the answer follows the GPUs that the run is checked for."""

from __future__ import annotations

import pytest
from packaging.version import Version

from tests.unit.sources.reading.python.executed import as_text, executed
from vcompat.sources.reading.invocation import Environment
from vcompat.sources.reading.python.values.core import Gpus, Start
from vcompat.sources.reading.word import UNKNOWN

UNANSWERED = "<computed at run time>"
H100, T4 = Version("9.0"), Version("7.5")
SEEN = Gpus(4, H100, torch_sees_them=True)


def answer(
    call: str, gpus: Gpus, presuming: bool = False, before: str = "", **variables: str | None
) -> tuple[str, list[str]]:
    """What a call returns, and what is presumed for it."""
    start = Start(gpus=gpus, presuming=presuming, environment=Environment(variables))
    run = executed(f"import os, torch, transformers, unsloth\n{before}\nx = {call}\n", start)
    return as_text(run.module.cells["x"].value), [one.presumption.text for one in run.presumed]


@pytest.mark.parametrize(
    ("call", "gpus", "expected"),
    [
        ("torch.cuda.is_available()", SEEN, "True"),
        ("torch.cuda.is_available()", SEEN._replace(number=None), UNANSWERED),
        ("torch.cuda.is_available()", SEEN._replace(number=0), UNANSWERED),
        ("torch.cuda.is_available()", Gpus(4, H100), UNANSWERED),
        ("torch.cuda.is_available()", Gpus(), UNANSWERED),
        ("transformers.is_torch_cuda_available()", SEEN, "True"),
        ("torch.cuda.is_bf16_supported()", SEEN, "True"),
        ("torch.cuda.is_bf16_supported()", SEEN._replace(capability=T4), UNANSWERED),
        ("torch.cuda.is_bf16_supported()", SEEN._replace(capability=None), UNANSWERED),
        ("transformers.utils.is_torch_bf16_gpu_available()", SEEN, "True"),
        ("unsloth.is_bfloat16_supported()", SEEN, "True"),
        ("unsloth.is_bfloat16_supported()", SEEN._replace(capability=T4), "False"),
        ("unsloth.is_bfloat16_supported()", Gpus(4, T4), UNANSWERED),
        ("torch.cuda.get_device_capability()[0]", SEEN, "9"),
        ("torch.cuda.get_device_capability() >= (8, 0)", SEEN, "True"),
        ("torch.cuda.get_device_capability(0)", SEEN._replace(capability=None), UNANSWERED),
        # The caller may hide some of them.
        ("torch.cuda.device_count()", SEEN, "<computed at run time: 4>"),
        ("torch.cuda.device_count()", Gpus(), UNANSWERED),
    ],
)
def test_a_question_is_answered_where_all_that_decides_is_known(call: str, gpus: Gpus, expected: str) -> None:
    assert answer(call, gpus) == (expected, [])


@pytest.mark.parametrize(
    ("call", "gpus", "expected", "presumes"),
    [
        ("torch.cuda.is_available()", Gpus(4), "True", ["torch sees the GPUs that are checked for"]),
        ("torch.cuda.is_available()", SEEN, "True", []),
        ("torch.cuda.device_count()", SEEN, "4", ["the caller does not set CUDA_VISIBLE_DEVICES"]),
        ("torch.cuda.is_bf16_supported()", Gpus(4, T4), UNANSWERED, []),
        ("unsloth.is_bf16_supported()", Gpus(4, T4), "False", ["torch sees the GPUs that are checked for"]),
        ("torch.cuda.is_available()", Gpus(), UNANSWERED, []),
    ],
)
def test_a_careful_reader_presumes_that_torch_sees_the_gpus(
    call: str, gpus: Gpus, expected: str, presumes: list[str]
) -> None:
    assert answer(call, gpus, presuming=True) == (expected, presumes)


@pytest.mark.parametrize(
    ("value", "certain", "presumed"),
    [
        ("0,1", "True", "True"),
        ("3", "True", "True"),
        ("4,0", UNANSWERED, UNANSWERED),
        ("", UNANSWERED, UNANSWERED),
        ("-1", UNANSWERED, UNANSWERED),
        ("GPU-8f2a", UNANSWERED, "True"),
        (UNKNOWN, UNANSWERED, "True"),
        (None, "True", "True"),
    ],
)
def test_gpus_that_the_run_hides_are_not_taken_for_visible(value: str | None, certain: str, presumed: str) -> None:
    call = "torch.cuda.is_available()"
    assert answer(call, SEEN, CUDA_VISIBLE_DEVICES=value) == (certain, [])
    assert answer(call, SEEN, True, CUDA_VISIBLE_DEVICES=value)[0] == presumed
    if value not in (None, UNKNOWN):
        before = f"os.environ['CUDA_VISIBLE_DEVICES'] = {value!r}"
        assert answer(call, SEEN, before=before) == (certain, [])
        assert answer("torch.cuda.device_count()", SEEN, True, before) == (UNANSWERED, [])


def test_a_condition_on_the_gpus_follows_the_target() -> None:
    call = "'bf16' if unsloth.is_bfloat16_supported() else 'fp16'"
    assert answer(call, SEEN)[0] == "'bf16'"
    assert answer(call, SEEN._replace(capability=T4))[0] == "'fp16'"
    assert answer(call, Gpus())[0] == "<depends on a condition: 'bf16' or 'fp16'>"
