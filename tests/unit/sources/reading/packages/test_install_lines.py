"""Releases that commands install: in launch scripts, Dockerfiles and notebooks, and in the block of a script."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.sources.reading.packages.declared_files import X86, read, stated
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.packages.install_lines import read_block, read_installs
from vcompat.sources.reading.packages.platforms import Runtime

TRL, VLLM = "trl==0.18.0", "vllm==0.8.4"


def notebook(*cells: str) -> str:
    made = [{"cell_type": "code", "metadata": {}, "outputs": [], "source": cell} for cell in cells]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": made})


def installed(folder: Path, name: str, text: str, runtime: Runtime = X86) -> str:
    """What a file installs: releases, ``?`` for one that is not known, ``~`` before one that may have changed since."""
    (folder / name).write_text(text)
    found = read_installs(str(folder / name), runtime)
    if found is None:
        return ""
    facts = found.declared.facts()
    shown = {package: stated(facts, f"packages.{package}") for package in sorted(found.declared.entries)}
    return " ".join(f"{'~' * (package in found.loosely)}{package} {release}" for package, release in shown.items())


@pytest.mark.parametrize(
    ("commands", "expected"),
    [
        (f"pip install {TRL}", "trl 0.18.0"),
        (f"pip install -q -U --extra-index-url https://example.org/x {TRL} {VLLM}", "trl 0.18.0 vllm 0.8.4"),
        (f"pip install \\\n  {TRL} \\\n  '{VLLM}'  # both", "trl 0.18.0 vllm 0.8.4"),
        (f"sudo -H pip3 install {TRL}", "trl 0.18.0"),
        (f"python3 -m pip install {TRL}", "trl 0.18.0"),
        (f"uv pip install --system {TRL}", "trl 0.18.0"),
        (f"cd src && pip install {TRL}; sleep 1", "trl 0.18.0"),
        (f"pip install {TRL} || exit 1", "trl 0.18.0"),
        ("TRL=0.18.0\npip install trl==$TRL", "trl 0.18.0"),
        ("pip install trl==0.18.0 'trl[vllm]'", "trl 0.18.0"),
        ("pip install 'trl[vllm]' trl==0.18.0", "trl 0.18.0"),
        ("pip install trl==0.18.0\npip install 'trl[vllm]'", "trl ?"),
        ("pip install 'trl>=0.18,<0.22'", "trl ?"),
        ("pip install trl", "trl ?"),
        ("pip install trl==$1", "trl ?"),
        ("pip install git+https://github.com/huggingface/trl@v0.18.0", "trl ?"),
        # The last command counts.
        (f"pip install trl==0.17.0\npip install {TRL}", "trl 0.18.0"),
        (f"pip install trl==0.17.0 && pip install {TRL}", "trl 0.18.0"),
        (f"pip install {TRL}\npip install -U trl", "trl ?"),
        (f"pip install {TRL}\npip uninstall -y trl", "trl ?"),
        # What pip resolves later can change it.
        (f"pip install {TRL}\npip install {VLLM}", "~trl 0.18.0 vllm 0.8.4"),
        (f"pip install {TRL} && pip install {VLLM}", "~trl 0.18.0 vllm 0.8.4"),
        (f"pip install {TRL}\npip install -r requirements.txt", "~trl 0.18.0"),
        (f"pip install {TRL}\npip install --no-deps {VLLM}", "trl 0.18.0 vllm 0.8.4"),
        (f"pip install {TRL}\npip install --no-deps $MORE", "~trl 0.18.0"),
        (f"pip install {TRL}\npip install {VLLM}\npip install --no-deps {TRL}", "trl 0.18.0 vllm 0.8.4"),
        # What might not run.
        (f"[ -f x ] && pip install {TRL}", "trl ?"),
        (f"test -d venv || pip install {TRL}", "trl ?"),
        (f"if [ -f x ]; then\npip install {TRL}\nfi", "trl ?"),
        (f"pip install trl==0.17.0\nif [ -f x ]; then\n  pip install --no-deps {TRL}\nfi", "trl ?"),
        (f"pip install {TRL}\nif [ -f x ]; then\n  pip install --no-deps {TRL}\nfi", "trl 0.18.0"),
        (f"pip install --target extra {TRL}", "trl ?"),
        # What does not run.
        (f"# pip install {TRL}\n# or: cd x && pip install {TRL}", ""),
        (f"echo 'first: cd x && pip install {TRL}'", ""),
        (f"cat > setup.sh <<EOF\npip install {TRL}\nEOF", ""),
        (f"setup() {{\npip install {TRL}\n}}", ""),
        (f"exit 0\npip install {TRL}", ""),
        (f"pip download {TRL}", ""),
        ("python train.py", ""),
    ],
)
def test_commands_of_a_launch_script_state_what_they_install(tmp_path: Path, commands: str, expected: str) -> None:
    assert installed(tmp_path, "run.sh", commands + "\n") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"FROM a\nRUN apt-get update && \\\n    pip install {TRL} {VLLM}\n", "trl 0.18.0 vllm 0.8.4"),
        (f"FROM a\nRUN --mount=type=cache,target=/x pip install {TRL}\n", "trl 0.18.0"),
        (f"FROM a AS first\nRUN pip install {TRL}\nFROM b\nRUN pip install {VLLM}\n", "vllm 0.8.4"),
        (f"FROM a AS first\nRUN pip install {TRL}\nFROM first\nRUN pip install {VLLM}\n", "~trl 0.18.0 vllm 0.8.4"),
        ("FROM a\nARG TRL=0.18.0\nRUN pip install trl==${TRL}\n", "trl ?"),
        (f"FROM a\nRUN if [ -f x ]; then pip install {TRL}; fi\n", "trl ?"),
        (f"FROM a\n# RUN pip install {TRL}\nCMD pip install {TRL}\n", ""),
    ],
)
def test_the_last_stage_of_a_dockerfile_states_what_its_image_has(tmp_path: Path, text: str, expected: str) -> None:
    assert installed(tmp_path, "Dockerfile", text) == expected


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([f"!pip install {TRL}", f"%pip install --no-deps {VLLM}"], "trl 0.18.0 vllm 0.8.4"),
        ([f"%%capture\n!uv pip install {TRL}"], "trl 0.18.0"),
        ([f"%%bash\npip install {TRL}"], "trl 0.18.0"),
        ([f"if colab:\n    !pip install {TRL}\nelse:\n    !pip install {TRL} {VLLM}"], "trl ? vllm ?"),
        (["version = get()\n!pip install trl=={version}"], "trl ?"),
        ([f"text = '''\npip install {TRL}\n!pip install {TRL}\n'''"], ""),
    ],
)
def test_cells_of_a_notebook_state_what_they_install(tmp_path: Path, cells: list[str], expected: str) -> None:
    assert installed(tmp_path, "train.ipynb", notebook(*cells)) == expected


#: What chooses a release by the GPU, as a notebook for several kinds does.
ASKS = "try:\n    is_t4 = 'Tesla T4' in str(subprocess.check_output(['nvidia-smi']))\nexcept:\n    is_t4 = False\n"
CHOOSES = "_vllm, _other = ('vllm==0.8.4', 'x') if is_t4 else ('vllm==0.9.0', 'y')\n"
NUMPY = "_numpy = f'numpy=={numpy.__version__}'\n"


@pytest.mark.parametrize(
    ("cells", "gpus", "expected"),
    [
        ([ASKS + CHOOSES + "!pip install {_vllm}"], ("Tesla T4",), "vllm 0.8.4"),
        ([ASKS + CHOOSES + "!pip install {_vllm}"], ("NVIDIA L4",), "vllm 0.9.0"),
        ([ASKS + CHOOSES + "!pip install {_vllm}"], (), "vllm ?"),
        ([ASKS + CHOOSES, f"!pip install {{_vllm}} {TRL}"], (), "trl 0.18.0 vllm ?"),
        # Another expression of the command is not known, and another choice asks something else.
        ([ASKS + NUMPY + CHOOSES + "!pip install {_vllm} {_numpy}"], ("Tesla T4",), "vllm 0.8.4"),
        ([ASKS + "_a = 'x' if new else 'y'\n" + CHOOSES + "!pip install {_vllm} {_a}"], ("Tesla T4",), "vllm 0.8.4"),
        (["_vllm = 'vllm==0.8.4' if old else 'vllm==0.9.0'\n!pip install {_vllm}"], ("Tesla T4",), "vllm ?"),
        (["_vllm = 'vllm==0.8.4' if old else 'vllm==0.8.4'\n!pip install {_vllm}"], (), "vllm 0.8.4"),
        ([ASKS + CHOOSES + "_vllm = get()\n!pip install {_vllm}"], ("Tesla T4",), ""),
        # The variable can be true without that GPU.
        ([ASKS + "if old: is_t4 = True\n" + CHOOSES + "!pip install {_vllm}"], ("Tesla T4",), "vllm ?"),
        ([ASKS.replace("['nvidia-smi']", "['nvidia-smi', '-q']") + CHOOSES + "!pip install {_vllm}"], ("Tesla T4",),
         "vllm ?"),
    ],
)  # fmt: skip
def test_a_notebook_chooses_releases_by_the_gpu(
    tmp_path: Path, cells: list[str], gpus: tuple[str, ...], expected: str
) -> None:
    assert installed(tmp_path, "train.ipynb", notebook(*cells), X86._replace(gpus=gpus)) == expected


def test_a_condition_is_named_as_the_reason_and_the_place_is_that_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text(f"[ -f x ] && pip install {TRL}\npip install {VLLM}\n")
    found = read_installs(str(tmp_path / "run.sh"), X86)
    assert found is not None
    facts = found.declared.facts()
    assert "whether it is installed depends on a condition" in facts.why_unknown("packages.trl")
    known = facts.get("packages.vllm")
    assert known is not None and known.place is not None and known.place.line == 2


BLOCK = '# /// script\n# dependencies = [\n#   "trl==0.18.0",\n#   "vllm>=0.8",\n# ]\n# ///\nimport trl\n'


def test_the_block_of_a_script_states_its_dependencies(tmp_path: Path) -> None:
    facts = read(tmp_path, "train.py", BLOCK)
    known = facts.get("packages.trl")
    assert known is not None and str(known.value) == "0.18.0"
    assert known.place is not None and known.place.line == 3
    assert "allows >=0.8" in facts.why_unknown("packages.vllm") and facts.candidates("packages.vllm")
    (tmp_path / "other.py").write_text("import trl  # /// script\n")
    assert read_block(str(tmp_path / "other.py"), X86) is None


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("train.py", "# /// script\n# dependencies = [\n# ///\n", "is not valid TOML"),
        ("train.py", "import trl\n", "states no packages"),
        ("train.ipynb", notebook("import trl"), "states no packages"),
        ("train.ipynb", "{", "not valid JSON"),
    ],
)
def test_a_file_that_is_named_as_the_environment_and_states_nothing_is_refused(
    tmp_path: Path, name: str, text: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, name, text)


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        (f'modal.Image.debian_slim().pip_install("{TRL}", "{VLLM}")', "trl 0.18.0 vllm 0.8.4"),
        (f'modal.Image.debian_slim().uv_pip_install(["{TRL}"]).pip_install("trl==0.19.0")', "trl 0.19.0"),
        (f'modal.Image.debian_slim()\nimage = image.pip_install("{TRL}", extra_options="--no-deps")', "trl 0.18.0"),
        ('modal.Image.debian_slim().pip_install("trl>=0.18.0", *more)', "trl ?"),
        (f'modal.Image.debian_slim().pip_install("{TRL}", extra_options="it\'s")', "trl 0.18.0"),
        # Which of several images a function has is not followed.
        (f'modal.Image.debian_slim().pip_install("{TRL}")\nother = modal.Image.debian_slim()', ""),
        (f'setup.pip_install("{TRL}")', ""),
    ],
)
def test_the_image_of_a_modal_app_installs(tmp_path: Path, image: str, expected: str) -> None:
    assert installed(tmp_path, "job.py", f"import modal\nimage = {image}\n") == expected
