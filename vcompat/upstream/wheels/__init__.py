"""Compiled code on the package index: for which GPUs and CUDA versions wheels are built."""
