"""What public projects write, read as a careful reader does: packages, Hydra's functions, containers, options."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from vcompat.facts.facts import Facts
from vcompat.sources.gather import Sources, collect
from vcompat.sources.reading.python.libraries.option_types import kind_of

SCRIPT = """\
from trl import GRPOConfig, GRPOTrainer
{before}
GRPOTrainer(model={model}, args=GRPOConfig(num_generations={generations}))
"""
HYDRA = """\
from hydra import compose, initialize, initialize_config_dir
import os
{before}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


def write(files: dict[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


def script(before: str, generations: str = "4", model: str = "'m'") -> str:
    return SCRIPT.format(before=before, generations=generations, model=model)


def started(*command: str) -> Facts:
    return collect(Sources(command=command, probe=False)).facts


def test_a_package_comes_before_a_module_of_its_name() -> None:
    write(
        {"train.py": script("import parts", "parts.SIZE"), "parts.py": "SIZE = 2\n", "parts/__init__.py": "SIZE = 8\n"}
    )
    assert started("python", "train.py").value("plan.num_generations") == 8
    Path("parts/__init__.py").unlink()
    assert started("python", "train.py").value("plan.num_generations") == 2


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("with initialize(config_path='conf'):\n    cfg = compose('main')", 4),
        (
            "with initialize(config_path='conf', version_base=None):\n    cfg = compose(config_name='main', overrides=['size=6'])",
            6,
        ),
        (
            "with initialize_config_dir(config_dir=os.path.join('.', 'conf')):\n    cfg = compose('main', overrides=[])",
            4,
        ),
        ("initialize('conf')\ncfg = compose('main')", None),
        ("cfg = compose('main')", None),
        ("initialize(config_path='conf')\ncfg = compose('main', overrides=list(map(str, input())))", None),
        ("initialize(config_path='nowhere')\ncfg = compose('main')", None),
    ],
)
def test_hydra_composes_from_the_folder_that_was_named(before: str, expected: int | None) -> None:
    write({"train.py": script(HYDRA.format(before=before), "cfg.size"), "conf/main.yaml": "size: 4\n"})
    assert started("python", "train.py", "size=9").value("plan.num_generations") == expected


def test_a_word_of_hydra_that_is_not_known_is_presumably_one_value() -> None:
    main = "import hydra\n@hydra.main(config_path='conf', config_name='main')\ndef main(cfg):\n"
    train = "    GRPOTrainer(model=cfg.name, args=GRPOConfig(num_generations=cfg.size))\nmain()\n"
    write(
        {
            "train.py": f"from trl import GRPOConfig, GRPOTrainer\n{main}{train}",
            "conf/main.yaml": "size: 4\nname: m\n",
            "run.sh": "NAME=$(cat names.txt)\npython train.py name=$NAME\n",
        }
    )
    facts = started("bash", "run.sh")
    assert facts.certain().value("plan.num_generations") is None
    assert facts.presumed().value("plan.num_generations") == 4
    assert facts.presumed().value("plan.model") is None


@pytest.mark.parametrize(("option", "known"), [("--nv", True), ("--cleanenv", False), ("--env A=1", False)])
def test_a_container_presumably_keeps_the_variables_unless_an_option_says_otherwise(option: str, known: bool) -> None:
    write(
        {"train.py": script(""), "run.sh": f"CUDA_VISIBLE_DEVICES=2,3 apptainer exec {option} i.sif python train.py\n"}
    )
    facts = started("bash", "run.sh")
    assert facts.certain().value("plan.trainer_devices") is None
    assert facts.presumed().value("plan.trainer_devices") == (("2", "3") if known else None)


def test_each_of_several_models_is_named() -> None:
    write({"train.py": script("import torch", model="'a/b' if torch.rand(1) > 0.5 else 'a/c'")})
    facts = started("python", "train.py")
    assert (facts.value("plan.model"), facts.value("plan.model_by_name")) == (None, True)


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        ("Optional[Literal['auto', 'bfloat16', 'float32']]", "text"),
        ("typing.Literal['int8', 'none']", "text"),
        ("Literal[1, 2]", "int"),
        ("Optional[float]", "float"),
        ("Checkpoint", "text"),
        ("Union[int, None]", "int"),
    ],
)
def test_the_kind_of_an_option_is_what_its_annotation_names(annotation: str, kind: str) -> None:
    assert kind_of(ast.parse(annotation, mode="eval").body) == kind


def test_a_sign_that_begins_a_line_ends_the_command_before_it() -> None:
    write({"train.py": script(""), "run.sh": "trl vllm-serve \\\n  --model m \\\n  &  # a server\n\npython train.py\n"})
    facts = started("bash", "run.sh")
    assert facts.value("plan.server_started") is True
    assert facts.value("plan.num_generations") == 4


@pytest.mark.parametrize("command", ["apptainer exec i.sif python train.py", "modal run train.py"])
def test_patches_are_not_known_to_reach_a_container(command: str) -> None:
    write({"train.py": script("")})
    facts = collect(Sources(command=command.split(), patched=["a_patch"], hook="/hook", probe=False)).facts
    for reading in (facts.certain(), facts.presumed()):
        assert reading.value("host.patched") is None
