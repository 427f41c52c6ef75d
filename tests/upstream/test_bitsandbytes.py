"""Which library bitsandbytes loads: its own choice in real releases, for the libraries of their wheels."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from packaging.version import Version

from tests.upstream.releases import source
from vcompat.facts.builds.bitsandbytes import OVERRIDE, VERSIONS
from vcompat.facts.derive import derive
from vcompat.facts.facts import Facts

#: CUDA versions of torch builds, and some that no torch is built for.
TORCH = ("11.7", "11.8", "12.0", "12.1", "12.4", "12.6", "12.7", "12.8", "12.9", "13.0", "13.1", "13.2", "14.0")


def choose(release: str, package: Path, torch: Version) -> str:
    """Return the name of the library that the release's own function chooses in `package`, a folder of libraries."""
    text = source("bitsandbytes", release).read("bitsandbytes/cextension.py") or ""
    tree = ast.parse(text)
    tree.body = [one for one in tree.body if (isinstance(one, ast.FunctionDef) and "lib" in one.name) or _splits(one)]
    cuda = {"cuda_version_string": f"{torch.major}{torch.minor}", "cuda_version_tuple": (torch.major, torch.minor)}
    scope: dict[str, Any] = {
        **{"os": os, "re": re, "Path": Path, "PACKAGE_DIR": package, "DYNAMIC_LIBRARY_SUFFIX": ".so"},
        **{"CUDASpecs": object, "BNBNativeLibrary": object, "logger": SimpleNamespace(warning=lambda _: None)},
        "torch": SimpleNamespace(version=SimpleNamespace(hip=None)),
    }
    exec(compile(tree, release, "exec"), scope)
    return str(scope["get_cuda_bnb_library_path"](SimpleNamespace(**cuda, has_cublaslt=True)).name)


def _splits(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and node.name == "_split_cuda_version"


@pytest.mark.parametrize("release", ["0.43.1", "0.45.3", "0.46.1", "0.49.2", "0.50.0", "0.50.2"])
def test_the_library_is_the_one_that_the_release_chooses(
    release: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BNB_CUDA_VERSION", raising=False)
    facts = Facts()
    facts.set("packages.bitsandbytes", Version(release), "test")
    facts.set(OVERRIDE, None, "test")
    versions = derive(facts).value(VERSIONS)
    assert isinstance(versions, tuple) and len(versions) > 5
    for version in versions:
        (tmp_path / f"libbitsandbytes_cuda{str(version).replace('.', '')}.so").touch()
    stated, chosen = {}, {}
    for torch in TORCH:
        facts.set("torch.cuda", Version(torch), "test")
        library = derive(facts).value("bitsandbytes.cuda", "unknown")
        stated[torch] = f"libbitsandbytes_cuda{str(library).replace('.', '')}.so" if library else None
        name = choose(release, tmp_path, Version(torch))
        chosen[torch] = name if (tmp_path / name).exists() else None
    assert stated == chosen
