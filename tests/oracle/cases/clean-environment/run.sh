export NCCL_DEBUG=INFO
env -i PATH="$PATH" HOME="$HOME" VLLM_USE_V1=0 python train.py
