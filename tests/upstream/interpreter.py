"""An interpreter with a release of vLLM and of Triton, and the other packages of this environment."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

from packaging.version import Version

from tests.upstream.releases import in_store
from vcompat.kernels import environments

_OTHERS = ("vllm", "triton", "_vllm", "__editable__", "vcompat", "_virtualenv", "distutils-precedence")


def with_packages(folder: Path, vllm: str, triton: str) -> Path:
    """Return an interpreter below `folder`. vLLM is the source of the release, as an installation has it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.lower().startswith(_OTHERS) and entry.suffix != ".pth":
            (site / entry.name).symlink_to(entry)
    if triton:
        for entry in environments.triton(triton).iterdir():
            if entry.name.startswith("triton"):
                (site / entry.name).symlink_to(entry)
    store = in_store(Version(vllm))
    with zipfile.ZipFile(store.folder / f"vllm-{vllm}.zip") as archive:
        archive.extractall(site, [name for name in archive.namelist() if name.startswith("vllm/")])
    metadata = site / f"vllm-{vllm}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {vllm}\n")
    return folder / "bin" / "python"
