"""Where a distribution is installed from, and what that says about its build: CUDA, ROCm or CPU.

The public package index has one build per release. Other indexes, conda channels and files have others. Their names
often say which: ``https://download.pytorch.org/whl/cu118``, ``py3.11_cuda12.4_cudnn9.1.0_0``.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

CPU, CUDA, ROCM, XPU = "cpu", "cuda", "rocm", "xpu"

#: The public package index, and complete mirrors of it.
_PUBLIC_HOSTS = frozenset(
    "pypi.org pypi.python.org files.pythonhosted.org pypi.tuna.tsinghua.edu.cn mirrors.tuna.tsinghua.edu.cn "
    "mirrors.aliyun.com mirrors.cloud.tencent.com mirrors.ustc.edu.cn pypi.mirrors.ustc.edu.cn "
    "repo.huaweicloud.com".split()
)
PYTORCH_HOSTS = frozenset(("download.pytorch.org", "download-r2.pytorch.org"))
_INDEX_PART = re.compile(r"/(cu\d{2,3}|cpu|xpu|rocm[\d.]*)(?=/|$)")
_CONDA_CUDA = re.compile(r"(?:^|_)(?:gpu_)?cuda_?(?:(\d+)\.(\d+)|(\d{2})(\d))(?=$|_|py)")


class Origin(NamedTuple):
    """The source of one distribution."""

    where: str = ""
    """The index, the file or the conda build, for messages; empty for the public package index."""
    backend: str = ""
    """CPU, CUDA, ROCM or XPU; empty if the source does not say it."""
    cuda: str = ""
    """The CUDA version, such as 12.4; empty if the source does not say it."""
    by_torch: bool = False
    """Whether torch's developers published it."""
    or_public: bool = False
    """Whether the distribution is from the public package index if this index does not have the release."""
    repository: str = ""
    """The address of the git repository from which it is built."""


PUBLIC = Origin()


def of_index(url: str) -> Origin:
    """Return the origin of the distributions of the package index at `url`."""
    parts = urlsplit(url)
    host, path = (parts.hostname or "").lower(), unquote(parts.path)
    if host in _PUBLIC_HOSTS:
        return PUBLIC
    named = _INDEX_PART.findall(path.lower())
    return _of_word(named[-1] if named else "", shown(url), host in PYTORCH_HOSTS)


def of_file(url: str) -> Origin:
    """Return the origin of the file at `url`; the local segment of its version is not considered."""
    folder = url.partition("#")[0].rpartition("/")[0]
    return of_index(folder)._replace(where=shown(url)) if of_index(folder) != PUBLIC else PUBLIC


def of_repository(url: str) -> Origin:
    """Return the origin of a distribution that is built from the git repository at `url`."""
    return Origin(f"git {shown(url)}", repository=url)


def of_local(segment: str) -> Origin | None:
    """Return the build that the local segment of a version names, such as cu118; None for another name."""
    match = re.fullmatch(r"(cu\d{2,3}|cpu|xpu|rocm[\d.]*)(?:[.-]cxx11[.-]?abi|[.-]with[.-]pypi[.-]cudnn)?", segment)
    return _of_word(match[1], f"local version {segment}", False) if match else None


def of_conda_build(build: str) -> Origin:
    """Return the origin of a conda package by its build string; an empty one stands for any build."""
    where = f"conda build {build}" if build else "conda"
    match = _CONDA_CUDA.search(build)
    if match:
        return Origin(where, CUDA, ".".join(part for part in match.groups() if part))
    words = re.split(r"[_.]", build.lower())
    return Origin(where, next((word for word in (CPU, ROCM, XPU) if word in words), ""))


def one_of(origins: list[Origin]) -> Origin:
    """Return what is known about the build if it is from one of `origins`, the public index among them or not."""
    others = [origin for origin in dict.fromkeys(origins) if origin != PUBLIC]
    if not others:
        return PUBLIC
    if len(others) == 1:
        return others[0]._replace(or_public=others[0].or_public or PUBLIC in origins)
    return Origin(" or ".join(origin.where for origin in others))


def shown(url: str) -> str:
    """Return `url` without credentials, for messages."""
    return re.sub(r"//[^/@]*@", "//", url)[:120]


def _of_word(word: str, where: str, by_torch: bool) -> Origin:
    if word.startswith("cu"):
        return Origin(where, CUDA, f"{word[2:-1]}.{word[-1]}", by_torch)
    backend = next((name for name in (CPU, ROCM, XPU) if word.startswith(name)), "")
    return Origin(where, backend, by_torch=by_torch)
