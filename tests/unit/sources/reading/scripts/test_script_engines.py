"""Engines that scripts make, and all that is stated."""

from __future__ import annotations

import pytest

from tests.unit.sources.reading.told import examples, told_part
from vcompat.sources.reading.scripts.script import read_source

SCRIPTS = r"""
> LLM(model='a', tensor_parallel_size=2, seed=3, dtype='half', enable_prefix_caching=True, max_model_len=9, quantization='fp8', kv_cache_dtype='fp8', enable_sleep_mode=True, enable_chunked_prefill=False, distributed_executor_backend='mp', gpu_memory_utilization=0.5)
distributed_executor_backend = 'mp' (x.py:1:232)
enable_chunked_prefill = False (x.py:1:196)
enable_prefix_caching = True (x.py:1:84)
enable_sleep_mode = True (x.py:1:167)
engine_dtype = 'half' (x.py:1:54)
kv_cache_dtype = 'fp8' (x.py:1:142)
llm_seed = 3 (x.py:1:45)
max_model_len = 9 (x.py:1:104)
model = 'a' (x.py:1:11)
patched = () (x.py does not call vcompat.patch()) at no position
quantization = 'fp8' (x.py:1:120)
speculative_config = False (x.py:1:1)
tensor_parallel_size = 2 (x.py:1:37)

> LLM('a')
distributed_executor_backend = None (x.py:1:1)
enable_chunked_prefill = None (x.py:1:1)
enable_prefix_caching = None (x.py:1:1)
enable_sleep_mode = False (x.py:1:1)
engine_dtype = 'auto' (x.py:1:1)
kv_cache_dtype = None (x.py:1:1)
llm_seed = None (x.py:1:1)
model = 'a' (x.py:1:5)
patched = () (x.py does not call vcompat.patch()) at no position
speculative_config = False (x.py:1:1)
tensor_parallel_size = 1 (x.py:1:1)

> LLM(model='a', speculative_config={'model': 'b'})
distributed_executor_backend = None (x.py:1:1)
enable_chunked_prefill = None (x.py:1:1)
enable_prefix_caching = None (x.py:1:1)
enable_sleep_mode = False (x.py:1:1)
engine_dtype = 'auto' (x.py:1:1)
kv_cache_dtype = None (x.py:1:1)
llm_seed = None (x.py:1:1)
model = 'a' (x.py:1:11)
patched = () (x.py does not call vcompat.patch()) at no position
speculative_config = True (x.py:1:35)
tensor_parallel_size = 1 (x.py:1:1)

> LLM(model='a', speculative_config=None)
distributed_executor_backend = None (x.py:1:1)
enable_chunked_prefill = None (x.py:1:1)
enable_prefix_caching = None (x.py:1:1)
enable_sleep_mode = False (x.py:1:1)
engine_dtype = 'auto' (x.py:1:1)
kv_cache_dtype = None (x.py:1:1)
llm_seed = None (x.py:1:1)
model = 'a' (x.py:1:11)
patched = () (x.py does not call vcompat.patch()) at no position
speculative_config = False (x.py:1:35)
tensor_parallel_size = 1 (x.py:1:1)

> LLM(model='a', speculative_config=s)
distributed_executor_backend = None (x.py:1:1)
enable_chunked_prefill = None (x.py:1:1)
enable_prefix_caching = None (x.py:1:1)
enable_sleep_mode = False (x.py:1:1)
engine_dtype = 'auto' (x.py:1:1)
kv_cache_dtype = None (x.py:1:1)
llm_seed = None (x.py:1:1)
model = 'a' (x.py:1:11)
patched = () (x.py does not call vcompat.patch()) at no position
speculative_config ? x.py:1:35: computed at run time
tensor_parallel_size = 1 (x.py:1:1)

> LLM(model='a', **kw)
model ? x.py:1:11: computed at run time; it may be 'a'
patched = () (x.py does not call vcompat.patch()) at no position

> EngineArgs(model='a', tensor_parallel_size=2)
distributed_executor_backend = None (x.py:1:1)
enable_chunked_prefill = None (x.py:1:1)
enable_prefix_caching = None (x.py:1:1)
enable_sleep_mode = False (x.py:1:1)
engine_dtype = 'auto' (x.py:1:1)
kv_cache_dtype = None (x.py:1:1)
llm_seed = None (x.py:1:1)
model = 'a' (x.py:1:18)
patched = () (x.py does not call vcompat.patch()) at no position
speculative_config = False (x.py:1:1)
tensor_parallel_size = 2 (x.py:1:44)

> AsyncEngineArgs(model='a')
distributed_executor_backend = None (x.py:1:1)
enable_chunked_prefill = None (x.py:1:1)
enable_prefix_caching = None (x.py:1:1)
enable_sleep_mode = False (x.py:1:1)
engine_dtype = 'auto' (x.py:1:1)
kv_cache_dtype = None (x.py:1:1)
llm_seed = None (x.py:1:1)
model = 'a' (x.py:1:23)
patched = () (x.py does not call vcompat.patch()) at no position
speculative_config = False (x.py:1:1)
tensor_parallel_size = 1 (x.py:1:1)

> a = EngineArgs(model='a', seed=1)
> LLM(**vars(a))
distributed_executor_backend = None (x.py:2:1)
enable_chunked_prefill = None (x.py:2:1)
enable_prefix_caching = None (x.py:2:1)
enable_sleep_mode = False (x.py:2:1)
engine_dtype = 'auto' (x.py:2:1)
kv_cache_dtype = None (x.py:2:1)
llm_seed = 1 (x.py:1:32)
model = 'a' (x.py:1:22)
patched = () (x.py does not call vcompat.patch()) at no position
speculative_config = False (x.py:2:1)
tensor_parallel_size = 1 (x.py:2:1)

> LLM(model='a', seed=1)
> LLM(model='b', seed=1)
distributed_executor_backend = None (x.py:2:1)
enable_chunked_prefill = None (x.py:2:1)
enable_prefix_caching = None (x.py:2:1)
enable_sleep_mode = False (x.py:2:1)
engine_dtype = 'auto' (x.py:2:1)
kv_cache_dtype = None (x.py:2:1)
llm_seed = 1 (x.py:2:21)
model ? x.py:2:11: set to different values in lines 1, 2; it may be 'a' or 'b'
patched = () (x.py does not call vcompat.patch()) at no position
speculative_config = False (x.py:2:1)
tensor_parallel_size = 1 (x.py:2:1)

> def main():
>     LLM(model='a')
distributed_executor_backend ? x.py:2:5: in a function that the script does not call; it may be None
enable_chunked_prefill ? x.py:2:5: in a function that the script does not call; it may be None
enable_prefix_caching ? x.py:2:5: in a function that the script does not call; it may be None
enable_sleep_mode ? x.py:2:5: in a function that the script does not call; it may be False
engine_dtype ? x.py:2:5: in a function that the script does not call; it may be 'auto'
kv_cache_dtype ? x.py:2:5: in a function that the script does not call; it may be None
llm_seed ? x.py:2:5: in a function that the script does not call; it may be None
model ? x.py:2:15: in a function that the script does not call; it may be 'a'
patched = () (x.py does not call vcompat.patch()) at no position
speculative_config ? x.py:2:5: in a function that the script does not call; it may be False
tensor_parallel_size ? x.py:2:5: in a function that the script does not call; it may be 1
"""


@pytest.mark.parametrize(("text", "expected"), [example[1:] for example in examples(SCRIPTS)])
def test_a_script_states_the_settings_of_its_engine(text: str, expected: list[str]) -> None:
    assert told_part(read_source("dir/x.py", text.encode())) == expected
