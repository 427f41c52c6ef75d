set -e
export NCCL_DEBUG=WARN
accelerate launch --num_processes 4 sft.py
VLLM_USE_V1=0 accelerate launch --num_processes 8 grpo.py
