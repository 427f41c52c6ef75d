export NCCL_DEBUG=INFO
export CUDA_VISIBLE_DEVICES=0,1,2,3
srun --ntasks=1 env NCCL_DEBUG=WARN torchrun --nproc_per_node=4 train.py
