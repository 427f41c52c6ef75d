"""Classes of libraries that configure a run, by name, and what their first positional argument is."""

from __future__ import annotations

#: TRL's configuration classes of trainers that generate, including all with vLLM settings.
CONFIGURATIONS = frozenset(
    "GRPOConfig RLOOConfig OnlineDPOConfig XPOConfig NashMDConfig GOLDConfig AsyncGRPOConfig GMPOConfig A2POConfig "
    "GFPOConfig PAPOConfig MiniLLMConfig GRPOWithReplayBufferConfig DistillationConfig ServerDistillationConfig "
    "DPPOConfig AsyncDistillationConfig SelfDistillationConfig SDPOConfig SDFTConfig SSDConfig IWOPDConfig".split()
)
ENGINES = frozenset({"LLM", "EngineArgs", "AsyncEngineArgs"})
#: Engines of other libraries that generate.
OTHER_ENGINES = frozenset({"sglang.Engine", "sglang.srt.entrypoints.engine.Engine", "lmdeploy.pipeline"})
#: Other classes whose first field is that of `TrainingArguments`, which they extend.
_TRAINING = frozenset({"TrainingArguments", "SFTConfig", "DPOConfig", "KTOConfig", "RewardConfig"})


def first_parameter(name: str) -> str:
    """Return the first positional argument of a library's class; empty if it is not known."""
    if name in ENGINES:
        return "model"
    if name in CONFIGURATIONS or name in _TRAINING:
        return "output_dir"
    return "model_name_or_path" if name == "ModelConfig" else ""
