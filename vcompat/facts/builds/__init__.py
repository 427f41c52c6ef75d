"""For which GPUs, drivers and CUDA versions compiled code is built."""
