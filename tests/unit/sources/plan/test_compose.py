from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.foundation.errors import InputError
from vcompat.sources.plan.compose import read_compose
from vcompat.sources.plan.compose_values import interpolate
from vcompat.sources.plan.invocation import UNKNOWN, UNKNOWN_WORDS, Invocation, Others
from vcompat.sources.plan.workload import Workload


def read(tmp_path: Path, text: str) -> dict[str, Workload]:
    (tmp_path / "compose.yaml").write_text(text)
    return {workload.name: workload for workload in read_compose(str(tmp_path / "compose.yaml"))}


def one(tmp_path: Path, service: str) -> Invocation:
    indented = "".join(f"    {line}\n" for line in service.splitlines())
    (workload,) = read(tmp_path, f"services:\n  train:\n{indented}").values()
    (invocation,) = workload.invocations
    return invocation


TRAINING = """\
x-env: &env
  NCCL_DEBUG: INFO
  HF_HOME: /hf

services:
  train:
    image: ghcr.io/me/trl:latest
    command: >
      accelerate launch --num_processes 4
      train.py --learning_rate 1e-6
    environment:
      <<: *env
      VLLM_USE_V1: 1
      CUDA_VISIBLE_DEVICES: "0,1,2,3"
      WANDB_API_KEY:
      MODEL: ${MODEL:-Qwen/Qwen2.5-0.5B}
    working_dir: /workspace
    deploy:
      resources:
        reservations:
          devices:
            - driver: nvidia
              count: 4
              capabilities: [gpu]
  server:
    image: vllm/vllm-openai:v0.11.0
    command: ["--model", "Qwen/Qwen2.5-0.5B"]
    profiles: [serve]
  redis:
    image: redis
"""


def test_services_start_their_commands(tmp_path: Path) -> None:
    workloads = read(tmp_path, TRAINING)
    assert list(workloads) == ["train", "server"]
    (train,), (server,) = workloads["train"].invocations, workloads["server"].invocations
    assert train.words == tuple("accelerate launch --num_processes 4 train.py --learning_rate 1e-6".split())
    assert dict(train.environment.values) == {
        "NCCL_DEBUG": "INFO",
        "HF_HOME": "/hf",
        "VLLM_USE_V1": "1",
        "CUDA_VISIBLE_DEVICES": "0,1,2,3",
        "WANDB_API_KEY": UNKNOWN,
        "MODEL": UNKNOWN,
    }
    assert train.environment.others is Others.UNKNOWN
    assert (train.folder, workloads["train"].gpus, workloads["train"].machines) == ("/workspace", 4, 1)
    assert str(train.environment.places["VLLM_USE_V1"]) == "compose.yaml:13:7"
    assert server.words == (UNKNOWN, UNKNOWN_WORDS, "--model", "Qwen/Qwen2.5-0.5B")
    assert "profile" in server.why_uncertain


@pytest.mark.parametrize(
    ("service", "words"),
    [
        ("command: python train.py 'a b'", ("python", "train.py", "a b")),
        ("command: bash -c 'cd /x && exec python train.py'", ("python", "train.py")),
        ('command: ["python", "x.py", "--n", "$N"]', ("python", "x.py", "--n", UNKNOWN)),
        ('command: ["sh", "-c", "python x.py --n $$N"]\nenvironment: {N: 3}', ("python", "x.py", "--n", "3")),
        ("entrypoint: python\ncommand: x.py", ("python", "x.py")),
        ("entrypoint: [torchrun]\ncommand: [--nproc_per_node, 2, x.py]", ("torchrun", "--nproc_per_node", "2", "x.py")),
        ("command: python x.py && echo done", ("python", "x.py", "&&", "echo", "done")),
        ("command: |\n  bash -c '\n  export A=1\n  python x.py\n  '", ("python", "x.py")),
    ],
)
def test_commands_are_split_as_compose_does(tmp_path: Path, service: str, words: tuple[str, ...]) -> None:
    assert one(tmp_path, f"image: x\n{service}").words == words


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ("{A: x, B: 1, C: 0.50, D: true, E: yes, F: 1e-4}", ["x", "1", "0.5", "true", "yes", "0.0001"]),
        ("{A: '', B: 1.0, C: 010, D: 0x10, E: 1_000}", ["", "1", UNKNOWN, UNKNOWN, UNKNOWN]),
        ("[A=x y, B=, C, 'D=$X', 'E=a$$b']", ["x y", "", UNKNOWN, UNKNOWN, "a$b"]),
        ("['A=\"1\"']", ['"1"']),
    ],
)
def test_variables_are_the_texts_that_compose_passes(tmp_path: Path, environment: str, expected: list[str]) -> None:
    found = one(tmp_path, f"image: x\ncommand: python x.py\nenvironment: {environment}")
    assert list(found.environment.values.values()) == expected


def test_env_files_are_below_environment(tmp_path: Path) -> None:
    (tmp_path / "a.env").write_text(
        "# c\nA=1\nB=1 # c\nexport C='x $Y'\nD=\"q\"\nE=$A\nF\n\nG='two\nlines'\nH=#x\nI=a#b\n"
    )
    found = one(tmp_path, "image: x\ncommand: python x.py\nenv_file: [a.env]\nenvironment: {A: 2}")
    assert dict(found.environment.values) == {
        "A": "2", "B": "1", "C": "x $Y", "D": "q", "E": UNKNOWN, "F": UNKNOWN, "G": UNKNOWN, "H": UNKNOWN, "I": "a#b",
    }  # fmt: skip
    missing = one(tmp_path, "image: x\ncommand: python x.py\nenv_file: [a.env, no.env]\nenvironment: {A: 2}")
    assert (missing.environment.values["A"], missing.environment.values["B"]) == ("2", UNKNOWN)
    assert "no.env" in missing.environment.why_open


def test_a_service_is_combined_with_its_dockerfile(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text(
        'FROM scratch AS train\nENV A=1 B=1\nWORKDIR /app\nCOPY . .\nENTRYPOINT ["python"]\nCMD ["a.py"]\nFROM scratch\n'
    )
    build = "build: {context: ., target: train}\nenvironment: {B: 2}\n"
    default, command = one(tmp_path, build), one(tmp_path, build + "command: b.py --x")
    assert (default.words, command.words) == (("python", "a.py"), ("python", "b.py", "--x"))
    assert dict(default.environment.values) == {"A": "1", "B": "2"}
    assert (default.environment.others, default.folder) == (Others.UNSET, "")
    assert one(tmp_path, build + "entrypoint: torchrun\ncommand: c.py").words == ("torchrun", "c.py")


def test_services_extend_others_and_the_override_file_wins(tmp_path: Path) -> None:
    (tmp_path / "base.yml").write_text(
        "services:\n  b:\n    image: x\n    command: python b.py\n    environment: [A=1, B=1]\n"
    )
    (tmp_path / "compose.override.yaml").write_text("services:\n  t:\n    environment: {C: 9}\n")
    text = "services:\n  t:\n    extends: {file: base.yml, service: b}\n    environment: {B: 2, C: 3}\n"
    (started,) = read(tmp_path, text)["t"].invocations
    assert started.words == ("python", "b.py")
    assert dict(started.environment.values) == {"A": "1", "B": "2", "C": "9"}
    (started,) = read(tmp_path, text.replace("base.yml", "missing.yml"))["t"].invocations
    assert started.words == (UNKNOWN, UNKNOWN_WORDS, UNKNOWN, UNKNOWN_WORDS)
    assert "extends" in started.environment.why_open


def test_services_that_extend_each_other_end(tmp_path: Path) -> None:
    text = "services:\n  a:\n    extends: b\n    image: x\n  b:\n    extends: a\n    command: python x.py\n"
    assert set(read(tmp_path, text)) <= {"a", "b"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a$b", f"a{UNKNOWN}"), ("${A:-x}y", f"{UNKNOWN}y"), ("${A:-${B}}z", f"{UNKNOWN}z"), ("$$A", "$A"), ("a$", "a$")],
)
def test_the_caller_s_variables_are_unknown(text: str, expected: str) -> None:
    assert interpolate(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x: 1\n",
        "services: [a]\n",
        'services:\n  a: {command: "python \'x"}\n',
        "services: !!python/name:x\n",
        "a: [\n",
    ],
)
def test_malformed_files_are_input_errors(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert "\n" not in str(caught.value)


def test_services_that_do_not_run_are_left_out(tmp_path: Path) -> None:
    text = "services:\n  a: {image: x, command: python x.py, scale: 0}\n  b: {image: y, command: []}\n  c: 5\n  d:\n"
    assert read(tmp_path, text) == {}


@pytest.mark.parametrize(
    ("settings", "gpus", "machines"),
    [
        ("gpus: [{count: 2}]", 2, 1),
        ("gpus: [{device_ids: ['0', '3']}]", 2, 1),
        ("gpus: [{device_ids: ['$X']}]", None, 1),
        ("gpus: [{device_ids: [0]}]", None, 1),
        ("gpus: all", None, 1),
        ("gpus: [{count: all}]", None, 1),
        ("gpus: [{count: 1}, {count: 2}]", None, 1),
        ("gpus: [{count: 1, capabilities: [tpu]}]", None, 1),
        ("gpus: [{count: 1, capabilities: gpu}]", None, 1),
        ("gpus: [5, {count: 1}]", 1, 1),
        ("deploy: {replicas: 3, resources: {reservations: {devices: [{count: '4', capabilities: [gpu]}]}}}", 4, 3),
        ("deploy: {resources: {reservations: 5}}", None, 1),
        ("deploy: 5", None, 1),
        ("deploy: {replicas: 3}\nscale: 2", None, 2),
        ("scale: $N", None, None),
    ],
)
def test_gpus_and_replicas_of_a_service(tmp_path: Path, settings: str, gpus: int | None, machines: int | None) -> None:
    indented = "".join(f"    {line}\n" for line in settings.splitlines())
    (found,) = read(tmp_path, f"services:\n  t:\n    image: x\n    command: python x.py\n{indented}").values()
    assert (found.gpus, found.machines) == (gpus, machines)


@pytest.mark.parametrize(
    ("folder", "expected"),
    [("working_dir: /w", "/w"), ("working_dir: w/../v", "/v"), ("working_dir: $X", UNKNOWN), ("working_dir: 5", UNKNOWN), ("tty: true", UNKNOWN)],
)  # fmt: skip
def test_the_folder_of_a_service(tmp_path: Path, folder: str, expected: str) -> None:
    assert one(tmp_path, f"image: x\ncommand: python x.py\n{folder}").folder == expected


def test_places_are_those_of_the_file_that_states_a_setting(tmp_path: Path) -> None:
    (tmp_path / "a.env").write_text("A=1\nB=2\n")
    (tmp_path / "base.yml").write_text(
        "services:\n  b:\n    environment: {C: 1, D: 1}\n    command:\n      - python\n      - b.py\n"
    )
    found = one(
        tmp_path,
        "extends: {file: base.yml, service: b}\nimage: x\nenv_file: {path: a.env}\nenvironment:\n  - B=3\n  - D=2",
    )
    places = {name: str(place) for name, place in found.environment.places.items()}
    assert places == {"A": "a.env:1", "B": "compose.yaml:7:9", "C": "base.yml:3:19", "D": "compose.yaml:8:9"}
    assert dict(found.environment.values) == {"A": "1", "B": "3", "C": "1", "D": "2"}
    assert str(found.place).startswith("base.yml:4")


def test_a_setting_that_may_be_inherited_is_unknown(tmp_path: Path) -> None:
    found = one(tmp_path, "extends: other\nimage: x\ncommand: python x.py")
    assert found.words == ("python", "x.py")
    assert (found.folder, found.environment.others) == (UNKNOWN, Others.UNKNOWN)
    assert found.environment.why_open == "the service that train extends cannot be read"
    assert str(found.place) == "compose.yaml:5:5"
    unknown = one(tmp_path, "extends: 5\nimage: x\nenvironment: {A: 1}")
    assert str(unknown.place) == "compose.yaml:2:3"


def test_an_override_file_counts_only_beside_a_file_of_its_name(tmp_path: Path) -> None:
    text = "services:\n  t:\n    image: x\n    command: python x.py\n"
    for ending in (".yml", ".yaml"):
        (tmp_path / f"compose.override{ending}").write_text(f"services: {{t: {{command: python {ending[1:]}.py}}}}\n")
        assert read(tmp_path, text)["t"].invocations[0].words[1] == f"{'yaml' if ending == '.yaml' else 'yml'}.py"
    (tmp_path / "other.yaml").write_text(text)
    (tmp_path / "other.override.yaml").write_text("services: {t: {command: python other.py}}\n")
    (workload,) = read_compose(str(tmp_path / "other.yaml"))
    assert workload.invocations[0].words == ("python", "x.py")


def test_a_service_with_a_profile_may_not_start(tmp_path: Path) -> None:
    assert one(tmp_path, "image: x\ncommand: python x.py\nprofiles: [a]").why_uncertain == (
        "the service train starts only with a profile"
    )
    assert one(tmp_path, "image: x\ncommand: python x.py\nprofiles: []").why_uncertain == ""


def test_the_entrypoint_of_an_image_gets_the_command(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text('FROM x\nENTRYPOINT ["python", "-u"]\n')
    assert one(tmp_path, "build: .\ncommand: [x.py, --a]").words == ("python", "-u", "x.py", "--a")
    (tmp_path / "Dockerfile").write_text("FROM x\nENTRYPOINT python y.py\n")
    assert one(tmp_path, "build: .\ncommand: [x.py]").words == ("python", "y.py")
    (tmp_path / "Other").write_text('FROM scratch\nCMD ["a"]\n')
    assert one(tmp_path, "build: {dockerfile: Other}\ncommand: [b, --c]").words == ("b", "--c")
    assert one(tmp_path, "build: {dockerfile: $X}\ncommand: [b, --c]").words == (UNKNOWN, UNKNOWN_WORDS, "b", "--c")
    assert read(tmp_path, "services: {t: {build: {dockerfile: Other}, command: []}}") == {}
    assert read(tmp_path, "services: {t: {image: x, entrypoint: []}}") == {}


def test_a_complaint_about_a_command_names_the_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"compose\.yaml:3: unbalanced quotes in command; expected a command"):
        read(tmp_path, 'services:\n  t:\n    command: "python \'x"\n')
    with pytest.raises(InputError, match=r"compose\.yaml: has no services; expected a Compose file"):
        read(tmp_path, "x: 1\n")


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=b", "b"), ("A = b ", "b"), ("export A=b", "b"), ("\tA=b", "b"), ("A: b", "b"), ("A=b # c", "b"), ("A=b#c", "b#c"),
        ("A=", ""), ("A='b # c' # d", "b # c"), ("A='b' c", UNKNOWN), ('A="b\\n"', UNKNOWN), ("A='b\\n'", UNKNOWN), ('A="$B"', UNKNOWN),
        ("A='$B'", "$B"), ("A=b\\c", UNKNOWN), ("A=#", UNKNOWN), ("A", UNKNOWN), ("A.b-c=d", None), ("1A=b", None), (" # A=b", None),
    ],
)  # fmt: skip
def test_lines_of_an_env_file(tmp_path: Path, line: str, value: str | None) -> None:
    (tmp_path / "a.env").write_text(f"{line}\nZ=z\n")
    found = one(tmp_path, "image: x\ncommand: python x.py\nenv_file: a.env").environment
    assert found.values.get("A") == value
    assert found.values["Z"] == "z" and str(found.places["Z"]) == "a.env:2"
