from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.sources.reading.described import described_invocations
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.containers.dockerfile import read_dockerfile, read_image
from vcompat.sources.reading.containers.dockerfile_text import instructions
from vcompat.sources.reading.invocation import Others
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS

TRAINING = """\
# syntax=docker/dockerfile:1
ARG CUDA=12.8.1
FROM nvidia/cuda:${CUDA}-devel-ubuntu22.04 AS base
ENV DEBIAN_FRONTEND=noninteractive \\
    # where pip caches
    PIP_NO_CACHE_DIR=1

FROM base AS builder
ENV MAX_JOBS=8
RUN pip wheel flash-attn

FROM base
ENV VLLM_USE_V1=1 NCCL_DEBUG="WARN" \\
    HF_HOME=/data/hf
ENV TOKENIZERS_PARALLELISM false
WORKDIR /app
COPY requirements.txt .
RUN pip install -r requirements.txt && python train.py --smoke-test
COPY . .
CMD ["accelerate", "launch", "--num_processes", "4", "train.py", "--use_vllm", "true"]
"""


def write(tmp_path: Path, text: str) -> str:
    (tmp_path / "Dockerfile").write_text(text)
    return str(tmp_path / "Dockerfile")


def test_a_container_starts_cmd_with_the_variables_of_its_stages(tmp_path: Path) -> None:
    path = write(tmp_path, TRAINING)
    (started,) = read_dockerfile(path)
    assert started.words == ("accelerate", "launch", "--num_processes", "4", "train.py", "--use_vllm", "true")
    assert dict(started.environment.values) == {
        "DEBIAN_FRONTEND": "noninteractive",
        "PIP_NO_CACHE_DIR": "1",
        "VLLM_USE_V1": "1",
        "NCCL_DEBUG": "WARN",
        "HF_HOME": "/data/hf",
        "TOKENIZERS_PARALLELISM": "false",
    }
    assert started.environment.others is Others.UNKNOWN
    assert "nvidia/cuda" in started.environment.why_open
    assert started.folder == ""
    assert str(started.environment.places["NCCL_DEBUG"]) == "Dockerfile:13"
    assert str(started.place) == "Dockerfile:20"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("ENV A=1 B=2", {"A": "1", "B": "2"}),
        ("ENV A 1 2  3", {"A": "1 2  3"}),
        ('ENV A "1 2"', {"A": "1 2"}),
        ("ENV A=\"x y\" B='z w'", {"A": "x y", "B": "z w"}),
        ("ENV A=x\\ y", {"A": "x y"}),
        ("ENV A=1\nENV A=2 B=$A", {"A": "2", "B": "1"}),
        ("ENV A=1\nENV B=${A} C='$A' D=\"$A\" E=\\$A", {"A": "1", "B": "1", "C": "$A", "D": "1", "E": "$A"}),
        ("ENV B=${A:-2} C=${B:-3}", {"B": "2", "C": "3"}),
        ("ENV A=1\nENV B=${A:+yes} C=${Z:+yes} D=${A-no}", {"A": "1", "B": "yes", "C": "", "D": "1"}),
        ("ENV A=\nENV B=${A:-x} C=${A-x}", {"A": "", "B": "x", "C": ""}),
        ("ARG V=5\nENV A=$V B=x$V", {"A": UNKNOWN, "B": "x" + UNKNOWN}),
        ("ARG V\nENV V=${V:-5}", {"V": UNKNOWN}),
        ("ENV V=1\nARG V=2\nENV A=$V", {"V": "1", "A": "1"}),
        ("ENV A=${B#x}", {"A": UNKNOWN}),
        ("ENV A=${B:-${C}}", {"A": UNKNOWN}),
        ("ENV A=1 \\\n\n  # comment\n  B=2", {"A": "1", "B": "2"}),
        ("env A=1", {"A": "1"}),
        ("RUN <<EOF\nENV A=1\nCMD false\nEOF\nENV B=2", {"B": "2"}),
        ("RUN cat <<'EOF' > /x\nENV A=1\nEOF\nENV B=2", {"B": "2"}),
        ("COPY <<-END /x\nENV A=1\n\tEND\nENV B=2", {"B": "2"}),
        ('RUN echo "a <<EOF"\nENV A=1', {"A": "1"}),
        ("RUN cat << EOF\nENV A=1", {"A": "1"}),
        ("RUN python - <<A <<B\nENV X=1\nA\nENV Y=1\nB\nENV Z=1", {"Z": "1"}),
        ("LABEL ENV=x\nRUN export A=1", {}),
    ],
)
def test_env_follows_the_reference(tmp_path: Path, lines: str, expected: dict[str, str]) -> None:
    assert dict(read_image(write(tmp_path, f"FROM scratch\n{lines}\n")).values) == expected


def test_the_escape_character_can_be_changed(tmp_path: Path) -> None:
    text = "# escape=`\nFROM scratch\nENV A=C:\\x `\n  B=a` b\n"
    assert dict(read_image(write(tmp_path, text)).values) == {"A": "C:\\x", "B": "a b"}


def test_what_the_base_image_may_set_is_unknown(tmp_path: Path) -> None:
    image = read_image(write(tmp_path, "FROM ubuntu\nENV PATH=/opt/bin:$PATH A=${B:-1} C=${D:+x}\n"))
    assert dict(image.values) == {"PATH": "/opt/bin:" + UNKNOWN, "A": UNKNOWN, "C": UNKNOWN}


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('ENTRYPOINT ["python", "train.py"]', ("python", "train.py")),
        ('ENTRYPOINT ["python"]\nCMD ["train.py", "--x"]', ("python", "train.py", "--x")),
        ('CMD ["a"]\nCMD ["python", "b.py"]', ("python", "b.py")),
        ("CMD python train.py --x 1", ("python", "train.py", "--x", "1")),
        ("ENTRYPOINT torchrun a.py\nCMD --ignored", ("torchrun", "a.py")),
        ('CMD ["bash", "-c", "export A=1 && python train.py"]', ("python", "train.py")),
        ('CMD ["--model", "x"]', (UNKNOWN, UNKNOWN_WORDS, "--model", "x")),
        ('SHELL ["/bin/bash", "-lc"]\nCMD python x.py', ("python", "x.py")),
        ('ENTRYPOINT ["python"]\nENTRYPOINT ["python3"]\nCMD ["x.py"]', ("python3", "x.py")),
        ("CMD ['python', 'x.py']", None),
    ],
)
def test_entrypoint_and_cmd_are_combined(tmp_path: Path, lines: str, words: tuple[str, ...] | None) -> None:
    started = read_dockerfile(write(tmp_path, f"FROM x\n{lines}\n"))
    if words is None:
        assert all(each.words[0] != "python" for each in started)
    else:
        assert [each.words for each in started] == [words]


def test_a_cmd_of_an_earlier_stage_may_be_discarded_by_a_later_entrypoint(tmp_path: Path) -> None:
    text = 'FROM x AS a\nCMD ["--n", "1"]\nFROM a\nENTRYPOINT ["bash", "run.sh"]\n'
    (started,) = read_dockerfile(write(tmp_path, text))
    assert started.words == ("bash", "run.sh", UNKNOWN_WORDS)


def test_a_stage_inherits_and_onbuild_runs_in_the_next_stage(tmp_path: Path) -> None:
    text = (
        'FROM scratch AS a\nENV A=1\nONBUILD ENV B=2\nCMD ["python", "a.py"]\n'
        "FROM a AS b\nENV C=3\nFROM scratch\nENV D=4\n"
    )
    assert dict(read_image(write(tmp_path, text)).values) == {"D": "4"}
    assert read_dockerfile(write(tmp_path, text)) == []
    assert dict(read_image(write(tmp_path, text.partition("FROM scratch\n")[0])).values) == {
        "A": "1",
        "B": "2",
        "C": "3",
    }


@pytest.mark.parametrize(
    ("lines", "folder"),
    [
        ("WORKDIR /app\nCOPY . .", ""),
        ("COPY . /src/\nWORKDIR /src/sub", "sub"),
        ("COPY pkg /app/pkg\nWORKDIR /app/pkg", "pkg"),
        ("WORKDIR /app\nWORKDIR x", "/app/x"),
        ("WORKDIR x", UNKNOWN),
        ("ARG D=/app\nWORKDIR $D", UNKNOWN),
        ("ENV D=/app\nWORKDIR ${D}/x", "/app/x"),
    ],
)
def test_the_folder_is_the_one_of_the_build_context_where_copy_tells(tmp_path: Path, lines: str, folder: str) -> None:
    (tmp_path / "pkg").mkdir()
    path = write(tmp_path, f'FROM ubuntu\n{lines}\nCMD ["python", "x.py"]\n')
    assert read_dockerfile(path)[0].folder == folder


def test_copied_files_are_known_by_their_path_in_the_container(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("python x.py\n")
    path = write(tmp_path, 'FROM ubuntu\nWORKDIR /w\nCOPY run.sh /run.sh\nCOPY run.sh ./\nENTRYPOINT ["/run.sh"]\n')
    assert read_image(path).copied == {"/run.sh": "run.sh", "/w/run.sh": "run.sh"}


@pytest.mark.parametrize(
    "lines",
    [
        'COPY run.sh /opt/run.sh\nENTRYPOINT ["/opt/run.sh"]\nCMD ["--n", "2"]',
        'COPY . /w\nCMD ["bash", "/w/run.sh", "--n", "2"]',
        "COPY run.sh /usr/local/bin/\nCMD /usr/local/bin/run.sh --n 2",
        'COPY --chmod=755 . /w/\nENTRYPOINT ["tini", "--", "/w/run.sh"]\nCMD ["--n", "2"]',
    ],
)
def test_scripts_that_are_copied_are_followed(tmp_path: Path, lines: str) -> None:
    (tmp_path / "run.sh").write_text("#!/bin/bash\nexport A=1\nexec python x.py $@\n")
    (started,) = read_dockerfile(write(tmp_path, f"FROM ubuntu\n{lines}\n"))
    assert (started.words, started.environment.values["A"]) == (("python", "x.py", "--n", "2"), "1")


@pytest.mark.parametrize(
    "text", ["", "RUN x\n", "hello world\n", "FROM\n", "\0", "FROM a\n" + "RUN x\n" * 6000, "# only a comment\n"]
)
def test_other_files_are_input_errors(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_dockerfile(write(tmp_path, text))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    ["FROM a\nRUN <<EOF\n", "FROM a\nENV\nENV =x\nENV A\nCMD\nWORKDIR\nONBUILD\nARG\nCOPY\n", "FROM a\nENV A=${\n"],
)
def test_odd_files_are_read_to_their_end(tmp_path: Path, text: str) -> None:
    read_dockerfile(write(tmp_path, text))


def test_instructions_have_the_line_of_their_first_line() -> None:
    found = list(instructions("\n# x\nFROM a\n\nRUN b \\\n  c\n\nCMD d\n", "Dockerfile"))
    assert [(one.name, one.line) for one in found] == [("FROM", 3), ("RUN", 5), ("CMD", 8)]


#: A Dockerfile beside the files run.sh and pkg/in.sh; what its container starts, and what is copied to where.
DOCKERFILES = [
    (
        'FROM ubuntu\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:2 in ? open: the base image ubuntu may set variables",
            {},
        ],
    ),
    (
        'FROM scratch\nCMD ["python", "x.py"]\n',
        ["python x.py at Dockerfile:2 in / only", {}],
    ),
    ("FROM ubuntu\n", [{}]),
    ("FROM scratch\n", [{}]),
    ("", ["Dockerfile: has no FROM; expected a Dockerfile"]),
    ("ENV A=1\n", ["Dockerfile:1: not a Dockerfile: it does not start with FROM; expected a Dockerfile"]),
    ("# c\n\nRUN x\n", ["Dockerfile:3: not a Dockerfile: it does not start with FROM; expected a Dockerfile"]),
    ("FROM\n", ["Dockerfile:1: FROM without an image; expected a Dockerfile"]),
    (
        'FROM --platform=x ubuntu\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:2 in ? open: the base image ubuntu may set variables",
            {},
        ],
    ),
    ("FROM --platform=x\n", ["Dockerfile:1: FROM without an image; expected a Dockerfile"]),
    (
        'ARG V=1 W\nARG X\nFROM a:${V}\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:4 in ? open: the base image a:${V} may set variables",
            {},
        ],
    ),
    (
        'ARG V=scratch\nFROM ${V}\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:3 in ? open: the base image ${V} may set variables",
            {},
        ],
    ),
    (
        'FROM ${Z:-scratch}\nCMD ["python", "x.py"]\n',
        ["python x.py at Dockerfile:2 in / only", {}],
    ),
    (
        'FROM $Z\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:2 in ? open: the base image $Z may set variables",
            {},
        ],
    ),
    (
        'FROM scratch AS One\nENV A=1\nFROM one\nENV B=$A\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:5 in / A=1@Dockerfile:2 B=1@Dockerfile:4 only",
            {},
        ],
    ),
    (
        'FROM scratch as a\nENV A=1\nFROM ubuntu AS b\nFROM a\nCMD ["python", "x.py"]\n',
        ["python x.py at Dockerfile:5 in / A=1@Dockerfile:2 only", {}],
    ),
    (
        'FROM ubuntu AS a\nENV A=1\nFROM ONE\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:4 in ? open: the base image ONE may set variables",
            {},
        ],
    ),
    (
        'FROM ubuntu x a\nENV A=1\nFROM a\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:4 in ? open: the base image a may set variables",
            {},
        ],
    ),
    (
        'FROM ubuntu AS\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:2 in ? open: the base image ubuntu may set variables",
            {},
        ],
    ),
    (
        'FROM ubuntu AS a\nARG V=1\nENV A=$V\nFROM a\nENV B=$V\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:6 in ? A=?@Dockerfile:3 B=?@Dockerfile:5 open: the base image ubuntu may set variables",
            {},
        ],
    ),
    (
        'FROM scratch\nARG V=1\nENV A=$V B=${V:-x} C=${W:-y}\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:4 in / A=?@Dockerfile:3 B=?@Dockerfile:3 C=y@Dockerfile:3 only",
            {},
        ],
    ),
    (
        'FROM scratch\nENV V=1\nARG V=2\nENV A=$V\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:5 in / V=1@Dockerfile:2 A=1@Dockerfile:4 only",
            {},
        ],
    ),
    (
        'FROM scratch\nENV A=1 B\nENV C 2  3\nENV D\nENV =5 E=\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:6 in / A=1@Dockerfile:2 C='2  3'@Dockerfile:3 D=''@Dockerfile:4 E=''@Dockerfile:5 only",
            {},
        ],
    ),
    (
        'FROM scratch\nWORKDIR /a\nWORKDIR b/../c\nCMD ["python", "x.py"]\n',
        ["python x.py at Dockerfile:4 in /a/c only", {}],
    ),
    (
        'FROM scratch\nWORKDIR a\nCMD ["python", "x.py"]\n',
        ["python x.py at Dockerfile:3 in /a only", {}],
    ),
    (
        'FROM scratch\nENV D=/d\nWORKDIR $D/e\nWORKDIR \nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:5 in /d/e D=/d@Dockerfile:2 only",
            {},
        ],
    ),
    (
        'FROM ubuntu\nWORKDIR $D\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:3 in ? open: the base image ubuntu may set variables",
            {},
        ],
    ),
    (
        'FROM ubuntu\nWORKDIR \'a b\'\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:3 in ? open: the base image ubuntu may set variables",
            {},
        ],
    ),
    (
        'FROM scratch\nWORKDIR /a\\ b\nCMD ["python", "x.py"]\n',
        ["python x.py at Dockerfile:3 in '/a b' only", {}],
    ),
    (
        'FROM scratch\nCOPY . /app\nWORKDIR /app\nCMD ["python", "x.py"]\n',
        ["python x.py at Dockerfile:4 in '' only", {"/app": ""}],
    ),
    (
        'FROM scratch\nCOPY pkg /app/pkg\nCOPY . /app\nWORKDIR /app/pkg/x/\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:5 in pkg/x only",
            {"/app/pkg": "pkg", "/app": ""},
        ],
    ),
    (
        'FROM scratch\nCOPY . /\nWORKDIR /pkg/y\nCMD ["python", "x.py"]\n',
        ["python x.py at Dockerfile:4 in pkg/y only", {"/": ""}],
    ),
    (
        'FROM scratch\nCOPY . /app\nWORKDIR /application\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:4 in /application only",
            {"/app": ""},
        ],
    ),
    (
        'FROM scratch\nADD pkg /a/\nWORKDIR /a\nCMD ["python", "x.py"]\n',
        ["python x.py at Dockerfile:4 in pkg only", {"/a": "pkg"}],
    ),
    (
        'FROM scratch\nWORKDIR /w\nCOPY pkg p\nWORKDIR p\nCMD ["python", "x.py"]\n',
        ["python x.py at Dockerfile:5 in pkg only", {"/w/p": "pkg"}],
    ),
    (
        'FROM scratch\nCOPY --from=x . /app\nWORKDIR /app\nCMD ["python", "x.py"]\n',
        ["python x.py at Dockerfile:4 in /app only", {}],
    ),
    (
        'FROM scratch\nCOPY --chown=a:b --chmod=755 . /app\nWORKDIR /app\nCMD ["python", "x.py"]\n',
        ["python x.py at Dockerfile:4 in '' only", {"/app": ""}],
    ),
    (
        'FROM scratch\nCOPY ["pkg", "/p q"]\nWORKDIR "/p q"\nCMD ["python", "x.py"]\n',
        ["python x.py at Dockerfile:4 in pkg only", {"/p q": "pkg"}],
    ),
    (
        'FROM scratch\nCOPY run.sh pkg /x/\nCOPY run.sh none /y\nCOPY run.sh /z\nCOPY run.sh /z2/\nCOPY run.sh .\nCOPY ./run.sh ../up\nCOPY ../x /u\nCOPY pkg/../run.sh /v\nCOPY /run.sh /t\nCOPY\nCOPY run.sh\nCOPY [5]\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:14 in / only",
            {
                "/x/run.sh": "run.sh",
                "/x": "pkg",
                "/y/run.sh": "run.sh",
                "/z": "run.sh",
                "/z2/run.sh": "run.sh",
                "/run.sh": "run.sh",
                "/up": "run.sh",
                "/v": "run.sh",
                "/t": "run.sh",
            },
        ],
    ),
    (
        'FROM ubuntu\nCOPY run.sh rel\nCOPY $X /x\nCOPY run.sh $X\nCOPY run.sh /ok\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:6 in ? open: the base image ubuntu may set variables",
            {"/ok": "run.sh"},
        ],
    ),
    (
        'FROM scratch\nENV S=run.sh T=/t\nCOPY ${S} $T\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:4 in / S=run.sh@Dockerfile:2 T=/t@Dockerfile:2 only",
            {"/t": "run.sh"},
        ],
    ),
    (
        'FROM scratch\nCOPY run.sh /run.sh\nCMD ["/run.sh", "a b"]\n',
        [
            "/run.sh 'a b' at Dockerfile:3:1 in / only /run.sh:'python s.py $@\\n'",
            {"/run.sh": "run.sh"},
        ],
    ),
    (
        "FROM scratch\nCOPY run.sh /run.sh\nCMD /run.sh a; /none.sh\n",
        [
            "/run.sh a at Dockerfile:3:1 in / only /run.sh:'python s.py $@\\n'",
            "/none.sh at Dockerfile:3:1 in / only /run.sh:'python s.py $@\\n'",
            {"/run.sh": "run.sh"},
        ],
    ),
    (
        'FROM scratch\nCOPY . /app\nCMD ["bash", "/app/pkg/in.sh"]\n',
        [
            "python in.py at in.sh:1:1 in / only /app/pkg/in.sh:'python in.py\\n'",
            {"/app": ""},
        ],
    ),
    (
        'FROM scratch\nCOPY pkg /app/\nENTRYPOINT ["/app/in.sh"]\n',
        [
            "/app/in.sh at Dockerfile:3:1 in / only /app/in.sh:'python in.py\\n'",
            {"/app": "pkg"},
        ],
    ),
    (
        'FROM scratch\nCOPY . /app\nCOPY run.sh /app/pkg/in.sh\nCMD ["/app/pkg/in.sh"]\n',
        [
            "/app/pkg/in.sh at Dockerfile:4:1 in / only /app/pkg/in.sh:'python s.py $@\\n'",
            {"/app": "", "/app/pkg/in.sh": "run.sh"},
        ],
    ),
    (
        'FROM scratch\nCOPY . /app\nCMD ["./app/run.sh"]\n',
        ["./app/run.sh at Dockerfile:3:1 in / only", {"/app": ""}],
    ),
    (
        'FROM scratch\nCOPY . /app\nCMD ["/app/none.sh"]\n',
        ["/app/none.sh at Dockerfile:3:1 in / only", {"/app": ""}],
    ),
    (
        'FROM scratch\nCOPY pkg /app\nCMD ["/app"]\n',
        ["/app at Dockerfile:3 in / only", {"/app": "pkg"}],
    ),
    (
        'FROM scratch\nCOPY run.sh /app/run.bash\nCMD ["/app/run.bash"]\n',
        [
            "/app/run.bash at Dockerfile:3:1 in / only /app/run.bash:'python s.py $@\\n'",
            {"/app/run.bash": "run.sh"},
        ],
    ),
    (
        'FROM scratch\nCOPY run.sh /app/run.sh.py\nCMD ["bash", "/app/run.sh.py"]\n',
        [
            "bash /app/run.sh.py at Dockerfile:3:1 in / only",
            {"/app/run.sh.py": "run.sh"},
        ],
    ),
    (
        'FROM scratch\nENTRYPOINT ["python"]\n',
        ["python at Dockerfile:2 in / only", {}],
    ),
    (
        'FROM scratch\nENTRYPOINT ["python"]\nCMD ["x.py"]\n',
        ["python x.py at Dockerfile:3 in / only", {}],
    ),
    (
        'FROM scratch\nENTRYPOINT python x.py\nCMD ["y"]\n',
        ["python x.py at Dockerfile:2:1 in / only", {}],
    ),
    (
        'FROM scratch\nENTRYPOINT ["bash", "-c"]\nCMD ["python x.py"]\n',
        ["python x.py at Dockerfile:3:1 in / only", {}],
    ),
    (
        'FROM scratch\nCMD ["x.py"]\nENTRYPOINT ["python"]\n',
        ["python x.py at Dockerfile:2 in / only", {}],
    ),
    (
        "FROM scratch\nCMD python x.py a; python y.py\n",
        [
            "python x.py a at Dockerfile:2:1 in / only",
            "python y.py at Dockerfile:2:1 in / only",
            {},
        ],
    ),
    (
        'FROM scratch\nSHELL ["/bin/bash", "-eo", "pipefail", "-c"]\nCMD python x.py\n',
        ["python x.py at Dockerfile:3:1 in / only", {}],
    ),
    (
        "FROM scratch\nSHELL bash\nSHELL []\nCMD python x.py\n",
        ["python x.py at Dockerfile:4:1 in / only", {}],
    ),
    (
        'FROM scratch\nSHELL ["fish", "-c"]\nENTRYPOINT python x.py\n',
        ["fish -c 'python x.py' at Dockerfile:3 in / only", {}],
    ),
    (
        'FROM ubuntu\nCMD ["--a"]\n',
        [
            "? ?? --a at Dockerfile:2 in ? open: the base image ubuntu may set variables",
            {},
        ],
    ),
    (
        'FROM ubuntu\nCMD ["x.sh"]\n',
        [
            "? ?? x.sh at Dockerfile:2 in ? open: the base image ubuntu may set variables",
            {},
        ],
    ),
    (
        'FROM ubuntu\nENTRYPOINT ["x"]\nCMD ["--a"]\n',
        [
            "x --a at Dockerfile:3 in ? open: the base image ubuntu may set variables",
            {},
        ],
    ),
    ('FROM scratch\nCMD ["python", 5]\n', [{}]),
    ('FROM scratch\nCMD ["python"\n', [{}]),
    ('FROM scratch\nCMD {"a": 1}\n', [{}]),
    ("FROM scratch\nCMD []\n", [{}]),
    (
        'FROM scratch\nENTRYPOINT []\nCMD ["python", "x.py"]\n',
        ["python x.py at Dockerfile:3 in / only", {}],
    ),
    (
        'FROM scratch\nCMD   [ "python" , "x.py" ]  \n',
        ["python x.py at Dockerfile:2 in / only", {}],
    ),
    ("FROM scratch\nCMD\n", [{}]),
    (
        'FROM scratch AS a\nCMD ["b"]\nFROM a\nENTRYPOINT ["python"]\n',
        ["python ?? at Dockerfile:2 in / only", {}],
    ),
    (
        'FROM scratch AS a\nCMD ["b"]\nFROM a\nENTRYPOINT ["python"]\nCMD ["c"]\n',
        ["python c at Dockerfile:5 in / only", {}],
    ),
    (
        'FROM scratch AS a\nENTRYPOINT ["python"]\nFROM a\nCMD ["c"]\n',
        ["python c at Dockerfile:4 in / only", {}],
    ),
    (
        'FROM scratch AS a\nENTRYPOINT ["python"]\nCMD ["c"]\nFROM a\n',
        ["python c at Dockerfile:3 in / only", {}],
    ),
    (
        'FROM scratch AS a\nFROM a\nENTRYPOINT ["python"]\n',
        ["python at Dockerfile:3 in / only", {}],
    ),
    (
        'FROM scratch AS a\nONBUILD ENV A=1\nONBUILD WORKDIR /x\nONBUILD COPY . /x\nENV B=2\nFROM a\nENV C=$A\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:8 in '' B=2@Dockerfile:5 A=1@Dockerfile:2 C=1@Dockerfile:7 only",
            {"/x": ""},
        ],
    ),
    (
        'FROM scratch AS a\nONBUILD ENV A=1\nFROM a AS b\nFROM b\nCMD ["python", "x.py"]\n',
        ["python x.py at Dockerfile:5 in / A=1@Dockerfile:2 only", {}],
    ),
    (
        'FROM scratch AS a\nONBUILD  CMD ["python", "x.py"]\nFROM a\n',
        ["python x.py at Dockerfile:2 in / only", {}],
    ),
    (
        'FROM scratch\nONBUILD ENV A=1\nCMD ["python", "x.py"]\n',
        ["python x.py at Dockerfile:3 in / only", {}],
    ),
    (
        'FROM scratch AS a\nonbuild env A=1\nFROM a\nCMD ["python", "x.py"]\n',
        ["python x.py at Dockerfile:4 in / A=1@Dockerfile:2 only", {}],
    ),
    (
        'FROM x\nRUN <<EOF\nCMD ["a"]\nEOF\nUNKNOWN x\nCMD ["python", "x.py"]\n',
        [
            "python x.py at Dockerfile:6 in ? open: the base image x may set variables",
            {},
        ],
    ),
]


@pytest.mark.parametrize(("text", "expected"), DOCKERFILES)
def test_a_container_starts_exactly_this(tmp_path: Path, text: str, expected: list[Any]) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "run.sh").write_text("python s.py $@\n")
    (tmp_path / "pkg" / "in.sh").write_text("python in.py\n")
    path = write(tmp_path, text)
    try:
        found = [*described_invocations(read_dockerfile(path)), dict(read_image(path).copied)]
    except InputError as error:
        found = [str(error).removeprefix(f"{tmp_path}/")]
    assert found == expected


def test_files_are_those_of_the_build_context(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.sh").write_text("python a.py\n")
    text = "FROM scratch\nCOPY x.sh /x.sh\nCMD /x.sh\n"
    assert read_image(write(tmp_path, text)).copied == {}
    image = read_image(write(tmp_path / "a", text))
    command = image.words()
    assert image.copied == {"/x.sh": "x.sh"} and command is not None
    assert image.files(command) == {"/x.sh": "python a.py\n"}
    (tmp_path / "a" / "x.sh").write_text("x" * 1_000_001)
    with pytest.raises(InputError, match="expected a shell script"):
        image.files(command)


def test_a_dockerfile_has_a_megabyte_at_most(tmp_path: Path) -> None:
    text = "FROM scratch\n#"
    assert read_image(write(tmp_path, text + "x" * (1_000_000 - len(text)))).base == "scratch"
    with pytest.raises(InputError, match="expected a Dockerfile"):
        read_image(write(tmp_path, text + "x" * (1_000_001 - len(text))))
