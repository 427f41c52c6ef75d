from trl import GRPOConfig, GRPOTrainer

args = GRPOConfig(use_vllm=True, vllm_mode="server", vllm_server_port=8001)
GRPOTrainer(model="a/b", args=args, reward_funcs=len).train()
