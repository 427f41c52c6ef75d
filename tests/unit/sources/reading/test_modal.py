"""What `modal run` starts: a function of the file, and the functions that it calls in containers."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.facts.facts import Facts
from vcompat.sources.gather import Sources, collect

APP = """\
import os
import modal
app = modal.App("name")
SIZE = 2
@app.function(gpu="H100")
def train(generations: int, beta: float = 0.5):
    from trl import GRPOConfig, GRPOTrainer
    config = GRPOConfig(num_generations=generations * SIZE, beta=beta, use_vllm="FAST" in os.environ)
    GRPOTrainer(model="org/small", args=config).train()
"""
ENTRY = """
@app.local_entrypoint()
def main(generations: int = 4, quick: bool = False):
    train.{call}(generations, beta=0.1 if quick else 0.2)
"""
CLASS = """
@app.cls(gpu="H100")
class Job:
    @modal.method()
    def run(self, generations: int = 6):
        train.local(generations)
@app.local_entrypoint()
def start():
    Job().run.remote()
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


def read(text: str, *words: str) -> Facts:
    Path("job.py").write_text(text)
    return collect(Sources(command=("modal", "run", *words), probe=False)).facts


@pytest.mark.parametrize("call", ["remote", "spawn", "local"])
def test_the_entry_point_calls_the_function_with_what_the_command_says(call: str) -> None:
    text = APP + ENTRY.replace("{call}", call)
    facts = read(text, "--detach", "job.py", "--generations", "8", "--quick")
    assert facts.value("plan.num_generations") == 16
    assert facts.value("plan.beta") == 0.1
    assert facts.value("plan.launcher") == "modal"
    assert facts.value("plan.world_size") == 1
    assert read(text, "job.py").value("plan.beta") == 0.2


def test_a_function_that_is_named_or_the_only_one_is_started() -> None:
    for name in ("job.py", "job.py::train", "job.py::app.train"):
        facts = read(APP, name, "--generations=3")
        assert (facts.value("plan.num_generations"), facts.value("plan.beta")) == (6, 0.5)
    assert read(APP + CLASS, "job.py").value("plan.num_generations") == 12
    assert read(APP + CLASS, "job.py::Job.run", "--generations", "1").value("plan.num_generations") == 2


def test_of_several_functions_none_is_certain() -> None:
    other = '@app.function()\ndef other():\n    print("nothing")\n'
    assert read(APP + other, "job.py", "--generations", "3").value("plan.num_generations") is None


def test_the_module_itself_is_not_the_main_program() -> None:
    text = APP + ENTRY.replace("{call}", "remote") + 'if __name__ == "__main__":\n    SIZE = 5\n'
    assert read(text, "job.py").value("plan.num_generations") == 8


@pytest.mark.parametrize("change", ["global SIZE; SIZE = 9", 'os.environ["FAST"] = "1"'])
def test_a_container_does_not_have_what_its_caller_has_changed(change: str) -> None:
    entry = f"\n@app.local_entrypoint()\ndef main():\n    {change}\n    train.remote(4)\n"
    facts = read(APP + entry, "job.py")
    assert facts.value("plan.beta") == 0.5
    changed = "plan.num_generations" if "SIZE" in change else "plan.use_vllm"
    assert facts.value(changed) is None


def test_the_environment_of_a_container_is_not_known() -> None:
    facts = read(APP, "job.py", "--generations", "3")
    recorded = facts.recorded("plan.use_vllm")
    assert recorded is None or recorded.value is not True


def test_deploying_an_app_starts_nothing() -> None:
    from vcompat.foundation.errors import InputError

    Path("job.py").write_text(APP)
    with pytest.raises(InputError, match="no training command"):
        collect(Sources(command=("modal", "deploy", "job.py"), probe=False))
