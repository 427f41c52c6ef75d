"""The canary: are the probabilities that vLLM reports for its tokens those of the trainer's weights as they are now?

Before a generation the trained weights are moved. After it, the trainer computes the probabilities of the same tokens
twice: with the moved weights and with the restored ones. vLLM's must be near the former. The latter show how far apart
the two are, so the comparison needs no knowledge of the model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from vcompat.rehearsal.inside.moving import Moved
from vcompat.rehearsal.inside.process_state import Session
from vcompat.rehearsal.inside.sharding import computes_in, do_all, shard_again, why_not_sharded

if TYPE_CHECKING:
    from torch import Tensor

#: What a generation states about images; then the trainer's function needs more than tokens.
_IMAGES = ("pixel_values", "image_grid_thw", "num_images")
#: Arguments of vLLM's sampling that leave the probabilities of tokens as they are.
_HARMLESS = frozenset(("ignore_eos", "max_tokens", "seed", "skip_special_tokens", "stop", "stop_token_ids"))
#: Settings of TRL that restrict tokens to a regular expression.
_REGULAR = ("vllm_structured_outputs_regex", "vllm_guided_decoding_regex")


def why_not(trainer: Any) -> str:
    """Return why the trainer's weights cannot be moved in place; empty if they can."""
    if not getattr(trainer, "use_vllm", False):
        return "use_vllm is off"
    if not hasattr(trainer, "_generate_and_score_completions"):
        return "this release of TRL generates in another way"
    if getattr(trainer, "rollout_func", None) is not None:
        return "rollout_func generates, and its probabilities may be others"
    if others := sorted(set(getattr(trainer.args, "generation_kwargs", None) or ()) - _HARMLESS):
        return f"generation_kwargs changes probabilities: {', '.join(others)}"
    if any(getattr(trainer.args, name, None) for name in _REGULAR):
        return "structured outputs change probabilities"
    return why_not_sharded(trainer)


def trained(trainer: Any) -> dict[str, Tensor]:
    """Return the trained parameters by name."""
    return {name: parameter for name, parameter in trainer.model.named_parameters() if parameter.requires_grad}


def generate_moved(
    trainer: Any, generate: Callable[[], dict[str, Any]], tell: Callable[..., None], session: Session
) -> dict[str, Any]:
    """Call `generate`, the trainer's own, with moved weights. `tell` gets the comparison."""
    import torch

    step = int(trainer.state.global_step)
    own = noisy = None
    shard_again(trainer.model)
    with torch.no_grad():
        # Generations within one step get the same weights, since TRL synchronizes once per step.
        moved = Moved(trained(trainer), seed=step + 1)
    try:
        output = generate()
        own = _own(trainer, output, session.problem)
        if own is not None and (rounding := _rounding(trainer, session.dtype)):
            noisy = _rounded(trainer, output, rounding, session.problem)
    finally:
        shard_again(trainer.model)
        with torch.no_grad():
            is_exact = moved.restore()
    restored = None if own is None else _own(trainer, output, session.problem)
    if own is not None and restored is not None:
        mode = "train" if trainer.model.training else "eval"
        tell(step=step, mode=mode, exact=is_exact, **_compared(output, own, restored, noisy))
    return output


def _rounding(trainer: Any, engine: str) -> str:
    """The type with the fewest bits of the mantissa in which trainer or engine compute; empty if that is float32.

    `engine` is empty for a server, whose type is not known.
    """
    if not engine:
        return "bfloat16"
    types = {engine, *(str(one.dtype).removeprefix("torch.") for one in trainer.model.parameters())}
    types |= computes_in(trainer)
    return next((name for name in ("bfloat16", "float16") if name in types), "")


def _rounded(trainer: Any, output: dict[str, Any], rounding: str, problem: Callable[[str], None]) -> Tensor | None:
    """The trainer's own logarithmic probabilities if the last bit of each weight, trained or not, were another."""
    import torch

    shard_again(trainer.model)
    with torch.no_grad():
        moved = Moved(dict(trainer.model.named_parameters()), seed=0, rounding=rounding)
    try:
        return _own(trainer, output, problem)
    finally:
        shard_again(trainer.model)
        with torch.no_grad():
            moved.restore()


def _own(trainer: Any, output: dict[str, Any], problem: Callable[[str], None]) -> Tensor | None:
    """The trainer's own logarithmic probabilities of the completions; None if they do not compare with vLLM's.

    Where a forward needs all ranks, all of them compute, or none does.
    """
    reason = _why_not_comparable(output)
    if not do_all(trainer, not reason):
        problem(reason or "another rank cannot compare the probabilities")
        return None
    values, reason = None, ""
    try:
        values = _computed(trainer, output)
    except Exception as error:
        reason = f"the trainer's own probabilities cannot be computed: {type(error).__name__}: {error}"
    if not do_all(trainer, values is not None):
        problem(reason or "another rank cannot compute the probabilities")
        return None
    return values


def _why_not_comparable(output: dict[str, Any]) -> str:
    if output.get("sampling_per_token_logps") is None:
        return "this release of TRL does not keep the probabilities that vLLM reports"
    if any(output.get(name) is not None for name in _IMAGES):
        return "prompts with images are not compared yet"
    return ""


def _computed(trainer: Any, output: dict[str, Any]) -> Tensor:
    """The same without dropout, by the trainer's own function. Raises what that raises."""
    import torch

    ids = torch.cat([output["prompt_ids"], output["completion_ids"]], dim=1)
    mask = torch.cat([output["prompt_mask"], output["completion_mask"]], dim=1)
    keep = output["completion_ids"].shape[1]
    size = int(trainer.args.per_device_train_batch_size)
    with torch.no_grad(), _without_dropout(trainer.model):
        result = trainer._get_per_token_logps_and_entropies(trainer.model, ids, mask, keep, batch_size=size)
    values = result[0] if isinstance(result, tuple) else result["logps"] if isinstance(result, dict) else result
    return values.float()  # type: ignore[no-any-return, union-attr, unused-ignore]


@contextmanager
def _without_dropout(model: Any) -> Iterator[None]:
    training = [module for module in model.modules() if module.training]
    model.eval()
    try:
        yield
    finally:
        for module in training:
            module.training = True


def _compared(output: dict[str, Any], moved: Tensor, restored: Tensor, noisy: Tensor | None) -> dict[str, Any]:
    """The mean distances between vLLM's, the moved weights' and the restored weights' logarithmic probabilities.

    And that between the moved weights' and those of the same weights with other last bits.
    """
    import torch

    theirs = output["sampling_per_token_logps"].float()
    mask = output["completion_mask"].bool()
    if output.get("tool_mask") is not None:
        mask = mask & output["tool_mask"].bool()
    mask = mask & torch.isfinite(moved) & torch.isfinite(restored)
    # Of a token that it sampled, a sound engine reports a finite number.
    without = int((mask & ~torch.isfinite(theirs)).sum())
    mask = mask & torch.isfinite(theirs)
    count = int(mask.sum())

    def distance(one: Tensor, other: Tensor) -> float:
        return float((one - other).abs()[mask].double().mean()) if count else 0.0

    return {
        "tokens": count,
        "to_moved": distance(theirs, moved),
        "to_restored": distance(theirs, restored),
        "moved": distance(moved, restored),
        "noise": 0.0 if noisy is None else distance(moved, noisy),
        **_slope((theirs - restored)[mask].double(), (moved - restored)[mask].double()),
        "not_finite": without,
    }


def _slope(theirs: Tensor, moved: Tensor) -> dict[str, float]:
    """By how much vLLM's probabilities follow the move, and the standard error if what remains is noise.

    The slope is 1 if they follow and 0 if they do not, whatever the noise.
    """
    squares = float((moved**2).sum())
    if not squares:
        return {"slope": 0.0, "error": 1.0}
    rest = float(((theirs - moved) ** 2).mean())
    return {"slope": float((theirs * moved).sum()) / squares, "error": math.sqrt(rest / squares)}
