"""Real vLLM releases, imported in separate processes, with the stub of the NVML library.

The release's source distribution is on the PYTHONPATH, with the versions of packages that it needs and this environment
does not have. All of vLLM is real except its compiled extension (see ``without_extension``). NVML answers as on a
machine with the GPUs of `scenario`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.nvml import stub
from tests.upstream.installed import installed, python_path
from tests.upstream.releases import release

ROOT = Path(__file__).resolve().parents[2]
_EXTENSION = Path(__file__).with_name("without_extension")
#: Used instead of a version: the vLLM of this environment, a CPU build.
INSTALLED = "installed"
_PINS = ("transformers==4.57.6", "tokenizers==0.22.1", "huggingface-hub==0.36.0", "gguf==0.10.0")


def run_program(
    version: str,
    program: str,
    driver: Path,
    scenario: str,
    *arguments: str,
    first: Sequence[Path] = (),
    **variables: str,
) -> dict[str, Any]:
    """Run `program` with vLLM `version`; return the JSON object in the last line of its output.

    `driver` is the folder of the NVML stub, `scenario` one of its machines. Packages in the folders `first` precede all
    others.
    """
    other = () if version == INSTALLED else (_EXTENSION, release("vllm", version), *installed(*_PINS))
    folders = [*first, *other, ROOT]
    environment = stub.environment(driver, scenario, PYTHONPATH=python_path(*folders), VLLM_PLUGINS="none", **variables)
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def model_folder(folder: Path, longest: int) -> Path:
    """Write the configuration of a small bfloat16 model for `longest` tokens, without weights; return its folder."""
    folder.mkdir(exist_ok=True)
    configuration = {
        "architectures": ["Qwen2ForCausalLM"],
        "model_type": "qwen2",
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "num_key_value_heads": 2,
        "max_position_embeddings": longest,
        "vocab_size": 512,
        "torch_dtype": "bfloat16",
        "rope_theta": 10000.0,
    }
    (folder / "config.json").write_text(json.dumps(configuration))
    return folder
