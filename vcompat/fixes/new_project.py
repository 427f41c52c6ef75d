"""The files that a project begins with: vcompat's settings, and a file for its CI system."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from vcompat.foundation.bounded_reading import MB, read_text
from vcompat.foundation.errors import InputError

#: The CI systems that there is a file for.
CI = ("github", "pre-commit")
#: Lock files that a run's packages come from, the most exact first.
_LOCKS = ("uv.lock", "pylock.toml", "poetry.lock", "requirements.txt", "environment.yml")
_SCRIPT = re.compile(r"\bGRPO(Config|Trainer)\b")
_LAUNCH = re.compile(r"\b(accelerate launch|torchrun|deepspeed|trl (grpo|vllm-serve))\b")
_CONFIGURATION = re.compile(r"^\s*use_vllm\s*:", re.MULTILINE)
_TELLING = {".py": _SCRIPT, ".sh": _LAUNCH, ".slurm": _LAUNCH, ".sbatch": _LAUNCH, ".yaml": _CONFIGURATION}
#: Folders below the project's that are not searched, and how many files are read at most.
_SKIPPED, _MOST = re.compile(r"\..*|.*venv.*|node_modules|tests?|build|dist"), 500


class Planned(NamedTuple):
    """A file to write."""

    path: str
    text: str


class Origin(NamedTuple):
    """The repository of vcompat and a revision of it."""

    url: str
    revision: str


class Found(NamedTuple):
    """What a folder has of a run."""

    plan: tuple[str, ...]
    environment: str


def run_files(folder: str) -> Found:
    """The scripts, launch scripts and configurations in `folder` and one level down that use TRL; its lock file."""
    plan = [name for name in sorted(_candidates(folder)) if _tells(os.path.join(folder, name))]
    environment = next((name for name in _LOCKS if os.path.isfile(os.path.join(folder, name))), "")
    return Found(tuple(plan), environment)


def _candidates(folder: str) -> Iterator[str]:
    seen = 0
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        below = os.scandir(entry.path) if entry.is_dir() and not _SKIPPED.fullmatch(entry.name) else [entry]
        for file in below:
            seen += 1
            if (
                seen <= _MOST
                and file.name.isprintable()
                and file.is_file()
                and os.path.splitext(file.name)[1] in _TELLING
            ):
                yield os.path.relpath(file.path, folder)


def _tells(path: str) -> bool:
    try:
        text = read_text(path, MB, "a run file")
    except InputError:
        return False
    return _TELLING[os.path.splitext(path)[1]].search(text) is not None


def settings_file(name: str, plan: Sequence[str], target: str, environment: str) -> Planned:
    """The settings, with a comment in place of what is not known."""
    lines = ["# Settings for vcompat: `vcompat check` in this folder checks this run."]
    lines.append(f"target = {json.dumps(target)}" if target else '# target = "8xH100"          # the GPUs of the run')
    lines.append(f"plan = {json.dumps(list(plan))}" if plan else '# plan = ["train.py"]         # its scripts')
    lines.append(f"env = {json.dumps(environment)}" if environment else '# env = "uv.lock"             # its packages')
    lines += [
        '# fail-on = "warning"         # default: error',
        "# strict = true               # fail for possible findings, too",
        "",
        "# [[suppress]]                # accept a finding until a day",
        '# rule = "sleep-crashes-at-exit"',
        '# reason = "the exit code is not used"',
        "# expires = 2027-06-30",
    ]
    return Planned(name, "\n".join(lines) + "\n")


def ci_files(system: str, origin: Origin, template: Callable[[str], str]) -> list[Planned]:
    """The files for a CI `system`, which install vcompat from `origin`. `template` reads a template by name."""
    if system == "github":
        owner = origin.url.removeprefix("https://").partition("/")[2]
        text = template("github-workflow.yml").replace("REPOSITORY@REVISION", f"{owner}@{origin.revision}")
        return [Planned(os.path.join(".github", "workflows", "vcompat.yml"), text)]
    text = template("pre-commit-config.yaml").replace("REPOSITORY", origin.url).replace("REVISION", origin.revision)
    return [Planned(".pre-commit-config.yaml", text)]


def installed_from() -> Origin | None:
    """The repository and revision that vcompat was installed from, as pip records them (PEP 610); None if unknown."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        table = json.loads(distribution("vcompat").read_text("direct_url.json") or "{}")
        url, version = table["url"], table["vcs_info"]
        return Origin(url.removesuffix(".git"), version.get("requested_revision") or version["commit_id"])
    except (PackageNotFoundError, KeyError, ValueError, TypeError):
        return None
