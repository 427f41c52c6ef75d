"""Run the code of one trial and print what happened as a JSON object; started by `running` with ``python -I -S``.

The arguments are the folders of the environment, one per line, and the code. All of the packages is real except
compiled extensions that need a GPU: empty modules replace them (`_STAND_INS`). The outcome lists those that were used.
"""

import importlib.abc
import importlib.machinery
import json
import os
import sys
import traceback
from types import ModuleType

#: Compiled parts of vLLM, which a source tree does not contain. Those that vLLM looks for and can do without are absent.
_STAND_INS = """
vllm._C vllm._C_stable_libtorch vllm._moe_C vllm._moe_C_stable_libtorch vllm._rocm_C vllm._flashmla_C vllm._punica_C
vllm.vllm_flash_attn
""".split()


class _StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads an empty module for each name in _STAND_INS."""

    def __init__(self) -> None:
        self.used: list[str] = []

    def find_spec(self, name, path=None, target=None):
        if name in _STAND_INS:
            return importlib.machinery.ModuleSpec(name, self)
        return None

    def create_module(self, spec):
        self.used.append(spec.name)
        return _Anything(spec.name)

    def exec_module(self, module):
        """An empty module has nothing to execute."""


class _Anything(ModuleType):
    """A module without contents, whose functions cannot be called."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)


def _failure(error):
    """The chain of exceptions, innermost first, each with its type, its first line, and the file that raised it."""
    chain = []
    while error is not None:
        frames = traceback.extract_tb(error.__traceback__)
        place = frames[-1].filename if frames else ""
        chain.append({"type": type(error).__name__, "text": str(error).strip(), "place": place})
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return chain


def main():
    folders, code = sys.argv[1].splitlines(), sys.argv[2]
    sys.path[:0] = folders
    os.environ.update(VLLM_PLUGINS="none", HF_HUB_OFFLINE="1", CUDA_VISIBLE_DEVICES="", VLLM_NO_USAGE_STATS="1")
    os.environ.update(TOKENIZERS_PARALLELISM="false", USE_TF="0", USE_JAX="0", DS_ACCELERATOR="cpu")
    stand_ins = _StandIns()
    sys.meta_path.insert(0, stand_ins)
    failure = []
    try:
        exec(compile(code, "trial", "exec"), {"__name__": "trial"})
    except BaseException as error:
        failure = _failure(error)
        traceback.print_exc()
    print("\n" + json.dumps({"failure": failure, "stand_ins": sorted(stand_ins.used)}), flush=True)
    os._exit(0)


main()
