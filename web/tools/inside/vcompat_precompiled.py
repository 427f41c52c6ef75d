"""Compiles what the first answers import. It runs when the site is built, in the Python that the page has."""

from __future__ import annotations

import io
import os
import py_compile
import sys
import zipfile

import vcompat_answers

_LOG = b"""Traceback (most recent call last):
  File "train.py", line 3, in <module>
    from vllm.sampling_params import GuidedDecodingParams
ImportError: cannot import name 'GuidedDecodingParams' from 'vllm.sampling_params'
"""
_SCRIPT = b"""from trl import GRPOConfig, GRPOTrainer
config = GRPOConfig(output_dir="out", use_vllm=True, vllm_mode="colocate", vllm_enable_sleep_mode=True)
GRPOTrainer(model="Qwen/Qwen2.5-7B-Instruct", args=config, train_dataset=prompts, reward_funcs=reward).train()
"""
_REQUESTS = (
    {"command": "diagnose", "files": {"log.txt": _LOG}},
    {"command": "report", "files": {"log.txt": _LOG}},
    {
        "command": "check",
        "files": {"train.py": _SCRIPT, "train.sh": b"accelerate launch train.py\n", "config.yaml": b"beta: 0.1\n"},
        "roles": {},
        "target": "8xH100",
        "packages": {"trl": "1.0.0", "vllm": "0.17.0"},
    },
)


def compiled(folder: str) -> bytes:
    """Return a ZIP file with the compiled files of all modules below `folder` that answers to examples import."""
    for request in _REQUESTS:
        vcompat_answers.answer(request)
    files = {str(getattr(module, "__file__", None) or "") for module in tuple(sys.modules.values())}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for file in sorted(one for one in files if one.startswith(f"{folder}/") and one.endswith(".py")):
            # Unchecked: times of files in an archive are rounded.
            made = py_compile.compile(
                file, doraise=True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
            )
            with open(str(made), "rb") as opened:
                archive.writestr(os.path.relpath(str(made), folder), opened.read())
    return buffer.getvalue()
