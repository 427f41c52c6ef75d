"""Input that means harm or is broken: nothing of it is run, and each ends in one line, within bounds of time and memory."""

from __future__ import annotations

import os
import pickle
import random
import resource
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from vcompat.foundation.errors import InputError
from vcompat.sources.gather import Sources, collect
from vcompat.sources.reading.packages.declared import read_environment
from vcompat.sources.targets.target import read_target

#: Of a whole process, in bytes of address space; Python alone has some 30 MB of it.
MEMORY = 700_000_000
#: Seconds, many times what any of these takes: what hangs is caught, what is slow on a busy machine is not.
TIME = 60


def vcompat(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "vcompat", *arguments],
        cwd=folder, capture_output=True, text=True, timeout=TIME, check=False, env={**os.environ, **variables},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )  # fmt: skip


class Harm:
    """Unpickled, it leaves a mark."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[[str], object], tuple[str]]:
        return os.system, (f"touch {self.mark}",)


def test_nothing_that_is_read_is_run(tmp_path: Path) -> None:
    mark = tmp_path / "it-ran"
    harm = f"__import__('os').system('touch {mark}')"
    plan = tmp_path / "plan"
    model = plan / "checkpoint"
    site = tmp_path / "env" / "lib" / "python3.11" / "site-packages"
    for folder in (model, site / "vllm-0.31.0.dist-info", site / "vllm", site / "trl", tmp_path / "env" / "bin"):
        folder.mkdir(parents=True)
    (plan / "train.py").write_text(
        f"{harm}\nGRPOConfig(use_vllm={harm}, model_init_kwargs={{'dtype': {harm}}})\nGRPOConfig(vllm_mode=f\"{{{harm}}}\")\n"
    )
    (plan / "grpo.yaml").write_text(f'use_vllm: true\nmodel_name_or_path: checkpoint\nvllm_mode: "{harm}"\n')
    (plan / "evil.yaml").write_text(f"a: !!python/object/apply:os.system ['touch {mark}']\n")
    (plan / "run.sh").write_text(
        f"touch {mark}\nexport A=$(touch {mark})\npython train.py --config grpo.yaml --x `touch {mark}`\n"
    )
    (model / "config.json").write_text('{"architectures": ["Evil"], "auto_map": {"AutoConfig": "evil.Config"}}')
    (model / "evil.py").write_text(harm)
    for name in ("pytorch_model.bin", "optimizer.pt", "training_args.bin"):
        with zipfile.ZipFile(model / name, "w") as archive:
            archive.writestr("archive/data.pkl", pickle.dumps(Harm(mark)))
    (model / "rng_state.pth").write_bytes(pickle.dumps(Harm(mark)))
    (site / "vllm-0.31.0.dist-info" / "METADATA").write_text("Name: vllm\nVersion: 0.31.0\n\n")
    for file in ("sitecustomize.py", "usercustomize.py", "vllm/__init__.py", "trl/__init__.py", "vcompat.py"):
        (site / file).write_text(harm)
    (site / "evil.pth").write_text(f"import os; os.system('touch {mark}')\n")
    (tmp_path / "env" / "pyvenv.cfg").write_text("home = /nowhere\n")
    (tmp_path / "env" / "bin" / "python").write_text(f"#!/bin/sh\ntouch {mark}\n")
    (tmp_path / "env" / "bin" / "python").chmod(0o755)
    (plan / "pyproject.toml").write_text(
        f'[tool.vcompat]\nplan = ["train.py"]\nsettings = {{ "plan.optim" = "{harm}" }}\n'
    )

    whole = vcompat(
        plan,
        "check",
        "run.sh",
        "train.py",
        "grpo.yaml",
        "checkpoint",
        "--python",
        "../env/bin/python",
        "--target",
        "8xH100",
    )
    assert whole.returncode in (0, 1), whole.stderr
    assert "vllm 0.31.0" in whole.stdout
    assert vcompat(plan, "check", "--env", "../env", "--no-probe").returncode in (0, 1)
    assert vcompat(plan, "fix", "train.py", "grpo.yaml", "--no-probe").returncode in (0, 1)
    assert vcompat(plan, "plan", "run.sh").returncode == 0
    refused = vcompat(plan, "check", "evil.yaml", "--no-probe")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert not mark.exists()


def sparse(path: Path, size: int) -> None:
    with path.open("wb") as file:
        file.truncate(size)


@pytest.mark.parametrize(
    "name", ["train.py", "a.yaml", "a.json", "a.toml", "uv.lock", "requirements.txt", "run.sh", "x"]
)
def test_a_hundred_megabytes_are_refused_without_being_read(tmp_path: Path, name: str) -> None:
    sparse(tmp_path / name, 100_000_000)
    done = vcompat(tmp_path, "check", name, "--no-probe")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and "larger than" in done.stderr


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.yaml", "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(f"{b}: &{b} [{', '.join([f'*{a}'] * 9)}]\n" for a, b in zip("abcdefghijk", "bcdefghijkl", strict=True))),
        ("b.yaml", "[" * 1_000_000),
        ("c.yaml", "- " * 100_000),
        ("d.yaml", "{a: " * 100_000),
        ("a.json", '{"a":' * 500_000),
        ("b.json", "[" * 1_000_000),
        ("a.toml", "a = " + "[" * 100_000),
        ("b.toml", "[" + "a." * 100_000 + "a]"),
        ("a.py", "x = " + "(" * 100_000),
        ("b.py", "x = " + "[" * 90 + "]" * 90 + "\n" + "-" * 500_000 + "1"),
        ("c.py", "GRPOConfig(use_vllm=" + "not " * 50_000 + "True)"),
        ("d.py", "a0 = 'xxxxxxxx'\n" + "".join(f"a{n + 1} = a{n} + a{n}\n" for n in range(200)) + "GRPOConfig(vllm_mode=a200)"),
        ("e.py", "GRPOConfig(use_vllm=" + "+".join(["1"] * 20_000) + ")"),
        ("f.py", "".join(f"k{n + 1} = {{**k{n}, **k{n}}}\n" for n in range(60)) + "k0 = {'a': 1}\nGRPOConfig(**k60)"),
        ("g.py", "a = b\nb = a\nGRPOConfig(use_vllm=a)"),
        ("h.py", "".join(f"x = {n}\n" for n in range(20_000)) + "".join("GRPOConfig(use_vllm=x)\n" for n in range(2_000))),
    ],
    ids=lambda value: value if "." in value and len(value) < 10 else "",
)  # fmt: skip
def test_what_grows_without_end_stays_within_bounds(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    done = vcompat(tmp_path, "plan", name)
    assert done.returncode in (0, 2), done.stderr[-2000:]
    assert done.stderr.count("\n") == (done.returncode == 2)


def test_devices_pipes_and_links_in_circles_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "loop.py").symlink_to("loop.py")
    (tmp_path / "zero.py").symlink_to("/dev/zero")
    for name in ("pipe.py", "loop.py", "zero.py", "/dev/stdin"):
        done = vcompat(tmp_path, "check", name, "--no-probe")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), name


def test_folders_that_hold_themselves_come_to_an_end(tmp_path: Path) -> None:
    site = tmp_path / "root" / "usr" / "lib" / "python3" / "dist-packages"
    site.mkdir(parents=True)
    (site / "trl-1.0.0.dist-info").mkdir()
    (site / "trl-1.0.0.dist-info" / "METADATA").write_text("Name: trl\nVersion: 1.0.0\n\n")
    (tmp_path / "root" / "opt").symlink_to(tmp_path / "root")
    (tmp_path / "root" / "lib").symlink_to(tmp_path / "root" / "usr" / "lib")
    done = vcompat(tmp_path, "check", "--env", "root", "--no-probe", "--fail-on", "never")
    assert done.returncode == 0 and "trl 1.0.0" in done.stdout


SEEDS: dict[str, str] = {
    "train.py": "import os\nos.environ['A'] = '1'\nkw = {'use_vllm': True}\nif x:\n    kw['vllm_mode'] = f'{a}b'\nc = GRPOConfig(**kw, num_generations=2 * 4)\n",
    "grpo.yaml": "use_vllm: true\nbase: &b {a: 1}\nit:\n  <<: *b\nmodel_name_or_path: Qwen/Qwen2.5-7B\nenv: {VLLM_USE_V1: 0}\n",
    "zero3.yaml": "distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config: {zero_stage: 3, offload_optimizer_device: cpu}\n",
    "ds.json": '{"zero_optimization": {"stage": 3, "offload_param": {"device": "cpu"}}, "bf16": {"enabled": "auto"}}',
    "config.json": '{"architectures": ["A"], "hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2, "vocab_size": 9}',
    "grpo.toml": 'use_vllm = true\n[env]\nVLLM_USE_V1 = "0"\n',
    "run.sh": "export A=1\nif [ $X ]; then\nN=$((2 * 4))\nfi\ntorchrun --nproc_per_node=$N train.py --a 'b c' | tee log &\n",
    "uv.lock": 'version = 1\n[[package]]\nname = "vllm"\nversion = "0.31.0"\n[package.metadata]\nx = 1\n',
    "requirements.txt": "trl==1.0 ; python_version > '3'\n-r other.txt\nvllm[a]>=2 # x\ntorch @ https://x/torch-2.0-cp.whl\n",
    "environment.yml": "name: a\ndependencies:\n  - pytorch=2.0=b\n  - pip:\n    - vllm==0.1\n",
    "target.toml": '[gpu]\nmodel = "H100"\ncount = 2\n[env]\nVLLM_USE_V1 = "0"\n',
}
_PIECES = [b"\0", b"\xff", b"'", b'"', b"{", b"}", b"[", b"]", b"(", b")", b":", b"=", b"\n", b" ", b"\t", b"*", b"&", b"!!", b"$", b"\\", b"#", b"9" * 30, b"- ", b"%", b"\xe2\x80\xa8"]  # fmt: skip


def mutated(chance: random.Random, data: bytes) -> bytes:
    for _ in range(chance.randint(1, 6)):
        at = chance.randint(0, len(data))
        kind = chance.randrange(3)
        if kind == 0:
            data = data[:at] + chance.choice(_PIECES) + data[at:]
        elif kind == 1:
            data = data[:at] + data[at + chance.randint(1, 8) :]
        else:
            data = data[:at] + data[chance.randint(0, len(data)) :][:20] + data[at:]
    return data


@pytest.mark.parametrize("name", SEEDS)
def test_what_is_broken_at_random_is_read_or_refused_in_one_line(tmp_path: Path, name: str) -> None:
    chance = random.Random(name)
    path = tmp_path / name
    refused = 0
    for _ in range(400):
        path.write_bytes(mutated(chance, SEEDS[name].encode()))
        try:
            if name == "target.toml":
                read_target(str(path))
            elif name == "environment.yml":
                read_environment(str(path))
            else:
                collect(Sources([str(path)], probe=False))
        except InputError as error:
            refused += 1
            assert "\n" not in str(error)
            assert str(tmp_path) in str(error)
    # Both ways are gone: the fuzz neither leaves everything readable nor breaks all.
    assert 0 < refused < 400
