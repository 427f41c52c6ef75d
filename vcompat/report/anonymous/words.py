"""Words that no name consists of alone, if slashes join them: units, metrics, protocols, and what upstream writes.

The last ones are those that messages of vLLM, TRL, torch, transformers, accelerate and PEFT join with slashes.
"""

from __future__ import annotations

import builtins
import keyword
import sys

from vcompat.facts.vocabulary import PACKAGES

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

_ENGLISH = frozenset(
    """
    about above access account across action actual address again all allow allowed almost along already also although
    always among another any anything appears architecture are area around array as ask at attempt attention attribute
    automatic available average away back bad base based because become been behind being best better between bfloat
    big bit block both bug build but by cache can cannot capability capacity care case cause certain change changed
    check checkpoint class clear close code collective column command common compile compiled completed compute
    computed condition config configuration connect connected connection consider contain contains content context
    control convert copy core correct could count crash create created current currently cut daemon dataset day
    decrease default define defined delete depend depth detail details did different dimension direct directory
    distributed do does done double down driver due during each early edit effect empty enable end enough
    environment error errors even event ever every everything exact example exceeded except exception execute exist
    exists exit exited expect expected explicit extra fail failed fails failure fast fatal few field file files final
    find fine finish finished first fix flag flash float follow following for force form format found frame free
    from full further general generate generation get give given global go gone good got graph grpo guest had handle
    handler happen has have header heap height help here high hidden hint hold home how however id if ignore ignored
    illegal import important improve include included increase index info information init initialize initialized
    inner inside install installed instance instead integer interface internal into invalid is issue item job just
    keep kernel kernels kill killed kind know known large largest last late later launch launcher lead learn least
    left length less let level library like limit line lines link linux little live local location lock log logger
    logging long longer look loop lost low lower machine made main make manager many map match may mean means memory
    message metric might miss missing module modules more most move much multiple must my name named names
    need needed needs nested
    never new next node nodes none normal note nothing now null number object occurred of off offset often old once
    one only onto op open operation operator option options order original other others our outer outside over own
    owner package packages page pair param parent parse part parser pass passed patch peak pending per perform
    person pid place plan please plugin point policy pool port possible power precision present previous print
    private probably problem process processes processor program progress project proper property protocol provide
    provided public python pytorch queue quick quit raise raised random range rate rather ready reason recent record
    recursive reduce reduction reference register release reload remain remote remove removed repeat replace report
    request requested require required requires reset resource response rest restart result results return returned
    right root round row rule run runner running runtime runs safe same saved say second section see seed seem self
    seen separate sequence serve server service session set sets setting settings setup several shape short should
    show shown shut side sign signal silent similar simple since single site size skip slow small so socket some
    something soon source space special specific specified speed split src stack standard started state statement
    status still stop stopped store stream strict string strong subprocess success successful such suggest suite
    support sure sync system table take target task tell temp temporary terminate terminated test tests text than
    that the their them then there these thing things think this those though thread threads three through throw
    time timed times to together too tool top total tracer trainer transfer transformer transformers traceback tree
    trigger try trying turn two type types under unexpected unit unknown unless until unused update upper usage use
    used user users uses using usual valid values variable very via view wait waiting want warn warning was way we
    well went were what when where whether which while who whole why will window with within word work worker
    workers world would wrong year yet you your zero grant will mark
    """.split()
)
#: What no name is replaced by wherever it is, since texts have it: words, and what Python and upstream call things.
COMMON = frozenset(
    word.lower()
    for words in (WORDS, _ENGLISH, keyword.kwlist, dir(builtins), sys.stdlib_module_names, PACKAGES, ("git", "cudnn"))
    for word in words
)
