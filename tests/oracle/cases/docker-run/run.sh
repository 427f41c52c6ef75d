export NCCL_DEBUG=INFO
export VLLM_USE_V1=0
docker run --rm --gpus all -e VLLM_USE_V1 -e CUDA_LAUNCH_BLOCKING=1 -v $PWD:/app trainer torchrun --nproc_per_node 2 train.py
