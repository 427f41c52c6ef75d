from peft import LoraConfig
from trl import GRPOConfig, GRPOTrainer, ModelConfig, get_peft_config

model_args = ModelConfig(model_name_or_path="Qwen/Qwen2.5-3B", use_peft=True, lora_modules_to_save=["lm_head"])
args = GRPOConfig(use_vllm=True)
GRPOTrainer(model=model_args.model_name_or_path, args=args, reward_funcs=len, peft_config=get_peft_config(model_args)).train()
