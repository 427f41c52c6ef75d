import os
from unittest import mock

from trl import GRPOConfig, GRPOTrainer

os.environ["NCCL_DEBUG"] = "WARN"
with mock.patch.dict(os.environ, {"VLLM_USE_V1": "0"}, clear=True):
    GRPOTrainer(model="a/b", args=GRPOConfig(use_vllm=True), reward_funcs=len).train()
