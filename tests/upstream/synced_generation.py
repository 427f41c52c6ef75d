"""The program of one of two ranks that generate together: rank 0 finishes after two tokens, rank 1 after six.

Run with `torch.distributed.run`. Each rank generates with the patch, then again after unpatching (in that order,
because a rank that fails leaves the group). Prints how both calls ended.
"""

import os
import sys

import torch
import transformers

import vcompat

PATCH = "transformers_synced_generate_positions"

vcompat.patch(only=[PATCH], strict=True)
torch.distributed.init_process_group("gloo")
rank = torch.distributed.get_rank()
torch.manual_seed(0)
config = transformers.LlamaConfig(
    vocab_size=32, hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2
)
model = transformers.LlamaForCausalLM(config)
cache = {"use_cache": False}
if sys.argv[1] == "gradient checkpointing":
    cache = {}
    model.gradient_checkpointing_enable()
    model.train()


def generate():
    prompt = torch.ones(1, 3, dtype=torch.long)
    # Padded on the left, like a trainer's prompts; newer releases drop a mask without zeros.
    mask = torch.tensor([[0, 1, 1]])
    try:
        made = model.generate(
            prompt,
            attention_mask=mask,
            synced_gpus=True,
            do_sample=False,
            eos_token_id=None,
            pad_token_id=0,
            max_new_tokens=(2, 6)[rank],
            **cache,
        )
    except RuntimeError as error:
        return str(error)
    return f"{made.shape[1]} tokens"


patched = generate()
status = vcompat.status()[PATCH].status
vcompat.unpatch()
os.write(1, f"rank {rank}: {status}; {patched}; {generate()}\n".encode())
# If a rank failed, the other rank still waits for it.
os._exit(0)
