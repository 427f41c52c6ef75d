"""What vLLM's Triton kernels do on GPUs that are not here: compiled for each compute capability, and recorded.

Triton cross-compiles: its wheel has LLVM and ptxas. vLLM's own wrappers are called with CPU tensors. They choose block
sizes and compile; only the launch is missing. `standin` states what is not real. A compilation can abort its process,
so each runs in a process of its own (`child`).
"""
