"""What the guard of each change says of the real code of releases, at both ends of the range that the change is for."""

from __future__ import annotations

import pytest
from packaging.version import Version

from tests.upstream.survey import edges, reader
from vcompat.patches import load_patches
from vcompat.patching.guard import APPLY, inspect_source
from vcompat.patching.patch import Change
from vcompat.ranges import parse_range

#: For each patch, the releases that each of its changes is for, in their order.
RANGES = {
    "deepspeed_modules_to_save": [">=0.16.5,<=0.19.2"],
    "transformers_synced_generate_positions": [">=4.46.0"],
    "trl_fresh_weights_after_sleep": [
        ">=0.28.0,<=1.9.2",
        ">=0.29.0,<=1.9.2",
        "==0.28.0",
        ">=0.25.0,<=0.27.2",
        ">=0.25.0,<=0.27.2",
        ">=0.28.0",
    ],
    "trl_launch_variables": [">=0.18.0,<=0.19.1"],
    "vllm_attention_before_ampere": ["<=0.7.3", ">=0.8.0,<=0.10.1.1", "==0.10.2"],
    "vllm_cpu_weight_sync": [">=0.10.2"],
    "vllm_external_launcher_seed": [">=0.8.0,<=0.8.5.post1", ">=0.9.0"],
    "vllm_in_process_device": [">=0.7.0,<=0.7.2", "<=0.6.6.post1", "<=0.15.2", "<=0.15.2"],
    "vllm_keep_buffers_on_partial_wake": [">=0.8.5,<=0.26.0", ">=0.8.5,<=0.10.2"],
    "vllm_real_pynvml": ["==0.7.2"],
    "vllm_release_memory_pools_at_exit": [">=0.7.0,<=0.24.0", ">=0.7.0,<=0.10.1.1"],
    "vllm_restore_sleep_buffers": [">=0.7.0,<=0.8.4"] * 4,
}


def verdict(change: Change, version: Version) -> str:
    """What the guard says, or that the release has no such module."""
    package = change.module.partition(".")[0]
    read = reader(package, version)
    stem = ("src/" if package == "transformers" else "") + change.module.replace(".", "/")
    source = read(f"{stem}.py") or read(f"{stem}/__init__.py")
    return "no such module" if source is None else inspect_source(change, source).word


@pytest.mark.parametrize(
    ("change", "range_"),
    [
        pytest.param(change, range_, id=f"{patch.id}-{number}")
        for patch in load_patches()
        for number, (change, range_) in enumerate(zip(patch.changes, RANGES[patch.id], strict=True))
    ],
)
def test_the_guard_lets_the_change_be_made_in_its_releases_and_in_no_other(change: Change, range_: str) -> None:
    package = change.module.partition(".")[0]
    inside = parse_range(range_).contains
    verdicts = {str(version): verdict(change, version) for version in edges(package, inside)}
    applied = {version for version, word in verdicts.items() if word == APPLY}
    assert applied == {version for version in verdicts if inside(Version(version))}
    assert "refuse" not in verdicts.values(), "released code that the guard does not know"
