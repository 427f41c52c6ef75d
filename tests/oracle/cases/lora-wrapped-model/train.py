from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM
from trl import GRPOConfig, GRPOTrainer

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen2.5-3B", dtype="float16")
model = get_peft_model(model, LoraConfig(r=8, modules_to_save=["embed_tokens"]))
GRPOTrainer(model=model, args=GRPOConfig(use_vllm=True), reward_funcs=len).train()
