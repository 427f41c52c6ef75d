#!/bin/bash
export VLLM_WORKER_MULTIPROC_METHOD=spawn
ACCELERATE_LOG_LEVEL=info accelerate launch --config_file recipes/accelerate_configs/zero3.yaml \
    src/open/grpo.py --config recipes/Qwen/config_demo.yaml --vllm_mode colocate
