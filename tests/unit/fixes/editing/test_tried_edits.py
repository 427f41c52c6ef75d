"""Changes are tried before they are shown: what fixes nothing, or causes another failure, is dropped."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.cli.command_line import vcompat
from vcompat.evaluation.config import Config
from vcompat.fixes.editing.tried_edits import ALL, FAILURES, Result, fix_files
from vcompat.rules.database import load_rules
from vcompat.rules.rule import Rule, parse_rule
from vcompat.sources.gather import Sources

PARSER = """\
from trl import GRPOConfig, GRPOTrainer, ModelConfig, ScriptArguments, TrlParser

parser = TrlParser((ScriptArguments, GRPOConfig, ModelConfig))
script, config, model = parser.parse_args_and_config()
GRPOTrainer(model=model.model_name_or_path, args=config, reward_funcs=[]).train()
"""
VERSIONS = {"packages.trl": "0.19.1", "packages.vllm": "0.10.0", "packages.transformers": "4.53.0"}


def rule(name: str, when: dict[str, object], *fixes: dict[str, object]) -> Rule:
    texts = {"title": name, "component": "trl", "effect": "crash", "severity": "error", "summary": name}
    lists: dict[str, object] = {"references": [], "fixes": list(fixes), "evidence": {"unmeasured": "made up"}}
    return parse_rule({"id": name, **texts, **lists, "when": when}, name, name)


def fixed(
    folder: Path,
    files: dict[str, str],
    *given: str,
    rules: tuple[Rule, ...] | None = None,
    target: str = "8xH100",
    advice: bool = False,
    **settings: str,
) -> Result:
    """The result for `files` in `folder`, which is the current folder."""
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())
    stated = {**VERSIONS, **{name.replace("__", "."): value for name, value in settings.items()}}
    sources = Sources(given or tuple(files), stated, probe=False, target=target)
    chosen = load_rules(thorough=False) if rules is None else rules
    return fix_files(sources, Config(), chosen, ALL if advice else FAILURES)


def texts(result: Result) -> dict[str, str]:
    return {file.path: file.after.decode() for file in result.changed}


def reasons(result: Result) -> dict[str, str]:
    return {left.finding.rule.id: left.why for left in result.left}


@pytest.fixture(autouse=True)
def _in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


COLOCATE = "use_vllm: true\nvllm_mode: colocate\nmodel_name_or_path: Qwen/Qwen2.5-7B\n"


@pytest.mark.parametrize(("heads", "size"), [("32", 4), ("14", 2), ("15", 1)])
def test_the_tensor_parallel_size_becomes_the_nearest_that_all_rules_accept(
    tmp_path: Path, heads: str, size: int
) -> None:
    yaml = COLOCATE.replace("7B", "1.5B") + "vllm_tensor_parallel_size: 3\n"
    result = fixed(tmp_path, {"a.yaml": yaml}, plan__world_size="8", plan__attention_heads=heads)
    assert texts(result)["a.yaml"].endswith(f"vllm_tensor_parallel_size: {size}\n")


def test_a_size_at_which_the_weights_do_not_fit_is_not_taken(tmp_path: Path) -> None:
    yaml = COLOCATE + "vllm_tensor_parallel_size: 3\nvllm_gpu_memory_utilization: 0.3\n"
    stated = {"plan__world_size": "4", "plan__attention_heads": "3"}
    result = fixed(tmp_path, {"a.yaml": yaml}, target="4xV100-32GB", **stated)
    why = "no other vllm_tensor_parallel_size fixes it and causes no other finding"
    assert why in reasons(result)["tensor-parallel-size-does-not-divide-world-size"]
    assert "size: 3" in texts(result).get("a.yaml", yaml)


def test_the_memory_share_becomes_the_nearest_that_leaves_enough(tmp_path: Path) -> None:
    stated = {"plan__world_size": "8", "plan__deepspeed_stage": "3", "plan__peft": "false"}

    def after(share: float) -> float:
        yaml = f"{COLOCATE}vllm_gpu_memory_utilization: {share}\n"
        result = fixed(tmp_path, {"a.yaml": yaml}, target="8xA100-80GB", **stated)
        return float(texts(result).get("a.yaml", yaml).split()[-1])

    nearest = after(0.95)
    assert 0.3 < nearest < 0.95
    assert after(nearest) == nearest


@pytest.mark.parametrize(
    ("settings", "after"),
    [
        ("num_generations: 7\n", "num_generations: 8\n"),
        (
            "num_generations: 7\nper_device_train_batch_size: 4\n",
            "num_generations: 8\nper_device_train_batch_size: 4\n",
        ),
        ("per_device_train_batch_size: 3\n", "per_device_train_batch_size: 4\n"),
        ("generation_batch_size: 70\n", "generation_batch_size: 64\n"),
    ],
)
def test_batch_settings_become_the_nearest_ones_that_divide(tmp_path: Path, settings: str, after: str) -> None:
    yaml = "use_vllm: false\n" + settings
    stated = {"plan__world_size": "8" if "generation_batch" in settings else "2", "plan__configuration": "GRPOConfig"}
    result = fixed(tmp_path, {"a.yaml": yaml}, **stated)
    assert texts(result) == {"a.yaml": "use_vllm: false\n" + after}


SETS_SHARE = {"kind": "config", "setting": "vllm_gpu_memory_utilization", "value": 0.5}


def test_a_change_that_would_cause_another_finding_is_dropped_with_the_reason(tmp_path: Path) -> None:
    rules = (
        rule("first", {"plan.vllm_gpu_memory_utilization": 0.1}, SETS_SHARE),
        rule("second", {"plan.vllm_gpu_memory_utilization": 0.5}),
    )
    result = fixed(tmp_path, {"a.yaml": "use_vllm: true\nvllm_gpu_memory_utilization: 0.1\n"}, rules=rules)
    assert (result.changed, reasons(result)) == ((), {"first": "vllm_gpu_memory_utilization=0.5 would cause second"})


def test_a_change_that_does_not_fix_its_finding_is_dropped_with_the_reason(tmp_path: Path) -> None:
    rules = (rule("first", {"plan.vllm_gpu_memory_utilization": ">0"}, SETS_SHARE),)
    result = fixed(tmp_path, {"a.yaml": "use_vllm: true\nvllm_gpu_memory_utilization: 0.1\n"}, rules=rules)
    assert (result.changed, reasons(result)) == ((), {"first": "vllm_gpu_memory_utilization=0.5 does not fix it"})


def test_the_next_fix_is_tried_if_one_is_dropped(tmp_path: Path) -> None:
    other = {"kind": "config", "setting": "vllm_gpu_memory_utilization", "value": 0.0}
    rules = (rule("first", {"plan.vllm_gpu_memory_utilization": ">0"}, SETS_SHARE, other),)
    result = fixed(tmp_path, {"a.yaml": "use_vllm: true\nvllm_gpu_memory_utilization: 0.1\n"}, rules=rules)
    assert texts(result) == {"a.yaml": "use_vllm: true\nvllm_gpu_memory_utilization: 0.0\n"}


def test_a_change_that_becomes_possible_by_another_change_is_made(tmp_path: Path) -> None:
    rules = (
        rule("a-first", {"plan.vllm_gpu_memory_utilization": 0.1, "plan.use_vllm": True}, SETS_SHARE),
        rule("b-blocks", {"plan.vllm_gpu_memory_utilization": 0.5, "plan.vllm_mode": "server"}),
        rule("c-last", {"plan.vllm_mode": "server"}, {"kind": "config", "setting": "vllm_mode", "value": "colocate"}),
    )
    result = fixed(
        tmp_path, {"a.yaml": "use_vllm: true\nvllm_gpu_memory_utilization: 0.1\nvllm_mode: server\n"}, rules=rules
    )
    assert texts(result) == {"a.yaml": "use_vllm: true\nvllm_gpu_memory_utilization: 0.5\nvllm_mode: colocate\n"}
    assert result.left == ()


def test_a_change_that_leaves_a_setting_unknown_is_dropped(tmp_path: Path) -> None:
    script = (
        "import sys\nfrom trl import GRPOConfig\n\nvllm_gpu_memory_utilization = 0.1\nc = GRPOConfig(vllm_gpu_memory_utilization=0.1, use_vllm=True)\n"
        "if c.vllm_gpu_memory_utilization == 0.5:\n    c.use_vllm = sys.argv[1]\n"
    )
    result = fixed(
        tmp_path, {"train.py": script}, rules=(rule("first", {"plan.vllm_gpu_memory_utilization": 0.1}, SETS_SHARE),)
    )
    assert result.changed == ()
    assert "vllm_gpu_memory_utilization=0.5 would leave plan.use_vllm unknown" in reasons(result)["first"]


def test_a_setting_stated_on_the_command_line_is_not_changed_in_a_file(tmp_path: Path) -> None:
    rules = (rule("first", {"plan.vllm_gpu_memory_utilization": 0.1}, SETS_SHARE),)
    result = fixed(tmp_path, {"a.yaml": "use_vllm: true\n"}, rules=rules, plan__vllm_gpu_memory_utilization="0.1")
    assert reasons(result) == {"first": "--set states vllm_gpu_memory_utilization, whatever the run files set"}


def test_a_setting_is_added_where_the_parser_reads_it(tmp_path: Path) -> None:
    rules = (
        rule("first", {"plan.vllm_gpu_memory_utilization": 0.1}, SETS_SHARE),
        rule("off", {"plan.fp16": False}, {**SETS_SHARE, "setting": "fp16", "value": True}),
    )
    launch = "#!/bin/bash\ntorchrun --nproc_per_node=2 train.py --use_vllm --vllm_mode colocate | tee log\n"
    result = fixed(tmp_path, {"run.sh": launch, "train.py": PARSER}, "run.sh", rules=rules)
    assert texts(result) == {"run.sh": launch.replace(" |", " --fp16 true |")}
    yaml = "use_vllm: true\nvllm_mode: colocate\n"
    result = fixed(tmp_path, {"a.yaml": yaml, "train.py": PARSER}, rules=rules)
    assert texts(result) == {"a.yaml": yaml + "fp16: true\n"}


def test_a_setting_of_several_runs_is_changed_in_each(tmp_path: Path) -> None:
    launch = "#!/bin/bash\n" + "".join(
        f"torchrun --nproc_per_node={count} train.py --vllm_gpu_memory_utilization 0.1 --use_vllm\n" for count in (2, 4)
    )
    rules = (rule("first", {"plan.vllm_gpu_memory_utilization": 0.1}, SETS_SHARE),)
    result = fixed(tmp_path, {"run.sh": launch, "train.py": PARSER}, "run.sh", rules=rules)
    assert texts(result) == {"run.sh": launch.replace("0.1", "0.5")}


def test_a_setting_of_several_runs_is_renamed_in_each(tmp_path: Path) -> None:
    launch = "#!/bin/bash\n" + "".join(
        f"torchrun --nproc_per_node={count} train.py --max_prompt_length 9 --use_vllm\n" for count in (2, 4)
    )
    fix = {"kind": "rename", "setting": "max_prompt_length", "to": "max_completion_length"}
    rules = (rule("old-name", {"plan.max_prompt_length": 9}, fix),)
    result = fixed(tmp_path, {"run.sh": launch, "train.py": PARSER}, "run.sh", rules=rules)
    assert texts(result) == {"run.sh": launch.replace("prompt", "completion")}


def test_the_same_file_by_two_names_is_changed_once(tmp_path: Path) -> None:
    (tmp_path / "link.yaml").symlink_to("a.yaml")
    rules = (rule("first", {"plan.vllm_gpu_memory_utilization": 0.1}, SETS_SHARE),)
    result = fixed(
        tmp_path, {"a.yaml": "use_vllm: true\nvllm_gpu_memory_utilization: 0.1\n"}, "./a.yaml", "link.yaml", rules=rules
    )
    assert [file.after for file in result.changed] == [b"use_vllm: true\nvllm_gpu_memory_utilization: 0.5\n"]


def test_a_rule_made_at_run_time_renames_and_removes_settings(tmp_path: Path) -> None:
    rules = (
        rule(
            "old-name",
            {"plan.max_prompt_length": 9},
            {"kind": "rename", "setting": "max_prompt_length", "to": "new_name"},
        ),
        rule(
            "unknown",
            {"plan.vllm_gpu_memory_utilization": 0.1},
            {"kind": "remove", "setting": "vllm_gpu_memory_utilization"},
        ),
    )
    script = "from trl import GRPOConfig\n\nGRPOConfig(\n    max_prompt_length=9,  # tokens\n    vllm_gpu_memory_utilization=0.1,\n    use_vllm=True,\n)\n"
    result = fixed(tmp_path, {"train.py": script}, rules=rules)
    after = "from trl import GRPOConfig\n\nGRPOConfig(\n    new_name=9,  # tokens\n    use_vllm=True,\n)\n"
    assert texts(result) == {"train.py": after}


ALLOCATOR = "expandable_segments:True"


@pytest.mark.parametrize(
    ("value", "line"),
    [(ALLOCATOR, ""), (f"{ALLOCATOR},a:1", 'os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "a:1"\n')],
)
def test_a_variable_that_a_script_sets_is_removed_but_for_its_other_options(
    tmp_path: Path, value: str, line: str
) -> None:
    script = (
        f'import os\nos.environ["PYTORCH_CUDA_ALLOC_CONF"] = "{value}"\nfrom trl import GRPOConfig\n'
        'GRPOConfig(use_vllm=True, vllm_mode="colocate", vllm_enable_sleep_mode=True)\n'
    )
    stated = {"packages__trl": "0.23.1", "packages__vllm": "0.11.0"}
    result = fixed(tmp_path, {"train.py": script}, **stated)
    assert f"import os\n{line}from trl" in texts(result)["train.py"]


def test_notes_are_changed_for_only_with_advice(tmp_path: Path) -> None:
    yaml = COLOCATE.replace("7B", "1.5B") + "vllm_tensor_parallel_size: 2\n"
    (tmp_path / "a.yaml").write_text(yaml)
    words = [f"--set={name}={value}" for name, value in {**VERSIONS, "plan.world_size": "8"}.items()]
    words += ["a.yaml", "--target", "8xH100", "--no-probe", "--no-config"]
    without, advised = vcompat("fix", *words), vcompat("fix", *words, "--advice")
    assert without.code == 0 and "1 note, --advice changes settings for notes" in " ".join(without.stdout.split())
    assert advised.code == 1 and "+vllm_tensor_parallel_size: 1" in advised.stdout


def test_a_read_only_file_is_refused_and_no_file_is_written(tmp_path: Path) -> None:
    yaml = "use_vllm: true\nvllm_mode: colocate\nvllm_tensor_parallel_size: 3\n"
    (tmp_path / "a.yaml").write_text(yaml)
    (tmp_path / "a.yaml").chmod(0o444)
    words = [f"--set={name}={value}" for name, value in {**VERSIONS, "plan.world_size": "8"}.items()]
    done = vcompat("fix", "--write", *words, "a.yaml", "--target", "8xH100", "--no-probe", "--no-config")
    assert done.code == 2
    assert done.stderr == "vcompat: a.yaml: is read-only; expected a file that can be written\n"
    assert (tmp_path / "a.yaml").read_text() == yaml


def test_no_file_is_written_if_one_cannot_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from vcompat.cli import fix as command
    from vcompat.fixes.editing.edit import Changed
    from vcompat.foundation.errors import InputError

    (tmp_path / "b").mkdir()
    paths = [tmp_path / "a.yaml", tmp_path / "b" / "b.yaml"]
    for path in paths:
        path.write_text("old")
    changed = [Changed(str(path), b"old", b"new") for path in paths]
    # The second file cannot be replaced, because a folder is there in the meantime.
    really = command.write_bytes  # type: ignore[attr-defined]

    def write(path: Path, data: bytes) -> None:
        if path.name == "b.yaml":
            path.unlink()
            path.mkdir()
        really(path, data)

    monkeypatch.setattr(command, "write_bytes", write)
    with pytest.raises(InputError, match="cannot be written"):
        command._write(changed, backup=False)
    assert paths[0].read_text() == "old"
