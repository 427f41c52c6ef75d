"""The wheels that vLLM's release pipeline builds, read from source distributions, and their record."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.version import Version

from tests.unit.upstream.index_server import File, serve
from vcompat.facts.builds.cuda_builds import FILE, load_builds
from vcompat.foundation.errors import InputError
from vcompat.upstream.index import releases_of
from vcompat.upstream.store import Unavailable
from vcompat.upstream.wheels.pipeline import builds_of, save_builds

unearth = pytest.importorskip("unearth", reason="the index client is an extra")

WHEEL = "docker build --build-arg CUDA_VERSION={} --tag image --target build --progress plain ."
PIPELINE = f"""
env: {{"ARCHITECTURES": "8.0 9.0"}}
steps:
  - block: "Build?"
  - label: "a wheel"
    agents: {{queue: cpu_queue_release}}
    commands: ["{WHEEL.format("12.9.1")}", "bash upload.sh"]
  - group: "more wheels"
    steps:
      - agents: {{queue: arm64_cpu_queue_release}}
        commands: ["{WHEEL.format("13.0.2")}"]
      - agents: {{queue: cpu_queue_release}}
        commands: ["{WHEEL.format("13.0.2")}"]
      - agents: {{queue: cpu_queue_release}}
        commands: ["docker build --target build --tag for-the-cpu ."]
      - commands: ["docker build --build-arg CUDA_VERSION=12.6.3 --target vllm-openai --tag an-image ."]
"""
BUILT = {"aarch64": (Version("13.0"),), "x86_64": (Version("12.9"), Version("13.0"))}


def source(name: str, pipeline: str = "") -> File:
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as archive:
        for path, text in (("setup.py", "setup()"), (".buildkite/release-pipeline.yaml", pipeline)):
            if text:
                member = tarfile.TarInfo(f"{name}/{path}")
                member.size = len(text)
                archive.addfile(member, io.BytesIO(text.encode()))
    return File(f"{name}.tar.gz", written.getvalue())


FILES = [
    source("vllm-0.6.1", PIPELINE),
    source("vllm-0.20.0", PIPELINE),
    source("vllm-0.20.1"),
    source("vllm-0.20.2", "steps: [unclosed"),
    File("vllm-0.20.3-cp38-abi3-manylinux1_x86_64.whl", b""),
]


@pytest.fixture(scope="module")
def client() -> Iterator[object]:
    with serve({"vllm": FILES}) as address:
        yield unearth.PackageFinder(index_urls=[address], ignore_compatibility=True)


def built(client: object, version: str) -> dict[str, tuple[Version, ...]]:
    release = next(one for one in releases_of("vllm", client) if one.version == Version(version))
    return builds_of(release, client)


def test_the_steps_that_compile_wheels_for_cuda_state_the_versions(client: object) -> None:
    assert built(client, "0.20.0") == BUILT


@pytest.mark.parametrize("version", ["0.6.1", "0.20.1", "0.20.3"])
def test_older_releases_and_those_without_a_pipeline_have_no_builds(client: object, version: str) -> None:
    assert built(client, version) == {}


def test_a_malformed_pipeline_is_unavailable_with_the_release(client: object) -> None:
    with pytest.raises(Unavailable, match=r"vllm 0\.20\.2: the release pipeline cannot be read"):
        built(client, "0.20.2")


def test_the_record_has_a_line_for_consecutive_releases_with_the_same_builds(tmp_path: Path) -> None:
    one, two = (Version("12.9"),), (Version("12.9"), Version("13.0"))
    builds = {"x86_64": {Version("0.9.0"): one, Version("0.10.0"): one, Version("0.11.0"): two}}
    assert save_builds(builds, tmp_path) == [tmp_path / FILE]
    assert '["0.9.0 0.10.0", "12.9"],' in (tmp_path / FILE).read_text()
    assert save_builds(builds, tmp_path) == []


def test_new_releases_are_added_to_those_of_the_record(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"builds": {"x86_64": [["0.9.0", "12.9"]], "aarch64": []}}')
    assert load_builds(tmp_path) == {"x86_64": {Version("0.9.0"): (Version("12.9"),)}, "aarch64": {}}
    save_builds({"x86_64": {Version("0.10.0"): (Version("12.9"),)}}, tmp_path)
    assert '["0.9.0 0.10.0", "12.9"]' in (tmp_path / FILE).read_text()


def test_a_malformed_record_is_reported_with_its_place(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"builds": {"x86_64": [["no version", "12.9"]]}}')
    with pytest.raises(InputError, match=r"vllm_builds\.json: cannot be read: Invalid version"):
        load_builds(tmp_path)
