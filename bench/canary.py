"""Measure how far vLLM's probabilities are from the trainer's, in healthy runs and in runs that are broken on purpose.

Usage: python bench/canary.py [--generations 20]    (in an environment with torch, vLLM, TRL and vcompat; some minutes)

Prints for each run the smallest and the largest share, and the smallest and the largest distance as a multiple of what
rounding makes. The limits in `vcompat.rehearsal.weights` lie between those of healthy and of broken runs.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

from vcompat.rehearsal.protocol import CANARY, Event, read_folder
from vcompat.rehearsal.weights import noise, share

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "train_grpo_colocate.py"
TYPES = (("float32", "float32"), ("bfloat16", "float32"), ("bfloat16", "bfloat16"))
_NAMED = "VLLMGeneration._iter_named_params = lambda self: ({} for name, value in original(self) {})"
#: Ways to break the synchronization, the first being none.
BROKEN = {
    "healthy": "",
    "no synchronization": "VLLMGeneration.sync_weights = lambda self: None",
    "one layer is missing": _NAMED.format("(name, value)", "if '.layers.1.' not in name"),
    "one norm is missing": _NAMED.format("(name, value)", "if name != 'model.layers.1.input_layernorm.weight'"),
    "one matrix is upside down": _NAMED.format("(name, value.flip(0) if '.1.mlp.down' in name else value)", ""),
    "one matrix is 1.5 times as large": _NAMED.format("(name, value * 1.5 if '.1.mlp.down' in name else value)", ""),
}
BEGIN = """from trl.generation.vllm_generation import VLLMGeneration
original = VLLMGeneration._iter_named_params
"""


def script(engine: str, trainer: str, how: str, generations: int) -> str:
    text = EXAMPLE.read_text().replace('dtype="float32"', f'dtype="{engine}"')
    text = text.replace("use_cpu=True,", f'use_cpu=True, model_init_kwargs={{"dtype": "{trainer}"}},')
    # So small that the weights stay what they are: what is measured does not depend on the training.
    text = text.replace("learning_rate=0.03", "learning_rate=1e-6").replace("max_steps=3", f"max_steps={generations}")
    return BEGIN + BROKEN[how] + "\n" + text


def measured(folder: Path, model: Path, text: str, generations: int) -> list[Event]:
    """Rehearse a script; return what the canary saw."""
    path = folder / "train.py"
    path.write_text(text)
    with tempfile.TemporaryDirectory() as kept:
        command = [sys.executable, "-m", "vcompat", "rehearse", "--no-check", "--steps", str(generations)]
        command += ["--keep", kept, "--format", "json", "--", sys.executable, str(path), "--model", str(model)]
        variables = {"PYTHONPATH": str(ROOT), "VLLM_CPU_KVCACHE_SPACE": "1", "MASTER_PORT": str(free_port())}
        done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=False)
        if not done.stdout or json.loads(done.stdout)["steps"] < generations:
            sys.exit(f"the run ended early:\n{done.stderr}{done.stdout}")
        return [event for told in read_folder(kept) for event in told.of(CANARY)]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--generations", type=int, default=20)
    generations = parser.parse_args().generations
    with tempfile.TemporaryDirectory() as name:
        model = Path(name) / "model"
        maker = ROOT / "examples" / "make_tiny_model.py"
        subprocess.run([sys.executable, str(maker), str(model)], check=True, capture_output=True)
        for how in BROKEN:
            for engine, trainer in TYPES:
                events = measured(Path(name), model, script(engine, trainer, how, generations), generations)
                shares = [share(event.values) for event in events]
                noises = [noise(event.values) for event in events if event.values["noise"]]
                times = f", {min(noises):.2f} to {max(noises):.2f} times the noise" if noises else ""
                print(
                    f"{how}, engine {engine}, trainer {trainer}: {len(shares)} generations, "
                    f"share {min(shares):.2g} to {max(shares):.2g}{times}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
