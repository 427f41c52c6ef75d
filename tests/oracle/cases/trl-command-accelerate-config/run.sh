trl grpo --accelerate_config zero3 --model_name_or_path a/b --dataset_name x --use_vllm true --use_peft --num_processes 2
