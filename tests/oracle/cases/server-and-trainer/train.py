from trl import GRPOConfig, GRPOTrainer

args = GRPOConfig(use_vllm=True, vllm_mode="server", vllm_server_base_url="http://localhost:8000")
GRPOTrainer(model="Qwen/Qwen2.5-7B", args=args, reward_funcs=len).train()
