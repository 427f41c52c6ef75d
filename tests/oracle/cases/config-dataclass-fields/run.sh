python train.py --num_generations 16 --no_use_vllm
