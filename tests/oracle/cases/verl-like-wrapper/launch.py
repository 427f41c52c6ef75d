import subprocess
import sys

WORDS = ["--num_generations", "8"]
if __name__ == "__main__":
    WORDS += ["--vllm_mode", "server"]
    sys.exit(subprocess.call(["accelerate", "launch", "--num_processes", "4", "train.py", *WORDS]))
