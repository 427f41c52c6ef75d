from trl import SFTConfig, SFTTrainer

SFTTrainer(model="a/base", args=SFTConfig(bf16=True, per_device_train_batch_size=4)).train()
