"""Which attention backend and engine a vLLM release chooses on a GPU that is not here: its own code, run and recorded.

`child` runs the code of one release. `absent` stands for what is not there, the compiled libraries and vLLM's modules
that take no part, so that no choice can depend on it unnoticed. `card` states the platform.
"""
