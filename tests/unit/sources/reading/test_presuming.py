"""The two readings of a plan: what only the presuming one knows is likely, with what it presumes and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.facts.facts import Facts
from vcompat.facts.presumption import CALL, CALLER, EXCEPTION, FILE, OPTIONS, RELEASE, UNCALLED, Presumption
from vcompat.facts.value import FactValue
from vcompat.sources.gather import Sources, collect
from vcompat.sources.reading.presuming import leaves_open, with_likely
from vcompat.sources.reading.python.values.core import Start
from vcompat.sources.reading.scripts.script import read_script
from vcompat.sources.reading.whole import Plan, Run

TRL = "from trl import GRPOConfig, GRPOTrainer, TrlParser\n"
MADE = "args = GRPOConfig(num_generations=4, use_vllm=True)\n"
TRAINED = "GRPOTrainer(model='a/b', args=args)\n"
WANTED = "wanted = {'num_generations': 4, 'use_vllm': True, 'nonsense': 1}\n"
PARSED = f"{TRL}(args,) = TrlParser(GRPOConfig).parse_args_and_config()\n{TRAINED}"
ARGPARSE = f"""{TRL}import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--generations", type=int, default=4)
parser.add_argument("--beta", type=float, required=True)
given = parser.parse_args()
args = GRPOConfig(num_generations=given.generations, beta=given.beta, use_vllm=True)
{TRAINED}"""
OWN_CLASS = f"""{TRL}from dataclasses import dataclass
@dataclass
class Own:
    rewards: str = "accuracy"
    generations: int = 6
own, args = TrlParser((Own, GRPOConfig)).parse_args_and_config()
args.num_generations = own.generations
{TRAINED}"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


def read(files: dict[str, str], *given: str, **settings: str) -> Facts:
    """Write files, and return the facts of the first one, or of those that are given."""
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)
    named = {name.replace("__", "."): value for name, value in settings.items()}
    return collect(Sources(given or [next(iter(files))], named, probe=False)).facts


@pytest.mark.parametrize(
    ("files", "fact", "value", "kind", "presumption"),
    [
        (
            {"train.py": f"{TRL}import tracker\n{MADE}tracker.init(args)\n{TRAINED}"},
            "num_generations", 4, CALL, "tracker.init() does not change args (train.py:4:1)",
        ),
        (
            {"train.py": f"{TRL}import tracker\n{MADE}tracker.init(config=args)\n{TRAINED}"},
            "use_vllm", True, CALL, "tracker.init() does not change args (train.py:4:1)",
        ),
        (
            {"run.sh": "source env.sh\nexport GENERATIONS=8\npython train.py --num_generations $GENERATIONS $EXTRA\n",
             "train.py": PARSED},
            "num_generations", 8, CALL, "env.sh changes no setting of the run (run.sh:1:1)",
        ),
        (
            {"train.py": ARGPARSE},
            "num_generations", 4, CALLER, "the script is started without options (train.py)",
        ),
        (
            {"train.py": OWN_CLASS},
            "num_generations", 6, CALLER, "the script is started without options (train.py)",
        ),
        (
            {"train.py": f"import os\n{TRL}args = GRPOConfig(num_generations=int(os.getenv('GEN', '8')))\n{TRAINED}"},
            "num_generations", 8, CALLER, "the caller does not set GEN",
        ),
        (
            {"run.sh": "python train.py --num_generations ${GEN:-8}\n", "train.py": PARSED},
            "num_generations", 8, CALLER, "the caller does not set GEN",
        ),
        (
            {"run.sh": "python train.py --num_generations ${1:-8}\n", "train.py": PARSED},
            "num_generations", 8, CALLER, "the caller adds no argument 1",
        ),
        (
            {"run.sh": 'python train.py --num_generations 8 "$@"\n', "train.py": PARSED},
            "num_generations", 8, CALLER, "the caller adds no arguments",
        ),
        (
            {"run.sh": "cd /root/clone\npython src/train.py\n", "code/src/train.py": TRL + MADE + TRAINED},
            "num_generations", 4, FILE, "/root/clone/src/train.py is the file at code/src/train.py (run.sh:2:1)",
        ),
        (
            {"run.sh": "accelerate launch gone.py --use_vllm True --num_generations 8\n"},
            "num_generations", 8, OPTIONS, "gone.py takes --use_vllm and alike as TRL's scripts do (run.sh:1:1)",
        ),
        (
            {"train.py": f"{TRL}def main():\n    args = GRPOConfig(num_generations=4)\n    {TRAINED}"},
            "num_generations", 4, UNCALLED, "main(), which nothing here calls, is what runs (train.py:2:1)",
        ),
        (
            {"train.py": f"{TRL}import click\n@click.command()\n@click.option('--gen', default=4)\ndef main(gen):\n"
                         f"    args = GRPOConfig(num_generations=gen)\n    {TRAINED}"},
            "num_generations", 4, CALLER, "main() is called without options (train.py:5:1)",
        ),
        (
            {"train.py": f"{TRL}GRPOTrainer._get_train_sampler = lambda self: None\n{MADE}{TRAINED}"},
            "num_generations", 4, CALL,
            "GRPOTrainer._get_train_sampler, which the script replaces, changes no setting (train.py:2:34)",
        ),
        (
            {"train.py": f"import inspect\n{TRL}{WANTED}has = set(inspect.signature(GRPOConfig.__init__).parameters)\n"
                         f"args = GRPOConfig(**{{k: v for k, v in wanted.items() if k in has}})\n{TRAINED}"},
            "num_generations", 4, RELEASE,
            "the installed release has every setting that GRPOConfig gets (train.py:4:11)",
        ),
        (
            {"train.py": f"import inspect\n{TRL}{WANTED}has = inspect.signature(GRPOConfig).parameters\n"
                         f"for k in [k for k in wanted if k not in has]:\n    wanted.pop(k)\n"
                         f"args = GRPOConfig(**wanted)\n{TRAINED}"},
            "num_generations", 4, RELEASE,
            "the installed release has every setting that GRPOConfig gets (train.py:4:7)",
        ),
        (
            {"train.py": f"import inspect\n{TRL}{WANTED}given = inspect.signature(GRPOConfig).parameters.values()\n"
                         "if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in given):\n    has = wanted\n"
                         "else:\n    has = {each.name for each in given}\n"
                         f"args = GRPOConfig(**{{k: v for k, v in wanted.items() if k in has}})\n{TRAINED}"},
            "num_generations", 4, RELEASE,
            "the installed release has every setting that GRPOConfig gets (train.py:4:9)",
        ),
        (
            {"train.py": f"{TRL}{WANTED}code = GRPOConfig.__init__.__code__\n"
                         "has = code.co_varnames[1 : code.co_argcount]\n"
                         f"args = GRPOConfig(**{{k: v for k, v in wanted.items() if k in has}})\n{TRAINED}"},
            "use_vllm", True, RELEASE,
            "the installed release has every setting that GRPOConfig gets (train.py:4:7)",
        ),
        (
            {"train.py": f"{TRL}{WANTED}has = GRPOConfig.__dataclass_fields__\n"
                         f"args = GRPOConfig(**{{k: v for k, v in wanted.items() if k in has}})\n{TRAINED}"},
            "num_generations", 4, RELEASE,
            "the installed release has every setting that GRPOConfig gets (train.py:3:7)",
        ),
        (
            {"train.py": f"from dataclasses import dataclass, fields\n{TRL}{WANTED}"
                         "@dataclass\nclass Mine(GRPOConfig):\n    own: int = 3\n"
                         f"has = {{field.name for field in fields(Mine)}}\nwanted['own'] = 5\n"
                         f"args = Mine(**{{k: v for k, v in wanted.items() if k in has}})\n{TRAINED}"},
            "num_generations", 4, RELEASE, "the installed release has every setting that Mine gets (train.py:7:32)",
        ),
        (
            {"train.py": f"{TRL}from peft import PeftModel\nfrom mine import base\n"
                         f"model = PeftModel.from_pretrained(base, 'a', is_trainable=True)\n{MADE}GRPOTrainer(model=model, args=args)\n"},
            "peft", True, CALL, "the model with the loaded adapter is the one that is trained (train.py:6:1)",
        ),
        (
            {"train.py": f"{TRL}{MADE}for key, value in {{'beta': 0.5, 'num_generations': 8}}.items():\n"
                         f"    if hasattr(args, key):\n        setattr(args, key, value)\n{TRAINED}"},
            "beta", 0.5, RELEASE, "the installed release has every setting that GRPOConfig gets (train.py:4:8)",
        ),
        (
            {"train.py": f"{TRL}class Mine(GRPOConfig):\n    pass\nargs = Mine(beta=0.5)\n"
                         f"args.num_generations = 8 if hasattr(args, 'num_generations') else 4\n{TRAINED}"},
            "num_generations", 8, RELEASE, "the installed release has every setting that GRPOConfig gets (train.py:5:29)",
        ),
        (
            {"train.py": f"{TRL}from mine import load\nargs = load()\nargs.use_vllm = True\n{TRAINED}"},
            "use_vllm", True, CALL,
            "the configuration that GRPOTrainer gets is TRL's, and keeps what the script sets (train.py:5:1)",
        ),
        (
            {"train.py": f"{TRL}from mine import load\ndef tuned(args):\n    args.beta = 0.5\n    return args\n"
                         "GRPOTrainer('a/b', len, tuned(load()))\n"},
            "beta", 0.5, CALL,
            "the configuration that GRPOTrainer gets is TRL's, and keeps what the script sets (train.py:6:1)",
        ),
        (
            {"train.py": f"{TRL}from mine import load\nc = load()\nc.train.beta = 0.5\n"
                         f"args = GRPOConfig(beta=c.train.beta)\n{TRAINED}"},
            "beta", 0.5, CALL, "what cannot be followed changes nothing",
        ),
        (
            {"train.py": f"{TRL}from mine import lora\n{MADE}GRPOTrainer(model='a/b', args=args, peft_config=lora())\n"},
            "peft", True, CALL, "what the trainer gets as peft_config is an adapter (train.py:4:1)",
        ),
        (
            {"train.py": f"from mine import GRPOTrainer\nfrom trl import GRPOConfig\n{MADE}{TRAINED}"},
            "trainer", "GRPOTrainer", CALL, "mine.GRPOTrainer, which was not found, does what TRL's does (train.py:4:1)",
        ),
        (
            {"train.py": f"import mine\nfrom trl import GRPOConfig\nclass Own(mine.GRPOTrainer):\n    pass\n{MADE}"
                         "Own(model='a/b', args=args)\n"},
            "trainer", "GRPOTrainer", CALL, "mine.GRPOTrainer, which was not found, does what TRL's does (train.py:6:1)",
        ),
    ],
)  # fmt: skip
def test_each_kind_of_presumption_makes_a_value_likely_that_is_not_known(
    files: dict[str, str], fact: str, value: FactValue, kind: str, presumption: str
) -> None:
    facts = read(files)
    assert facts.get(f"plan.{fact}") is None
    found = facts.likely(f"plan.{fact}")
    assert found is not None
    assert found.value == value
    assert (kind, presumption) in [(one.kind, str(one)) for one in found.presumes]
    assert found.place is not None and found.place.line > 0


@pytest.mark.parametrize(
    ("files", "fact", "reason"),
    [
        ({"train.py": ARGPARSE}, "beta", "taken from the command line"),
        (
            {"train.py": f"{TRL}from mine import load\n{MADE}GRPOTrainer('a/b', args=args, peft_config=load().get('lora'))\n"},
            "peft", "computed at run time; it may be True",
        ),
        ({"run.sh": "python train.py --num_generations $1\n", "train.py": PARSED}, "num_generations", "computes it"),
        ({"run.sh": "python train.py --num_generations $GEN\n", "train.py": PARSED}, "num_generations", "computes it"),
        (
            {"run.sh": "python train.py --config $1\n", "train.py": PARSED, "a.yaml": "beta: 0.5\n"},
            "beta", "file of settings",
        ),
        (
            {"train.py": f"{TRL}def one():\n    {TRAINED}def two():\n    {TRAINED}".replace(
                "args=args", "args=GRPOConfig(beta=0.5)")},
            "beta", "does not call",
        ),
        (
            {"train.py": f"{TRL}GRPOTrainer.__init__ = make(GRPOTrainer)\n{MADE}{TRAINED}"},
            "num_generations", "changes the class",
        ),
        (
            {"train.py": f"{TRL}GRPOConfig.__post_init__ = check\n{MADE}{TRAINED}"},
            "num_generations", "changes the class",
        ),
        ({"run.sh": "accelerate launch gone.py --epochs 3 --beta 0.5\n"}, "beta", "gone.py, which was not found"),
        (
            {"run.sh": "cd /root\npython train.py\n", "a/train.py": TRL + MADE + TRAINED, "b/train.py": PARSED},
            "num_generations", "train.py, which was not found",
        ),
    ],
)  # fmt: skip
def test_what_only_the_caller_can_state_and_what_several_places_state_stays_unknown(
    files: dict[str, str], fact: str, reason: str
) -> None:
    facts = read(files)
    assert facts.get(f"plan.{fact}") is None
    assert facts.likely(f"plan.{fact}") is None
    assert reason in facts.why_unknown(f"plan.{fact}")


@pytest.mark.parametrize(
    "sets", ["if args.big:\n    args.beta = 0.5\n", "del args.beta\n", "other = load()\nother.beta = 0.5\n"]
)
def test_what_a_script_may_not_set_of_a_value_that_is_not_known_stays_unknown(sets: str) -> None:
    facts = read({"train.py": f"{TRL}from mine import load\nargs = load()\n{sets}args.bf16 = True\n{TRAINED}"})
    assert facts.get("plan.beta") is None and facts.likely("plan.beta") is None
    found = facts.likely("plan.bf16")
    assert found is not None and found.value is True and facts.get("plan.configuration") is None


def test_what_the_release_may_leave_out_is_not_stated_of_the_class() -> None:
    """A setting that the release has not would not reach the class, so that nothing refuses it."""
    keeps = "args = GRPOConfig(**{k: v for k, v in wanted.items() if k in inspect.signature(GRPOConfig).parameters})\n"
    facts = read({"train.py": f"import inspect\n{TRL}{WANTED}{keeps}{TRAINED}"})
    assert not any(one.settings for one in (*facts.stated, *facts.presumed().stated))


def test_an_adapter_that_is_loaded_for_inference_may_be_merged() -> None:
    loaded = "model = PeftModel.from_pretrained(base, 'a').merge_and_unload()\n"
    facts = read({"train.py": f"{TRL}from peft import PeftModel\n{loaded}{MADE}GRPOTrainer(model=model, args=args)\n"})
    assert facts.get("plan.peft") is None and facts.likely("plan.peft") is None


@pytest.mark.parametrize("given", ["lora() if flag() else None", "lora() if flag() else LoraConfig()"])
def test_an_adapter_that_depends_on_what_is_not_followed_is_neither_trained_nor_left_out(given: str) -> None:
    script = f"{TRL}from peft import LoraConfig\nfrom mine import flag, lora\n{MADE}"
    facts = read({"train.py": f"{script}GRPOTrainer(model='a/b', args=args, peft_config={given})\n"})
    assert facts.get("plan.peft") is None and facts.likely("plan.peft") is None


def test_a_trainer_of_a_module_that_is_not_found_may_load_the_model_as_it_likes() -> None:
    facts = read({"train.py": f"from .mine import GRPOTrainer\nfrom trl import GRPOConfig\n{MADE}{TRAINED}"})
    assert facts.value("plan.num_generations") == 4 and facts.value("plan.model") == "a/b"
    assert facts.get("plan.loaded_in_bits") is None and facts.get("plan.trainer") is None
    assert "package.mine.GRPOTrainer was not found" in facts.why_unknown("plan.trainer")
    of_trl = read({"train.py": f"import trl\n{TRL}{MADE}trl.{TRAINED}"})
    assert of_trl.value("plan.trainer") == "GRPOTrainer" and of_trl.value("plan.peft") is False


def test_a_model_that_is_loaded_after_the_trainer_was_made_is_not_the_one_that_it_trains() -> None:
    script = f"""{TRL}from peft import prepare_model_for_kbit_training
from transformers import AutoModelForCausalLM, BitsAndBytesConfig
model = AutoModelForCausalLM.from_pretrained('a/b', quantization_config=BitsAndBytesConfig(load_in_4bit=True))
trainer = GRPOTrainer(model=prepare_model_for_kbit_training(model), args=GRPOConfig())
trainer.train()
evaluated = AutoModelForCausalLM.from_pretrained('a/c')
"""
    facts = read({"train.py": script})
    assert facts.value("plan.loaded_in_bits") == 4 and facts.value("plan.model") == "a/b"
    script = script.replace("from peft", "from tuning")
    facts = read({"train.py": script})
    found = facts.likely("plan.loaded_in_bits")
    assert found is not None
    assert (found.value, [each.text for each in found.presumes]) == (
        4,
        ["what train.py:4:9 loads is the model that is trained"],
    )


def test_a_run_that_generates_only_does_not_unsettle_the_run_that_trains() -> None:
    evaluates = "from vllm import LLM\nLLM('out/checkpoint', tensor_parallel_size=2)\n"
    script = "python train.py\npython evaluate.py\n"
    facts = read({"run.sh": script, "train.py": TRL + MADE + TRAINED, "evaluate.py": evaluates})
    assert facts.value("plan.model") == "a/b" and facts.value("plan.num_generations") == 4
    assert facts.value("plan.tensor_parallel_size") != 2
    alone = read({"other.sh": "python evaluate.py\n"})
    assert alone.value("plan.model") == "out/checkpoint" and alone.value("plan.tensor_parallel_size") == 2


SERVES = "from vllm import LLM\nllm = LLM('a/b', tensor_parallel_size=2)\n"
UNFOLLOWED = "import hydra, json\nhydra.utils.instantiate(json.loads(input())).train()\n"


def test_a_server_of_the_project_is_not_the_run_of_a_training_that_is_not_followed() -> None:
    script = """
for ((i = 0; i < 2; i++)); do
  cmd="CUDA_VISIBLE_DEVICES=$i python serve.py --port $((8000 + i))"
  bash -c "$cmd" 2>&1 | tee -a job.log &
done
torchrun --nproc_per_node 4 train.py
"""
    facts = read({"run.sh": script, "serve.py": SERVES, "train.py": UNFOLLOWED})
    for fact, value in (("plan.launcher", "torchrun"), ("plan.world_size", 4)):
        likely = facts.likely(fact)
        assert facts.get(fact) is None and likely is not None and likely.value == value
    for fact in ("plan.tensor_parallel_size", "plan.model", "plan.trainer", "plan.server_started"):
        assert facts.get(fact) is None and facts.likely(fact) is None
    assert facts.why_unknown("plan.server_started") == "run.sh:4:1 may start a server"


def test_a_server_of_the_project_leaves_open_whether_one_is_started_beside_a_training() -> None:
    files = {"run.sh": "python serve.py &\npython train.py\n", "serve.py": SERVES, "train.py": TRL + MADE + TRAINED}
    facts = read(files)
    assert facts.value("plan.num_generations") == 4 and facts.value("plan.model") == "a/b"
    assert facts.get("plan.server_started") is None
    assert read(files | {"run.sh": "python serve.py\npython train.py\n"}).value("plan.server_started") is False


@pytest.mark.parametrize(("background", "likely"), [(" &", None), ("", 2)])
def test_python_may_train_in_a_way_that_is_not_followed(background: str, likely: int | None) -> None:
    script = f"python serve.py{background}\nCUDA_VISIBLE_DEVICES=3 python train.py\n"
    facts = read({"run.sh": script, "serve.py": SERVES, "train.py": UNFOLLOWED, "prepare.py": "x = 1\n"})
    assert facts.value("plan.launcher") == "python"
    assert facts.get("plan.tensor_parallel_size") is None and facts.get("plan.trainer_devices") is None
    found = facts.likely("plan.tensor_parallel_size")
    assert (found and found.value) == likely
    devices = facts.likely("plan.trainer_devices")
    assert (devices and devices.value) == (None if likely else ("3",))
    prepared = read({"other.sh": script.replace("train.py", "prepare.py")})
    assert prepared.value("plan.tensor_parallel_size") == 2


def test_of_commands_that_are_not_followed_a_launcher_presumably_starts_the_training() -> None:
    script = "python missing.py\ntorchrun --nproc_per_node 4 prepare.py\n"
    facts = read({"run.sh": script, "prepare.py": "x = 1\n"})
    assert facts.get("plan.world_size") is None and facts.get("plan.launcher") is None
    likely = facts.likely("plan.world_size")
    assert likely is not None and likely.value == 4


@pytest.mark.parametrize(
    "script",
    [
        PARSED,
        ARGPARSE,
        OWN_CLASS,
        f"{TRL}import tracker\n{MADE}tracker.init(args)\nargs.beta = 0.5\n{TRAINED}",
        f"{TRL}def main():\n    args = GRPOConfig(num_generations=4)\n    {TRAINED}",
        f"{TRL}import os, tracker\nos.environ['VLLM_USE_V1'] = '1'\n{MADE}tracker.init()\n{TRAINED}",
        f"{TRL}{MADE}try:\n    import extra\n    args.beta = 0.5\nexcept ImportError:\n    args.beta = 0.1\n{TRAINED}",
        f"{TRL}import random\n{MADE}args.bf16 = random.random() < 0.5\nargs.beta = 0.5\n{TRAINED}",
    ],
)
def test_what_the_certain_reading_knows_is_known_with_the_presuming_one_too(script: str) -> None:
    facts = read({"train.py": script})
    certain = read_script("train.py", Start()).facts
    presumed = read_script("train.py", Start(presuming=True)).facts
    known = dict(certain.all_known())
    assert known
    assert {name: facts.get(name) for name in known} == known
    assert {name: presumed.value(name) for name in known} == {name: one.value for name, one in known.items()}
    assert not any(one.presumes for _, one in facts.all_known())
    # Nothing that only the presuming reading knows has become known.
    added = {name for name, _ in facts.all_known()} - known.keys()
    assert not added & {name for name, _ in presumed.all_known()}


def test_a_script_that_leaves_nothing_open_has_no_likely_facts() -> None:
    facts = read({"train.py": TRL + MADE + TRAINED})
    assert facts.value("plan.num_generations") == 4
    assert list(facts.all_likely()) == [] and facts.whole is None and facts.likely_stated is None


def test_a_variable_that_a_script_sets_only_if_the_caller_does_not_is_likely() -> None:
    facts = read({"train.py": f"{TRL}import os\nos.environ.setdefault('VLLM_USE_V1', '0')\n{MADE}{TRAINED}"})
    found = facts.likely("env.VLLM_USE_V1")
    assert found is not None and found.value == "0"
    assert [str(one) for one in found.presumes] == ["the caller does not set VLLM_USE_V1 (train.py:3:38)"]
    assert facts.likely("plan.num_generations") is None and facts.value("plan.num_generations") == 4


def test_what_is_presumed_of_the_environment_is_no_presumption_of_a_setting() -> None:
    facts = read(
        {
            "train.py": f"{TRL}import os, tracker\nos.environ['VLLM_USE_V1'] = '1'\n{MADE}"
            f"tracker.init(args)\ntracker.start()\n{TRAINED}"
        }
    )
    found = facts.likely("plan.num_generations")
    assert found is not None
    assert [one.text for one in found.presumes] == ["tracker.init() does not change args"]


def test_what_is_presumed_for_one_fact_is_no_presumption_of_another() -> None:
    facts = read({"train.py": f"{TRL}from own import load\nimport tracker\n{MADE}tracker.init(args)\n"
                              "GRPOTrainer(model=load(), args=args)\n"})  # fmt: skip
    presumes = {name: [one.text for one in likely.presumes] for name, likely in facts.all_likely()}
    changed = "tracker.init() does not change args"
    assert presumes["plan.num_generations"] == [changed]
    assert presumes["plan.peft"] == ["no function that cannot be followed gives the model an adapter", changed]


def test_what_two_runs_of_a_launch_script_presume_is_presumed_for_both() -> None:
    command = "python train.py --num_generations 8 --beta"
    facts = read({"run.sh": f"{command} 0.1 $@\n{command} ${{BETA:-0.2}}\n", "train.py": PARSED})
    found = facts.likely("plan.num_generations")
    assert found is not None and found.value == 8
    assert {one.text for one in found.presumes} == {"the caller adds no arguments", "the caller does not set BETA"}
    assert facts.likely("plan.beta") is None and facts.get("plan.beta") is None


def test_a_file_that_only_a_presumption_leads_to_and_that_cannot_be_read_leaves_the_certain_reading() -> None:
    facts = read({"run.sh": "cd /root\npython src/train.py\n", "code/src/train.py": "def (:\n"})
    assert facts.value("plan.launcher") == "python"
    assert facts.likely("plan.num_generations") is None and facts.get("plan.num_generations") is None


# Plans put together


def run(name: str, presumes: tuple[Presumption, ...] = (), defaults: bool = True, **settings: FactValue) -> Run:
    facts = Facts()
    for setting, value in settings.items():
        if value is None:
            facts.forget(f"plan.{setting}", "computed")
        else:
            facts.set(f"plan.{setting}", value, "test")
    return Run(name, "", facts, defaults, presumes=presumes)


def plan(*runs: Run) -> Plan:
    return Plan(Facts(), all(one.takes_defaults for one in runs), (), (), runs)


ADDED = Presumption(CALLER, "the caller adds no arguments")


def test_the_second_reading_is_only_for_plans_that_leave_something_open() -> None:
    assert not leaves_open(plan(run("a", beta=1)))
    assert leaves_open(plan(run("a", beta=1), run("b", beta=None)))
    assert leaves_open(plan(run("a", defaults=False, beta=1)))


def test_a_known_fact_is_kept_where_the_readings_differ_and_an_unknown_one_becomes_likely() -> None:
    merged = with_likely(plan(run("a", beta=1, bf16=None)), plan(run("a", (ADDED,), beta=2, bf16=True, optim=None)))
    facts = merged.runs[0].facts
    assert facts.value("plan.beta") == 1
    found = facts.likely("plan.bf16")
    assert found is not None and (found.value, found.presumes, found.reason) == (True, (ADDED,), "computed")
    assert facts.why_unknown("plan.optim") == "computed"
    assert merged.facts.likely("plan.bf16") is not None


def test_defaults_are_taken_for_certain_only_if_the_certain_reading_takes_them() -> None:
    for certain, presumed, whole in ((True, True, None), (False, True, (ADDED,)), (False, False, None)):
        merged = with_likely(plan(run("a", defaults=certain)), plan(run("a", (ADDED,), presumed)))
        assert merged.runs[0].takes_defaults is certain
        assert merged.runs[0].facts.whole == whole


def test_a_run_that_only_the_presuming_reading_has_is_likely_in_all() -> None:
    merged = with_likely(plan(), plan(run("a", (ADDED,), beta=1)))
    (only,) = merged.runs
    assert only.facts.get("plan.beta") is None and only.facts.likely("plan.beta") is not None
    assert not merged.takes_defaults


def test_variables_that_are_presumed_unset_are_named_together_and_at_most_four() -> None:
    unset = tuple(Presumption(CALLER, f"the caller does not set {name}") for name in "EDCBA")
    merged = with_likely(plan(run("a", beta=None)), plan(run("a", (*unset, ADDED), beta=1)))
    found = merged.runs[0].facts.likely("plan.beta")
    assert found is not None
    assert [one.text for one in found.presumes] == [
        "the caller adds no arguments",
        "the caller does not set A, B, C, D and others",
    ]


def test_a_likely_fact_keeps_the_values_that_it_has_if_what_is_presumed_does_not_hold() -> None:
    condition = "'adamw_torch' if torch.cuda.is_available() else 'adamw_8bit'"
    facts = read(
        {"train.py": f"import torch\n{TRL}args = GRPOConfig(optim={condition})\n{TRAINED}"},
        gpu__count="4",
        gpu__compute_capability="9.0",
    )
    found = facts.likely("plan.optim")
    assert found is not None and found.value == "adamw_torch"
    assert facts.candidates("plan.optim") == ("adamw_torch", "adamw_8bit") == facts.certain().candidates("plan.optim")
    assert facts.presumed().value("plan.optim") == "adamw_torch"


def test_a_block_that_can_raise_presumably_runs_to_its_end() -> None:
    text = (
        f"{TRL}try:\n    import tracker\n    {MADE}except Exception:\n    args = GRPOConfig(use_vllm=False)\n{TRAINED}"
    )
    facts = read({"train.py": text})
    likely = facts.likely("plan.use_vllm")
    assert likely is not None and likely.value is True
    assert [(one.kind, str(one)) for one in likely.presumes] == [
        (EXCEPTION, "the block runs without an exception (train.py:2:1)")
    ]


def test_a_block_that_changes_no_setting_is_not_presumed_to_run() -> None:
    text = f"{TRL}import tracker\ntry:\n    import other\nexcept ImportError:\n    other = None\n{MADE}tracker.init(args)\n{TRAINED}"
    likely = read({"train.py": text}).likely("plan.use_vllm")
    assert likely is not None and {one.kind for one in likely.presumes} == {CALL}


def test_only_what_all_runs_have_is_known_if_presumably_one_of_them_starts() -> None:
    Path("t.py").write_text(f"{TRL}{MADE}{TRAINED}")
    Path("run.sh").write_text(
        'if [ "${MODE:-a}" = a ]; then\n  torchrun --nproc_per_node 2 t.py\nelse\n  python t.py\nfi\n'
    )
    (run,) = collect(Sources(["run.sh"], probe=False)).runs
    assert run.facts.value("plan.num_generations") == 4
    assert run.facts.get("plan.launcher") is None
    likely = run.facts.likely("plan.launcher")
    assert likely is not None and likely.value == "torchrun"
    assert "the caller does not set MODE" in map(str, likely.presumes)


@pytest.mark.parametrize("key", ["os.environ.get('KEY')", "os.getenv('KEY', '')", "os.environ.get('KEY', None)"])
@pytest.mark.parametrize("end", ["raise ValueError('no key')", "sys.exit(1)"])
def test_the_caller_presumably_sets_a_variable_without_which_the_script_stops(key: str, end: str) -> None:
    text = f"{TRL}import os, sys, tracker\nkey = {key}\nif not key:\n    {end}\n{MADE}tracker.init(args)\n{TRAINED}"
    likely = read({"train.py": text}).likely("plan.use_vllm")
    assert likely is not None and likely.value is True
    assert "the caller sets KEY, without which the script stops" in {one.text for one in likely.presumes}


def test_a_variable_without_which_the_script_goes_on_is_presumably_unset() -> None:
    text = f"import os\n{TRL}args = GRPOConfig(num_generations=8 if not os.getenv('KEY') else 4)\n{TRAINED}"
    likely = read({"train.py": text}).likely("plan.num_generations")
    assert likely is not None and likely.value == 8


SEARCHING = f"""{TRL}import yaml
from pathlib import Path
def found(name):
    path = Path(name)
    if path.is_absolute() and path.exists():
        return path.resolve()
    for root in [Path.cwd(), Path(__file__).resolve().parents[LEVEL]]:
        inner = (root / path).resolve()
        if inner.exists():
            return inner
    raise FileNotFoundError(name)
with found("settings/a.yaml").open() as file:
    args = GRPOConfig(**yaml.safe_load(file))
{TRAINED}"""


def test_a_configuration_is_found_in_the_folders_that_a_script_searches() -> None:
    files = {"scripts/train.py": SEARCHING.replace("LEVEL", "1"), "settings/a.yaml": "num_generations: 4\n"}
    facts = read({**files, "run.sh": "python scripts/train.py\n"}, "run.sh")
    likely = facts.likely("plan.num_generations")
    assert likely is not None and likely.value == 4
    assert any(one.kind == FILE and "is there" in one.text for one in likely.presumes)


@pytest.mark.parametrize(("option", "expected"), [("", None), ("--no_local_rank ", 16)])
def test_deepspeed_adds_an_argument(option: str, expected: int | None) -> None:
    counted = "import sys\nif len(sys.argv) == 1:\n    args.num_iterations = 16\n"
    Path("t.py").write_text(f"{TRL}{MADE}{counted}{TRAINED}")
    Path("run.sh").write_text(f"deepspeed {option}t.py\n")
    (run,) = collect(Sources(["run.sh"], probe=False)).runs
    assert run.facts.value("plan.num_iterations") == expected


def test_a_shell_presumably_runs_a_script_without_an_interpreter() -> None:
    Path("inner.sh").write_text("python train.py\n")
    Path("train.py").write_text(TRL + MADE + TRAINED)
    facts = collect(Sources(command=["./inner.sh"], probe=False)).facts
    found = facts.likely("plan.num_generations")
    assert facts.get("plan.num_generations") is None and found is not None and found.value == 4
    assert "a shell runs ./inner.sh" in [each.text for each in found.presumes]
    Path("inner.sh").write_text("#!/bin/sh\npython train.py\n")
    facts = collect(Sources(command=["./inner.sh"], probe=False)).facts
    assert facts.value("plan.num_generations") == 4


def test_a_program_of_an_environment_is_the_one_that_the_project_declares() -> None:
    Path("pyproject.toml").write_text("[project]\nname = 'own'\nversion = '1'\nscripts = {learn = 'train:main'}\n")
    made = "def main():\n    args = GRPOConfig(num_generations=4)\n    GRPOTrainer('a/b', args=args).train()\n"
    facts = read({"run.sh": ".venv/bin/learn --all\n.venv/bin/other\n", "train.py": TRL + made})
    assert facts.value("plan.num_generations") == 4


def test_a_copy_of_peft_s_function_that_may_not_make_an_adapter_leaves_it_open() -> None:
    script = f"""{TRL}from peft import LoraConfig, get_peft_model
from helpers import wanted
if wanted():
    adapter = LoraConfig(r=8)
    model = get_peft_model('a/b', adapter)
{MADE}{TRAINED}"""
    assert read({"train.py": script}).get("plan.peft") is None


def test_the_files_that_find_prints_are_presumably_those_that_are_there() -> None:
    Path("configs").mkdir()
    for name, rate in (("a.yaml", 1), ("b.yaml", 2), ("c.txt", 3)):
        Path("configs", name).write_text(f"num_generations: 4\nlearning_rate: {rate}\nbeta: {rate}.5\n")
    script = (
        'FILES=($(find configs -mindepth 1 -maxdepth 1 -type f -name "*.yaml"))\n'
        'for FILE in "${FILES[@]}"; do\n  python train.py --config "$FILE"\ndone\n'
    )
    parsed = f"{TRL}args, = TrlParser((GRPOConfig,)).parse_args_and_config()\n{TRAINED}"
    Path("run.sh").write_text(script)
    Path("train.py").write_text(parsed)
    gathered = collect(Sources(command=["bash", "run.sh"], probe=False))
    assert len(gathered.plan.runs) == 2
    found = gathered.facts.likely("plan.num_generations")
    assert found is not None and found.value == 4
    assert "the files in configs are those that are there now" in [each.text for each in found.presumes]
    assert gathered.facts.likely("plan.beta") is None
    Path("run.sh").write_text(script.replace("-name", "-newer"))
    assert collect(Sources(command=["bash", "run.sh"], probe=False)).facts.likely("plan.num_generations") is None


def test_a_command_that_names_no_file_is_one_of_the_project_in_its_folder() -> None:
    Path("pyproject.toml").write_text(
        "[project]\nname = 'own'\nversion = '1'\nscripts = {learn = 'train:main'}\ndependencies = ['trl==0.18.0']\n"
    )
    made = "def main():\n    args = GRPOConfig(num_generations=4)\n    GRPOTrainer('a/b', args=args).train()\n"
    Path("train.py").write_text(TRL + made)
    gathered = collect(Sources(command=["learn"], probe=False))
    assert str(gathered.facts.value("packages.trl")) == "0.18.0" and gathered.facts.value("plan.num_generations") == 4


def test_what_is_cast_to_a_type_stays_what_it_is() -> None:
    script = f"from typing import cast\n{TRL}args = cast('GRPOConfig', GRPOConfig(num_generations=4))\n{TRAINED}"
    assert read({"train.py": script}).value("plan.num_generations") == 4


def test_a_trainer_whose_model_nothing_is_known_of_is_read_again() -> None:
    facts = Facts()
    facts.set("plan.trainer", "GRPOTrainer", "x.py")
    assert leaves_open(Plan(facts, True, (), (), (Run("", "", facts, True),)))
    facts.set("plan.model", "a/b", "x.py")
    assert not leaves_open(Plan(facts, True, (), (), (Run("", "", facts, True),)))


@pytest.mark.parametrize(
    "script",
    [
        'case "${1:-help}" in\n  train) torchrun --nproc_per_node 2 train.py --use_vllm true ;;\n  *) echo usage ;;\nesac\n',
        ': "${DATA:?set DATA to a dataset}"\ntorchrun --nproc_per_node 2 train.py --use_vllm true\n',
        '[ $# -ge 1 ] || { echo usage; exit 1; }\ntorchrun --nproc_per_node 2 train.py --use_vllm true --output_dir "$1"\n',
    ],
)
def test_a_script_that_does_nothing_without_arguments_is_started_with_them(script: str) -> None:
    facts = read({"run.sh": script, "train.py": PARSED}).presumed()
    assert facts.value("plan.world_size") == 2
    assert facts.value("plan.use_vllm") is True


def test_a_file_of_that_name_in_another_folder_is_not_the_one_that_a_script_reads() -> None:
    reads = "import json\nn = json.load(open('outputs/sft/state.json'))['n']\n"
    files = {"train.py": reads + TRL + MADE.replace("num_generations=4", "num_generations=n") + TRAINED}
    elsewhere = read(files | {"results/first/state.json": '{"n": 8}'})
    assert elsewhere.get("plan.num_generations") is None and elsewhere.likely("plan.num_generations") is None
    found = read(files | {"results/outputs/sft/state.json": '{"n": 8}'}).likely("plan.num_generations")
    assert found is not None and found.value == 8
