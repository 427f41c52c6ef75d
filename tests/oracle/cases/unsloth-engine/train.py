from unsloth import FastLanguageModel
from trl import GRPOConfig, GRPOTrainer

rank = 16
targets = ["q_proj", "v_proj"]


def load(name, **options):
    return FastLanguageModel.from_pretrained(model_name=name, max_seq_length=1024, load_in_8bit=True, **options)


model, tokenizer = load("a/b", load_in_4bit=False, fast_inference=True, gpu_memory_utilization=0.6, max_lora_rank=rank)
model = FastLanguageModel.get_peft_model(model, r=rank, target_modules=targets, modules_to_save=["lm_head"])
targets.append("k_proj")

args = GRPOConfig(num_generations=4, per_device_train_batch_size=4)
trainer = GRPOTrainer(model=model, processing_class=tokenizer, args=args, reward_funcs=len)
trainer.train()
args.num_generations = 8
model, tokenizer = FastLanguageModel.from_pretrained("lora_model")
FastLanguageModel.for_inference(model)
