"""For which GPUs and CUDA versions the installed packages are built."""
