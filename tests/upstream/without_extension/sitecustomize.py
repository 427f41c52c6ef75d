"""On the PYTHONPATH of a process that runs vLLM from a source distribution.

A source distribution has no compiled extension, and nothing here could load one that was built for CUDA. An empty
module stands for it; the Python code of vLLM imports it for its side effects only.
"""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

extension = ModuleType("vllm._C")
extension.__spec__ = ModuleSpec("vllm._C", None)
sys.modules["vllm._C"] = extension
