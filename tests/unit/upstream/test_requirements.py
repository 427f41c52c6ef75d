"""What a release declares, in each place where releases state it."""

from __future__ import annotations

import pytest
from packaging.version import Version

from vcompat.upstream.requirements import declared

METADATA = """\
Metadata-Version: 2.1
Name: trl
Requires-Python: >=3.9, <4
Requires-Dist: transformers>=4.46.0
Requires-Dist: accelerate; python_version < "3.0"
Requires-Dist: vllm<0.12,>=0.10.2; extra == "vllm"
Requires-Dist: vllm>=0.5; extra == "dev"
Requires-Dist: torch!=2.6; sys_platform == "win32"
Requires-Dist: numpy
Requires-Dist: not a requirement at all

Text.
"""
DECLARED = {"transformers": ">=4.46.0", "vllm": ">=0.10.2,<0.12", "python": ">=3.9,<4"}
LISTED = """
accelerate
transformers>=4.46.0

[:python_version < "3.0"]
torch

[vllm:sys_platform == "linux"]
vllm<0.12,>=0.10.2

[dev]
vllm>=0.5
"""


@pytest.mark.parametrize("path", ["PKG-INFO", "trl-1.0.dist-info/METADATA"])
def test_metadata_is_read_for_linux_and_the_extra_named_like_the_package(path: str) -> None:
    assert declared("trl", Version("1.0"), {path: METADATA}.get) == DECLARED


@pytest.mark.parametrize("path", ["trl.egg-info/requires.txt", "src/trl.egg-info/requires.txt"])
def test_requirements_of_older_releases_are_read_from_requires_txt(path: str) -> None:
    files = {path: LISTED, "PKG-INFO": "Name: trl\n"}
    assert declared("trl", Version("1.0"), files.get) == {
        "accelerate": "",
        "transformers": ">=4.46.0",
        "vllm": ">=0.10.2,<0.12",
    }


def test_a_release_without_metadata_declares_nothing() -> None:
    assert declared("trl", Version("1.0"), {}.get) == {}


def test_a_library_is_recorded_under_the_name_of_its_fact() -> None:
    text = "Name: torch\nRequires-Dist: nvidia-nccl-cu13==2.29.7\nRequires-Dist: flashinfer_python==0.6.1\n"
    assert declared("torch", Version("2.13.0"), {"PKG-INFO": text}.get) == {"nccl": "==2.29.7", "flashinfer": "==0.6.1"}


def test_libraries_that_rules_compare_are_read_whether_named_with_a_dash_or_an_underscore() -> None:
    text = "Name: transformers\nRequires-Dist: huggingface_hub<1.0,>=0.34.0\nRequires-Dist: tokenizers==0.22.1\n"
    found = declared("transformers", Version("4.57.0"), {"PKG-INFO": text}.get)
    assert found == {"huggingface-hub": ">=0.34.0,<1.0", "tokenizers": "==0.22.1"}
