"""Which kind a file has, by its name and its content."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.foundation.errors import InputError
from vcompat.sources.reading.document import read_document
from vcompat.sources.reading.recognize import recognize


@pytest.mark.parametrize(
    ("name", "text", "kind", "has_document"),
    [
        ('x.py', '', 'script', False),
        ('x.PY', '', 'script', False),
        ('x.ipynb', '', 'notebook', False),
        ('x.sh', '', 'launch', False),
        ('x.bash', '', 'launch', False),
        ('x.slurm', '', 'launch', False),
        ('x.sbatch', '', 'launch', False),
        ('x.sub', '', 'launch', False),
        ('x.job', '', 'launch', False),
        ('x.txt', '', 'environment', False),
        ('x.lock', '', 'environment', False),
        ('pyproject.toml', '', 'environment', False),
        ('pylock.toml', '', 'environment', False),
        ('pylock.a.toml', '', 'environment', False),
        ('apylock.toml', 'use_vllm = 1', 'settings', True),
        ('Dockerfile', 'FROM a', 'dockerfile', False),
        ('x.dockerfile', 'FROM a', 'dockerfile', False),
        ('a.json', '{"facts": 1}', 'facts', True),
        ('a.json', '{"peft_type": 1, "model_type": 1}', 'adapter', True),
        ('a.json', '{"architectures": 1}', 'model', True),
        ('a.json', '{"model_type": 1}', 'model', True),
        ('a.json', '{"zero_optimization": 1}', 'deepspeed', True),
        ('a.json', '{"train_micro_batch_size_per_gpu": 1}', 'deepspeed', True),
        ('a.json', '{"train_batch_size": 1}', 'deepspeed', True),
        ('a.json', '{"zero_allow_untested_optimizer": 1}', 'deepspeed', True),
        ('a.json', '{"bf16": {}}', 'deepspeed', True),
        ('a.json', '{"fp16": {}}', 'deepspeed', True),
        ('a.json', '{"bf16": true}', 'settings', True),
        ('a.json', '{"use_vllm": true}', 'settings', True),
        ('a.json', '{"other": true}', 'a.json: not a supported configuration', None),
        ('a.json', '{"gpu": 1}', 'a.json: not a supported configuration', None),
        ('a.json', '{"distributed_type": 1}', 'settings', True),
        ('a.toml', 'gpu = 1', 'target', True),
        ('a.toml', 'use_vllm = true', 'settings', True),
        ('a.toml', 'facts = 1', 'a.toml: not a supported configuration', None),
        ('a.toml', 'other = 1', 'a.toml: not a supported configuration', None),
        ('a.toml', 'package = 1\nuse_vllm = true\nmetadata = 1', 'settings', True),
        ('a.toml', 'package = []\nuse_vllm = true', 'settings', True),
        ('a.toml', 'distributed_type = 1', 'settings', True),
        ('a.yaml', 'compute_environment: 1', 'accelerate', True),
        ('a.yaml', 'distributed_type: 1', 'accelerate', True),
        ('a.yaml', 'machine_rank: 1', 'accelerate', True),
        ('a.yaml', 'main_training_function: 1', 'accelerate', True),
        ('a.yaml', 'other: 1', 'settings', True),
        ('a.yml', 'use_vllm: true', 'settings', True),
        ('a.YAML', 'other: 1', 'settings', True),
        ('a.yaml', '', 'settings', True),
        ('a.yaml', 'gpu: 1', 'settings', True),
        ('a.yaml', 'facts: 1', 'settings', True),
        ('a.yaml', 'name: a\ndependencies: []', 'environment', True),
        ('a.yaml', 'channels: []\ndependencies: []', 'environment', True),
        ('a.yaml', 'prefix: a\ndependencies: []', 'environment', True),
        ('a.yaml', 'dependencies: []', 'settings', True),
        ('a.yaml', 'name: a\ndependencies: 1', 'settings', True),
        ('a.yaml', 'package: []', 'settings', True),
        ('a.yaml', 'services:\n  a:\n    image: b\n', 'a.yaml: a file of Compose, Kubernetes, SkyPilot or dstack', None),
        ('a.yaml', 'apiVersion: v1\nkind: Pod\nspec: {}\n', 'a.yaml: a file of Compose, Kubernetes, SkyPilot or dstack', None),
        ('a.yaml', 'resources: {}\nrun: a\n', 'a.yaml: a file of Compose, Kubernetes, SkyPilot or dstack', None),
        ('a.yaml', 'type: task\ncommands: []\n', 'a.yaml: a file of Compose, Kubernetes, SkyPilot or dstack', None),
        ('a.yaml', 'a: 1\n---\nb: 1\n', 'a.yaml: more than one YAML document', None),
        ('a.yaml', 'distributed_type: 1\nname: a\ndependencies: []', 'accelerate', True),
        ('run', '#!/usr/bin/env python3\n', 'script', False),
        ('run', '#!/bin/sh\n', 'launch', False),
        ('run', '#!/bin/bash', 'launch', False),
        ('run', '# python sh\n', 'run: not a supported file', None),
        ('run', '#!/usr/bin/perl\npython', 'run: not a supported file', None),
        ('run', '', 'run: not a supported file', None),
        ('x.cfg', '#!/usr/bin/python\n', 'script', False),

    ],
)  # fmt: skip
def test_the_kind_of_a_file(tmp_path: Path, name: str, text: str, kind: str, has_document: bool | None) -> None:
    path = tmp_path / name
    path.write_text(text)
    if has_document is None:
        with pytest.raises(InputError) as caught:
            recognize(str(path))
        assert str(caught.value).startswith(f"{path.parent}/{kind}; expected ")
        return
    found = recognize(str(path))
    assert found[:2] == (str(path), kind)
    assert (found.document is not None) is has_document
    if found.document is not None:
        assert found.document.table == read_document(str(path)).table


@pytest.mark.parametrize(
    ("names", "found", "kind"),
    [
        (["adapter_config.json", "config.json"], "adapter_config.json", "adapter"),
        (["config.json", "other.json"], "config.json", "model"),
        (["pyvenv.cfg"], "", "environment"),
        ([], "", "environment"),
    ],
)
def test_the_kind_of_a_folder(tmp_path: Path, names: list[str], found: str, kind: str) -> None:
    for name in names:
        (tmp_path / name).write_text('{"a": 1}')
    read = recognize(str(tmp_path))
    assert (read.path, read.kind) == (str(tmp_path / found) if found else str(tmp_path), kind)
    assert (read.document.table if read.document else None) == ({"a": 1} if found else None)


@pytest.mark.parametrize("wanted", ["script", "launch", "deepspeed", "accelerate"])
def test_a_file_is_read_as_the_kind_that_another_file_requires(tmp_path: Path, wanted: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("a: 1")
    read = recognize(str(path), wanted)
    assert read[:2] == (str(path), wanted)
    assert (read.document.table if read.document else None) == (None if wanted in ("script", "launch") else {"a": 1})
