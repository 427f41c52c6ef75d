"""Run files put together at random, and what must hold after `vcompat fix --write`.

    python -m tests.unit.fixes.editing.generated --examples 3000 --seed 1

prints what does not hold, each with the files.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import io
import os
import random
import tempfile
import tokenize
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import tomli
import yaml

from vcompat.evaluation.checking import check
from vcompat.evaluation.config import Config
from vcompat.evaluation.finding import Finding
from vcompat.fixes.editing.change import ADD, REMOVE
from vcompat.fixes.editing.tried_edits import ALL, FAILURES, Result, fix_files
from vcompat.foundation.errors import InputError
from vcompat.rules.database import load_rules
from vcompat.rules.rule import Rule
from vcompat.sources.gather import Sources

TARGETS = "1xV100-32GB 4xV100-32GB 8xV100-16GB 8xT4 2xA100-40GB 8xA100-80GB 1xH100 8xH100 2x8xH100 4xL4".split()
TRL = "0.14.0 0.16.1 0.17.0 0.18.2 0.19.1 0.20.0 0.22.2 0.23.1 0.25.1 0.27.0 0.28.0 1.0.0 1.9.0 1.10.0".split()
VLLM = "0.7.2 0.8.3 0.8.5.post1 0.9.2 0.10.0 0.10.2 0.11.0 0.12.0 0.17.0 0.19.0 0.24.0 0.25.0".split()
MODELS = "Qwen/Qwen2.5-0.5B Qwen/Qwen2.5-7B-Instruct Qwen/Qwen2.5-32B meta-llama/Llama-3.1-8B my/größe-70B".split()
SETTINGS: dict[str, tuple[Any, ...]] = {
    "use_vllm": (True, True, True, False),
    "vllm_mode": ("colocate", "colocate", "colocate", "server"),
    "vllm_tensor_parallel_size": (1, 2, 3, 4, 5, 6, 8),
    "vllm_gpu_memory_utilization": (0.1, 0.3, 0.5, 0.7, 0.9, 0.95),
    "vllm_enable_sleep_mode": (True, False),
    "num_generations": (2, 3, 5, 6, 7, 8, 16),
    "per_device_train_batch_size": (1, 2, 3, 4, 7, 8),
    "gradient_accumulation_steps": (1, 2, 4),
    "generation_batch_size": (8, 20, 48, 64),
    "max_prompt_length": (128, 512),
    "max_completion_length": (256, 40000),
    "fp16": (True, False),
    "bf16": (True, False),
    "beta": (0.0, 0.04),
    "vllm_guided_decoding_regex": ("größe+",),
    "evaluation_strategy": ("no", "steps"),
}
VARIABLES: dict[str, tuple[str, ...]] = {
    "PYTORCH_CUDA_ALLOC_CONF": ("expandable_segments:True", "expandable_segments:True,max_split_size_mb:128"),
    "PYTORCH_ALLOC_CONF": ("expandable_segments:True",),
    "VLLM_USE_V1": ("0", "1"),
    "CUDA_VISIBLE_DEVICES": ("0", "0,1", "GPU-8f1d2a3b"),
    "MASTER_PORT": ("12345",),
}
HEADS = ("12", "14", "28", "32", "40", "64")


class Example(NamedTuple):
    """Files, and the machine and the packages to check them for."""

    files: dict[str, bytes]
    given: tuple[str, ...]
    target: str
    settings: dict[str, str]


# Generating


class Generator:
    """Puts one example together."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        names = self.random.sample(sorted(SETTINGS), self.random.randint(2, len(SETTINGS)))
        names = list(dict.fromkeys(["use_vllm", "vllm_mode", *names]))
        self.random.shuffle(names)
        self.settings = {name: self.random.choice(SETTINGS[name]) for name in names}
        variables = self.random.sample(sorted(VARIABLES), self.random.choice([0, 0, 1, 2]))
        self.variables = {name: self.random.choice(VARIABLES[name]) for name in variables}
        self.model = self.random.choice(MODELS)

    def example(self) -> Example:
        """An example of one of several kinds."""
        kind = self.random.choice([self.script, self.script, self.yaml, self.toml, self.launch, self.several])
        files, given = kind()
        settings = {"packages.trl": self.random.choice(TRL), "packages.vllm": self.random.choice(VLLM)}
        settings["packages.transformers"] = self.random.choice(["4.51.3", "4.57.0", "5.0.0"])
        if self.random.random() < 0.5:
            settings["plan.attention_heads"] = self.random.choice(HEADS)
        target = self.random.choice(TARGETS)
        if kind != self.launch:
            settings["plan.world_size"] = str(self.random.choice([1, 2, 4, 8]))
        return Example({name: self.written(text) for name, text in files.items()}, given, target, settings)

    def written(self, text: str) -> bytes:
        """The bytes of a file: with other line breaks, or a byte order mark."""
        is_shell = text.startswith("#!")
        if not is_shell and self.random.random() < 0.2:
            text = text.replace("\n", "\r\n")
        if not is_shell and self.random.random() < 0.1:
            text = "\ufeff" + text
        return text.encode()

    def comment(self) -> str:
        """A comment, or none."""
        return self.random.choice(["", "", "  # why", "  # größe 日本🙂, a=1)"])

    # Python

    def script(self) -> tuple[dict[str, str], tuple[str, ...]]:
        """A script that makes its configuration."""
        text = "import os\nfrom trl import GRPOConfig, GRPOTrainer\n\n"
        for name, value in self.variables.items():
            way = self.random.choice(['os.environ["{}"] = "{}"', 'os.environ.update({{"{}": "{}"}})'])
            text += way.format(name, value) + self.comment() + "\n"
        body = self.random.choice([self.call, self.table, self.attributes])()
        body += f'trainer = GRPOTrainer(model="{self.model}", args=config, reward_funcs=[])\ntrainer.train()\n'
        if self.random.random() < 0.4:
            indent = self.random.choice(["    ", "\t"])
            body = "def main():\n" + "".join(f"{indent}{line}\n" for line in body.splitlines()) + "\n\nmain()\n"
        return {"train.py": text + body}, ("train.py",)

    def arguments(self, settings: dict[str, Any], quoted: bool = False) -> str:
        """Arguments of a call or items of a dictionary, with the brackets left out."""
        key = '"{}": {!r}' if quoted else "{}={!r}"
        items = [key.format(name, value) for name, value in settings.items()]
        way = self.random.choice(["line", "lines", "lines", "mixed"])
        if way == "line":
            return ", ".join(items) + self.random.choice(["", ","] if items else [""])
        if way == "lines":
            body = "".join(f"    {item},{self.comment()}\n" for item in items)
            body = body if not items or self.random.random() < 0.7 else body.rstrip(" \n")
            return "\n" + body + ("" if body.endswith("\n") else "\n")
        half = len(items) // 2
        return ", ".join(["'größe'", *items[:half]] if not quoted else items[:half]) + (
            (", " if items[:half] or not quoted else "") + "\n    " + ",\n    ".join(items[half:]) + "\n"
        )

    def call(self) -> str:
        """A call with all settings."""
        return f"config = GRPOConfig({self.arguments(self.settings)})\n"

    def table(self) -> str:
        """A dictionary that is passed on."""
        names = list(self.settings)
        half = self.random.randint(0, len(names))
        first = {name: self.settings[name] for name in names[:half]}
        second = {name: self.settings[name] for name in names[half:]}
        kind = self.random.choice([True, False])
        inner = self.arguments(first, quoted=kind).replace("'größe', ", "").replace("'größe'", "")
        made = f"{{{inner}}}" if kind else f"dict({inner})"
        more = "".join(f'options["{name}"] = {value!r}{self.comment()}\n' for name, value in second.items())
        return f"options = {made}\n{more}config = GRPOConfig(output_dir='o', **options)\n"

    def attributes(self) -> str:
        """A configuration whose attributes are set."""
        names = list(self.settings)
        half = self.random.randint(0, len(names))
        made = f"config = GRPOConfig({self.arguments({name: self.settings[name] for name in names[:half]})})\n"
        return made + "".join(f"config.{name} = {self.settings[name]!r}{self.comment()}\n" for name in names[half:])

    # Configurations

    PARSER = (
        "from trl import GRPOConfig, GRPOTrainer, ModelConfig, ScriptArguments, TrlParser\n\n"
        "parser = TrlParser((ScriptArguments, GRPOConfig, ModelConfig))\n"
        "script, config, model = parser.parse_args_and_config()\n"
        "GRPOTrainer(model=model.model_name_or_path, args=config, reward_funcs=[]).train()\n"
    )

    def yaml(self) -> tuple[dict[str, str], tuple[str, ...]]:
        """A configuration of TrlParser, perhaps with its script."""
        lines = [f"model_name_or_path: {self.model}"]
        for name, value in self.settings.items():
            key = self.random.choice([name, name, f'"{name}"', f"{name} "])
            shown = str(value).lower() if isinstance(value, bool) else value
            lines.append(f"{key}: {self.random.choice(['', ' '])}{shown}{self.comment()}")
        if self.variables:
            quoted = [f'{name}: "{value}"' for name, value in self.variables.items()]
            flow = self.random.random() < 0.3
            lines += ["env: {" + ", ".join(quoted) + "}"] if flow else ["env:", *("  " + line for line in quoted)]
        self.random.shuffle(lines) if not self.variables else None
        files = {"grpo.yaml": "# größe\n" + "\n".join(lines) + self.random.choice(["", "\n", "\n# end\n"])}
        return self.with_script(files, "grpo.yaml")

    def toml(self) -> tuple[dict[str, str], tuple[str, ...]]:
        """The same in TOML."""
        lines = [f'model_name_or_path = "{self.model}"']
        for name, value in self.settings.items():
            shown = str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else value
            lines.append(f"{name}{self.random.choice(['=', ' = ', '  ='])}{shown}{self.comment()}")
        if self.variables:
            lines += ["[env]", *(f'{name} = "{value}"{self.comment()}' for name, value in self.variables.items())]
        return {"grpo.toml": "# größe\n" + "\n".join(lines) + "\n"}, ("grpo.toml",)

    def with_script(self, files: dict[str, str], name: str) -> tuple[dict[str, str], tuple[str, ...]]:
        """`files`, perhaps together with a script that reads them."""
        if self.random.random() < 0.5:
            return files, (name,)
        return {**files, "train.py": self.PARSER}, ("train.py", name)

    # Launch scripts

    def launch(self) -> tuple[dict[str, str], tuple[str, ...]]:
        """A launch script that gives all settings as options."""
        text = "#!/bin/bash\nset -e  # größe\n" + self.exports()
        return {"run.sh": text + self.training(self.settings), "train.py": self.PARSER}, ("run.sh",)

    def several(self) -> tuple[dict[str, str], tuple[str, ...]]:
        """A launch script with two training commands."""
        names = self.random.sample(sorted(self.settings), len(self.settings) // 2)
        others = {**self.settings, **{name: self.random.choice(SETTINGS[name]) for name in names}}
        text = "#!/bin/bash\n" + self.exports() + self.training(self.settings) + "\n" + self.training(others)
        return {"run.sh": text, "train.py": self.PARSER}, ("run.sh",)

    def exports(self) -> str:
        lines = [f"export {name}={value}{self.comment()}\n" for name, value in self.variables.items()]
        if lines and self.random.random() < 0.3:
            return "if true; then\n" + "".join(f"  {line}" for line in lines) + "fi\n"
        if lines and self.random.random() < 0.3:
            return "export " + " ".join(f"{name}={value}" for name, value in self.variables.items()) + "\n"
        return "".join(lines)

    def training(self, settings: dict[str, Any]) -> str:
        count = self.random.choice([1, 2, 4, 8])
        starts = (f"accelerate launch --num_processes {count}", f"torchrun --nproc_per_node={count}", "python")
        words = [self.random.choice(starts), "train.py", f'--model_name_or_path "{self.model}"']
        for name, value in settings.items():
            option = f"--{name if self.random.random() < 0.8 else name.replace('_', '-')}"
            if value is True and self.random.random() < 0.5:
                words.append(option)
            else:
                words.append(f"{option}{self.random.choice([' ', '='])}{str(value).lower()}")
        joined = words[0]
        for word in words[1:]:
            joined += self.random.choice([" ", " ", " \\\n    "]) + word
        return joined + self.random.choice(["\n", " 2>&1 | tee log.txt\n", " # größe\n"])


# Judging


class Broken(AssertionError):
    """A property that does not hold."""


def judge(example: Example, folder: Path, rules: tuple[Rule, ...], advice: bool = False) -> Result:
    """Fix the files of `example` in `folder`, which is the current folder. Raises Broken; returns what was done."""
    for name, data in example.files.items():
        (folder / name).write_bytes(data)
    sources = Sources(example.given, example.settings, probe=False, target=example.target)
    severities = ALL if advice else FAILURES
    before = check(sources, Config(), rules)
    result = fix_files(sources, Config(), rules, severities)
    for file in result.changed:
        Path(file.path).write_bytes(file.after)
    after = check(sources, Config(), rules)
    new = Counter(map(_key, _certain(after.judgement.findings))) - Counter(
        map(_key, _certain(before.judgement.findings))
    )
    if new:
        raise Broken(f"new findings: {sorted(new)}")
    remaining = {finding.name for finding in after.judgement.findings if not finding.fixed_by}
    claimed = {rule for fixed in result.fixed for rule in fixed.findings}
    if claimed & remaining:
        raise Broken(f"not fixed: {sorted(claimed & remaining)}")
    if bool(result.fixed) != bool(result.changed):
        raise Broken("files change without a finding that is fixed, or the reverse")
    again = fix_files(sources, Config(), rules, severities)
    if again.changed:
        raise Broken(f"the second time changes {again.fixed}")
    for file in result.changed:
        _judge_file(file.path, file.before, file.after, result)
    return result


def _certain(findings: tuple[Finding, ...]) -> list[Finding]:
    return [finding for finding in findings if finding.is_certain and not finding.fixed_by]


def _key(finding: Finding) -> str:
    return finding.name


def _judge_file(path: str, before: bytes, after: bytes, result: Result) -> None:
    """Check that a changed file parses, and that only the lines of changed settings differ."""
    ending = os.path.splitext(path)[1]
    if ending == ".py":
        ast.parse(after)
        removes = any(edit.action == REMOVE for fixed in result.fixed for edit in fixed.edits)
        if not removes and _comments(before) != _comments(after):
            raise Broken(f"{path}: comments differ")
    elif ending == ".yaml":
        yaml.safe_load(after.decode().removeprefix("\ufeff"))
    elif ending == ".toml":
        tomli.loads(after.decode().removeprefix("\ufeff").replace("\r\n", "\n"))
    if before.startswith(b"\xef\xbb\xbf") != after.startswith(b"\xef\xbb\xbf"):
        raise Broken(f"{path}: the byte order mark differs")
    if before.count(b"\r\n") == before.count(b"\n") and after.count(b"\r\n") != after.count(b"\n"):
        raise Broken(f"{path}: line breaks differ")
    edits = [edit for fixed in result.fixed for edit in fixed.edits]
    names = [name for edit in edits for name in (edit.setting, edit.setting.replace("_", "-"))]
    if any(edit.action == ADD for edit in edits):
        return
    old, new = before.decode().splitlines(), after.decode().splitlines()
    differing = [line for line in difflib.ndiff(old, new) if line.startswith(("- ", "+ "))]
    gone = [line for line in differing if line.startswith("- ")]
    for line in gone:
        # The line before the last option of a command loses its backslash.
        stays = any(one.startswith(line[2:].rstrip(" \\")) for one in new)
        if line != "- env:" and not stays and not any(name in line for name in names):
            raise Broken(f"{path}: another line differs: {line}")
    if len(differing) > 2 * len(gone):
        raise Broken(f"{path}: lines were added: {differing}")


def _comments(data: bytes) -> list[str]:
    return [token.string for token in tokenize.tokenize(io.BytesIO(data).readline) if token.type == tokenize.COMMENT]


def main() -> None:
    """Judge many examples and print what does not hold."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--examples", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=3)
    options = parser.parse_args()
    rules = load_rules(thorough=False)
    counts: Counter[str] = Counter()
    whys: Counter[str] = Counter()
    shown = 0
    for seed in range(options.seed, options.seed + options.examples):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            example = Generator(seed).example()
            try:
                result = judge(example, Path(folder), rules, advice=seed % 4 == 0)
            except (Broken, SyntaxError, ValueError, AssertionError, InputError, KeyError) as error:
                counts["broken"] += 1
                if (shown := shown + 1) <= options.show:
                    print(f"== seed {seed}: {type(error).__name__}: {error}\n{example.target} {example.settings}")
                    for name, data in example.files.items():
                        print(f"-- {name}\n{data.decode()}")
                continue
            finally:
                os.chdir("/")
            counts["changed" if result.changed else "not changed"] += 1
            counts["fixed findings"] += sum(len(fixed.findings) for fixed in result.fixed)
            whys.update(f"{left.finding.name}: {left.why}" for left in result.left)
    print(dict(counts))
    for why, count in whys.most_common(25):
        print(count, why[:230])


if __name__ == "__main__":
    main()
