export VLLM_USE_V1=1 NCCL_DEBUG=WARN
python train.py --config grpo.yaml
