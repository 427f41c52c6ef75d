"""Processes as `vcompat run` starts them, and a stand-in for TRL whose code a patch is written for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from vcompat.patching.launching import environment_of_run

ROOT = Path(__file__).resolve().parents[3]
#: The patch that knows the stand-in.
PATCH = "trl_train_sampler_dataset"
_TRAINER = """
class RepeatRandomSampler:
    pass
class GRPOTrainer:
    def _get_train_sampler(self) -> object:
        return RepeatRandomSampler()
"""
#: Code that only works with the patch.
CALL = (
    "from trl.trainer.grpo_trainer import GRPOTrainer; GRPOTrainer()._get_train_sampler('a dataset'); print('patched')"
)


class Done(NamedTuple):
    code: int
    stdout: str
    stderr: str


class Place:
    """A folder with the stand-in, in which processes are started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs = folder / "runs"
        trainer = folder / "library" / "trl" / "trainer"
        trainer.mkdir(parents=True)
        (trainer.parent / "__init__.py").write_text('__version__ = "0.16.1"\n')
        (trainer / "__init__.py").write_text("")
        (trainer / "grpo_trainer.py").write_text(_TRAINER)

    def environment(self, **variables: str) -> dict[str, str]:
        """Variables without those of this test run; PYTHONPATH leads to the stand-in."""
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("VCOMPAT_", "PYTHON", "LC_", "LANG"))}
        path = os.pathsep.join(filter(None, [str(self.folder / "library"), variables.pop("PYTHONPATH", "")]))
        own = {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "XDG_CACHE_HOME": str(self.folder / "cache")}
        return {**inherited, **own, **variables}

    def python(self, *words: str, watch: bool = False, **variables: str) -> Done:
        """Run Python as a process of a run, with the one patch."""
        return self.armed(sys.executable, *words, watch=watch, **variables)

    def armed(self, *words: str, watch: bool = False, **variables: str) -> Done:
        environment = environment_of_run(
            self.environment(**variables), [PATCH], str(self.runs), "a-run" if watch else ""
        )
        return started(words, environment, self.folder)

    def run(self, *words: str, **variables: str) -> Done:
        """Run ``vcompat run`` with `words`."""
        environment = self.environment(**{"VCOMPAT_RUN_DIR": str(self.runs), **variables})
        environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), environment["PYTHONPATH"]])
        return started([sys.executable, "-m", "vcompat", "run", *words], environment, self.folder)


def started(words: list[str] | tuple[str, ...], environment: dict[str, str], folder: Path) -> Done:
    done = subprocess.run(
        list(words), capture_output=True, text=True, timeout=300, check=False, env=environment, cwd=folder
    )
    return Done(done.returncode, done.stdout, done.stderr)
