SETTINGS = {"num_generations": 16, "use_vllm": True}
