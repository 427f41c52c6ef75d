SETTINGS = {"num_generations": 4, "use_vllm": False}
