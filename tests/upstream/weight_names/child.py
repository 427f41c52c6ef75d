"""Send each parameter of tiny models to vLLM's model, one by one, as TRL does; run by the trials' `child.py`.

The models are built by the real transformers and the real vLLM, without an engine. Stand-ins: torchvision, since no image
is processed; compiled operators, which loading weights does not call; an attention backend where vLLM has none for CPUs.
Prints a JSON object per model: its number, and what happened.
"""

# Stand-ins must be in place before what looks for them is imported.
# ruff: noqa: E402

import glob
import importlib
import json
import os
import re
import signal
import sys
import tempfile
from importlib.machinery import ModuleSpec
from unittest.mock import MagicMock

os.environ.update(VLLM_TARGET_DEVICE="cpu", VLLM_CONFIGURE_LOGGING="0", OMP_NUM_THREADS="1")
os.environ.update(VLLM_CPU_KVCACHE_SPACE="1", VLLM_USE_AOT_COMPILE="0", VLLM_CACHE_ROOT=os.environ["CACHE"])
for part in ("", ".io", ".transforms", ".transforms.functional", ".transforms.v2", ".transforms.v2.functional"):
    name = "torchvision" + part
    sys.modules[name] = MagicMock(__spec__=ModuleSpec(name, None), __path__=[], __file__=name, __version__="0.28.0")
sys.modules["stand_in_attention"] = MagicMock()

import torch
import transformers
import vllm.platforms
from safetensors.torch import load_file
from vllm.platforms.cpu import CpuPlatform

vllm.platforms._current_platform = CpuPlatform()

from vllm.config import set_current_vllm_config
from vllm.distributed import init_distributed_environment, initialize_model_parallel
from vllm.engine.arg_utils import EngineArgs
from vllm.model_executor.model_loader.utils import initialize_model
from vllm.model_executor.models import registry

#: Seconds of processor time that one model may take.
_LIMIT = 60
#: Operators that a model's layers look up when they are built.
_OPERATORS = """
gelu_new gelu_fast gelu_quick silu_and_mul gelu_and_mul gelu_tanh_and_mul mul_and_silu fatrelu_and_mul swigluoai_and_mul
""".split()


def stand_in():
    """Replace what a CPU without vLLM's compiled parts lacks."""
    for name in _OPERATORS:
        if not hasattr(torch.ops._C, name):
            setattr(torch.ops._C, name, None)
    # vLLM would inspect a model in another process, which has other folders.
    registry._run_in_subprocess = lambda function: function()
    for_cpu = vars(CpuPlatform)["get_attn_backend_cls"].__func__

    def for_any(platform, *args, **kwargs):
        try:
            return for_cpu(platform, *args, **kwargs)
        except NotImplementedError:
            return "stand_in_attention.Backend"

    CpuPlatform.get_attn_backend_cls = classmethod(for_any)
    for module in ("fa_utils", "mla.prefill.flash_attn"):
        try:
            flash_attention = importlib.import_module(f"vllm.v1.attention.backends.{module}")
        except ImportError:
            continue
        for name in ("compile_flash_attn_varlen_func_from_specs", "flash_attn_varlen_func"):
            if not getattr(flash_attention, name, None):
                setattr(flash_attention, name, lambda *args, **kwargs: None)


def configured(model, common, folder):
    """Write the configuration of a tiny model to the folder, as a checkpoint has it."""

    def over_common(own):
        return {**{key: value for key, value in common.items() if key not in model.get("without", ())}, **own}

    config = model.get("config", {})
    if "text" in model:
        config = {**config, "text_config": over_common(model["text"]), "vision_config": dict(model["vision"])}
    else:
        config = over_common(config)
    made = transformers.AutoConfig.for_model(model["type"], **config)
    made.architectures, made.dtype = [model["architecture"]], "float32"
    made.save_pretrained(folder)
    if "processor" in model:
        with open(os.path.join(folder, "preprocessor_config.json"), "w") as file:
            json.dump({"image_processor_type": model["processor"]}, file)


def trained(model, folder):
    """transformers' model with random weights, which is saved to the folder as a checkpoint."""
    torch.manual_seed(0)
    made = getattr(transformers, model["architecture"])(transformers.AutoConfig.from_pretrained(folder)).float()
    for parameter in made.parameters():
        parameter.data.uniform_(0.1, 0.9)
    made.save_pretrained(folder)
    return made


def generating(folder):
    """vLLM's model."""
    given = {"skip_tokenizer_init": True, "dtype": "float32", "enforce_eager": True, "load_format": "dummy"}
    given["model_impl"] = os.environ["IMPLEMENTATION"]
    config = EngineArgs(
        model=folder, max_model_len=64, compilation_config={"custom_ops": ["none"]}, **given
    ).create_engine_config()
    with set_current_vllm_config(config):
        if not torch.distributed.is_initialized():
            init_distributed_environment(1, 0, f"file://{folder}/store", 0, backend="gloo")
            initialize_model_parallel(1, 1)
        config.compilation_config.static_forward_context.clear()
        torch.set_default_dtype(torch.float32)
        return initialize_model(vllm_config=config)


def from_checkpoint(receiver, folder):
    """What vLLM's parameters are once it has loaded the checkpoint; without those that it does not find there.

    transformers does not give back all names when it saves: some checkpoints of its own are unknown to vLLM.
    """
    zero(receiver)
    files = sorted(glob.glob(os.path.join(folder, "*.safetensors")))
    try:
        receiver.load_weights(item for file in files for item in load_file(file).items())
    except Exception:
        return {}
    return {name: parameter.data.clone() for name, parameter in receiver.named_parameters() if parameter.any()}


def zero(receiver):
    """Make all parameters zero, as none is in the trainer."""
    for parameter in receiver.parameters():
        parameter.data.zero_()


def outcome(sender, receiver, expected):
    """What happened when each parameter was sent: the first error, or a parameter that is not as expected, or nothing."""
    zero(receiver)
    for name, parameter in sender.named_parameters():
        try:
            receiver.load_weights([(name, parameter.data)])
        except Exception as error:
            return f"{type(error).__name__}: {first_line(error)} ({name})"
    for name, parameter in receiver.named_parameters():
        # A routing bias is a buffer in transformers, which no trainer sends. Its PaddleOCR-VL lacks what no position uses.
        if "correction_bias" in name or "packing_position" in name or not parameter.numel():
            continue
        if not parameter.any():
            return f"skipped: {name}"
        if name in expected and not torch.equal(parameter.data, expected[name]):
            return f"differs: {name}"
    return "whole"


def first_line(error):
    """An error's first line, without the list of names that vLLM appends to some."""
    text = (str(error).splitlines() or [""])[0].split(" The available parameters")[0]
    return re.sub(re.escape(tempfile.gettempdir()) + r"/\w+", "FOLDER", text)[:160]


def late(number, frame):
    """End a model that takes too long."""
    raise TimeoutError(f"more than {_LIMIT} s of processor time")


def patched(module):
    """Apply the patch of vcompat in `module`, as `vcompat.patch()` does; return what undoes it."""
    sys.path.append(os.environ["ROOT"])
    engine = importlib.import_module("vcompat.patching.engine").Engine(
        [importlib.import_module(module).PATCH], lambda line, warning: None
    )
    engine.patch(None, (), strict=False)
    return engine.unpatch


def compared(model, common, folder):
    """What happened without the patch, with it, and after it was undone; only the first if there is none."""
    configured(model, common, folder)
    sender, receiver = trained(model, folder), generating(folder)
    expected = from_checkpoint(receiver, folder)
    happened = [outcome(sender, receiver, expected)]
    if os.environ["PATCH"]:
        undo = patched(os.environ["PATCH"])
        happened.append(outcome(sender, receiver, expected))
        undo()
        happened.append(outcome(sender, receiver, expected))
    return happened


def main():
    """Print the outcomes of each model."""
    stand_in()
    signal.signal(signal.SIGPROF, late)
    with open(os.environ["MODELS"], encoding="utf-8") as file:
        models = json.load(file)
    only = os.environ["ONLY"].split()
    # vLLM creates the group of expert parallelism with the first model only, which therefore has experts.
    order = sorted(enumerate(models["model"]), key=lambda pair: pair[1]["type"] != "mixtral")
    for number, model in order:
        if only and model["architecture"] not in only and model["type"] != "mixtral":
            continue
        signal.setitimer(signal.ITIMER_PROF, _LIMIT)
        try:
            with tempfile.TemporaryDirectory() as folder:
                happened = compared(model, models["common"], folder)
        except Exception as error:
            happened = [f"unknown: {type(error).__name__}: {first_line(error)}"]
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(json.dumps({"number": number, "happened": happened}), flush=True)


main()
