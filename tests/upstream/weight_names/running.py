"""Run the survey with two releases, in a process of its own and the environment of a trial."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import tomli

import tests.upstream.trials
from tests.upstream.trials.environment import folders
from tests.upstream.weight_names.record import Outcomes, Pair

_HERE = Path(__file__).parent
_ROOT = _HERE.parents[2]
_MODELS = _HERE / "models.toml"
_CHILD = Path(tests.upstream.trials.__path__[0]) / "child.py"


def names() -> list[str]:
    """The names of the models in the record: the architecture, and the variant if there is one."""
    return [":".join(filter(None, (one["architecture"], one.get("variant")))) for one in _models()["model"]]


def _models() -> dict[str, Any]:
    with _MODELS.open("rb") as file:
        return tomli.load(file)


def run(pair: Pair) -> Outcomes:
    """What happens to each model. Raises NotAvailable if a release cannot be installed."""
    return {model: happened[0] for model, happened in _run(folders(pair._asdict(), "")).items()}


def compare(patch: str, only: list[str], pair: Pair | None = None) -> dict[str, list[str]]:
    """What happens to models of the architectures `only` without a patch, with it, and after it was undone.

    `patch` is its module. Without a pair, vLLM and transformers are those of this environment.
    """
    places = folders(pair._asdict(), "") if pair else _here()
    return _run(places, PATCH=patch, ONLY=" ".join(only))


def with_transformers_backend(only: list[str]) -> Outcomes:
    """What happens to models of the architectures `only` if vLLM of this environment runs transformers' own models."""
    seen = _run(_here(), ONLY=" ".join(only), IMPLEMENTATION="transformers")
    return {model: happened[0] for model, happened in seen.items()}


def _here() -> list[Path]:
    return [Path(str(distribution("torch").locate_file("")))]


def _run(places: list[Path], **given: str) -> dict[str, list[str]]:
    code = (_HERE / "child.py").read_text(encoding="utf-8")
    command = [sys.executable, "-I", "-S", str(_CHILD), "\n".join(map(str, places)), code]
    environment = {**os.environ, "ONLY": "", "PATCH": "", "IMPLEMENTATION": "auto", "ROOT": str(_ROOT), **given}
    with tempfile.TemporaryDirectory() as cache:
        models = Path(cache) / "models.json"
        models.write_text(json.dumps(_models()), encoding="utf-8")
        environment |= {"CACHE": cache, "MODELS": str(models)}
        done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False, env=environment)
    seen = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"number"')]
    if not seen:
        raise RuntimeError(done.stderr.strip()[-1500:])
    return {names()[one["number"]]: one["happened"] for one in seen}
