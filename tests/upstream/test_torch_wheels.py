"""How the torch wheels on the package index are built, read from the wheels on the index."""

from __future__ import annotations

import pytest
from packaging.version import Version

from tests.upstream.survey import record
from vcompat.upstream.index import releases_of
from vcompat.upstream.inspection import judge
from vcompat.upstream.settings.setting_records import recorded_tables
from vcompat.upstream.settings.side_effects import Foreign
from vcompat.upstream.settings.verify_settings import disagreements
from vcompat.upstream.store import Store
from vcompat.upstream.wheels.torch_wheel import ARCHITECTURES, CUDA, TORCH, build_of


@pytest.mark.parametrize("version", ["2.7.1", "2.8.0", "2.11.0", "2.15.0"])
def test_the_recorded_builds_match_the_wheels(version: str) -> None:
    release = next(release for release in releases_of(TORCH) if release.version == Version(version))
    declares = record(TORCH).declares
    recorded = (ARCHITECTURES, CUDA, "nccl", "triton")
    assert build_of(release) == {name: declares[name][Version(version)] for name in recorded}


@pytest.mark.parametrize("version", ["2.0.0", "2.8.0", "2.15.0"])
def test_the_recorded_options_of_torchrun_match_the_wheels(version: str) -> None:
    release = next(release for release in releases_of(TORCH) if release.version == Version(version))
    found = {release.version: judge(release, Store(), [], Foreign({}, {})).settings}
    assert len(found[release.version]["torchrun"]["fields"]) > 18
    assert list(disagreements(TORCH, found, recorded_tables(TORCH))) == []
