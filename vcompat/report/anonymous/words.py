"""Words that no name consists of alone, if slashes join them: units, metrics, protocols, and what upstream writes.

The last ones are those that messages of vLLM, TRL, torch, transformers, accelerate and PEFT join with slashes.
"""

from __future__ import annotations

WORDS = frozenset(
    """
    _buffers _parameters a above add after all_gather allocation alpha amd and application args assistant audio
    autotuning awq backward batch before below beta block_indexes block_table bmm broken bsc bsr buffer buffers bw
    call cancel channel clamp client close_pattern col completion confidence_head connect constants containers conv
    cp_size cpp cpu cpu_bytes_to_use created csc csr csv cuda debug decode decoder desirable device dict dicts
    dilation disabled discarded disk down dp dtype dynamic either empty enabled encode encoder end engine entries
    entropy entry ep epoch eq equal eval evicted expert experts export extensions failed fake fallback
    fallback_knorm fallback_qnorm false features forward frontend fullgraph function fw gate gb gelu gib gptq gpu
    gpus grad_norm grad_out grads group he head_dim heads her hidden his hits host hot http i identifier image in
    incorrect indexer indices inf input input_schema inputs intermediate invalid ip it item its json kb key keys kl
    kv kwargs layer learning_rate list lists load local local_scalar_dense loss lr main_proj major markov_head mask
    mask_mod master_address master_port max mb method mib min min_p minor misleading mm mode model modules mozilla n
    nan ne negative neither no noise not num_heads nvidia off offsets on open_pattern opened ops optim optimizer or
    out output outputs pad padded padding parameters path pickle pickling pinned pipe plain positive post pp pre
    prefill primals primitives profiling prompt python pytree_flatten query rank ranks raw read real reasoning recv
    recvs reduce_scatter regions registered relu remat remote renderer resident resume retuning reverse revision
    reward rewards roles row s sample samples save scale scales scheduler score_mod script sec select send sends
    seqused_k set shared she sleep slice sliced smaller ssm stage start static std step steps storage_reader
    storage_writer stride student style sub supported symbolic system tags tangents tb tcp teacher tensor text they
    tied tile timeout token tokenizer tokens toks tool_calls top_k top_p tp trace train training trl true tuple
    tuples unavailable undesirable unflatten unpickled unpickling unquantized unreadable up useful user validate
    value var version video view vllm wait wake warmup warp weight weight_schema with without world world_size write
    x xpu y yaml yes yml zero_points zeros
    """.split()
)
