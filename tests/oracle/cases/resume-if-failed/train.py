from transformers import HfArgumentParser
from trl import GRPOConfig, GRPOTrainer

(args,) = HfArgumentParser(GRPOConfig).parse_args_into_dataclasses()
trainer = GRPOTrainer(model="a/b", args=args, reward_funcs=len)
if args.per_device_train_batch_size > 4:
    raise MemoryError("out of memory")
trainer.train()
