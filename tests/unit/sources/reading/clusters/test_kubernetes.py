from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.described import described
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.clusters.kubernetes import read_kubernetes
from vcompat.sources.reading.clusters.workload import Workload
from vcompat.sources.reading.invocation import Invocation, Others
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS, Word


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
        ("command: [python, '{{ .Values.script }}.py']", ("python", UNKNOWN + ".py")),
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


def test_a_workload_is_named_after_its_resource_and_container(tmp_path: Path) -> None:
    two = "containers: [{name: a, command: [python, x.py]}, {name: b, command: [python, y.py]}, {name: c, image: z}]"
    names = [workload.name for workload in read(tmp_path, f"kind: Pod\nmetadata: {{name: p}}\nspec: {{{two}}}\n")]
    assert names == ["p/a", "p/b"]
    assert [each.name for each in read(tmp_path, f"kind: Pod\nspec: {{{CONTAINER}}}\n")] == ["Pod"]
    roles = f"{{Master: {{template: {{spec: {{{CONTAINER}}}}}}}, Worker: {{template: {{spec: {{{CONTAINER}}}}}}}}}"
    found = read(tmp_path, f"kind: PyTorchJob\nmetadata: {{name: n}}\nspec: {{pytorchReplicaSpecs: {roles}}}\n")
    assert [(each.name, each.machines) for each in found] == [("n-master", 2), ("n-worker", 2)]
    job = f"{{name: w, template: {{spec: {{template: {{spec: {{{CONTAINER}}}}}}}}}}}"
    found = read(tmp_path, f"kind: JobSet\nmetadata: {{name: n}}\nspec: {{replicatedJobs: [5, {job}]}}\n")
    assert [each.name for each in found] == ["n-w"]
    trainer = "{trainer: {command: [python, x.py]}}"
    (found_job,) = read(tmp_path, f"kind: TrainJob\nspec: {trainer}\n")
    assert (found_job.name, found_job.machines, found_job.gpus) == ("TrainJob", None, None)
    (ray,) = read(tmp_path, "kind: RayJob\nspec: {entrypoint: python x.py}\n")
    assert (ray.name, ray.gpus, ray.machines, str(ray.place)) == ("RayJob", None, None, "job.yaml:2:8")


@pytest.mark.parametrize(
    ("kind", "spec", "machines"),
    [
        ("Job", "template", 1),
        ("ReplicaSet", "replicas: 2, template", 2),
        ("DaemonSet", "template", None),
        ("Deployment", "replicas: many, template", None),
        ("StatefulSet", "replicas: 0, template", 0),
    ],
)
def test_the_machines_of_a_kind_are_its_replicas(tmp_path: Path, kind: str, spec: str, machines: int | None) -> None:
    (found,) = read(tmp_path, f"kind: {kind}\nspec: {{{spec}: {{spec: {{{CONTAINER}}}}}}}\n")
    assert found.machines == machines


def test_leaders_workers_and_heads_are_found(tmp_path: Path) -> None:
    template = f"{{spec: {{{CONTAINER}}}}}"
    both = f"{{leaderWorkerTemplate: {{leaderTemplate: {template}, workerTemplate: {template}}}}}"
    found = read(tmp_path, f"kind: LeaderWorkerSet\nspec: {both}\n")
    assert [(each.machines, each.gpus) for each in found] == [(None, 4), (None, 4)]
    (head,) = read(tmp_path, f"kind: RayCluster\nspec: {{headGroupSpec: {{template: {template}}}}}\n")
    assert head.invocations[0].words == ("python", "x.py")


@pytest.mark.parametrize(
    ("resources", "gpus"),
    [
        ("{limits: {nvidia.com/gpu: 2}}", 2),
        ("{requests: {nvidia.com/gpu: '3'}}", 3),
        ("{limits: {cpu: 4}, requests: {nvidia.com/gpu: 3}}", None),
        ("{limits: {amd.com/gpu: 8, cpu: 4}}", 8),
        ("{limits: {nvidia.com/mig-1g.5gb: 1, nvidia.com/gpu: 1}}", 2),
        ("{limits: {nvidia.com/gpu: all}}", None),
        ("{limits: {nvidia.com/gpu: true}}", None),
        ("{limits: {nvidia.com/gpus: 2}}", None),
        ("{limits: 4}", None),
        ("{}", None),
    ],
)
def test_the_gpus_are_those_of_the_resources(tmp_path: Path, resources: str, gpus: int | None) -> None:
    text = f"kind: Pod\nspec: {{containers: [{{command: [a, b], resources: {resources}}}]}}\n"
    assert [each.gpus for each in read(tmp_path, text)] == [gpus]


@pytest.mark.parametrize(
    ("container", "folder"),
    [("workingDir: /w", "/w"), ("workingDir: 5", UNKNOWN), ("image: y", UNKNOWN), ("workingDir: '/{{ x }}'", "/" + UNKNOWN)],
)  # fmt: skip
def test_the_folder_of_a_container_is_its_working_directory(tmp_path: Path, container: str, folder: str) -> None:
    assert pod(tmp_path, f"command: [python, x.py]\n{container}").folder == folder


def test_a_complaint_about_a_template_says_how_to_render_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"job\.yaml: a template with \{\{ \}\}; expected the rendered manifest"):
        read(tmp_path, "{{ if .Values.x }}\nkind: Pod\n{{ end }}\n")


def test_the_image_is_named_where_variables_may_come_from(tmp_path: Path) -> None:
    found = pod(tmp_path, "command: [python, x.py]").environment
    assert found.why_open == "the image x and the cluster may set variables"
    assert pod(tmp_path, f"command: [python, x.py]\nname: {'n' * 9}").place.line == 7


def test_the_lines_of_a_script_are_those_of_the_manifest(tmp_path: Path) -> None:
    text = "kind: Pod\nspec:\n  containers:\n    - args:\n        - -c\n        - |\n          true\n          python x.py\n      command: [bash]\n"
    (workload,) = read(tmp_path, text)
    assert [(each.words, each.place.line) for each in workload.invocations] == [(("python", "x.py"), 8)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("env_vars: {A: x}\n    working_dir: /w", {"A": "x"}),
        ("env_vars: 5", {}),
        ("[", {}),
        ("a: &x y\n    env_vars: {A: *x}", {"A": "y"}),
        ("env_vars: {A: '{{ x }}', 1: y}", {"A": UNKNOWN, "1": "y"}),
    ],
)
def test_variables_of_a_ray_job_are_those_of_its_runtime_environment(
    tmp_path: Path, text: str, values: dict[str, str]
) -> None:
    manifest = f"kind: RayJob\nspec:\n  entrypoint: python x.py\n  runtimeEnvYAML: |\n    {text}\n"
    (started,) = read(tmp_path, manifest)[0].invocations
    assert dict(started.environment.values) == values
    assert {str(place) for place in started.environment.places.values()} <= {"job.yaml:4:3", "job.yaml:4:19"}
    assert (started.folder, started.environment.others) == (UNKNOWN, Others.UNKNOWN)


POD = "{spec: {containers: [{command: [python, $(A)], resources: {limits: {nvidia.com/gpu: 4}}}]}}"

#: The kind, its specification, the names and numbers of machines of its workloads, and what `$(A)` is there.
KINDS = [
    ("Pod", "containers: [{command: [python, $(A)]}]", [("n", 1)], "$(A)"),
    ("Job", "template: POD", [("n", 1)], "$(A)"),
    ("Job", "parallelism: 2, replicas: 3, template: POD", [("n", 2)], "$(A)"),
    ("CronJob", "replicas: 3, jobTemplate: {spec: {template: POD}}", [("n", 1)], "$(A)"),
    ("Deployment", "template: POD", [("n", 1)], "$(A)"),
    ("Deployment", "replicas: 3, template: POD", [("n", 3)], "$(A)"),
    ("StatefulSet", "template: POD", [("n", 1)], "$(A)"),
    ("StatefulSet", "replicas: 3, template: POD", [("n", 3)], "$(A)"),
    ("ReplicaSet", "template: POD", [("n", 1)], "$(A)"),
    ("ReplicaSet", "replicas: 3, template: POD", [("n", 3)], "$(A)"),
    ("DaemonSet", "replicas: 3, template: POD", [("n", None)], "$(A)"),
    ("Other", "replicas: 3, template: POD", [], ""),
    ("LeaderWorkerSet", "leaderWorkerTemplate: {workerTemplate: POD}", [("n", None)], UNKNOWN),
    ("LeaderWorkerSet", "leaderWorkerTemplate: {leaderTemplate: POD, workerTemplate: POD}", [("n", None)] * 2, UNKNOWN),
    ("RayCluster", "headGroupSpec: {template: POD}", [("n", None)], UNKNOWN),
    ("PyTorchJob", "pytorchReplicaSpecs: {Master: {template: POD}}", [("n-master", 1)], UNKNOWN),
    ("PyTorchJob", "x: 1, pytorchReplicaSpecs: {Master: {template: POD}, Worker: {replicas: 3, template: POD}, Other: 5}",
     [("n-master", 4), ("n-worker", 4)], UNKNOWN),
    ("PyTorchJob", "aReplicaSpecs: 5, bReplicaSpecs: {W: {replicas: many, template: POD}, V: {replicas: 1}}", [("n-w", None)], UNKNOWN),
    ("PyTorchJob", "pytorchReplicaSpecs: {Worker: {replicas: 0, template: POD}}", [("n-worker", 0)], UNKNOWN),
    ("MPIJob", "mpiReplicaSpecs: {Launcher: {template: POD}, Worker: {replicas: 2}}", [("n-launcher", None)], UNKNOWN),
    ("JobSet", "replicatedJobs: [5, {name: w, template: {spec: {template: POD}}}, {name: v, template: {spec: {template: POD}}}]",
     [("n-w", None), ("n-v", None)], UNKNOWN),
    ("JobSet", "replicatedJobs: 5", [], ""),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "spec", "expected", "reference"), KINDS)
def test_each_kind_has_its_pods_where_its_definition_places_them(
    tmp_path: Path, kind: str, spec: str, expected: list[tuple[str, int | None]], reference: str
) -> None:
    found = read(tmp_path, f"kind: {kind}\nmetadata: {{name: n}}\nspec: {{{spec.replace('POD', POD)}}}\n")
    assert [(each.name, each.machines) for each in found] == expected
    assert {each.invocations[0].words for each in found} == ({("python", reference)} if expected else set())


@pytest.mark.parametrize(
    ("name", "injected", "value"),
    [
        ("A", True, UNKNOWN), ("A_1", True, UNKNOWN), ("a", True, "$(a)"), ("Ab", True, "$(Ab)"), ("1A", True, "$(1A)"), ("A B", True, "$(A B)"),
        ("", True, "$()"), ("_", True, UNKNOWN), (".-", True, UNKNOWN), ("A.-_9Z", True, UNKNOWN), ("Z", True, UNKNOWN), ("A", False, "$(A)"),
        ("X_SERVICE_HOST", False, UNKNOWN), ("X_SERVICE_PORT", False, UNKNOWN), ("X_SERVICE_PORT_HTTP", False, UNKNOWN),
        ("X_PORT", False, UNKNOWN), ("X_PORT_80_TCP", False, UNKNOWN), ("X_PORTS", False, "$(X_PORTS)"), ("PORT", False, "$(PORT)"),
        ("JOB_COMPLETION_INDEX", False, UNKNOWN), ("JOB_COMPLETION_INDEX_", False, "$(JOB_COMPLETION_INDEX_)"),
        ("MY_JOB_COMPLETION_INDEX", False, "$(MY_JOB_COMPLETION_INDEX)"), ("1_PORT", False, "$(1_PORT)"),
    ],
)  # fmt: skip
def test_a_name_that_the_manifest_does_not_list_is_unknown_if_the_cluster_may_set_it(
    tmp_path: Path, name: str, injected: bool, value: Word
) -> None:
    more = "\nenvFrom: [{configMapRef: {name: c}}]" if injected else "\nenvFrom: []"
    assert pod(tmp_path, f"command: [python, 'a$({name})']{more}").words == ("python", "a" + value)


#: A manifest, and what it starts.
MANIFESTS = [
    (
        "kind: Pod\nspec:\n  containers:\n    - command:\n        - bash\n        - -c\n        - |\n          true\n          python x.py $@\n        - b\n      args:\n        - '{{ n }}'\n        - $(A)\n      workingDir: /w\n      env:\n        - name: A\n          value: a$(A)$$(A)\n        - name: A\n          value: b$(A)\n        - name: B\n          valueFrom: {}\n        - name: C\n        - value: x\n        - 5\n        - name: D\n          value: '{{ x }}'\n",
        [
            "Pod at job.yaml:4:7, 1 x None GPUs",
            "python x.py ?? ba$(A)$(A) at job.yaml:9:1 in /w A=ba$(A)$(A)@job.yaml:18:11 B=?@job.yaml:20:11 C=''@job.yaml:22:11 D=?@job.yaml:25:11 open: the image and the cluster may set variables",
        ],
    ),
    (
        "kind: Pod\nspec:\n  containers:\n    - args:\n        - bash\n        - -c\n        - |\n          python x.py\n",
        [
            "Pod at job.yaml:4:7, 1 x None GPUs",
            "python x.py at job.yaml:8:1 in ? open: the image and the cluster may set variables",
        ],
    ),
    ("kind: Pod\nspec: {containers: [{args: []}, {command: []}, {args: [], command: []}, {image: x}, 5]}", []),
    (
        "kind: TrainJob\nmetadata: {name: t}\nspec:\n  trainer:\n    numNodes: '2'\n    image: y\n    command: [python, $(A), $(B)]\n    args: [--b]\n    workingDir: /w\n    env: [{name: B, value: b}]\n    resourcesPerNode: {requests: {nvidia.com/gpu: 3}}\n",
        [
            "t at job.yaml:7:5, 2 x 3 GPUs",
            "python ? b --b at job.yaml:7:5 in ? B=b@job.yaml:10:12 open: the image y and the cluster may set variables",
        ],
    ),
    ("kind: TrainJob\nspec: {trainer: {image: x}}", []),
    ("kind: TrainJob\nspec: {trainer: 5}", []),
    (
        "kind: RayJob\nmetadata: {name: r}\nspec:\n  entrypoint: |\n    true\n    python x.py '{{ y }}' $A\n  runtimeEnvYAML: |\n    env_vars: {A: b}\n",
        [
            "r at job.yaml:4:3, None x None GPUs",
            "python x.py ? b at job.yaml:6:1 in ? A=b@job.yaml:7:3 open: the image and the cluster may set variables",
        ],
    ),
    (
        "kind: RayJob\nbase: &b {entrypoint: python x.py}\nspec:\n  <<: *b\n",
        [
            "RayJob at job.yaml, None x None GPUs",
            "python x.py at job.yaml:1:1 in ? open: the image and the cluster may set variables",
        ],
    ),
    ("kind: RayJob\nspec: {entrypoint: 5}", []),
    (
        "kind: Pod\nbase: &b\n  command: [bash, -c, python x.py]\nspec:\n  containers:\n    - <<: *b\n",
        [
            "Pod at job.yaml, 1 x None GPUs",
            "python x.py at job.yaml:1:1 in ? open: the image and the cluster may set variables",
        ],
    ),
    (
        "kind: Pod\nspec: {containers: [{image: iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii, command: [bash, -c, 'python $A'], env: [{name: A, value: b}]}]}",
        [
            "Pod at job.yaml:2:112, 1 x None GPUs",
            "python b at job.yaml:2:1 in ? A=b@job.yaml:2:153 open: the image iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii and the cluster may set variables",
        ],
    ),
]


@pytest.mark.parametrize(("text", "expected"), MANIFESTS)
def test_a_manifest_starts_exactly_this(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert described(read(tmp_path, text)) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "{{ if .Values.x }}\nkind: Pod\n",
            "job.yaml: a template with {{ }}; expected the rendered manifest, from `helm template`",
        ),
        ("kind: [\n", "job.yaml:2: not valid YAML: did not find expected node content; expected a YAML file"),
        ("a: {\n", "job.yaml:2: not valid YAML: did not find expected node content; expected a YAML file"),
    ],
)
def test_a_manifest_that_cannot_be_read_has_this_message(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert str(caught.value).endswith(message)
