export NCCL_DEBUG=INFO
accelerate launch --use_deepspeed --zero_stage 2 --num_processes 2 train.py
