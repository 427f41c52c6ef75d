import os

os.environ["NCCL_DEBUG"] = "INFO"
os.execvp("torchrun", ["torchrun", "--nproc_per_node", "2", "train.py"])
