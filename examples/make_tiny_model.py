"""Create a tiny random Qwen2 model with a tokenizer, offline, for TRL to train and vLLM to serve.

Usage: python examples/make_tiny_model.py FOLDER
"""

from __future__ import annotations

import sys

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

SENTENCE = "The quick brown fox jumps over the lazy dog, and one and one is two."
END = "<|endoftext|>"


def make_tokenizer() -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=512, special_tokens=[END], initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([SENTENCE], trainer)
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=END, pad_token=END)


def make_model() -> Qwen2ForCausalLM:
    torch.manual_seed(0)
    # Two heads of size 64: vLLM's CPU kernels need a size of 32 or 64, tensor parallel size 2 needs an even number.
    config = Qwen2Config(
        vocab_size=512,
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=512,
        tie_word_embeddings=False,
        bos_token_id=None,
        eos_token_id=0,
        pad_token_id=0,
    )
    return Qwen2ForCausalLM(config)


def main(folder: str) -> None:
    make_model().save_pretrained(folder)
    make_tokenizer().save_pretrained(folder)
    print(f"created a tiny Qwen2 model in {folder}")


if __name__ == "__main__":
    main(sys.argv[1])
