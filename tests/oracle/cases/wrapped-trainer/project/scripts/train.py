import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from lib.factory import make_trainer

PRESETS = {"small": {"num_generations": 4}, "big": {"num_generations": 16, "use_vllm": True}}
preset = sys.argv[sys.argv.index("--preset") + 1]
make_trainer(**PRESETS[preset]).train()
