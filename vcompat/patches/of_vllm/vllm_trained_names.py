"""Give vLLM's models the weights of transformers 5 under the names and in the layout of a checkpoint.

Why: transformers 5 renames weights when it loads a checkpoint, and holds the experts of a layer in one parameter. It
reverts this only when it saves. Trainers send parameters under their names in memory. vLLM's models below know only
those of the checkpoint, most of them up to 0.33.0: the first synchronization raises a KeyError, ValueError or
RuntimeError. LFM2 MoE of 0.26.0 and later, and Laguna before it, skip the names of experts, and generate with those of
the initial checkpoint.
How: wrap `load_weights` of these models. A name of memory becomes that of the checkpoint; a parameter of experts
becomes the weights of each expert, which are views of it, or is transposed. Names of a checkpoint pass unchanged.
The parts of a weight of HRM-Text go to the loader of the whole.
Process: every vLLM process.
Upstream: no known issue; not fixed in 0.33.0.
Remove when: vLLM's own models load what transformers' `named_parameters` yields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap

_FUSED = re.compile(r"(.*\.experts\.)(gate_up_proj|down_proj)")
#: What SigLIP's and CLIP's vision models consist of; in a checkpoint it is one level deeper.
_OF_VISION = r"(vision_tower\.)(?=(?:embeddings|pre_layrnorm|encoder|post_layernorm|head)\.)"

Weights = Iterator[tuple[str, Any]]


class _Names(NamedTuple):
    """How a model's names in memory become those of its checkpoint."""

    renamed: tuple[tuple[str, str], ...] = ()
    """Regular expressions, each with what replaces it."""
    experts: tuple[str, ...] = ()
    """Names of the gate, up and down projections of one expert, if the checkpoint has them apart."""


_GATE_UP_DOWN = ("gate_proj", "up_proj", "down_proj")
_VISION = _Names(((_OF_VISION, r"\1vision_model."),))
_SPARSE = _Names(((r"(?<=\.)mlp(?=\.(?:gate|experts)\.)", "block_sparse_moe"),), ("w1", "w3", "w2"))
_ERNIE = _Names(((r"\.gate\.moe_statics\.", ".moe_statics."),), _GATE_UP_DOWN)
_LAGUNA = _Names(((r"\.mlp\.shared_experts\.", ".mlp.shared_expert."),))
_PADDLE_OCR = _Names(
    (
        (r"^model\.visual\.", "visual."),
        (r"^model\.projector\.", "mlp_AR."),
        (r"^model\.language_model\.", "model."),
    )
)
_GEMMA_4_UNIFIED = _Names(
    (
        (r"embed_vision\.(?=(?:patch_ln1|patch_dense|patch_ln2|pos_embedding|pos_norm)\b)", "vision_embedder."),
        (r"embed_vision\.multimodal_embedder\.", "embed_vision."),
    )
)


def _apart(name: str, weight: Any, experts: tuple[str, ...]) -> Weights:
    """The weights of single experts in a parameter that has all of them: experts, outputs, inputs."""
    fused = _FUSED.fullmatch(name)
    if not experts or fused is None:
        yield name, weight
        return
    gate, up, down = experts
    for number, one in enumerate(weight):
        if fused[2] == "down_proj":
            yield f"{fused[1]}{number}.{down}.weight", one
        else:
            for projection, half in zip((gate, up), one.chunk(2, dim=0), strict=True):
                yield f"{fused[1]}{number}.{projection}.weight", half


def _translating(names: _Names) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    renamed = [(re.compile(pattern), known) for pattern, known in names.renamed]

    def translated(weights: Iterable[tuple[str, Any]]) -> Weights:
        for name, weight in weights:
            for pattern, known in renamed:
                name = pattern.sub(known, name)  # noqa: PLW2901 - each follows the one before
            yield from _apart(name, weight, names.experts)

    def wrap(load_weights: Callable[..., Any]) -> Callable[..., Any]:
        def load_weights_by_checkpoint_names(
            self: Any, weights: Iterable[tuple[str, Any]], *rest: Any, **more: Any
        ) -> Any:
            return load_weights(self, translated(weights), *rest, **more)

        return load_weights_by_checkpoint_names

    return wrap


def _granite(load_weights: Callable[..., Any]) -> Callable[..., Any]:
    """Granite 4's checkpoint has the experts in one parameter too, under other names."""
    parts = {"experts.gate_up_proj": "input_linear.weight", "experts.down_proj": "output_linear.weight"}
    parts["router.weight"] = "router.layer.weight"

    def translated(weights: Iterable[tuple[str, Any]]) -> Weights:
        for name, weight in weights:
            place, sparse, part = name.partition(".block_sparse_moe.")
            yield place + sparse + parts.get(part, part), weight

    def load_weights_by_checkpoint_names(self: Any, weights: Iterable[tuple[str, Any]], *rest: Any, **more: Any) -> Any:
        return load_weights(self, translated(weights), *rest, **more)

    return load_weights_by_checkpoint_names


def _dory(load_weights: Callable[..., Any]) -> Callable[..., Any]:
    """Dory's checkpoint has the two halves of a layer as layers of their own. transformers saves it otherwise, too."""
    layer = re.compile(r"(?:model|backbone)\.layers\.(\d+)\.(self_attn|mlp|lambda_1|lambda_2)\b(.*)")
    halves = {
        "self_attn": (0, "mixer"),
        "lambda_1": (0, "attn_alpha"),
        "mlp": (1, "mixer"),
        "lambda_2": (1, "mlp_alpha"),
    }

    def translated(weights: Iterable[tuple[str, Any]]) -> Weights:
        for name, weight in weights:
            if found := layer.fullmatch(name):
                half, part = halves[found[2]]
                rest = found[3].replace(".gate_proj.", ".g_proj.") if found[2] == "self_attn" else found[3]
                yield f"backbone.layers.{2 * int(found[1]) + half}.{part}{rest}", weight
            else:
                yield name.replace("model.embed_tokens.", "backbone.embeddings."), weight

    def load_weights_by_checkpoint_names(self: Any, weights: Iterable[tuple[str, Any]], *rest: Any, **more: Any) -> Any:
        return load_weights(self, translated(weights), *rest, **more)

    return load_weights_by_checkpoint_names


def _hrm_text(load_weights: Callable[..., Any]) -> Callable[..., Any]:
    """HRM-Text's checkpoint has the four projections of attention in one weight, and two of the MLP in another."""
    of_attention = ("gate_proj", "q_proj", "k_proj", "v_proj")
    places = {f"self_attn.{part}": ("self_attn.gqkv_proj", number) for number, part in enumerate(of_attention)}
    places |= {"mlp.gate_proj": ("mlp.gate_up_proj", 0), "mlp.up_proj": ("mlp.gate_up_proj", 1)}
    single = re.compile(r"(.*\.)((?:self_attn|mlp)\.\w+)(\.weight)")

    def load_parts_of_weights(self: Any, weights: Iterable[tuple[str, Any]], *rest: Any, **more: Any) -> Any:
        parameters, loaded = dict(self.named_parameters()), set()

        def others() -> Weights:
            for name, weight in weights:
                found = single.fullmatch(name)
                if found is None or found[2] not in places:
                    yield name, weight
                    continue
                whole, number = places[found[2]]
                name = found[1] + whole + found[3]  # noqa: PLW2901 - the name that vLLM knows
                parameters[name].weight_loader(parameters[name], weight, number)
                loaded.add(name)

        known = load_weights(self, others(), *rest, **more)
        return known | loaded

    return load_parts_of_weights


def _transposing(load_weights: Callable[..., Any]) -> Callable[..., Any]:
    """A checkpoint of Qwen3-VL has the inputs of experts before their outputs."""

    def as_in_checkpoint(weights: Iterable[tuple[str, Any]], hidden: int, inner: int) -> Weights:
        # The shapes that a trainer sends. If both layouts have the same shape, nothing says which one it is.
        shapes = {"gate_up_proj": (2 * inner, hidden), "down_proj": (hidden, inner)}
        for name, weight in weights:
            fused = _FUSED.fullmatch(name)
            shape = shapes[fused[2]] if fused else None
            trained = shape is not None and shape[0] != shape[1] and tuple(weight.shape[1:]) == shape
            yield name, weight.transpose(1, 2) if trained else weight

    def load_weights_in_checkpoint_layout(
        self: Any, weights: Iterable[tuple[str, Any]], *rest: Any, **more: Any
    ) -> Any:
        config = self.config.text_config
        if hasattr(config, "moe_intermediate_size"):
            weights = as_in_checkpoint(weights, config.hidden_size, config.moe_intermediate_size)
        return load_weights(self, weights, *rest, **more)

    return load_weights_in_checkpoint_layout


def _change(
    file: str,
    model: str,
    wrapper: Callable[[Callable[..., Any]], Callable[..., Any]],
    affected: str = "loader = AutoWeightsLoader(self",
) -> Change:
    return Change(
        f"vllm.model_executor.models.{file}",
        f"{model}.load_weights",
        Wrap(f"{model}.load_weights", wrapper),
        shape=("def load_weights(self, weights: Iterable[",),
        has=(affected,),
    )


#: What the loaders have that know each expert by name. Later ones leave experts to the layer, which knows both layouts.
_BY_NAME = "param = params_dict[name]"


PATCH = Patch(
    id="vllm_trained_names",
    title="Load weights of transformers 5 into models that know the names of checkpoints only",
    package="vllm",
    process="every vLLM process",
    changes=(
        _change("mixtral", "MixtralForCausalLM", _translating(_SPARSE)),
        _change("minimax_m2", "MiniMaxM2ForCausalLM", _translating(_SPARSE)),
        _change("deepseek_v2", "DeepseekV2ForCausalLM", _translating(_Names(experts=_GATE_UP_DOWN))),
        # Before 0.21.0 the whole loader is in this class.
        _change("deepseek_v2", "DeepseekV2ForCausalLM", _translating(_Names(experts=_GATE_UP_DOWN)), _BY_NAME),
        _change("glm4_moe_lite", "Glm4MoeLiteForCausalLM", _translating(_Names(experts=_GATE_UP_DOWN))),
        _change("ernie45_moe", "Ernie4_5_MoeForCausalLM", _translating(_ERNIE)),
        _change("lfm2_moe", "Lfm2MoeForCausalLM", _translating(_Names(experts=("w1", "w3", "w2")))),
        _change("glm4_moe", "Glm4MoeModel", _translating(_Names(experts=_GATE_UP_DOWN)), _BY_NAME),
        _change("jamba", "JambaModel", _translating(_Names(experts=_GATE_UP_DOWN)), _BY_NAME),
        _change("olmoe", "OlmoeModel", _translating(_Names(experts=_GATE_UP_DOWN)), _BY_NAME),
        _change("hunyuan_v1", "HunYuanModel", _translating(_Names(experts=_GATE_UP_DOWN)), _BY_NAME),
        _change("granitemoe", "GraniteMoeModel", _granite, ".block_sparse_moe.input_linear.weight"),
        _change("granitemoehybrid", "GraniteMoeHybridForCausalLM", _granite),
        _change("gpt_neox", "GPTNeoXForCausalLM", _translating(_Names(((r"^lm_head\.", "embed_out."),)))),
        _change("qwen3_vl", "Qwen3VLForConditionalGeneration", _transposing),
        _change("gemma3_mm", "Gemma3ForConditionalGeneration", _translating(_VISION)),
        _change("gemma4_unified", "Gemma4UnifiedForConditionalGeneration", _translating(_GEMMA_4_UNIFIED)),
        _change("llava", "LlavaForConditionalGeneration", _translating(_VISION)),
        _change("llava_next", "LlavaNextForConditionalGeneration", _translating(_VISION)),
        _change("llava_onevision", "LlavaOnevisionForConditionalGeneration", _translating(_VISION)),
        _change("paligemma", "PaliGemmaForConditionalGeneration", _translating(_VISION)),
        _change("lfm2_vl", "Lfm2VLForConditionalGeneration", _translating(_VISION)),
        _change("cohere2_vision", "Cohere2VisionForConditionalGeneration", _translating(_VISION)),
        _change("aya_vision", "AyaVisionForConditionalGeneration", _translating(_VISION)),
        _change("paddleocr_vl", "PaddleOCRVLForConditionalGeneration", _translating(_PADDLE_OCR)),
        _change("dory", "DoryForCausalLM", _dory, "param = params[name]"),
        _change("hrm_text", "HrmTextForCausalLM", _hrm_text),
        _change("laguna", "LagunaForCausalLM", _translating(_LAGUNA)),
        _change("laguna", "LagunaModel", _translating(_Names(experts=_GATE_UP_DOWN)), _BY_NAME),
    ),
)
