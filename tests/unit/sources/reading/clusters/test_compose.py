from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.described import described
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.clusters.compose import read_compose
from vcompat.sources.reading.clusters.compose_values import dotenv, interpolate
from vcompat.sources.reading.clusters.workload import Workload
from vcompat.sources.reading.invocation import Invocation, Others
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS


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
    [("a$b", "a" + UNKNOWN), ("${A:-x}y", UNKNOWN + "y"), ("${A:-${B}}z", UNKNOWN + "z"), ("$$A", "$A"), ("a$", "a$")],
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
        ("A=", ""), ("A=''", ""), ('A=""', ""), ("A='b # c' # d", "b # c"), ("A='b' c", UNKNOWN), ('A="b\\n"', UNKNOWN), ("A='b\\n'", UNKNOWN), ('A="$B"', UNKNOWN),
        ("A='$B'", "$B"), ("A=b\\c", UNKNOWN), ("A=#", UNKNOWN), ("A", UNKNOWN), ("A.b-c=d", None), ("1A=b", None), (" # A=b", None),
    ],
)  # fmt: skip
def test_lines_of_an_env_file(tmp_path: Path, line: str, value: str | None) -> None:
    (tmp_path / "a.env").write_text(f"{line}\nZ=z\n")
    found = one(tmp_path, "image: x\ncommand: python x.py\nenv_file: a.env").environment
    assert found.values.get("A") == value
    assert found.values["Z"] == "z" and str(found.places["Z"]) == "a.env:2"


FILES = {
    "base.yml": "services:\n  b:\n    command: python b.py $X\n    working_dir: /b\n    env_file: base.env\n    environment: {P: base, Q: base}\n    gpus: [{count: 3}]\n  chain: {extends: b, entrypoint: [torchrun]}\n  build: {build: sub}\n  broken: {extends: {file: none.yml, service: x}}\n",
    "base.env": "P=file\nR=file\nS=file\n",
    "more.env": "S=more\nT=more\n",
    "sub/Dockerfile": 'FROM scratch\nENV D=image E=image\nWORKDIR /app\nCOPY . .\nENTRYPOINT ["python"]\nCMD ["c.py"]\n',
    "sub/shell.docker": 'FROM ubuntu AS One\nENTRYPOINT python s.py\nCMD ["x"]\nFROM ubuntu AS two\nCMD ["python", "t.py"]\nFROM ubuntu\nCMD ["run.sh"]\n',
    "sub/scripts.docker": 'FROM scratch\nCOPY run.sh /opt/run.sh\nENTRYPOINT ["bash"]\n',
    "sub/inner/Dockerfile": 'FROM scratch\nWORKDIR /app/inner\nCOPY run.sh Dockerfile /x/\nCOPY . /app/\nENTRYPOINT ["python"]\nCMD ["c.py"]\n',
    "sub/run.sh": "python from_script.py $1\n",
}

#: The services of a Compose file beside FILES, and what they start.
SERVICES = [
    (
        "  a:\n    image: x\n    command: python a.py\n    environment:\n      A: 1\n      B:\n    env_file:\n      - path: base.env\n      - more.env\n      - 5\n      - {required: false}\n",
        [
            "a at compose.yaml:4:5, 1 x None GPUs",
            "python a.py at compose.yaml:4:5 in ? P=file@base.env:1 R=file@base.env:2 S=more@more.env:1 T=more@more.env:2 A=1@compose.yaml:6:7 B=?@compose.yaml:7:7 open: the base image x may set variables",
        ],
    ),
    (
        "  a:\n    extends: {file: base.yml, service: b}\n    env_file: [more.env]\n    environment: [Q=own, 'U=$V', \"W\", 'X$$Y=z']\n",
        [
            "a at base.yml:3:5, 1 x 3 GPUs",
            "python b.py ? at base.yml:3:5 in /b P=base@base.yml:6:19 R=file@base.env:2 S=more@more.env:1 T=more@more.env:2 Q=own@compose.yaml:5:19 U=?@compose.yaml:5:26 W=?@compose.yaml:5:34 X$Y=z@compose.yaml:5:39 open: the base image of the service may set variables",
        ],
    ),
    (
        "  a:\n    extends: {file: base.yml, service: chain}\n    profiles: [p]\n    scale: 2\n",
        [
            "a at base.yml:8:23, 2 x 3 GPUs",
            "torchrun python b.py ? at base.yml:8:23 in /b P=base@base.yml:6:19 R=file@base.env:2 S=file@base.env:3 Q=base@base.yml:6:28 open: the base image of the service may set variables perhaps: the service a starts only with a profile",
        ],
    ),
    (
        "  a: {extends: {file: base.yml, service: broken}, image: x, environment: {A: b}}\n",
        [
            "a at compose.yaml:2:3, 1 x None GPUs",
            "? ?? ? ?? at compose.yaml:2:3 in ? A=b@compose.yaml:2:75 open: the service that broken extends cannot be read",
        ],
    ),
    (
        "  a: {extends: {file: base.yml, service: none}, command: python x.py}\n",
        [
            "a at compose.yaml:2:49, 1 x None GPUs",
            "python x.py at compose.yaml:2:49 in ? open: the service that a extends cannot be read",
        ],
    ),
    (
        "  a: {extends: {file: base.yml}, command: python x.py}\n",
        [
            "a at compose.yaml:2:34, 1 x None GPUs",
            "python x.py at compose.yaml:2:34 in ? open: the service that a extends cannot be read",
        ],
    ),
    (
        "  a: {extends: {file: none.yml, service: b}, entrypoint: python, command: x.py}\n",
        [
            "a at compose.yaml:2:46, 1 x None GPUs",
            "python x.py at compose.yaml:2:46 in ? open: the service that a extends cannot be read",
        ],
    ),
    (
        "  a: {extends: b, command: x.py}\n  b: {entrypoint: [python]}\n",
        [
            "a at compose.yaml:3:7, 1 x None GPUs",
            "python x.py at compose.yaml:3:7 in ? open: the base image of the service may set variables",
            "b at compose.yaml:3:7, 1 x None GPUs",
            "python at compose.yaml:3:7 in ? open: the base image of the service may set variables",
        ],
    ),
    (
        "  a: {extends: {service: b, file: 5}, command: x.py}\n  b: {entrypoint: [python]}\n",
        [
            "a at compose.yaml:3:7, 1 x None GPUs",
            "python x.py at compose.yaml:3:7 in ? open: the base image of the service may set variables",
            "b at compose.yaml:3:7, 1 x None GPUs",
            "python at compose.yaml:3:7 in ? open: the base image of the service may set variables",
        ],
    ),
    (
        "  a: {extends: {file: base.yml, service: build}}\n",
        [
            "a at Dockerfile:6, 1 x None GPUs",
            "python c.py at Dockerfile:6 in '' D=image@Dockerfile:2 E=image@Dockerfile:2 only",
        ],
    ),
    (
        "  a: {build: sub}\n",
        [
            "a at Dockerfile:6, 1 x None GPUs",
            "python c.py at Dockerfile:6 in '' D=image@Dockerfile:2 E=image@Dockerfile:2 only",
        ],
    ),
    (
        "  a: {build: {context: sub}, command: d.py, working_dir: /app/x}\n",
        [
            "a at compose.yaml:2:30, 1 x None GPUs",
            "python d.py at compose.yaml:2:30 in sub/x D=image@Dockerfile:2 E=image@Dockerfile:2 only",
        ],
    ),
    (
        "  a: {build: {context: sub}, command: []}\n",
        [
            "a at compose.yaml:2:30, 1 x None GPUs",
            "python at compose.yaml:2:30 in sub D=image@Dockerfile:2 E=image@Dockerfile:2 only",
        ],
    ),
    ("  a: {build: {context: sub}, entrypoint: []}\n", []),
    (
        "  a: {build: {context: sub, dockerfile: shell.docker, target: one}, command: d.py}\n",
        [
            "a at shell.docker:2, 1 x None GPUs",
            "python s.py at shell.docker:2:1 in ? open: the base image ubuntu may set variables",
        ],
    ),
    (
        "  a: {build: {context: sub, dockerfile: shell.docker, target: two}}\n",
        [
            "a at shell.docker:5, 1 x None GPUs",
            "python t.py at shell.docker:5 in ? open: the base image ubuntu may set variables",
        ],
    ),
    (
        "  a: {build: {context: sub, dockerfile: shell.docker}}\n",
        [
            "a at shell.docker:7, 1 x None GPUs",
            "? ?? run.sh at shell.docker:7 in ? open: the base image ubuntu may set variables",
        ],
    ),
    (
        "  a: {build: {context: sub, dockerfile: shell.docker}, command: [--a]}\n",
        [
            "a at compose.yaml:2:56, 1 x None GPUs",
            "? ?? --a at compose.yaml:2:56 in ? open: the base image ubuntu may set variables",
        ],
    ),
    (
        "  a: {build: {context: sub, dockerfile: shell.docker, target: $T}, command: [--a], image: y}\n",
        [
            "a at compose.yaml:2:68, 1 x None GPUs",
            "? ?? --a at compose.yaml:2:68 in ? open: the base image y may set variables",
        ],
    ),
    (
        "  a: {build: {context: sub, target: 5}, command: [--a]}\n",
        [
            "a at compose.yaml:2:41, 1 x None GPUs",
            "? ?? --a at compose.yaml:2:41 in ? open: the base image of the service may set variables",
        ],
    ),
    (
        "  a: {build: 5, command: [--a]}\n",
        [
            "a at compose.yaml:2:17, 1 x None GPUs",
            "? ?? --a at compose.yaml:2:17 in ? open: the base image of the service may set variables",
        ],
    ),
    (
        "  a: {build: {dockerfile: Dockerfile}, command: [--a]}\n",
        [
            "a at compose.yaml:2:40, 1 x None GPUs",
            "? ?? --a at compose.yaml:2:40 in ? open: the base image of the service may set variables",
        ],
    ),
    (
        "  a: {build: {context: sub, dockerfile: shell.docker, target: none}}\n",
        ["sub/shell.docker: has no stage none; expected a Dockerfile"],
    ),
    (
        "  a: {build: {context: sub, dockerfile: scripts.docker}, command: [/opt/run.sh, z]}\n",
        [
            "a at compose.yaml:2:58, 1 x None GPUs",
            "python from_script.py z at run.sh:1:1 in / only /opt/run.sh:'python from_script.py $1\\n'",
        ],
    ),
    (
        "  a:\n    entrypoint:\n      - bash\n      - -c\n    command:\n      - |\n        true\n        python a.py $$1\n      - x\n      - y\n    environment: {D: 5}\n",
        [
            "a at compose.yaml:3:5, 1 x None GPUs",
            "python a.py y at compose.yaml:9:1 in ? D=5@compose.yaml:12:19 open: the base image of the service may set variables",
        ],
    ),
    (
        "  a:\n    image: x\n    command:\n      - bash\n      - -c\n      - |\n        python a.py ${B}\n",
        [
            "a at compose.yaml:4:5, 1 x None GPUs",
            "python a.py ?? at compose.yaml:8:1 in ? open: the base image x may set variables",
        ],
    ),
    (
        "  a:\n    image: x\n    entrypoint: [bash, -c, 'python a.py']\n    command: [5, 1.50, yes, null, 0x1]\n",
        [
            "a at compose.yaml:4:5, 1 x None GPUs",
            "python a.py at compose.yaml:4:1 in ? open: the base image x may set variables",
        ],
    ),
    (
        "  a: {entrypoint: python, command: [5, 1.50, yes, true, false, null, 0x1, 1.0, 1e30, -2, -2.5, [x], 12345678901234567.5]}\n",
        [
            "a at compose.yaml:2:7, 1 x None GPUs",
            "python 5 1.5 yes true false ? ? 1 ? -2 -2.5 ? ? at compose.yaml:2:7 in ? open: the base image of the service may set variables",
        ],
    ),
    (
        "  a: {image: x, command: 5}\n",
        [
            "a at compose.yaml:2:17, 1 x None GPUs",
            "? ?? 5 at compose.yaml:2:17 in ? open: the base image x may set variables",
        ],
    ),
    (
        "  a: {image: x, command: true}\n",
        [
            "a at compose.yaml:2:17, 1 x None GPUs",
            "? ?? true at compose.yaml:2:17 in ? open: the base image x may set variables",
        ],
    ),
    (
        "  a: {image: iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii, command: python x.py}\n",
        [
            "a at compose.yaml:2:97, 1 x None GPUs",
            "python x.py at compose.yaml:2:97 in ? open: the base image iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii may set variables",
        ],
    ),
    (
        "  a: {command: python x.py}\n",
        [
            "a at compose.yaml:2:7, 1 x None GPUs",
            "python x.py at compose.yaml:2:7 in ? open: the base image of the service may set variables",
        ],
    ),
    (
        "  a: {image: scratch, command: [x.py]}\n",
        ["a at compose.yaml:2:23, 1 x None GPUs", "x.py at compose.yaml:2:23 in ? only"],
    ),
    (
        "  a: {image: x, command: python x.py, env_file: none.env, environment: {A: b}}\n",
        [
            "a at compose.yaml:2:17, 1 x None GPUs",
            "python x.py at compose.yaml:2:17 in ? A=b@compose.yaml:2:73 open: the file none.env cannot be read",
        ],
    ),
    (
        "  a: {image: x, command: python x.py, env_file: [base.env, none.env, more.env]}\n",
        [
            "a at compose.yaml:2:17, 1 x None GPUs",
            "python x.py at compose.yaml:2:17 in ? P=?@base.env:1 R=?@base.env:2 S=more@more.env:1 T=more@more.env:2 open: the file none.env cannot be read",
        ],
    ),
    (
        "  a: {image: x, command: python x.py, env_file: $X/base.env}\n",
        [
            "a at compose.yaml:2:17, 1 x None GPUs",
            "python x.py at compose.yaml:2:17 in ? open: the file $X/base.env cannot be read",
        ],
    ),
    (
        "  a: {image: x, command: python x.py, environment: 5}\n",
        [
            "a at compose.yaml:2:17, 1 x None GPUs",
            "python x.py at compose.yaml:2:17 in ? open: the base image x may set variables",
        ],
    ),
    ("  a: {image: x, command: 'python \"x'}\n", ["compose.yaml:2: unbalanced quotes in command; expected a command"]),
    (
        "  a:\n    image: x\n\n    entrypoint: 'python \"x'\n",
        ["compose.yaml:5: unbalanced quotes in entrypoint; expected a command"],
    ),
    ("  a: {image: x, working_dir: /w, deploy: {replicas: 0}, command: python x.py}\n", []),
    (
        "  a: {image: x, working_dir: $W, command: python x.py}\n",
        [
            "a at compose.yaml:2:34, 1 x None GPUs",
            "python x.py at compose.yaml:2:34 in ? open: the base image x may set variables",
        ],
    ),
    (
        "  a: {image: x, working_dir: [w], command: python x.py}\n",
        [
            "a at compose.yaml:2:35, 1 x None GPUs",
            "python x.py at compose.yaml:2:35 in ? open: the base image x may set variables",
        ],
    ),
    (
        "  a: {image: x, command: 'tini -- bash -c \"python a.py; python b.py\"', profiles: p}\n",
        [
            "a at compose.yaml:2:17, 1 x None GPUs",
            "python a.py at compose.yaml:2:1 in ? open: the base image x may set variables perhaps: the service a starts only with a profile",
            "python b.py at compose.yaml:2:1 in ? open: the base image x may set variables perhaps: the service a starts only with a profile",
        ],
    ),
    (
        "  a: {<<: {command: python x.py, environment: [A=1]}, image: x}\n",
        [
            "a at compose.yaml, 1 x None GPUs",
            "python x.py at compose.yaml in ? A=1@compose.yaml open: the base image x may set variables",
        ],
    ),
    (
        "  a: 5\n  b: {image: x, command: python x.py}\n  c: {image: x}\n",
        [
            "b at compose.yaml:3:17, 1 x None GPUs",
            "python x.py at compose.yaml:3:17 in ? open: the base image x may set variables",
        ],
    ),
    (
        "  a:\n    image: x\n    command: >\n      python x.py\n      --y\n",
        [
            "a at compose.yaml:4:5, 1 x None GPUs",
            "python x.py --y at compose.yaml:4:5 in ? open: the base image x may set variables",
        ],
    ),
    (
        "  a: {build: {context: sub, dockerfile: inner/Dockerfile}}\n",
        ["a at Dockerfile:6, 1 x None GPUs", "python c.py at Dockerfile:6 in '' only"],
    ),
    (
        "  a: {build: {context: sub, dockerfile: inner/Dockerfile}, command: d.py, environment: ['A$$B=c', 'D$E=f']}\n",
        [
            "a at compose.yaml:2:60, 1 x None GPUs",
            "python d.py at compose.yaml:2:60 in sub/inner A$B=c@compose.yaml:2:89 only",
        ],
    ),
    (
        "  a: {build: {context: ., dockerfile: sub/Dockerfile}, command: d.py, working_dir: /app/sub}\n",
        [
            "a at compose.yaml:2:56, 1 x None GPUs",
            "python d.py at compose.yaml:2:56 in sub D=image@Dockerfile:2 E=image@Dockerfile:2 only",
        ],
    ),
    (
        "  a: {build: {context: ., dockerfile: sub/Dockerfile}}\n",
        [
            "a at Dockerfile:6, 1 x None GPUs",
            "python c.py at Dockerfile:6 in .. D=image@Dockerfile:2 E=image@Dockerfile:2 only",
        ],
    ),
]


@pytest.mark.parametrize(("services", "expected"), SERVICES)
def test_services_start_exactly_this(tmp_path: Path, services: str, expected: list[str]) -> None:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "compose.yaml").write_text(f"services:\n{services}")
    try:
        found = described(read_compose(str(tmp_path / "compose.yaml")))
    except InputError as error:
        found = [str(error).removeprefix(f"{tmp_path}/")]
    assert found == expected


def test_a_chain_of_services_is_followed_ten_times(tmp_path: Path) -> None:
    def chain(length: int) -> str:
        inner = "".join(f"  s{number}: {{extends: s{number + 1}}}\n" for number in range(length))
        return f"services:\n{inner}  s{length}: {{image: x, command: python x.py}}\n"

    assert read(tmp_path, chain(10))["s0"].invocations[0].words == ("python", "x.py")
    assert read(tmp_path, chain(11))["s0"].invocations[0].words == (UNKNOWN, UNKNOWN_WORDS) * 2


@pytest.mark.parametrize(
    ("file", "override", "words"),
    [
        ("compose.yaml", "compose.override.yaml", "b.py"), ("compose.yaml", "compose.override.yml", "b.py"), ("compose.yml", "compose.override.yaml", "b.py"),
        ("docker-compose.yml", "docker-compose.override.yml", "b.py"), ("compose.prod.yaml", "compose.prod.override.yaml", "a.py"),
        ("docker-compose.yml", "compose.override.yml", "a.py"), ("compose.yaml", "compose.override.json", "a.py"),
    ],
)  # fmt: skip
def test_the_override_file_has_the_name_of_its_file(tmp_path: Path, file: str, override: str, words: str) -> None:
    (tmp_path / file).write_text("services: {t: {image: x, command: python a.py}}\n")
    (tmp_path / override).write_text("services: {t: {command: python b.py}, u: {command: python c.py}}\n")
    assert [each.words for one in read_compose(str(tmp_path / file)) for each in one.invocations] == [("python", words)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""), ("a", "a"), ("$", "$"), ("$$", "$"), ("$$$A", "$" + UNKNOWN), ("$A_1b-c", UNKNOWN + "-c"), ("$1", "$1"), ("${A}", UNKNOWN), ("x${A}y$B.z", "x" + UNKNOWN + "y" + UNKNOWN + ".z"),
        ("${A", UNKNOWN), ("${A:-{}}b", UNKNOWN + "b"), ("${A:-${B:-c}}}", UNKNOWN + "}"), ("{}$", "{}$"), ("$_z", UNKNOWN), ("$Za", UNKNOWN), ("a$$b$$", "a$b$"),
    ],
)  # fmt: skip
def test_variables_of_the_caller_are_unknown_parts(text: str, expected: str) -> None:
    assert interpolate(text) == expected


def test_an_env_file_has_these_variables_on_these_lines(tmp_path: Path) -> None:
    text = """\
A=1
  export B = 2
export\tC=3

#D=4
  # E=5
F="x
y" z
G='a"b
c
H=5
"
I'=6
J="a" # b
K='a' b
L="a\\n"
M='a\\n'
N="$A"
O='$A'
P: 7
Q
R=
S= # c
T=#c
U=a #b
V=a#b
W=a\\b
exportX=8
Y.z-1=9
_Z=a b
é=1
"""
    (tmp_path / "a.env").write_text(text)
    found = {name: (value, line) for name, value, line in dotenv(str(tmp_path / "a.env"))}
    assert found == {
        "A": ("1", 1), "B": ("2", 2), "C": ("3", 3), "F": (UNKNOWN, 7), "G": (UNKNOWN, 9), "J": ("a", 14), "K": (UNKNOWN, 15), "L": (UNKNOWN, 16),
        "M": (UNKNOWN, 17), "N": (UNKNOWN, 18), "O": ("$A", 19), "P": ("7", 20), "Q": (UNKNOWN, 21), "R": ("", 22), "S": (UNKNOWN, 23), "T": (UNKNOWN, 24),
        "U": ("a", 25), "V": ("a#b", 26), "W": (UNKNOWN, 27), "exportX": ("8", 28), "Y.z-1": ("9", 29), "_Z": ("a b", 30),
    }  # fmt: skip
    (tmp_path / "b.env").write_text("A=1\n" * 10_000 + "B=1\n")
    assert [line for _, _, line in dotenv(str(tmp_path / "b.env"))][-1] == 10_000
    with pytest.raises(InputError, match="expected an env file"):
        list(dotenv(str(tmp_path / "none.env")))
    (tmp_path / "c.env").write_text("A=" + "x" * 999_998)
    assert len(next(dotenv(str(tmp_path / "c.env")))[1]) == 999_998
    (tmp_path / "c.env").write_text("A=" + "x" * 999_999)
    with pytest.raises(InputError):
        list(dotenv(str(tmp_path / "c.env")))


def test_a_compose_file_of_the_current_folder_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Dockerfile").write_text("FROM scratch\nCOPY . /app\nWORKDIR /app/sub\n")
    (tmp_path / "compose.yaml").write_text("services: {t: {build: ., command: python x.py}}\n")
    monkeypatch.chdir(tmp_path)
    assert described(read_compose("compose.yaml")) == [
        "t at compose.yaml:1:26, 1 x None GPUs",
        "python x.py at compose.yaml:1:26 in sub only",
    ]


def test_an_override_file_is_read_by_the_rules_of_compose(tmp_path: Path) -> None:
    (tmp_path / "compose.override.yaml").write_text("services: {t: {environment: {A: yes, B: 1e-4}}}\n")
    (found,) = read(tmp_path, "services: {t: {image: x, command: python x.py}}\n")["t"].invocations
    assert found.environment.values == {"A": "yes", "B": "0.0001"}
