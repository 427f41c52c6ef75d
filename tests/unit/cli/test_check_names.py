"""What the code of a run uses, against the releases at hand: `check`, and what `resolve` chooses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.command_line import vcompat

TRL = "packages.trl=1.16.0"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


def findings(source: str, *settings: str, script: str = "train.py") -> list[dict[str, Any]]:
    """The findings about names: those of a script with this source, and with these facts."""
    Path(script).write_text(source)
    options = [word for setting in settings or (TRL,) for word in ("--set", setting)]
    table = json.loads(vcompat("check", script, "--no-probe", "--format", "json", *options).stdout)
    return [
        one
        for one in table["findings"]
        if one["rule"] in ("missing-name", "unknown-argument", "override-is-never-called")
    ]


def told(source: str, *settings: str) -> list[str]:
    return [f"{one['certainty']}: {one['title']}" for one in findings(source, *settings)]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "from trl.extras.vllm_client import VLLMClient",
            ["certain: trl 1.16.0 has no module trl.extras.vllm_client (0.16.0 - 0.27.2 have it)"],
        ),
        (
            "from trl.trainer import ConstantLengthDataset",
            ["certain: trl 1.16.0 has no trl.trainer.ConstantLengthDataset (0.4.2 - 0.19.1 have it)"],
        ),
        (
            "import trl\ndef f():\n    trl.trainer.utils.neftune_post_forward_hook()\nf()",
            ["likely: trl 1.16.0 has no trl.trainer.utils.neftune_post_forward_hook (0.7.3 - 0.11.4 have it)"],
        ),
        (
            "from trl import GRPOTrainer\nGRPOTrainer('m', print, tokenizer=1)",
            ["certain: trl 1.16.0 has no argument tokenizer of trl.GRPOTrainer"],
        ),
        (
            "from trl import GRPOTrainer\nGRPOTrainer('m', print)._move_model_to_vllm()",
            [],
        ),
        (
            "from trl import GRPOTrainer\nt = GRPOTrainer('m', print)\nt._move_model_to_vllm()",
            ["certain: trl 1.16.0 has no trl.GRPOTrainer._move_model_to_vllm (0.15.0 - 0.27.2 have it)"],
        ),
        ("from trl import GRPOTrainer\nt = GRPOTrainer('m', print)\nt.train()", []),
        ("if x:\n    from trl import Nothing", ["possible: trl 1.16.0 has no trl.Nothing"]),
        ("try:\n    from trl import Nothing\nexcept ImportError:\n    pass", []),
        (
            "from trl import GRPOTrainer\nclass T(GRPOTrainer):\n    def _get_per_token_logps(self):\n        pass\n"
            "    def own(self):\n        pass\nT('m')",
            ["certain: trl 1.16.0 has no trl.GRPOTrainer._get_per_token_logps (0.15.0 - 0.19.1 have it)"],
        ),
        # A setting has a rule of its own.
        ("from trl import GRPOConfig\nGRPOConfig(output_dir='o', max_prompt_length=1)", []),
    ],
)
def test_what_a_release_lacks(source: str, expected: list[str]) -> None:
    assert told(source) == expected


def test_a_name_that_is_elsewhere_now_is_named_there_first() -> None:
    (found,) = findings("from trl.extras.vllm_client import VLLMClient")
    assert [fix["do"] for fix in found["fixes"]] == [
        "It is trl.generation.vllm_client.VLLMClient in this release.",
        'pip install "trl>=0.16.0,<0.28.0"',
    ]
    assert (found["place"]["path"], found["place"]["line"]) == ("train.py", 1)


@pytest.mark.parametrize(("release", "expected"), [("0.19.1", []), ("0.20.0", ["certain"]), ("0.20.0.dev0", [])])
def test_only_recorded_releases_are_judged(release: str, expected: list[str]) -> None:
    found = findings("from trl.trainer import ConstantLengthDataset", f"packages.trl={release}")
    assert [one["certainty"] for one in found] == expected


def test_a_newer_release_is_presumed_to_be_as_the_last_one() -> None:
    (found,) = findings("from trl.trainer import ConstantLengthDataset", "packages.trl=99.0")
    assert found["certainty"] == "likely"
    assert found["presumes"] == ["trl 99.0 is as 1.16.0, the last recorded release"]


def test_a_release_that_is_likely_makes_it_likely() -> None:
    Path("environment.yml").write_text("dependencies:\n- pip:\n  - trl==1.16.0\n")
    Path("train.py").write_text("from trl.trainer import ConstantLengthDataset\n")
    answer = json.loads(vcompat("check", "train.py", "--no-probe", "--format", "json").stdout)
    assert [one["certainty"] for one in answer["findings"] if one["rule"] == "missing-name"]


def test_versions_of_packages_decide_branches() -> None:
    source = (
        "import trl\nfrom packaging.version import Version\n"
        "if Version(trl.__version__) >= Version('0.20'):\n    from trl import GRPOConfig\n"
        "else:\n    from trl.trainer import ConstantLengthDataset\n"
    )
    assert told(source) == []
    assert told(source.replace(">=", "<"))


def test_a_notebook_has_the_lines_of_its_file(folder: Path) -> None:
    cells = [
        {
            "cell_type": "code",
            "metadata": {},
            "outputs": [],
            "source": ["from trl.trainer import ConstantLengthDataset"],
        }
    ]
    notebook = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
    (found,) = findings(notebook, script="train.ipynb")
    line = next(number for number, text in enumerate(notebook.splitlines(), 1) if "ConstantLength" in text)
    assert found["place"]["line"] == line


def test_a_fork_in_the_project_is_not_compared(folder: Path) -> None:
    (folder / "third_party" / "trl").mkdir(parents=True)
    (folder / "third_party" / "trl" / "__init__.py").write_text("")
    assert told("from trl import Nothing") == []


def test_resolve_chooses_releases_that_have_what_the_code_uses() -> None:
    Path("train.py").write_text("from trl.trainer import ConstantLengthDataset\n")
    answer = vcompat("resolve", "--plan", "train.py", "--gpu", "9.0", "--set", "plan.use_vllm=false")
    assert "trl==0.19.1" in answer.stdout
    assert "trl.trainer.ConstantLengthDataset" in answer.stdout


def test_a_framework_that_changes_other_packages_makes_it_likely() -> None:
    source = "from trl.trainer import ConstantLengthDataset\n"
    assert [one["certainty"] for one in findings(f"import dotenv\n{source}")] == ["certain"]
    (found,) = findings(f"import unsloth\n{source}")
    assert (found["certainty"], found["presumes"]) == ("likely", ["unsloth changes no other package (train.py:1)"])
