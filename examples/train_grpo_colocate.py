"""GRPO in TRL with vLLM generating in the same process: a minimal run that shows whether weight synchronization works.

Usage: python examples/train_grpo_colocate.py --model FOLDER [--tensor-parallel-size 2] [--compile] [--log-history FILE]
"""

import argparse
import functools
import json

from datasets import Dataset
from transformers import PrinterCallback, TrainerCallback
from trl import GRPOConfig, GRPOTrainer
from trl.generation import vllm_generation

SHOWN = ("loss", "reward", "sampling/sampling_logp_difference/max")


class PrintSteps(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if state.is_world_process_zero and "reward" in (logs or {}):
            values = "  ".join(f"{name} {float(logs[name]):.4f}" for name in SHOWN if name in logs)
            print(f"step {state.global_step}/{state.max_steps}  {values}", flush=True)


def share_of_vowels(completions, **kwargs):
    return [sum(letter in "aeiou" for letter in text) / (len(text) or 1) for text in completions]


def engine(compiled):
    # TRL passes vLLM no data type. In bfloat16, vLLM's default on the CPU, the run depends on the processor. With AMX,
    # it can die of SIGILL, because vLLM does not request the tile registers from Linux. Without AVX-512, oneDNN has no
    # bfloat16 matmul, and vLLM leaves the weights in place instead of packing them. In float32, the run is the same.
    # Compiling the tiny model takes longer than training it.
    return functools.partial(vllm_generation.LLM, dtype="float32", enforce_eager=not compiled)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--tensor-parallel-size", type=int, default=1)
    parser.add_argument("--compile", action="store_true", help="let vLLM compile the model, as it does by default")
    parser.add_argument("--log-history", help="write the trainer's log as JSON to this file")
    options = parser.parse_args()
    vllm_generation.LLM = engine(options.compile)

    config = GRPOConfig(
        output_dir="unused",
        use_vllm=True,
        vllm_mode="colocate",
        vllm_tensor_parallel_size=options.tensor_parallel_size,
        vllm_max_model_length=128,
        use_cpu=True,
        bf16=False,
        # High on purpose: one step changes the weights so much that rollouts from stale weights are obvious.
        learning_rate=0.03,
        max_steps=3,
        per_device_train_batch_size=4,
        num_generations=4,
        max_completion_length=16,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )
    trainer = GRPOTrainer(
        model=options.model,
        reward_funcs=share_of_vowels,
        args=config,
        train_dataset=Dataset.from_dict(
            {"prompt": ["The quick brown", "one and one", "the lazy dog", "fox jumps"] * 4}
        ),
        callbacks=[PrintSteps()],
    )
    trainer.remove_callback(PrinterCallback)  # prints every log in full
    trainer.train()
    if options.log_history and trainer.accelerator.is_main_process:
        with open(options.log_history, "w") as file:
            json.dump(trainer.state.log_history, file)
    print("trained to the last step", flush=True)


if __name__ == "__main__":
    main()
