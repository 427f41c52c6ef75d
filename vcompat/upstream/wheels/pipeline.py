"""The CUDA versions for which vLLM's release pipeline builds wheels, read from the source distribution of a release."""

from __future__ import annotations

import json
import re
import tarfile
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from packaging.version import Version

from vcompat.facts.builds.cuda_builds import FILE, Builds, load_builds
from vcompat.foundation.shipped import evidence_folder
from vcompat.foundation.writing import write_changed
from vcompat.upstream.index import Release, finder
from vcompat.upstream.store import Unavailable

#: The first release whose source distribution has the pipeline.
SINCE = Version("0.6.2")
_PATH = re.compile(r"[^/]+/\.buildkite/release-pipeline\.yaml")
#: The command of a step that compiles a wheel for CUDA; other targets are images.
_BUILD = re.compile(r"docker build .*--build-arg CUDA_VERSION=(\d+\.\d+)\b.* --target build ")
#: The names of the machines for aarch64 start with this.
_ARM = "arm64"
_LARGEST = 1 << 20


def builds_of(release: Release, client: Any = None) -> dict[str, tuple[Version, ...]]:
    """Return the CUDA versions of a vLLM release's wheels by processor, oldest first.

    Empty for other packages, older releases and those without a source distribution. Raises Unavailable.
    """
    if release.package != "vllm" or release.version < SINCE or not release.file.endswith(".tar.gz"):
        return {}
    try:
        steps = _steps(yaml.safe_load(_fetched(release, client)))
        builds: dict[str, set[Version]] = {}
        for step in steps:
            for match in filter(None, map(_BUILD.search, map(str, step["commands"]))):
                machine = "aarch64" if str((step.get("agents") or {}).get("queue")).startswith(_ARM) else "x86_64"
                builds.setdefault(machine, set()).add(Version(match[1]))
    except Exception as error:  # the type depends on the HTTP library of the client
        raise Unavailable(f"vllm {release.version}: the release pipeline cannot be read: {error}") from error
    return {machine: tuple(sorted(versions)) for machine, versions in sorted(builds.items())}


def _fetched(release: Release, client: Any) -> bytes:
    """Return the pipeline in the source distribution; no bytes if it has none."""
    with tempfile.TemporaryFile() as file:
        with (client or finder()).session.stream("GET", release.address) as answer:
            answer.raise_for_status()
            for piece in answer.iter_bytes(1 << 20):
                file.write(piece)
        file.seek(0)
        with tarfile.open(fileobj=file, mode="r:gz") as archive:
            for member in archive:
                content = archive.extractfile(member) if _PATH.fullmatch(member.name) else None
                if content is not None:
                    return content.read(_LARGEST)
    return b""


def _steps(node: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the steps that run commands, also those in groups."""
    if isinstance(node, dict):
        if isinstance(node.get("commands"), list):
            yield node
        for step in node.get("steps") or ():
            yield from _steps(step)


def save_builds(read: Builds, folder: Path | None = None) -> list[Path]:
    """Add releases to the record; return the file if it changed. Raises InputError if it cannot be written."""
    path = (folder or Path(evidence_folder())) / FILE
    recorded = load_builds(folder)
    merged = {name: {**recorded.get(name, {}), **read.get(name, {})} for name in sorted({*recorded, *read})}
    return [path] if write_changed(path, _written(merged), "a checkout") else []


def _written(builds: Builds) -> str:
    """JSON with a line for each run of consecutive releases with the same builds."""
    blocks = []
    for machine, releases in builds.items():
        runs: list[tuple[list[str], tuple[Version, ...]]] = []
        for version in sorted(releases):
            if runs and runs[-1][1] == releases[version]:
                runs[-1][0].append(str(version))
            else:
                runs.append(([str(version)], releases[version]))
        lines = (f"      {json.dumps([' '.join(names), ' '.join(map(str, versions))])}" for names, versions in runs)
        blocks.append(f"    {json.dumps(machine)}: [\n" + ",\n".join(lines) + "\n    ]")
    head = '  "columns": "releases of vLLM, CUDA versions for which its release pipeline builds wheels",\n'
    return "{\n" + head + '  "builds": {\n' + ",\n".join(blocks) + "\n  }\n}\n"
