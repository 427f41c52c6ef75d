import os
import runpy

os.environ["VLLM_USE_V1"] = "0"
runpy.run_path("train.py", init_globals={"N": 4}, run_name="__main__")
