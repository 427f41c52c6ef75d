import os

from trl import GRPOConfig, GRPOTrainer

rank = int(os.environ.get("LOCAL_RANK", 0))
os.environ["CUDA_VISIBLE_DEVICES"] = str(rank)
args = GRPOConfig(use_vllm=True, num_generations=8)
if rank == 0:
    os.environ["NCCL_DEBUG"] = "INFO"
else:
    args.vllm_server_port = 8001
GRPOTrainer(model="a/b", args=args, reward_funcs=len).train()
