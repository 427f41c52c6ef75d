"""Whose code a traceback passes."""

from __future__ import annotations

import pytest

from vcompat.diagnosis.frames import passes

_SITE = "/opt/venv/lib/python3.12/site-packages"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f'  File "{_SITE}/vllm/worker/worker.py", line 1, in init_device', True),
        (f'  File "/home/me/train.py", line 3, in main\n  File "{_SITE}/vllm/config.py", line 1, in check', True),
        ('  File "/home/me/train.py", line 3, in main', False),
        (f'  File "{_SITE}/datasets/arrow_dataset.py", line 1, in map', False),
        ("File ~/venv/lib/python3.12/site-packages/vllm/llm.py:242, in LLM.__init__(self)", True),
        ("File ~/work/notebook_helpers.py:242, in train(model)", False),
    ],
)
def test_a_traceback_passes_the_packages_of_its_frames(text: str, expected: bool) -> None:
    assert passes(text, ["vllm/"]) is expected


@pytest.mark.parametrize(
    "text",
    [
        "RuntimeError: no frame",
        f'  File "{_SITE}/torch/cuda/__init__.py", line 305, in _lazy_init',
        '  File "/usr/lib/python3.12/multiprocessing/process.py", line 314, in _bootstrap',
        '  File "<frozen importlib._bootstrap>", line 1360, in _find_and_load',
    ],
)
def test_a_traceback_without_frames_of_its_own_may_have_passed_any_package(text: str) -> None:
    assert passes(text, ["vllm/"])
