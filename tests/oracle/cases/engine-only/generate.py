import os

from vllm import LLM, SamplingParams

options = {"gpu_memory_utilization": 0.5, "max_model_len": 4096}
options["enable_prefix_caching"] = False
llm = LLM("Qwen/Qwen2.5-0.5B", tensor_parallel_size=int(os.environ.get("TP", 2)), **options)
llm.generate(["x"], SamplingParams(max_tokens=5))
