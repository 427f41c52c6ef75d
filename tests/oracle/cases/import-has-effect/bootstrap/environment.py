import os

os.environ["VLLM_USE_V1"] = "0"
os.environ.pop("NCCL_DEBUG", None)
