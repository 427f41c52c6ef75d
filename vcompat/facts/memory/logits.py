"""Memory of the logits: what TRL's GRPO loss takes for them at one time, by release.

The logits have batch x length x vocabulary numbers, often more memory than anything else of a step. How many copies of
them exist at one time depends on the release, as `COPIES` states it. `tests/upstream/test_logits_memory.py` compares
this with real GRPOTrainers on the CPU, `bench/memory.py` prints the comparison.

It is the memory for completions that are as long as they may be, without activations and rounding. Of a release whose
loss runs in Triton kernels (1.14 and later), it follows from the kernels' source.
"""

from __future__ import annotations

from typing import NamedTuple

from packaging.version import Version

from vcompat.facts.facts import Facts, number
from vcompat.facts.memory.data_types import trainer_dtype
from vcompat.facts.memory.trainer_memory import BYTES

#: What the division by the temperature does to the logits.
KEPT, COPIED, IN_PLACE = "kept", "copied", "in place"
#: How many tokens the entropy is computed for at a time: all of one completion, or 128.
NO_ENTROPY, BY_COMPLETION, BY_128 = 0, -1, 128
#: Temporary copies of the tokens that the entropy is computed for: log-probabilities, probabilities, their product.
_OF_ENTROPY = 3


#: The first release of TRL whose GRPO loss is Liger's with `use_liger_kernel`.
_ONE_LIGER = Version("0.25.0")


class Way(NamedTuple):
    """How releases compute log-probabilities and entropies from logits."""

    division: str
    """One of KEPT, COPIED, IN_PLACE."""
    holds_output: bool = False
    """Whether the model's output lives as long as its scaled copy."""
    entropy: int = NO_ENTROPY
    """Tokens whose entropy is computed at a time."""
    has_kernel: bool = False
    """Whether a Triton kernel computes both from the logits."""
    tile: int = 0
    """Tokens whose logits exist at a time; 0 if all do."""
    columns: int = 0
    """Tokens of the vocabulary for which the logits in a tile are computed at a time."""


#: By the first release. From 1.15 on, no release has all logits of a batch at one time.
COPIES: tuple[tuple[str, Way], ...] = (
    ("0.15.0", Way(KEPT)),
    ("0.16.0", Way(COPIED)),
    ("0.20.0", Way(COPIED, entropy=BY_COMPLETION)),
    ("0.23.0", Way(COPIED, entropy=BY_128)),
    ("1.0.0", Way(IN_PLACE, entropy=BY_128)),
    ("1.10.0", Way(COPIED, holds_output=True, entropy=BY_128)),
    ("1.14.0", Way(KEPT, has_kernel=True)),
    ("1.15.0", Way(KEPT, has_kernel=True, tile=4096, columns=32768)),
)
#: With Liger: no release has the logits of more than one completion, from 1.14 on of a tile.
WITH_LIGER: tuple[tuple[str, Way], ...] = (
    ("0.17.0", Way(KEPT, tile=-1)),
    ("1.14.0", Way(KEPT, tile=2048, columns=8192)),
    ("1.15.0", Way(KEPT, has_kernel=True, tile=4096, columns=32768)),
)


class Batch(NamedTuple):
    """The logits of one forward pass."""

    completions: int
    length: int
    """Tokens of the longest completion."""
    vocabulary: int
    width: int
    """Bytes per number: 4 or 2."""

    @property
    def size(self) -> float:
        """Bytes of one copy."""
        return float(self.completions * self.length * self.vocabulary * self.width)


def way_of(trl: Version, liger: bool = False) -> Way | None:
    """Return how a release computes log-probabilities; None if that is not known."""
    table = WITH_LIGER if liger else COPIES
    if trl.is_devrelease and any(trl.release == Version(first).release for first, _ in table):
        return None
    return next((way for first, way in reversed(table) if trl >= Version(first)), None)


def logits_bytes(way: Way, batch: Batch) -> float:
    """Return the most bytes that the logits of a loss and their gradients take at one time."""
    if way.tile:
        tokens = batch.completions * batch.length
        tokens = batch.length if way.tile < 0 else min(tokens, way.tile)
        return float(tokens * (way.columns or batch.vocabulary) * batch.width)
    return batch.size * max(_forward(way, batch), _backward(way, batch))


def _forward(way: Way, batch: Batch) -> float:
    """Return the most copies in the forward pass."""
    if way.has_kernel:
        return 1
    copies = 1.0 + (way.division == COPIED and way.holds_output)
    # Logarithms of 16-bit probabilities are kept for the backward pass; those of float32 are computed again.
    copies += batch.width == 2
    if way.entropy:
        whole = batch.completions * batch.length
        at_once = batch.length if way.entropy == BY_COMPLETION else min(way.entropy, whole)
        # Logits without their last token, of several completions, are copied to split them.
        copies += way.division == IN_PLACE and batch.completions > 1
        copies += _OF_ENTROPY * at_once / whole
    return max(copies, 2 if way.division == COPIED else 1)


def _backward(way: Way, batch: Batch) -> float:
    """Return the most copies in the backward pass: gradients of each completion, together, and of all logits."""
    if way.has_kernel:
        return 2
    if way.division == IN_PLACE:
        return 4
    if batch.width == 2:
        # On the CPU, scatter_add_ takes a float32 copy of one completion, too.
        return max(2, 1 + 2 / batch.completions)
    return max(3, 2 + 2 / batch.completions)


def estimated_logits(facts: Facts, is_zero: bool) -> tuple[float, str] | None:
    """Return the bytes that the logits of a run's loss take and what they follow from; None if that is not known.

    `is_zero` is whether DeepSpeed trains. What is not known counts as the smaller of its values.
    """
    trl, width = facts.value("packages.trl"), _width(facts, is_zero)
    sizes = [number(facts, f"plan.{name}") for name in _SIZES]
    if not isinstance(trl, Version) or facts.value("plan.configuration", "GRPOConfig") != "GRPOConfig":
        return None
    if width is None or not all(sizes):
        return None
    liger = _uses_liger(facts, trl)
    way = way_of(trl, liger)
    if way is None:
        return None
    completions, length, vocabulary = (int(each or 0) for each in sizes)
    batch = Batch(completions, length, vocabulary, width)
    source = f"{completions} completions x {length} tokens x {vocabulary} words x {width} bytes"
    size = logits_bytes(way, batch)
    if way.tile:
        return size, f"TRL {trl} computes them in parts{' with Liger' if liger else ''}: of {source}"
    return size, f"TRL {trl}: {size / batch.size:.3g} x {source}"


_SIZES = ("per_device_train_batch_size", "max_completion_length", "vocabulary_size")


def _uses_liger(facts: Facts, trl: Version) -> bool:
    """Whether Liger computes the loss, or might. Before 0.25, the setting of transformers does not reach the loss."""
    names = ["plan.use_liger_loss"] if trl < _ONE_LIGER else ["plan.use_liger_loss", "plan.use_liger_kernel"]
    return any(facts.value(name) is True or facts.is_open(name) for name in names)


def _width(facts: Facts, is_zero: bool) -> int | None:
    """Return the bytes per number of the logits.

    accelerate converts what a model returns in mixed precision to float32, except under DeepSpeed.
    """
    mixed = any(facts.value(f"plan.{name}") is True for name in ("bf16", "fp16"))
    mixed = mixed or facts.value("plan.mixed_precision") in ("bf16", "fp16")
    if is_zero:
        return 2
    if mixed:
        return 4
    dtype, _ = trainer_dtype(facts)
    return min(4, BYTES.get(dtype or "", 2))
