"""What `rules scan --since` lists for real raises of bounds, beside what the release after each raise did by hand.

TRL's pull requests state what raises needed: https://github.com/huggingface/trl/pull/4117 (0.12), 5248 (0.17) and 7001
(0.28). In 5547 (0.18), 6108 (0.20), 6153 (0.23), 6406 (0.25), 6569 (0.26) and 6742 (0.27) they state that no change of
the names that TRL uses breaks it.
"""

from __future__ import annotations

import pytest
from packaging.version import Version

from tests.e2e.readme import blocks
from tests.unit.cli.command_line import vcompat
from tests.upstream.releases import cache_directory, source
from vcompat.rules.ranges import in_all
from vcompat.upstream.index import Release
from vcompat.upstream.raising.compare import GONE, SIGNATURE, Raise, compared
from vcompat.upstream.scanning.release_uses import read_users

pytestmark = pytest.mark.slow

_NCCL = "vllm.distributed.weight_transfer.nccl_engine.NCCL"
#: TRL before and after the raise; vLLM's old and new bound; what is listed as gone, and whether it fails; which of it
#: the next release of TRL no longer uses.
RAISES = [
    (
        "0.25.1 0.26.0", "0.10.2 0.11.2",
        {
            "passes vllm.sampling_params.GuidedDecodingParams(backend=)": False,
            "imports vllm.utils.get_open_port": False,
        },
        # Both work with 0.11.2: TRL 0.27.0 replaced the first, TRL 0.28.0 the second.
        set(),
    ),
    (
        "0.26.2 0.27.0", "0.11.2 0.12.0",
        {
            "imports vllm.sampling_params.GuidedDecodingParams": True,
            "passes vllm.SamplingParams(guided_decoding=)": True,
        },
        {"imports vllm.sampling_params.GuidedDecodingParams", "passes vllm.SamplingParams(guided_decoding=)"},
    ),
    (
        "0.29.1 1.0.0", "0.12.0 0.17.1",
        {"passes vllm.SamplingParams(truncate_prompt_tokens=)": True},
        {"passes vllm.SamplingParams(truncate_prompt_tokens=)"},
    ),
    ("1.1.0 1.2.0", "0.17.1 0.18.0", {}, set()),
    ("1.5.1 1.6.0", "0.18.0 0.19.0", {}, set()),
    ("1.6.0 1.7.0", "0.19.0 0.23.0", {}, set()),
    ("1.8.0 1.9.0", "0.23.0 0.25.1", {}, set()),
    ("1.9.2 1.10.0", "0.25.1 0.26.0", {}, set()),
    ("1.10.0 1.11.0", "0.26.0 0.27.1", {}, set()),
    (
        "1.12.0 1.13.0", "0.27.1 0.28.0",
        {
            f"calls {_NCCL}WeightTransferEngine.trainer_init": True,
            f"calls {_NCCL}WeightTransferEngine.trainer_send_weights": True,
            f"imports {_NCCL}TrainerSendWeightsArgs": True,
        },
        {f"imports {_NCCL}TrainerSendWeightsArgs"},
    ),
    ("1.13.0 1.14.0", "0.28.0 0.30.0", {}, set()),
    ("1.14.2 1.15.0", "0.30.0 0.31.0", {}, set()),
]  # fmt: skip

#: What TRL's releases after a raise no longer use although the raise does not require it: arguments of what is gone,
#: patches of earlier vLLM releases, and from 1.11.0 on its own server.
OTHER_REASONS = {
    "0.27.0": {
        "imports vllm.model_executor.model_loader.weight_utils",
        "imports vllm.transformers_utils.tokenizer",
        "passes vllm.sampling_params.GuidedDecodingParams(backend=)",
        "passes vllm.sampling_params.GuidedDecodingParams(regex=)",
    },
    "1.0.0": {"passes vllm.sampling_params.StructuredOutputsParams(backend=)"},
    "1.7.0": {"passes vllm.SamplingParams(seed=)"},
    "1.11.0": {
        "calls vllm.LLM.collective_rpc",
        "imports vllm.distributed.device_communicators.pynccl.PyNcclCommunicator",
        "imports vllm.distributed.parallel_state.get_world_group",
        "imports vllm.distributed.utils.StatelessProcessGroup",
        "passes vllm.LLM(dtype=)",
        "passes vllm.LLM(enable_prefix_caching=)",
        "passes vllm.LLM(enforce_eager=)",
        "passes vllm.LLM(kv_cache_dtype=)",
        "passes vllm.LLM(revision=)",
        "passes vllm.LLM(speculative_config=)",
        "passes vllm.LLM(worker_extension_cls=)",
        "passes vllm.LLM.collective_rpc(method=)",
    },
    "1.13.0": {
        f"imports {_NCCL}WeightTransferEngine",
        f"passes {_NCCL}TrainerSendWeightsArgs(group=)",
        f"passes {_NCCL}TrainerSendWeightsArgs(packed=)",
        f"reads {_NCCL}WeightTransferEngine.trainer_init().group",
    },
}


def release(package: str, version: str) -> Release:
    source(package, version).close()
    return Release(package, Version(version), "", "", "", False)


def raised(user: str, package: str, versions: str, monkeypatch: pytest.MonkeyPatch) -> Raise:
    monkeypatch.setenv("VCOMPAT_CACHE", str(cache_directory()))
    before, after = (release(package, version) for version in versions.split())
    return compared(release("trl", user), before, after)


def uses(user: str, after: str) -> set[str]:
    """Return what a release of TRL uses of vLLM where it runs with a release of it."""
    found = read_users(([release("trl", user)], ["vllm"]))[0].of["vllm"].places
    return {str(use) for use in found if in_all(use.guards, Version(after))}


@pytest.mark.parametrize(("users", "versions", "gone", "dropped"), RAISES, ids=[row[1] for row in RAISES])
def test_what_is_gone_in_a_raise_is_what_trl_changed_by_hand(
    users: str, versions: str, gone: dict[str, bool], dropped: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before, after = users.split()
    found = raised(before, "vllm", versions, monkeypatch)
    assert {change.what: change.fails for change in found.changes if change.kind == GONE} == gone
    assert not [change for change in found.changes if change.kind == SIGNATURE and change.fails]
    newest = versions.split()[1]
    assert uses(before, newest) - uses(after, newest) == dropped | OTHER_REASONS.get(after, set())


def test_overrides_that_a_release_of_transformers_calls_with_more_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    found = raised("0.11.4", "transformers", "4.45.2 4.46.0", monkeypatch)
    # TRL 0.12.0 gave each of them the argument num_items_in_batch.
    assert {change.what for change in found.changes if change.fails} == {
        "transformers.Trainer.compute_loss",
        "transformers.Trainer.training_step",
    }


def test_a_table_that_transformers_5_lacks_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    found = raised("0.22.2", "transformers", "4.57.6 5.0.0", monkeypatch)
    assert [change.what for change in found.changes if change.fails] == [
        "imports transformers.models.auto.modeling_auto.MODEL_FOR_VISION_2_SEQ_MAPPING_NAMES"
    ]


def test_the_readme_shows_what_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    raised("1.12.0", "vllm", "0.27.1 0.28.0", monkeypatch)
    (shown,) = [block for block in blocks("text") if "--since" in block]
    command, _, output = shown.partition("\n")
    answer = vcompat(*command.removeprefix("$ vcompat ").split(), COLUMNS="80", VCOMPAT_CACHE=str(cache_directory()))
    assert (answer.stdout, answer.code) == (output, 1)
