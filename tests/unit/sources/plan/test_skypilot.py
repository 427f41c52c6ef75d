from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.foundation.errors import InputError
from vcompat.sources.plan.container_kinds import container_kind, kind_by_name
from vcompat.sources.plan.document import read_documents
from vcompat.sources.plan.invocation import UNKNOWN, Others
from vcompat.sources.plan.skypilot import read_dstack, read_skypilot

TASK = """\
name: grpo
resources:
  accelerators: H100:8
num_nodes: 2
workdir: .
envs:
  MODEL: Qwen/Qwen2.5-7B
  LR: 1e-6
  STEPS: 100
  WANDB_API_KEY:
secrets:
  HF_TOKEN: null
setup: |
  pip install trl
  export NCCL_DEBUG=INFO
run: |
  export VLLM_USE_V1=1
  torchrun --nnodes $SKYPILOT_NUM_NODES --nproc_per_node $SKYPILOT_NUM_GPUS_PER_NODE \\
    --node_rank $SKYPILOT_NODE_RANK train.py --model ${MODEL} --lr $LR
"""


def test_a_task_runs_its_command_with_what_the_file_determines(tmp_path: Path) -> None:
    (tmp_path / "task.yaml").write_text(TASK)
    (workload,) = read_skypilot(str(tmp_path / "task.yaml"))
    (started,) = workload.invocations
    assert started.words[:6] == ("torchrun", "--nnodes", "2", "--nproc_per_node", "8", "--node_rank")
    assert started.words[7:] == ("train.py", "--model", "Qwen/Qwen2.5-7B", "--lr", "1e-6")
    values = started.environment.values
    assert (values["VLLM_USE_V1"], values["STEPS"]) == ("1", "100")
    assert values["WANDB_API_KEY"] == values["HF_TOKEN"] == UNKNOWN
    # What setup exports does not reach run.
    assert "NCCL_DEBUG" not in values
    assert started.environment.others is Others.UNKNOWN
    assert (started.folder, started.place.line, workload.gpus, workload.machines) == ("", 18, 8, 2)
    assert started.environment.places["MODEL"].line == 7


@pytest.mark.parametrize(
    ("resources", "gpus"),
    [
        ("{accelerators: H100}", "1"),
        ("{accelerators: 'H100:4'}", "4"),
        ("{accelerators: {H100: 8, A100: 8}}", "8"),
        ("{accelerators: {H100: 8, A100: 4}}", UNKNOWN),
        ("{accelerators: ['H100:8', 'H200:8']}", "8"),
        ("{accelerators: {H100: null}}", "1"),
        ("{accelerators: 'T4:0.5'}", "1"),
        ("{any_of: [{accelerators: 'H100:2'}, {accelerators: 'A100:2'}]}", "2"),
        ("{any_of: [{accelerators: 'H100:2'}, {cloud: aws}]}", UNKNOWN),
        ("{instance_type: p4d.24xlarge}", UNKNOWN),
        ("{cpus: 8}", "0"),
        ("{accelerators: 'H100:x'}", UNKNOWN),
        ("5", UNKNOWN),
    ],
)
def test_gpus_per_node_follow_from_the_resources(tmp_path: Path, resources: str, gpus: str) -> None:
    (tmp_path / "t.yaml").write_text(f"resources: {resources}\nrun: python x.py --n $SKYPILOT_NUM_GPUS_PER_NODE\n")
    (started,) = read_skypilot(str(tmp_path / "t.yaml"))[0].invocations
    assert started.environment.values["SKYPILOT_NUM_GPUS_PER_NODE"] == gpus
    assert gpus == UNKNOWN or started.words[-1] == gpus


def test_a_pipeline_has_several_tasks(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("name: all\n---\nname: a\nrun: python a.py\n---\nname: b\nrun: python b.py\n")
    assert [one.invocations[0].words[1] for one in read_skypilot(str(tmp_path / "t.yaml"))] == ["a.py", "b.py"]


DSTACK = """\
type: task
name: grpo
nodes: 2
env:
  - NCCL_DEBUG=INFO
  - HF_TOKEN
  - SECRET=${{ secrets.x }}
commands:
  - pip install trl
  - export A=1
  - accelerate launch --num_processes $DSTACK_GPUS_NUM --num_machines $DSTACK_NODES_NUM train.py
resources:
  gpu: H100:80GB:8
"""


def test_a_dstack_task_runs_its_commands(tmp_path: Path) -> None:
    (tmp_path / ".dstack.yml").write_text(DSTACK)
    (workload,) = read_dstack(str(tmp_path / ".dstack.yml"))
    (started,) = [each for each in workload.invocations if each.words[0] == "accelerate"]
    assert started.words[2:6] == ("--num_processes", "16", "--num_machines", "2")
    values = started.environment.values
    assert (values["NCCL_DEBUG"], values["HF_TOKEN"], values["SECRET"], values["A"]) == ("INFO", UNKNOWN, UNKNOWN, "1")
    assert started.place.line == 11


def test_a_comment_in_a_dstack_command_hides_the_commands_after_it(tmp_path: Path) -> None:
    (tmp_path / ".dstack.yml").write_text(DSTACK.replace("export A=1", "'export A=1 # why'"))
    (workload,) = read_dstack(str(tmp_path / ".dstack.yml"))
    assert [each for each in workload.invocations if each.words[0] == "accelerate"] == []


@pytest.mark.parametrize(
    ("gpu", "gpus"),
    [("H100:8", 8), ("24GB", 1), ("{name: H100, count: 4}", 4), ("H100:80GB:2", 2), ("H100:1..8", None), ("8", 8),
     ("{count: 1..2}", None), ("24GB..48GB", 1)],
)  # fmt: skip
def test_dstack_gpus(tmp_path: Path, gpu: str, gpus: int | None) -> None:
    (tmp_path / "a.yml").write_text(f"type: task\ncommands: [python x.py]\nresources: {{gpu: {gpu}}}\n")
    assert read_dstack(str(tmp_path / "a.yml"))[0].gpus == gpus


@pytest.mark.parametrize("text", ["run: [a]\n", "run: {a: b}\n", "run: [\n", "5\n"])
def test_malformed_tasks_are_input_errors(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.yaml").write_text(text)
    with pytest.raises(InputError) as caught:
        read_skypilot(str(tmp_path / "t.yaml"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("task.yaml", TASK, "skypilot"),
        ("x.yml", DSTACK, "dstack"),
        ("x.yaml", "apiVersion: v1\nkind: Pod\n", "kubernetes"),
        ("x.yaml", "services:\n  a: {image: b}\n", "compose"),
        ("docker-compose.prod.yml", "x: 1\n", "compose"),
        ("config.yaml", "model_name_or_path: x\nrun_name: y\n", ""),
        ("config.yaml", "run: a\nlearning_rate: 1\n", ""),
        ("config.yaml", "services: 5\n", ""),
    ],
)
def test_kinds_are_detected_by_name_and_content(tmp_path: Path, name: str, text: str, kind: str) -> None:
    (tmp_path / name).write_text(text)
    assert container_kind(read_documents(str(tmp_path / name))[0].table, str(tmp_path / name)) == kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [("Dockerfile", "dockerfile"), ("Dockerfile.gpu", "dockerfile"), ("train.dockerfile", "dockerfile"),
     ("Containerfile", "dockerfile"), ("compose.yaml", "compose"), ("compose.dev.yml", "compose"),
     (".dstack.yml", "dstack"), ("Dockerfile.dockerignore", ""), ("dockerfile_tools.py", ""), ("composer.yaml", "")],
)  # fmt: skip
def test_kinds_by_name(name: str, kind: str) -> None:
    assert kind_by_name(f"/somewhere/{name}") == kind
