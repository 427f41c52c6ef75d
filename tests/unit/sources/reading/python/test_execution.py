"""What the abstract execution knows of a configuration, and what it leaves unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.facts.facts import Place
from vcompat.facts.value import FactValue
from vcompat.sources.reading.invocation import Environment, Others
from vcompat.sources.reading.part import Part
from vcompat.sources.reading.python.values.core import Start
from vcompat.sources.reading.scripts.script import read_script
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS

HEAD = """
import os, sys, copy, functools, json, argparse
from dataclasses import dataclass, field, replace, asdict
from trl import GRPOConfig, GRPOTrainer
"""
TAIL = "\nGRPOTrainer(model='m', args=c, reward_funcs=len)\n"


def read(tmp_path: Path, text: str, start: Start | None = None) -> Part:
    path = tmp_path / "train.py"
    path.write_text(HEAD + text + TAIL)
    return read_script(str(path), start)


def settings(part: Part, *names: str) -> dict[str, FactValue | str]:
    """Return the settings; '?' for an unknown one."""
    return {n: part.facts.value(f"plan.{n}") if part.facts.get(f"plan.{n}") else "?" for n in names}


N = "num_generations"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(n=4, *, m=2):\n    return GRPOConfig(num_generations=n * m)\nc = f(m=3)", 12),
        ("def f(c):\n    c.num_generations = 6\nc = GRPOConfig(num_generations=2)\nf(c)", 6),
        ("c = GRPOConfig(num_generations=2)\ndef f():\n    global c\n    c = replace(c, num_generations=5)\nf()", 5),
        ("c = GRPOConfig(num_generations=2)\nd = copy.deepcopy(c)\nd.num_generations = 7", 2),
        ("make = functools.partial(GRPOConfig, num_generations=3)\nc = make()", 3),
        ("d = {'num_generations': 2}\nd |= {'num_generations': 9}\nc = GRPOConfig(**d)", 9),
        ("d = {'num_generations': 2, 'x': 1}\ndel d['x']\nd.pop('y', None)\nc = GRPOConfig(**d)", 2),
        ("d = dict(num_generations=2)\nfor k, v in {'num_generations': 8}.items():\n    d[k] = v\nc = GRPOConfig(**d)", 8),
        ("c = GRPOConfig()\nsetattr(c, 'num_' + 'generations', 4)", 4),
        ("c = GRPOConfig()\nvars(c).update(num_generations=4)", 4),
        ("c = GRPOConfig()\nc.__dict__['num_generations'] = 4", 4),
        ("c = GRPOConfig(num_generations=[2, 4, 8][-1])", 8),
        ("c = GRPOConfig(num_generations=sum(x for x in (1, 2, 3)))", 6),
        ("class C:\n    n = 4\nc = GRPOConfig(num_generations=C.n)", 4),
        ("class C:\n    def __init__(self, n):\n        self.n = n\n    @property\n    def twice(self):\n        return 2 * self.n\nc = GRPOConfig(num_generations=C(3).twice)", 6),
        ("@dataclass\nclass A:\n    n: int = field(default_factory=lambda: 5)\nc = GRPOConfig(num_generations=A().n)", 5),
        ("@dataclass\nclass M(GRPOConfig):\n    num_generations: int = 4\n    def __post_init__(self):\n        super().__post_init__()\n        self.num_generations += 2\nc = M()", 6),
        ("try:\n    n = int('4')\nexcept ValueError:\n    n = 2\nc = GRPOConfig(num_generations=n)", 4),
        ("n = 0\nwhile n < 6:\n    n += 2\nc = GRPOConfig(num_generations=n)", 6),
        ("for n in (2, 4, 8):\n    if n == 4:\n        break\nelse:\n    n = 1\nc = GRPOConfig(num_generations=n)", 4),
        ("if (n := 4) > 3:\n    c = GRPOConfig(num_generations=n)", 4),
        ("match 'b':\n    case 'a':\n        n = 1\n    case 'b' | 'c':\n        n = 2\nc = GRPOConfig(num_generations=n)", 2),
        ("exec('n = 4')\nc = GRPOConfig(num_generations=n)", 4),
        ("c = GRPOConfig(num_generations=json.loads('{\"n\": 4}')['n'])", 4),
        ("def f():\n    n = 1\n    def g():\n        nonlocal n\n        n = 4\n    g()\n    return n\nc = GRPOConfig(num_generations=f())", 4),
        ("if len(sys.argv) > 99:\n    raise SystemExit\nc = GRPOConfig(num_generations=4)", 4),
        ("c = GRPOConfig(num_generations=4)\nprint(c)\njson.dumps(asdict(c))", 4),
    ],
)  # fmt: skip
def test_what_can_be_followed_is_known(tmp_path: Path, text: str, expected: int) -> None:
    assert settings(read(tmp_path, text), N) == {N: expected}


@pytest.mark.parametrize(
    "text",
    [
        "import helpers\nc = GRPOConfig(num_generations=4)\nhelpers.tune(c)",
        "import helpers\nd = {'num_generations': 4}\nhelpers.tune(d)\nc = GRPOConfig(**d)",
        "import helpers\nd = {'num_generations': 4}\nd.update(helpers.load())\nc = GRPOConfig(**d)",
        "import helpers\nc = GRPOConfig(**{'num_generations': 4, **helpers.load()})",
        "import helpers\nc = GRPOConfig(num_generations=4)\nsetattr(c, helpers.name(), 8)",
        "import helpers\nc = helpers.wrap(GRPOConfig(num_generations=4))",
        "import helpers\nc = GRPOConfig(num_generations=4)\nhelpers.call_later(lambda: setattr(c, 'num_generations', 8))",
        "import helpers\nc = GRPOConfig(num_generations=4)\nexec(helpers.text())",
        "import helpers\nGRPOConfig.__init__ = helpers.other\nc = GRPOConfig(num_generations=4)",
        "import helpers\n@helpers.decorate\nclass M(GRPOConfig):\n    pass\nc = M(num_generations=4)",
        "class M(GRPOConfig):\n    def __setattr__(self, k, v):\n        pass\nc = M()\nc.num_generations = 4",
        "class M(GRPOConfig):\n    @property\n    def num_generations(self):\n        return 2\nc = M(num_generations=4)",
        "c = GRPOConfig(num_generations=4)\nif os.environ.get('X'):\n    c.num_generations = 8",
        "c = GRPOConfig(num_generations=4)\nfor x in range(int(sys.argv[1])):\n    c.num_generations *= 2",
        "try:\n    import fast\n    n = 8\nexcept ImportError:\n    n = 4\nc = GRPOConfig(num_generations=n)",
        "c = GRPOConfig(num_generations=int(os.environ.get('N', '4')))",
        "c = GRPOConfig(num_generations=int(sys.argv[1]) if len(sys.argv) > 1 else 4)",
        "p = argparse.ArgumentParser()\np.add_argument('--n', type=int, default=4)\nc = GRPOConfig(num_generations=p.parse_args().n)",
        "def f():\n    yield\n    c.num_generations = 8\nc = GRPOConfig(num_generations=4)\nnext(f())",
        "from nowhere import MyConfig\nc = MyConfig('o')",
        "class M(GRPOConfig):\n    def __setattr__(self, k, v):\n        super().__setattr__(k, 2)\nc = M(num_generations=4)",
        "class X:\n    def __enter__(self): return self\n    def __exit__(self, *e):\n        c.num_generations = f()\n        return True\nc = GRPOConfig()\nwith X():\n    raise ValueError",
        "changes = map(lambda c: setattr(c, 'num_generations', 8), [c := GRPOConfig(num_generations=4)])",
        "def f(depth):\n    return f(depth + 1)\nc = GRPOConfig(num_generations=f(0))",
    ],
)  # fmt: skip
def test_what_cannot_be_followed_is_unknown(tmp_path: Path, text: str) -> None:
    part = read(tmp_path, text)
    assert settings(part, N) == {N: "?"}
    assert part.facts.why_unknown(f"plan.{N}")


def test_code_that_does_not_run_sets_nothing(tmp_path: Path) -> None:
    text = """
c = GRPOConfig(num_generations=4)
def never():
    os.environ["VLLM_USE_V1"] = "0"
    c.num_generations = 8
if False:
    c.num_generations = 16
if __name__ != "__main__":
    c.num_generations = 32
"""
    part = read(tmp_path, text)
    assert settings(part, N) == {N: 4}
    assert part.facts.get("env.VLLM_USE_V1") is None


@pytest.mark.parametrize(
    "end", ["sys.exit(0)", "exit()", "raise SystemExit", "assert False", "os._exit(1)", "raise ValueError"]
)
def test_nothing_after_the_end_of_the_script_counts(tmp_path: Path, end: str) -> None:
    part = read(tmp_path, f"c = GRPOConfig(num_generations=4)\n{end}\nc.num_generations = 8")
    assert part.facts.get("plan.trainer") is None
    assert settings(part, N) == {N: 4}


def test_a_module_beside_the_script_is_followed(tmp_path: Path) -> None:
    (tmp_path / "helpers.py").write_text("def tune(c):\n    c.num_generations = 16\nSIZE = 4\n")
    part = read(tmp_path, "import helpers\nc = GRPOConfig(num_iterations=helpers.SIZE)\nhelpers.tune(c)")
    assert settings(part, N, "num_iterations") == {N: 16, "num_iterations": 4}


def test_a_setting_that_changes_after_the_trainer_is_made_is_unknown(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(HEAD + "c = GRPOConfig(num_generations=4, use_vllm=True)" + TAIL + "c.num_generations = 8\n")
    part = read_script(str(path))
    assert settings(part, N, "use_vllm") == {N: "?", "use_vllm": True}


ARGPARSE = """
p = argparse.ArgumentParser(fromfile_prefix_chars="@")
p.add_argument("-n", "--num-generations", dest="count", type=int, default=4)
p.add_argument("--sleep", action=argparse.BooleanOptionalAction, default=True)
p.add_argument("--mode", choices=["server", "colocate"], default="server")
p.add_argument("--rest", nargs="*", default=[])
p.set_defaults(mode="colocate")
a, others = p.parse_known_args()
c = GRPOConfig(num_generations=a.count, vllm_enable_sleep_mode=a.sleep, vllm_mode=a.mode)
"""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), (4, True, "colocate")),
        (("-n8", "--no-sleep"), (8, False, "colocate")),
        (("--num", "6", "--mode=server"), (6, True, "server")),
        (("--num-generations", UNKNOWN), ("?", True, "colocate")),
        (("--num-generations", UNKNOWN_WORDS, "--sleep"), ("?", True, "colocate")),
        (("--mode", "server", UNKNOWN_WORDS), ("?", "?", "?")),
        ((UNKNOWN_WORDS, "--mode", "server"), ("?", "?", "server")),
        (("--rest", UNKNOWN_WORDS, "-n", "2"), (2, "?", "?")),
        (("@options.txt",), ("?", "?", "?")),
        (("--num-generations", "four"), ("?", "?", "?")),
        (None, ("?", "?", "?")),
    ],
)
def test_argparse_options(tmp_path: Path, words: tuple[str, ...] | None, expected: tuple[object, ...]) -> None:
    part = read(tmp_path, ARGPARSE, Start(words, Place("run.sh", 3, 1)))
    assert tuple(settings(part, N, "vllm_enable_sleep_mode", "vllm_mode").values()) == expected


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        (Environment(), ("?", "?")),
        (Environment({"N": "8"}), (8, "?")),
        (Environment({"N": None, "VLLM_USE_V1": None}), (4, "1")),
        (Environment({"VLLM_USE_V1": "0"}, Others.UNSET), (4, "0")),
        (Environment({"N": UNKNOWN}, Others.UNSET), ("?", "1")),
    ],
)
def test_variables_come_from_the_launch_script(
    tmp_path: Path, environment: Environment, expected: tuple[object, ...]
) -> None:
    text = (
        "c = GRPOConfig(num_generations=int(os.environ.get('N', '4')))\nv = os.environ.setdefault('VLLM_USE_V1', '1')"
    )
    part = read(tmp_path, text + "\nc.vllm_mode = v", Start((), Place("run.sh", 1), environment))
    assert tuple(settings(part, N, "vllm_mode").values()) == expected


def test_a_yaml_file_that_the_script_loads_has_its_own_places(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text("training:\n  use_vllm: true\n  num_generations: 4\n")
    text = "import yaml\nwith open('config.yaml') as f:\n    cfg = yaml.safe_load(f)\nc = GRPOConfig(**cfg['training'])"
    part = read(tmp_path, text)
    assert settings(part, N, "use_vllm") == {N: 4, "use_vllm": True}
    place = part.facts.known[f"plan.{N}"].place
    assert place is not None and (Path(place.path).name, place.line) == ("config.yaml", 3)


def test_a_trainer_class_without_a_constructor_of_its_own_is_a_trainer(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text(HEAD + "class Mine(GRPOTrainer):\n    pass\nMine('m', [len], GRPOConfig(num_generations=4))\n")
    part = read_script(str(path))
    assert (part.facts.value("plan.trainer"), settings(part, N)) == ("GRPOTrainer", {N: 4})


def test_a_package_above_the_script_is_followed(tmp_path: Path) -> None:
    package = tmp_path / "src" / "project"
    package.mkdir(parents=True)
    (package / "configs.py").write_text(
        "import trl\nfrom dataclasses import dataclass\n@dataclass\nclass GRPOConfig(trl.GRPOConfig):\n    num_generations: int = 6\n"
    )
    script = package / "grpo.py"
    script.write_text("from trl import GRPOTrainer\nfrom project.configs import GRPOConfig\nc = GRPOConfig()" + TAIL)
    assert settings(read_script(str(script)), N) == {N: 6}


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    import vcompat\n    vcompat.patch()\nexcept ImportError:\n    pass\nc = GRPOConfig()",
        "def f():\n    import vcompat\n    vcompat.patch()\nc = GRPOConfig()",
        "import vcompat\nif os.environ.get('X'):\n    vcompat.patch()\nc = GRPOConfig()",
        "import vcompat\nvcompat.patch()\nc = GRPOConfig()",
        "import vcompat\nc = GRPOConfig()\nvcompat.patch()",
    ],
)
def test_a_patch_call_that_is_not_reached_in_time_does_not_count(tmp_path: Path, text: str) -> None:
    # The head of the script imports TRL before.
    assert not read(tmp_path, text).facts.value("plan.patched")


def test_a_patch_call_before_the_imports_counts(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    path.write_text("import vcompat\nvcompat.patch()\n" + HEAD + "c = GRPOConfig()" + TAIL)
    assert read_script(str(path)).facts.value("plan.patched")


def test_what_changes_inside_a_setting_after_the_trainer_is_made_is_not_stated(tmp_path: Path) -> None:
    path = tmp_path / "train.py"
    text = "d = {'dtype': 'float16'}\nc = GRPOConfig(model_init_kwargs=d)"
    path.write_text(HEAD + text + TAIL + "d['dtype'] = 'bfloat16'\n")
    assert read_script(str(path)).facts.value("plan.dtype") in (None, "float16")
    path.write_text(HEAD + text + "\nd['dtype'] = 'bfloat16'" + TAIL)
    assert read_script(str(path)).facts.value("plan.dtype") == "bfloat16"
