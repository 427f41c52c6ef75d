from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.foundation.errors import InputError
from vcompat.sources.plan.invocation import UNKNOWN, UNKNOWN_WORDS, Invocation, Others
from vcompat.sources.plan.kubernetes import read_kubernetes
from vcompat.sources.plan.workload import Workload


def read(tmp_path: Path, text: str) -> list[Workload]:
    (tmp_path / "job.yaml").write_text(text)
    return read_kubernetes(str(tmp_path / "job.yaml"))


def pod(tmp_path: Path, container: str) -> Invocation:
    indented = "".join(f"      {line}\n" for line in container.splitlines())
    text = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  containers:\n    - image: x\n{indented}"
    (workload,) = read(tmp_path, text)
    (invocation,) = workload.invocations
    return invocation


JOBS = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {A: "1"}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: grpo
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: train
          image: ghcr.io/me/trl
          workingDir: /workspace
          command: ["/bin/bash", "-c"]
          args:
            - |
              set -e
              export NCCL_DEBUG=INFO
              accelerate launch --num_processes $GPUS train.py --config $(CONFIG)
          env:
            - name: GPUS
              value: "8"
            - name: CONFIG
              value: configs/$(NAME).yaml
            - name: NAME
              value: grpo
            - name: HF_TOKEN
              valueFrom: {secretKeyRef: {name: hf, key: token}}
          resources:
            limits: {nvidia.com/gpu: 8}
"""


def test_a_job_starts_the_script_behind_bash_c(tmp_path: Path) -> None:
    (workload,) = read(tmp_path, JOBS)
    started = workload.invocations[-1]
    # NAME is defined after CONFIG, so that Kubernetes leaves the reference, and bash runs it as a command.
    assert started.words[:5] == ("accelerate", "launch", "--num_processes", "8", "train.py")
    values = started.environment.values
    assert (values["GPUS"], values["NAME"], values["NCCL_DEBUG"], values["HF_TOKEN"]) == ("8", "grpo", "INFO", UNKNOWN)
    assert values["CONFIG"] == "configs/$(NAME).yaml"
    assert started.environment.others is Others.UNKNOWN
    assert (started.folder, workload.gpus, workload.machines) == ("/workspace", 8, 1)
    assert started.place.line == 23
    assert started.environment.places["GPUS"].line == 25


@pytest.mark.parametrize(
    ("container", "words"),
    [
        ("command: [python, x.py]", ("python", "x.py")),
        ("command: [python]\nargs: [x.py, --n, '1']", ("python", "x.py", "--n", "1")),
        ("args: [python, x.py]", ("python", "x.py")),
        ("args: [--model, y]", (UNKNOWN, UNKNOWN_WORDS, "--model", "y")),
        ("command: [python, x.py, $(A), $$(A), $(B), $A]\nenv: [{name: A, value: v}]",
         ("python", "x.py", "v", "$(A)", "$(B)", "$A")),
        ("command: [python, $(A)]\nenv: [{name: B, value: x.py}, {name: A, value: $(B)}]", ("python", "x.py")),
        ("command: [python, $(A)]\nenvFrom: [{configMapRef: {name: c}}]", ("python", UNKNOWN)),
        ("command: [python, $(DB_SERVICE_HOST)]", ("python", UNKNOWN)),
        ("command: [python, $(A)]\nenv: [{name: A, valueFrom: {fieldRef: {fieldPath: x}}}]", ("python", UNKNOWN)),
        ("command: [tini, -g, --, bash, -lc, 'exec python x.py $(A)']\nenv: [{name: A, value: v}]", ("python", "x.py", "v")),
        ("command: [/usr/bin/env, bash, -c, 'python x.py']", ("python", "x.py")),
        ("command: [python, 5]", ("python", UNKNOWN)),
        ("command: [python, '{{ .Values.script }}.py']", ("python", f"{UNKNOWN}.py")),
    ],
)  # fmt: skip
def test_commands_follow_kubernetes_rules(tmp_path: Path, container: str, words: tuple[str, ...]) -> None:
    assert pod(tmp_path, container).words == words


def test_an_unknown_reference_in_a_script_can_be_any_number_of_words(tmp_path: Path) -> None:
    text = "command: [bash, -c, 'python x.py $(ARGS) --n \"$(N)\"']\nenvFrom: [{secretRef: {name: s}}]"
    assert pod(tmp_path, text).words == ("python", "x.py", UNKNOWN_WORDS, "--n", UNKNOWN)
    assert "__unknown_text__" not in pod(tmp_path, text).environment.values


def test_variables_without_a_known_value_are_unknown(tmp_path: Path) -> None:
    found = pod(tmp_path, "command: [a]\nenv: [{name: A}, {name: B, value: 1}, {name: C, value: ''}, 5, {value: x}]")
    assert dict(found.environment.values) == {"A": "", "B": UNKNOWN, "C": ""}


CONTAINER = "containers: [{name: c, image: x, command: [python, x.py], resources: {limits: {nvidia.com/gpu: '4'}}}]"


@pytest.mark.parametrize(
    ("kind", "spec", "machines"),
    [
        ("Deployment", f"{{replicas: 3, template: {{spec: {{{CONTAINER}}}}}}}", [3]),
        ("StatefulSet", f"{{template: {{spec: {{{CONTAINER}}}}}}}", [1]),
        ("CronJob", f"{{jobTemplate: {{spec: {{template: {{spec: {{{CONTAINER}}}}}}}}}}}", [1]),
        ("Job", f"{{parallelism: 2, template: {{spec: {{{CONTAINER}}}}}}}", [2]),
        ("PyTorchJob",
         f"{{pytorchReplicaSpecs: {{Master: {{replicas: 1, template: {{spec: {{{CONTAINER}}}}}}},"
         f" Worker: {{replicas: 3, template: {{spec: {{{CONTAINER}}}}}}}}}}}", [4, 4]),
        ("MPIJob", f"{{mpiReplicaSpecs: {{Launcher: {{template: {{spec: {{{CONTAINER}}}}}}}}}}}", [None]),
        ("TrainJob",
         "{trainer: {numNodes: 2, command: [python, x.py], resourcesPerNode: {limits: {nvidia.com/gpu: 4}}}}", [2]),
        ("JobSet", f"{{replicatedJobs: [{{name: w, template: {{spec: {{template: {{spec: {{{CONTAINER}}}}}}}}}}}]}}",
         [None]),
    ],
)  # fmt: skip
def test_pods_are_found_in_each_kind(tmp_path: Path, kind: str, spec: str, machines: list[int | None]) -> None:
    found = read(tmp_path, f"apiVersion: x/v1\nkind: {kind}\nmetadata: {{name: n}}\nspec: {spec}\n")
    assert [workload.invocations[0].words for workload in found] == [("python", "x.py")] * len(machines)
    assert [(workload.machines, workload.gpus) for workload in found] == [(number, 4) for number in machines]


def test_a_ray_job_starts_its_entrypoint(tmp_path: Path) -> None:
    text = (
        "apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {name: r}\nspec:\n  entrypoint: python train.py --n 1\n"
        "  runtimeEnvYAML: |\n    env_vars:\n      VLLM_USE_V1: '1'\n      N: 2\n"
    )
    (started,) = read(tmp_path, text)[0].invocations
    assert started.words == ("python", "train.py", "--n", "1")
    assert dict(started.environment.values) == {"VLLM_USE_V1": "1", "N": UNKNOWN}


@pytest.mark.parametrize("operator", ["PyTorchJob", "Deployment"])
def test_variables_that_an_operator_adds_are_unknown(tmp_path: Path, operator: str) -> None:
    container = "{name: c, image: x, command: [python, $(WORLD_SIZE)]}"
    spec = f"{{template: {{spec: {{containers: [{container}]}}}}}}"
    if operator == "PyTorchJob":
        spec = f"{{pytorchReplicaSpecs: {{Master: {spec}}}}}"
    (workload,) = read(tmp_path, f"apiVersion: x\nkind: {operator}\nspec: {spec}\n")
    expected = UNKNOWN if operator == "PyTorchJob" else "$(WORLD_SIZE)"
    assert workload.invocations[0].words == ("python", expected)


@pytest.mark.parametrize(
    "text",
    [
        "{{ if .Values.x }}\nkind: Pod\n{{ end }}\n",
        "kind: Pod\nspec:\n  replicas: {{ .Values.n }}\n  {{- toYaml . }}\n",
        "kind: [\n",
        "- kind: Pod\n",
        "a: !!python/object/apply:os.system [x]\n",
    ],
)
def test_templates_and_malformed_files_are_input_errors(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "spec",
    ["5", "[]", "{containers: 5}", "{containers: [5]}", "{containers: [{command: 5, env: 5, resources: 5}]}",
     "{containers: [{command: [], env: {A: 1}}]}", "{containers: [{command: [[a]]}]}", "null"],
)  # fmt: skip
def test_odd_manifests_start_nothing_or_something_unknown(tmp_path: Path, spec: str) -> None:
    found = read(tmp_path, f"kind: Pod\nspec: {spec}\n")
    assert all(each.words == (UNKNOWN,) or not each.words[0].isalnum() for one in found for each in one.invocations)
