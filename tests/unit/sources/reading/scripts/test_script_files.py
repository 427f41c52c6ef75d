"""Scripts that read other files, or that cannot be followed to the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.told import examples, told_part
from vcompat.facts.facts import Place
from vcompat.foundation.errors import InputError
from vcompat.sources.reading.python.values.core import Start
from vcompat.sources.reading.python.values.values import Held, to_plain
from vcompat.sources.reading.scripts.script import read_configurations, read_script
from vcompat.sources.reading.word import Word

#: Words of the command line, if it is known, and the script, beside a.yaml and the module h.
SCRIPTS = r"""
> x = 0
> while True:
>     for a in range(60):
>         for b in range(60):
>             for c in range(60):
>                 x += 1
> GRPOConfig(use_vllm=True)
env ? x.py: the script is too complex to follow
patched ? the script is too complex to follow at x.py
other settings ? x.py: the script is too complex to follow
clears_variables

$ --config a.yaml
> (args,) = TrlParser((GRPOConfig,)).parse_args_and_config()
configuration = 'GRPOConfig' (x.py:1:11)
patched = () (x.py does not call vcompat.patch()) at no position
use_vllm = True (a.yaml:1:1)
takes_defaults
reads a.yaml
configuration python GRPOConfig at x.py:1:11

$ --config b.yaml
> (args,) = TrlParser((GRPOConfig,)).parse_args_and_config()
configuration = 'GRPOConfig' (x.py:1:11)
patched = () (x.py does not call vcompat.patch()) at no position
other settings ? x.py:1:11: b.yaml was not found
misses b.yaml (settings) at run.sh:2
configuration python GRPOConfig at x.py:1:11

> (args,) = TrlParser((GRPOConfig,)).parse_args_and_config()
configuration = 'GRPOConfig' (x.py:1:11)
patched = () (x.py does not call vcompat.patch()) at no position
other settings ? x.py:1:11: read from the command line, which is not known
configuration python GRPOConfig at x.py:1:11

> import yaml
> c = yaml.safe_load(open('a.yaml'))
> GRPOConfig(**c)
configuration = 'GRPOConfig' (x.py:3:1)
patched = () (x.py does not call vcompat.patch()) at no position
use_vllm = True (a.yaml:1:1)
takes_defaults
reads a.yaml
configuration python GRPOConfig at x.py:3:1

> import yaml
> c = yaml.safe_load(open('b.yaml'))
> GRPOConfig(**c)
configuration = 'GRPOConfig' (x.py:3:1)
patched = () (x.py does not call vcompat.patch()) at no position
other settings ? x.py:3:1: computed at run time
misses b.yaml (settings) at x.py
configuration python GRPOConfig at x.py:3:1

> from h import load
> GRPOTrainer(model='a')
loaded_in_bits ? x.py:2:19: the script may quantize the model while loading it
model = 'a' (x.py:2:19)
model_by_name = True (x.py:2:19)
patched = () (x.py does not call vcompat.patch()) at no position
trainer = 'GRPOTrainer' (x.py:2:1)

> from h import load
> load()
> m = AutoModelForCausalLM.from_pretrained('a')
> GRPOTrainer(model=m)
device_map = None (x.py:4:19)
loaded_in_bits = None (x.py:4:19)
model = 'a' (x.py:3:42)
model_by_name = False (x.py:4:19)
patched = () (x.py does not call vcompat.patch()) at no position
trainer = 'GRPOTrainer' (x.py:4:1)

> m = AutoModelForCausalLM.from_pretrained('a')
> GRPOTrainer(model=m)
device_map = None (x.py:2:19)
loaded_in_bits = None (x.py:2:19)
model = 'a' (x.py:1:42)
model_by_name = False (x.py:2:19)
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer = 'GRPOTrainer' (x.py:2:1)

> if x:
>     GRPOConfig(beta=1)
beta = 1 (x.py:2:21)
configuration = 'GRPOConfig' (x.py:2:5)
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
configuration python GRPOConfig at x.py:2:5

> def f():
>     GRPOConfig(beta=1)
>     GRPOTrainer(args=GRPOConfig(beta=2))
beta ? x.py:3:38: in a function that the script does not call; it may be 2
configuration ? x.py:3:22: in a function that the script does not call; it may be 'GRPOConfig'
patched = () (x.py does not call vcompat.patch()) at no position
peft = False (x.py does not use PEFT) at no position
trainer ? x.py:3:5: in a function that the script does not call; it may be 'GRPOTrainer'
other settings ? x.py:3:22: in a function that the script does not call
configuration python GRPOConfig at x.py:3:22

> def f():
>     GRPOConfig(beta=1)
> GRPOConfig(beta=2)
beta = 2 (x.py:3:17)
configuration = 'GRPOConfig' (x.py:3:1)
patched = () (x.py does not call vcompat.patch()) at no position
takes_defaults
configuration python GRPOConfig at x.py:3:1

"""


@pytest.mark.parametrize(("words", "text", "expected"), examples(SCRIPTS))
def test_a_script_is_read_with_the_files_that_it_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str, text: str, expected: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text("use_vllm: true\n")
    Path("h.py").write_text("def load():\n    return BitsAndBytesConfig()  # Peft\n")
    Path("x.py").write_text(text)
    start = Start(tuple(words.split()), Place("run.sh", 2)) if words else None
    assert told_part(read_script("x.py", start)) == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("x = " + "-" * 5000 + "1", "nested too deeply to be read; expected a training script"),
        ("#" * 4_000_001, "larger than 4 MB; expected a training script"),
    ],
)
def test_a_script_that_cannot_be_read_is_rejected(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "x.py"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_script(str(path))
    assert str(caught.value) == f"{path}: {complaint}"
    if len(text) > 4_000_000:
        with pytest.raises(InputError, match="expected a training script"):
            read_configurations(str(path))


def test_the_configurations_of_a_script_are_read_with_their_settings_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_text(
        "def f():\n    GRPOConfig(beta=1)\nc = GRPOConfig(beta=2)\nc.bf16 = True\nRLOOConfig(**k)\n"
        "GRPOTrainer(model='a')\n"
    )

    def plain(settings: dict[str, Held]) -> dict[str, object]:
        return {name: (to_plain(held.value), str(held.place)) for name, held in settings.items()}

    found = [
        (c.name, str(c.place), plain(dict(c.settings)), c.why_open, c.kind) for c in read_configurations(str(path))
    ]
    assert found == [
        ("GRPOConfig", "x.py:3:5", {"beta": (2, "x.py:3:21"), "bf16": (True, "x.py:4:10")}, "", ""),
        ("RLOOConfig", "x.py:5:1", {}, "computed at run time", ""),
        ("GRPOConfig", "x.py:2:5", {"beta": (1, "x.py:2:21")}, "", ""),
    ]


@pytest.mark.parametrize(
    ("change", "known"),
    [
        ("", True),
        ("shutil.copy('b.yaml', 'a.yaml')", False),
        ("shutil.copyfile(src='b.yaml', dst='./a.yaml')", False),
        ("shutil.copy2('other/a.yaml', '.')", False),
        ("shutil.move('b.yaml', 'a.yaml')", False),
        ("shutil.move('a.yaml', 'b.yaml')", False),
        ("shutil.copy('a.yaml', 'b.yaml')", True),
        ("shutil.copy('a.yaml', 'backup')", True),
        ("os.remove('a.yaml')", False),
        ("os.unlink('b.yaml')", True),
        ("os.rename('b.yaml', 'a.yaml')", False),
        ("os.replace('b.yaml', 'a.yaml')", False),
        ("Path('b.yaml').rename('a.yaml')", False),
        ("Path('b.yaml').replace('a.yaml')", False),
        ("'b.yaml'.replace('b', 'a')", True),
    ],
)
def test_a_file_that_the_script_replaces_before_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, known: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text("beta: 3\n")
    imports = "import os, shutil, yaml\nfrom pathlib import Path\n"
    Path("x.py").write_text(f"{imports}{change}\nGRPOConfig(**yaml.safe_load(open('a.yaml')))\n")
    facts = read_script("x.py").facts
    assert facts.value("plan.beta") == (3 if known else None)
    assert ("plan.beta" in facts.reasons) != known


def test_padding_that_a_module_sets_is_in_the_file_of_the_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data.py").write_text("def tokens(t):\n    if t.pad_token is None:\n        t.pad_token = t.eos_token\n")
    Path("model.py").write_text("from data import tokens\ndef pad(t):\n    t.pad_token = t.eos_token\n")
    Path("train.py").write_text("import unsloth\nimport model\n" + "\n" * 20)
    found = read_script("train.py").facts.get("plan.pads_with_eos")
    assert found is not None and found.place == Place("model.py", 3, 5)


BESIDE = """import os, yaml
from pathlib import Path
from trl import GRPOConfig
here = os.path.dirname(os.path.realpath(__file__))
def settings(*parts):
    with open(os.path.join(here, *parts)) as file:
        return yaml.safe_load(file)
above = yaml.safe_load((Path(__file__).resolve().parent.parent / "above.yaml").read_text())
GRPOConfig(**settings("a.yaml"), **settings("more", "b.yaml"), **above, deepspeed=os.path.join(here, "zero.json"))
"""


def test_files_beside_the_script_are_read_from_its_folder_and_not_from_that_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "src/train.py": BESIDE,
        "src/a.yaml": "num_generations: 4",
        "runs/a.yaml": "num_generations: 8",
        "a.yaml": "num_generations: 16",
        "src/more/b.yaml": "beta: 0.5",
        "above.yaml": "use_vllm: true",
    }.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text + "\n")
    part = read_script("src/train.py", Start((), Place("run.sh", 2), folder="runs"))
    known = {name: part.facts.value(f"plan.{name}") for name in ("num_generations", "beta", "use_vllm", "deepspeed")}
    assert known == {"num_generations": 4, "beta": 0.5, "use_vllm": True, "deepspeed": "src/zero.json"}
    assert part.files == ("src/a.yaml", "src/more/b.yaml")


@pytest.mark.parametrize(
    ("before", "files", "known"),
    [
        ("", {"src/a.yaml": None}, None),
        ("", {"src/a.yaml": "num_generations: 2"}, 2),
        ("open('a.yaml', 'w').write('x')\n", {}, None),
        ("import shutil\nshutil.rmtree('src')\n", {}, None),
        ("open('b.yaml', 'w').write('x')\n", {}, 4),
    ],
)
def test_a_file_beside_the_script_that_something_writes_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, files: dict[Word, str | None], known: int | None
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("src").mkdir()
    Path("src/a.yaml").write_text("num_generations: 4\n")
    read = "GRPOConfig(**yaml.safe_load(open(os.path.join(os.path.dirname(__file__), 'a.yaml'))))\n"
    Path("src/train.py").write_text(f"import os, yaml\nfrom trl import GRPOConfig\n{before}{read}")
    facts = read_script("src/train.py", Start((), Place("run.sh", 2), files=files)).facts
    assert facts.value("plan.num_generations") == known


REFUSED = "def f(a, a):\n    return a\n"


@pytest.mark.parametrize(
    ("script", "module", "complaint"),
    [
        ("x = 1\nf(a=1,\n  a=2)\n", "", "train.py:3: not valid Python: keyword argument repeated: a; expected a Python script"),
        ("return 1\n", "", "train.py:1: not valid Python: 'return' outside function; expected a Python script"),
        (
            "import lib\n", REFUSED,
            "lib.py:1: not valid Python: duplicate argument 'a' in function definition; "
            "expected a module that train.py can import",
        ),
        ("def f():\n    import lib\n", REFUSED, ""),
        ("try:\n    import lib\nexcept SyntaxError:\n    pass\n", REFUSED, ""),
        ("import sub.lib\n", REFUSED, ""),
        ("import lib\n", "def f(:\n", ""),
        ("await f()\n", "", ""),
    ],
)  # fmt: skip
def test_what_python_parses_and_refuses_to_compile_is_rejected_where_it_certainly_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, module: str, complaint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(script)
    Path("lib.py").write_text(module)
    if not complaint:
        read_script("train.py")
        return
    with pytest.raises(InputError) as error:
        read_script("train.py")
    assert str(error.value) == complaint
