"""What `sed`, `cp` and `envsubst` make of files, compared with what the real programs do."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from vcompat.sources.reading.shell import run_shell

TEXT = "lr: 1e-6\nmodel: org/small\npath: a.b/c+d (x)\nuse_vllm: false\nuse_vllm: false false\n\nlast"
#: Scripts that are followed, and those that are not.
FOLLOWED = [
    "'s/1e-6/5e-6/'",
    "'s/false/true/'",
    "'s/false/true/g'",
    "'s|org/small|org/large|'",
    "'s/org\\/small/org\\/large/'",
    "'s/lr: .*/lr: 2/'",
    "'s/^use_vllm/x/;s/l/L/g; s/x/y/'",
    "'s/$/ end/'",
    "'s/a.b/z/'",
    "'s/a\\.b/z/'",
    "'s/c+d/z/'",
    "'s/(x)/z/'",
    "-E 's/e-[0-9]+/e-9/'",
    "-r 's/0?6/7/'",
    "'s/[a-c]/_/g'",
    "-e 's/lr/LR/' -e 's/model/MODEL/'",
    "'/use_vllm/d'",
    "'/^$/d'",
    "'s/small/a\\&b/'",
    "'s#a.b/c#\\##'",
    "--expression='s/lr/x/'",
]
OPEN = [
    "'s/\\(lr\\)/x\\1/'",
    "'s/lr/[&]/'",
    "-E 's/(lr|model)/x/'",
    "-n 's/lr/x/p'",
    "'2s/model/x/'",
    "'s/LR/x/I'",
    "'s/[[:alpha:]]/x/'",
    "'s/x*/y/g'",
    "'s/l/\\n/'",
    "'y/abc/xyz/'",
    "'$d'",
]


def read_and_real(folder: Path, command: str) -> tuple[str | None, str]:
    """What is stated of the file `out` after a command, and what a shell made of it."""
    (folder / "in.yaml").write_text(TEXT)
    ran = run_shell(command + "\npython train.py\n", f"{folder}/run.sh", folder=str(folder))
    files = {str(path): text for path, text in ran.invocations[-1].files.items()}
    subprocess.run(["bash", "-c", command], cwd=folder, check=True)
    return files.get(f"{folder}/out"), (folder / "out").read_text()


@pytest.mark.parametrize("script", FOLLOWED)
@pytest.mark.parametrize(
    "form", ["sed {} in.yaml > out", "cp in.yaml out; sed -i {} out", "cat in.yaml | sed {} > out"]
)
def test_sed_is_followed_as_it_runs(tmp_path: Path, script: str, form: str) -> None:
    stated, real = read_and_real(tmp_path, form.format(script))
    assert stated == real


@pytest.mark.parametrize("script", OPEN)
def test_what_of_sed_is_not_followed_is_not_known(tmp_path: Path, script: str) -> None:
    for form in ("sed {} in.yaml > out", "cp in.yaml out; sed -i {} out"):
        stated, _ = read_and_real(tmp_path, form.format(script))
        assert stated is None


@pytest.mark.parametrize(
    ("command", "is_known"),
    [
        ("cp in.yaml out", True),
        ("cat in.yaml in.yaml > out", True),
        ("cp in.yaml out; cp out b; cp b out", True),
        ("cp in.yaml out; sed -i.bak 's/lr/LR/' out; cp out.bak out", True),
        ("cp in.yaml out; sort < out > c; cp c out", False),
        ('sed "s/1e-6/$RANDOM/" in.yaml > out', False),
    ],
)
def test_copies_of_files_of_the_project_have_their_text(tmp_path: Path, command: str, is_known: bool) -> None:
    stated, real = read_and_real(tmp_path, command)
    assert stated == (real if is_known else None)


@pytest.mark.skipif(shutil.which("envsubst") is None, reason="envsubst is not installed")
def test_envsubst_is_followed_as_it_runs(tmp_path: Path) -> None:
    for start in ("export A=1 B='x y'", "A=1; export B=2; unset A"):
        command = f"env -i bash -c {shlex.quote(start + '; envsubst < t > out')}"
        (tmp_path / "t").write_text("a: $A ${B} $C\nb: ${A}1 $$ $ {A}\n")
        stated, real = read_and_real(tmp_path, command)
        assert stated == real


def test_envsubst_puts_the_variables_of_the_environment_in_place(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("a: $A ${B}1\n")
    for start, stated in (
        ("export A=1 B=2", "a: 1 21\n"),
        ("export A=1; B=2", None),
        ("export A=1 B=$(date)", None),
    ):
        ran = run_shell(f"{start}\nenvsubst < t > out\npython x.py\n", f"{tmp_path}/run.sh", folder=str(tmp_path))
        assert ran.invocations[-1].files[f"{tmp_path}/out"] == stated
