CUDA_VISIBLE_DEVICES=0,1 torchrun --nproc_per_node 2 --master_port 29501 train.py --num_generations 4 &
CUDA_VISIBLE_DEVICES=2,3 torchrun --nproc_per_node 2 --master_port 29502 train.py --num_generations 8 &
wait
