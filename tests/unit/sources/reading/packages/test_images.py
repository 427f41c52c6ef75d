"""The releases that names of container images state, as likely facts of a project."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.sources.reading.packages.images import releases_of
from vcompat.sources.reading.packages.project_releases import find_project

SCRIPT = "from trl import GRPOConfig\nGRPOConfig(use_vllm=True)\n"


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("vllm/vllm-openai:v0.8.5.post1", {"vllm": "0.8.5.post1"}),
        ("mirror.example.org:5000/vllm/vllm-openai:v0.17.1", {"vllm": "0.17.1"}),
        ("vllm/vllm-openai:latest", {}),
        ("vllm/vllm-openai:gemma4-cu130", {}),
        ("pytorch/pytorch:2.6.0-cuda12.4-cudnn9-devel", {"torch": "2.6.0"}),
        ("verlai/verl:app-verl0.5-transformers4.55.4-vllm0.10.0-te2.2", {"transformers": "4.55.4", "vllm": "0.10.0"}),
        # Of 0.18 or of 0.1.8: a number without dots states no release.
        ("verlai/verl:vllm018.dev1", {}),
        ("hiyouga/verl:ngc-th2.6.0-cu126-vllm0.8.4-cxx11abi0", {"torch": "2.6.0", "vllm": "0.8.4"}),
        ("r.example.org/m/modelscope:cuda12.6.3-torch2.7.1-vllm0.10.1.1", {"torch": "2.7.1", "vllm": "0.10.1.1"}),
        ("1.ecr.example.org/huggingface-pytorch-training:2.5.1-transformers4.49.0-gpu",
         {"torch": "2.5.1", "transformers": "4.49.0"}),
        ("nvcr.io/nvidia/pytorch:25.01-py3", {}),
        ("python:3.11", {}),
    ],
)  # fmt: skip
def test_a_name_states_releases(reference: str, expected: dict[str, str]) -> None:
    assert dict(releases_of(reference)) == expected


@pytest.mark.parametrize(
    ("files", "vllm", "torch"),
    [
        ({"Dockerfile": "FROM vllm/vllm-openai:v0.8.5\n"}, "0.8.5", "2.6.0"),
        ({"Dockerfile": "ARG BASE=vllm/vllm-openai:v0.8.5\nFROM ${BASE}\n"}, "0.8.5", "2.6.0"),
        ({"Dockerfile.train": "FROM --platform=linux/amd64 vllm/vllm-openai:v0.8.5 AS x\nFROM x\n"}, "0.8.5", "2.6.0"),
        # The last stage counts.
        ({"Dockerfile": "FROM vllm/vllm-openai:v0.8.5 AS x\nFROM ubuntu:22.04\n"}, "", ""),
        ({"run.sh": "docker run --gpus all vllm/vllm-openai:v0.8.5 python train.py\n"}, "0.8.5", "2.6.0"),
        ({"run.sh": "srun --container-image=docker://vllm/vllm-openai:v0.8.5 python train.py\n"}, "0.8.5", "2.6.0"),
        ({"run.sh": "# docker run vllm/vllm-openai:v0.8.5\npython train.py\n"}, "", ""),
        ({"run.sh": "docker run a/vllm:torch2.6.0 python train.py\ndocker run a/vllm:torch2.7.0 x\n"}, "", ""),
        # A file that pins a release, and what it pins of torch, outweigh the image.
        ({"Dockerfile": "FROM vllm/vllm-openai:v0.8.5\nRUN pip install vllm==0.9.0\n"}, "0.9.0", "2.7.0"),
        ({"Dockerfile": "FROM pytorch/pytorch:2.6.0-cuda12.4\nRUN pip install vllm==0.9.0\n"}, "0.9.0", "2.7.0"),
        ({"Dockerfile": "FROM pytorch/pytorch:2.6.0-cuda12.4\n", "requirements.txt": "trl==0.18.0\n"}, "", "2.6.0"),
    ],
)  # fmt: skip
def test_the_image_of_a_project_makes_releases_likely(
    files: dict[str, str], vllm: str, torch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    for name, text in {"train.py": SCRIPT, **files}.items():
        Path(name).write_text(text)
    project = find_project(["train.py", *(name for name in files if name.endswith(".sh"))])
    facts = [project and (project.facts.get(f"packages.{name}") or project.facts.likely(f"packages.{name}"))
             for name in ("vllm", "torch")]  # fmt: skip
    assert [str(fact.value) if fact else "" for fact in facts] == [vllm, torch]


def test_what_the_image_has_is_presumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(SCRIPT)
    Path("Dockerfile").write_text("FROM python:3.11 AS x\n\nFROM vllm/vllm-openai:v0.8.5\n")
    project = find_project(["train.py"])
    likely = project and project.facts.likely("packages.vllm")
    assert likely
    assert [str(one) for one in likely.presumes] == [
        "the image vllm/vllm-openai:v0.8.5 has what its name states (Dockerfile:3)"
    ]
