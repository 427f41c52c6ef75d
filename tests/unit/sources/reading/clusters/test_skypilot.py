from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.described import described
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.clusters.container_kinds import container_kind, kind_by_name
from vcompat.sources.reading.clusters.skypilot import read_dstack, read_skypilot
from vcompat.sources.reading.document import read_documents
from vcompat.sources.reading.invocation import Others
from vcompat.sources.reading.word import UNKNOWN

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


#: A file, and what it starts, or the complaint about it.
TASKS = [
    (
        "run: |\n  true\n  python x.py ${{ y }} {{ z }}\nenvs: {A: x, B: 1, C: 1.5, D: '', E: , F: '{{ x }}', G: [], H: true}\nsecrets: {A: a, S: b}\n",
        [
            "task at t.yaml:1:1, 1 x 0 GPUs",
            "python x.py ?? ?? at t.yaml:3:1 in ? SKYPILOT_NUM_GPUS_PER_NODE=0@none SKYPILOT_NUM_NODES=1@none SKYPILOT_NODE_RANK=?@none SKYPILOT_NODE_IPS=?@none SKYPILOT_TASK_ID=?@none A=?@t.yaml:5:11 B=1@t.yaml:4:14 C=1.5@t.yaml:4:20 D=?@t.yaml:4:28 E=?@t.yaml:4:35 F=?@t.yaml:4:40 G=?@t.yaml:4:54 H=True@t.yaml:4:61 S=?@t.yaml:5:17 open: the machine's image may set variables",
        ],
    ),
    (
        "# x\nrun: python x.py\nname: n\nnum_nodes: '3'\nenvs: [A=x, B, C=, 'D=a=b', 'E=${{ x }}', 5]\nsecrets:\n  - S=1\n  - T\n",
        [
            "n at t.yaml:2:1, 3 x 0 GPUs",
            "python x.py at t.yaml:2:1 in ? SKYPILOT_NUM_GPUS_PER_NODE=0@none SKYPILOT_NUM_NODES=3@none SKYPILOT_NODE_RANK=?@none SKYPILOT_NODE_IPS=?@none SKYPILOT_TASK_ID=?@none A=x@t.yaml:5:8 B=?@t.yaml:5:13 C=''@t.yaml:5:16 D=a=b@t.yaml:5:20 E=?@t.yaml:5:29 5=?@t.yaml:5:43 S=?@t.yaml:7:5 T=?@t.yaml:8:5 open: the machine's image may set variables",
        ],
    ),
    (
        "envs: {SKYPILOT_NUM_NODES: 5}\nname:\nnum_nodes: many\nresources: {accelerators: 'H100:2'}\nrun: python x.py\n",
        [
            "task at t.yaml:5:1, None x 2 GPUs",
            "python x.py at t.yaml:5:1 in ? SKYPILOT_NUM_GPUS_PER_NODE=2@none SKYPILOT_NUM_NODES=5@t.yaml:1:8 SKYPILOT_NODE_RANK=?@none SKYPILOT_NODE_IPS=?@none SKYPILOT_TASK_ID=?@none open: the machine's image may set variables",
        ],
    ),
    (
        "envs: 5\nworkdir: a/../b\nrun: python x.py\n",
        [
            "task at t.yaml:3:1, 1 x 0 GPUs",
            "python x.py at t.yaml:3:1 in b SKYPILOT_NUM_GPUS_PER_NODE=0@none SKYPILOT_NUM_NODES=1@none SKYPILOT_NODE_RANK=?@none SKYPILOT_NODE_IPS=?@none SKYPILOT_TASK_ID=?@none open: the machine's image may set variables",
        ],
    ),
    (
        "workdir: ~/a\nrun: python x.py\n",
        [
            "task at t.yaml:2:1, 1 x 0 GPUs",
            "python x.py at t.yaml:2:1 in ? SKYPILOT_NUM_GPUS_PER_NODE=0@none SKYPILOT_NUM_NODES=1@none SKYPILOT_NODE_RANK=?@none SKYPILOT_NODE_IPS=?@none SKYPILOT_TASK_ID=?@none open: the machine's image may set variables",
        ],
    ),
    (
        "workdir: /a\nrun: python x.py\n",
        [
            "task at t.yaml:2:1, 1 x 0 GPUs",
            "python x.py at t.yaml:2:1 in ? SKYPILOT_NUM_GPUS_PER_NODE=0@none SKYPILOT_NUM_NODES=1@none SKYPILOT_NODE_RANK=?@none SKYPILOT_NODE_IPS=?@none SKYPILOT_TASK_ID=?@none open: the machine's image may set variables",
        ],
    ),
    (
        "workdir: s3://x/y\nrun: python x.py\n",
        [
            "task at t.yaml:2:1, 1 x 0 GPUs",
            "python x.py at t.yaml:2:1 in ? SKYPILOT_NUM_GPUS_PER_NODE=0@none SKYPILOT_NUM_NODES=1@none SKYPILOT_NODE_RANK=?@none SKYPILOT_NODE_IPS=?@none SKYPILOT_TASK_ID=?@none open: the machine's image may set variables",
        ],
    ),
    (
        "workdir: 5\nrun: python x.py\n",
        [
            "task at t.yaml:2:1, 1 x 0 GPUs",
            "python x.py at t.yaml:2:1 in ? SKYPILOT_NUM_GPUS_PER_NODE=0@none SKYPILOT_NUM_NODES=1@none SKYPILOT_NODE_RANK=?@none SKYPILOT_NODE_IPS=?@none SKYPILOT_TASK_ID=?@none open: the machine's image may set variables",
        ],
    ),
    (
        "workdir: a/{{ x }}\nrun: python x.py\n",
        [
            "task at t.yaml:2:1, 1 x 0 GPUs",
            "python x.py at t.yaml:2:1 in ? SKYPILOT_NUM_GPUS_PER_NODE=0@none SKYPILOT_NUM_NODES=1@none SKYPILOT_NODE_RANK=?@none SKYPILOT_NODE_IPS=?@none SKYPILOT_TASK_ID=?@none open: the machine's image may set variables",
        ],
    ),
    (
        "workdir: .\nrun: python x.py\n",
        [
            "task at t.yaml:2:1, 1 x 0 GPUs",
            "python x.py at t.yaml:2:1 in '' SKYPILOT_NUM_GPUS_PER_NODE=0@none SKYPILOT_NUM_NODES=1@none SKYPILOT_NODE_RANK=?@none SKYPILOT_NODE_IPS=?@none SKYPILOT_TASK_ID=?@none open: the machine's image may set variables",
        ],
    ),
    ("name: x\n", []),
    ("run:\n", []),
    ("a: 1\nrun: [a]\n", ["t.yaml:2: run is not a text; expected a SkyPilot or dstack task"]),
    (
        "base: &b {run: python x.py, envs: [A=1]}\n<<: *b\n",
        [
            "task at t.yaml, 1 x 0 GPUs",
            "python x.py at t.yaml:1:1 in ? SKYPILOT_NUM_GPUS_PER_NODE=0@none SKYPILOT_NUM_NODES=1@none SKYPILOT_NODE_RANK=?@none SKYPILOT_NODE_IPS=?@none SKYPILOT_TASK_ID=?@none A=1@t.yaml open: the machine's image may set variables",
        ],
    ),
    (
        "commands: [python x.py]\n",
        [
            "task at t.yaml:1:1, 1 x None GPUs",
            "python x.py at t.yaml:1:1 in ? DSTACK_GPUS_PER_NODE=?@none DSTACK_GPUS_NUM=?@none DSTACK_NODES_NUM=1@none DSTACK_NODE_RANK=?@none DSTACK_MASTER_NODE_IP=?@none open: the image may set variables",
        ],
    ),
    ("commands:\n", []),
    (
        "type: task\nx: 1\ncommands: python x.py\n",
        ["t.yaml:3: commands is not a list; expected a SkyPilot or dstack task"],
    ),
    ("x: 1\ncommands: [5]\n", ["t.yaml:2: commands is not a list; expected a SkyPilot or dstack task"]),
    (
        "name: d\ncommands:\n  - cd sub &&\n  - python x.py $DSTACK_GPUS_PER_NODE $DSTACK_GPUS_NUM $DSTACK_NODES_NUM $DSTACK_NODE_RANK $DSTACK_MASTER_NODE_IP\nnodes: 2\nresources: {gpu: 4}\nenv: {A: x}\nworking_dir: a\n",
        [
            "d at t.yaml:2:1, 2 x 4 GPUs",
            "python x.py ?? ?? ?? ?? ?? at t.yaml:4:1 in a open: the image may set variables perhaps: t.yaml:3:1: after a syntax error",
        ],
    ),
    (
        "commands:\n  - 'true'\n  - |\n    python a.py\n    python b.py\n  - python c.py &\n  - python d.py\n",
        [
            "task at t.yaml:1:1, 1 x None GPUs",
            "python a.py at t.yaml:4:1 in ? DSTACK_GPUS_PER_NODE=?@none DSTACK_GPUS_NUM=?@none DSTACK_NODES_NUM=1@none DSTACK_NODE_RANK=?@none DSTACK_MASTER_NODE_IP=?@none open: the image may set variables",
            "python b.py at t.yaml:5:1 in ? DSTACK_GPUS_PER_NODE=?@none DSTACK_GPUS_NUM=?@none DSTACK_NODES_NUM=1@none DSTACK_NODE_RANK=?@none DSTACK_MASTER_NODE_IP=?@none open: the image may set variables",
            "python c.py at t.yaml:6:1 in ? DSTACK_GPUS_PER_NODE=?@none DSTACK_GPUS_NUM=?@none DSTACK_NODES_NUM=1@none DSTACK_NODE_RANK=?@none DSTACK_MASTER_NODE_IP=?@none open: the image may set variables &",
            "python d.py at t.yaml:7:1 in ? DSTACK_GPUS_PER_NODE=?@none DSTACK_GPUS_NUM=?@none DSTACK_NODES_NUM=1@none DSTACK_NODE_RANK=?@none DSTACK_MASTER_NODE_IP=?@none open: the image may set variables perhaps: t.yaml:7:1: runs after && only",
        ],
    ),
    (
        "commands: ['export A=1', ' python x.py ${{ a }} ', 'python y.py']\nnodes: x\nresources: {gpu: 2}\nenv: [A=b]\nworking_dir: '{{ x }}'\n",
        [
            "task at t.yaml:1:1, None x 2 GPUs",
            "python x.py ?? at t.yaml:1:1 in ? DSTACK_GPUS_PER_NODE=2@none DSTACK_GPUS_NUM=?@none DSTACK_NODES_NUM=?@none DSTACK_NODE_RANK=?@none DSTACK_MASTER_NODE_IP=?@none A=1@t.yaml:1:1 open: the image may set variables",
            "python y.py at t.yaml:1:1 in ? DSTACK_GPUS_PER_NODE=2@none DSTACK_GPUS_NUM=?@none DSTACK_NODES_NUM=?@none DSTACK_NODE_RANK=?@none DSTACK_MASTER_NODE_IP=?@none A=1@t.yaml:1:1 open: the image may set variables",
        ],
    ),
    (
        'commands: ["python a.py # \'", python b.py]\nnodes: 2\n',
        [
            "task at t.yaml:1:1, 2 x None GPUs",
            "python a.py at t.yaml:1:1 in ? DSTACK_GPUS_PER_NODE=?@none DSTACK_GPUS_NUM=?@none DSTACK_NODES_NUM=2@none DSTACK_NODE_RANK=?@none DSTACK_MASTER_NODE_IP=?@none open: the image may set variables",
        ],
    ),
    (
        "commands: [\"true # c\\npython a.py\", python b.py, '', python c.py]\nresources: {gpu: }\n",
        ["task at t.yaml:1:1, 1 x None GPUs"],
    ),
]

#: The resources of a SkyPilot task, and its GPUs.
SKYPILOT_GPUS = [
    ("{accelerators: 'H100:999'}", 999),
    ("{accelerators: 'H100:1000'}", None),
    ("{accelerators: 'H100:0'}", None),
    ("{accelerators: 'H100:-1'}", None),
    ("{accelerators: 'H100:0.1'}", 1),
    ("{accelerators: 'H100:1.1'}", 2),
    ("{accelerators: '{{ x }}'}", None),
    ("{accelerators: '{{ x }}:2'}", 2),
    ("{accelerators: 'H100:{{ x }}'}", None),
    ("{accelerators: {H100: '2'}}", 2),
    ("{accelerators: {H100: [1]}}", None),
    ("{accelerators: {H100: 2, A100: }}", None),
    ("{accelerators: ['H100:2', A100]}", None),
    ("{accelerators: 5}", None),
    ("{accelerators: [5]}", None),
    ("{accelerators: []}", 0),
    ("{}", 0),
    ("[]", None),
    ("null", 0),
    ("{instance_type: x, accelerators: 'H100:4'}", 4),
    ("{accelerators: 'H100:2', any_of: [{cloud: aws}, {cloud: gcp}]}", 2),
    ("{accelerators: 'H100:2', any_of: [{accelerators: 'A100:4'}]}", None),
    ("{ordered: [{accelerators: 'H100:2'}, {accelerators: 'A100:2'}]}", 2),
    ("{ordered: [{accelerators: 'H100:2'}, 5]}", None),
    ("{any_of: [{cloud: aws}]}", None),
    ("{any_of: 5}", 0),
    ("{any_of: []}", 0),
    ("{any_of: [{accelerators: 'H100:2'}], ordered: [{accelerators: 'H100:4'}]}", None),
    ("{accelerators: 'H100:'}", None),
    ("{accelerators: ':2'}", 2),
    ("{accelerators: nan}", 1),
    ("{accelerators: 'H100:nan'}", None),
    ("{accelerators: 'H100:2:3'}", None),
]

#: The resources of a dstack task, and its GPUs.
DSTACK_GPUS = [
    ("{gpu: 'H100:8'}", 8),
    ("{gpu: '{{ x }}:8'}", None),
    ("{gpu: 'H100:8:2'}", 8),
    ("{gpu: 1..2}", None),
    ("{gpu: '24gb..48gb:2'}", 2),
    ("{gpu: 'H100:80GB..:2'}", 2),
    ("{gpu: {count: 0}}", 0),
    ("{gpu: {}}", 1),
    ("{gpu: {name: H100}}", 1),
    ("{gpu: {count: '4'}}", 4),
    ("{gpu: {count: x}}", None),
    ("{gpu: 0}", 0),
    ("{gpu: ''}", 1),
    ("{gpu: []}", None),
    ("{gpu: }", None),
    ("{cpu: 1}", None),
    ("5", None),
    ("null", None),
    ("{gpu: nvidia}", 1),
    ("{gpu: 'tpu:H100:16GB:1..8'}", None),
    ("{gpu: 'H100:..8'}", None),
    ("{gpu: 'H100:${{ x }}'}", None),
]


@pytest.mark.parametrize(("text", "expected"), TASKS)
def test_a_file_starts_exactly_this(tmp_path: Path, text: str, expected: list[str]) -> None:
    (tmp_path / "t.yaml").write_text(text)
    read = read_dstack if "commands" in text else read_skypilot
    try:
        found = described(read(str(tmp_path / "t.yaml")))
    except InputError as error:
        found = [str(error).removeprefix(f"{tmp_path}/")]
    assert found == expected


@pytest.mark.parametrize(("resources", "gpus"), SKYPILOT_GPUS)
def test_accelerators_are_counted_where_the_offer_does_not_matter(
    tmp_path: Path, resources: str, gpus: int | None
) -> None:
    (tmp_path / "t.yaml").write_text(f"resources: {resources}\nrun: python x.py\n")
    assert [one.gpus for one in read_skypilot(str(tmp_path / "t.yaml"))] == [gpus]


@pytest.mark.parametrize(("resources", "gpus"), DSTACK_GPUS)
def test_gpus_of_dstack_are_counted_where_the_offer_does_not_matter(
    tmp_path: Path, resources: str, gpus: int | None
) -> None:
    (tmp_path / "t.yaml").write_text(f"resources: {resources}\ncommands: [python x.py]\n")
    assert [one.gpus for one in read_dstack(str(tmp_path / "t.yaml"))] == [gpus]
