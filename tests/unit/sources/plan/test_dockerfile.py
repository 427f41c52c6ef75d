from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.foundation.errors import InputError
from vcompat.sources.plan.dockerfile import read_dockerfile, read_image
from vcompat.sources.plan.dockerfile_text import instructions
from vcompat.sources.plan.invocation import UNKNOWN, UNKNOWN_WORDS, Others

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
    (started,) = read_dockerfile(path)[0].invocations
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
        ("ARG V=5\nENV A=$V B=x$V", {"A": UNKNOWN, "B": f"x{UNKNOWN}"}),
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
    assert dict(image.values) == {"PATH": f"/opt/bin:{UNKNOWN}", "A": UNKNOWN, "C": UNKNOWN}


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
    started = [each for one in read_dockerfile(write(tmp_path, f"FROM x\n{lines}\n")) for each in one.invocations]
    if words is None:
        assert all(each.words[0] != "python" for each in started)
    else:
        assert [each.words for each in started] == [words]


def test_a_cmd_of_an_earlier_stage_may_be_discarded_by_a_later_entrypoint(tmp_path: Path) -> None:
    text = 'FROM x AS a\nCMD ["--n", "1"]\nFROM a\nENTRYPOINT ["bash", "run.sh"]\n'
    (started,) = read_dockerfile(write(tmp_path, text))[0].invocations
    assert started.words == ("bash", "run.sh", UNKNOWN_WORDS)


def test_a_stage_inherits_and_onbuild_runs_in_the_next_stage(tmp_path: Path) -> None:
    text = (
        'FROM scratch AS a\nENV A=1\nONBUILD ENV B=2\nCMD ["python", "a.py"]\n'
        "FROM a AS b\nENV C=3\nFROM scratch\nENV D=4\n"
    )
    path = write(tmp_path, text)
    assert dict(read_image(path, "b").values) == {"A": "1", "B": "2", "C": "3"}
    assert dict(read_image(path).values) == {"D": "4"}
    assert read_dockerfile(path) == []
    with pytest.raises(InputError):
        read_image(path, "missing")


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
    assert read_dockerfile(path)[0].invocations[0].folder == folder


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
    (started,) = read_dockerfile(write(tmp_path, f"FROM ubuntu\n{lines}\n"))[0].invocations
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
