from __future__ import annotations

from pathlib import Path

import pytest

from vcompat.facts.facts import Place
from vcompat.facts.value import FactValue
from vcompat.foundation.errors import InputError
from vcompat.patches import patch_ids
from vcompat.sources.reading.part import Part
from vcompat.sources.reading.python.values.core import Start
from vcompat.sources.reading.python.values.values import NotPlainError, to_plain
from vcompat.sources.reading.scripts.script import read_configurations, read_script


def script(tmp_path: Path, text: str, words: str | None = None) -> Part:
    path = tmp_path / "train.py"
    path.write_text(text)
    start = Start(tuple(words.split()), Place("run.sh", 3, 1)) if words is not None else None
    return read_script(str(path), start)


def settings(tmp_path: Path, text: str, words: str | None = None) -> dict[str, FactValue]:
    facts = script(tmp_path, text, words).facts
    return {
        name: known.value
        for name, known in facts.known.items()
        if name not in ("plan.patched", "plan.configuration", "plan.trainer")
    }


def test_keyword_arguments_are_read_with_file_line_and_column(tmp_path: Path) -> None:
    read = script(
        tmp_path,
        "from trl import GRPOConfig\n\nc = GRPOConfig(\n  use_vllm=True,\n  vllm_mode='colocate', learning_rate=1e-5)\n",
    )
    path = str(tmp_path / "train.py")
    assert read.facts.known["plan.use_vllm"][:3] == (True, "train.py:4:12", Place(path, 4, 12))
    assert read.facts.known["plan.vllm_mode"][:3] == ("colocate", "train.py:5:13", Place(path, 5, 13))
    assert read.facts.value("plan.configuration") == "GRPOConfig"
    assert read.configuration is not None and read.configuration.place == Place(path, 3, 5)
    assert read.takes_defaults


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TP = 2\nARGS = dict(vllm_mode='colocate', vllm_tensor_parallel_size=TP)\nGRPOConfig(**ARGS, **{'use_vllm': True})",
         {"vllm_mode": "colocate", "vllm_tensor_parallel_size": 2, "use_vllm": True}),
        ("def main():\n    mode = 'colo' + 'cate'\n    n = 4\n    n = n * 2\n    GRPOConfig(vllm_mode=mode, num_generations=n)\nmain()",
         {"vllm_mode": "colocate", "num_generations": 8}),
        ("V = True\nV = False\nGRPOConfig(use_vllm=V)", {"use_vllm": False}),
        ("if x:\n    V = True\n    GRPOConfig(use_vllm=V)\nelse:\n    V = False\n", {"use_vllm": True}),
        ("a, b = 2, 'server'\nGRPOConfig(vllm_tensor_parallel_size=a, vllm_mode=b)", {"vllm_tensor_parallel_size": 2, "vllm_mode": "server"}),
        ("SIZE = '7B'\nGRPOTrainer(model=f'Qwen/Qwen2.5-{SIZE}')", {"model": "Qwen/Qwen2.5-7B", "model_by_name": True, "loaded_in_bits": None, "peft": False}),
        ("kw = {}\nkw['use_vllm'] = True\nkw.update(vllm_mode='colocate')\nGRPOConfig(**kw)", {"use_vllm": True, "vllm_mode": "colocate"}),
        ("kw = {'vllm_mode': 'server'}\nkw['vllm_mode'] = 'colocate'\nGRPOConfig(**kw)", {"vllm_mode": "colocate"}),
        ("base = {'use_vllm': True}\nGRPOConfig(**{**base, 'vllm_mode': 'colocate'})", {"use_vllm": True, "vllm_mode": "colocate"}),
        ("c = GRPOConfig(use_vllm=False)\nc.use_vllm = True", {"use_vllm": True}),
        ("from trl import GRPOConfig as C\nC(use_vllm=True)", {"use_vllm": True}),
        ("DEBUG = False\nGRPOConfig(use_vllm=False if DEBUG else True)", {"use_vllm": True}),
        ("@dataclass\nclass Mine(GRPOConfig):\n    use_vllm: bool = True\n    num_generations: int = field(default=4)\nMine(num_generations=6)", {"use_vllm": True, "num_generations": 6}),
        ("GRPOConfig(num_generations=int('4'), vllm_gpu_memory_utilization=1 - 0.7)", {"num_generations": 4, "vllm_gpu_memory_utilization": pytest.approx(0.3)}),
        ("GRPOConfig(model_init_kwargs={'dtype': 'bfloat16'})", {"dtype": "bfloat16"}),
        ("GRPOConfig(model_init_kwargs={'torch_dtype': 'bfloat16'})", {"init_torch_dtype": "bfloat16"}),
        ("import torch\nAutoModelForCausalLM.from_pretrained('m', torch_dtype=torch.float16)", {"dtype": "float16", "model": "m"}),
        ("match x:\n    case 1:\n        V = 2\n        GRPOConfig(num_generations=V)\n    case _:\n        V = 3", {"num_generations": 2}),
        ("try:\n    pass\nfinally:\n    N = 4\nGRPOConfig(num_generations=N)", {"num_generations": 4}),
        ("GRPOConfig(deepspeed={'zero_optimization': {'stage': 3}, 'bf16': {'enabled': True}})",
         {"deepspeed_stage": 3, "deepspeed_bf16": True, "deepspeed_fp16": False, "deepspeed_auto": (), "deepspeed_gradient_clipping": None, "optimizer_offload": "none", "parameter_offload": "none"}),
    ],
)  # fmt: skip
def test_constant_settings_are_known(tmp_path: Path, text: str, expected: dict[str, FactValue]) -> None:
    assert settings(tmp_path, text) == {f"plan.{name}": value for name, value in expected.items()}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import sys\nGRPOConfig(use_vllm=len(sys.argv) > 1)", "computed at run time"),
        ("def f(V):\n    GRPOConfig(use_vllm=V)\n", "not given here"),
        ("V = True\nfor V in range(x): pass\nGRPOConfig(use_vllm=V)", "computed at run time; it may be True"),
        ("if x:\n    V = True\nelse:\n    V = False\nGRPOConfig(use_vllm=V)", "depends on a condition; it may be True or False"),
        ("GRPOConfig(use_vllm=True if x else False)", "depends on a condition; it may be True or False"),
        ("GRPOConfig(use_vllm='a string')", "expected a flag"),
        ("GRPOConfig(use_vllm=True)\nGRPOConfig(use_vllm=False)", "set to different values in lines 1, 2; it may be True or False"),
        ("GRPOConfig(use_vllm=True)\nGRPOConfig(beta=0.1)", "set in line 1 only, not for every configuration; it may be True"),
        ("kw = {}\nif x:\n    kw['use_vllm'] = True\nGRPOConfig(**kw)", "set only under a condition; it may be True"),
        ("c = GRPOConfig(use_vllm=False)\nif x:\n    c.use_vllm = True", "depends on a condition; it may be True or False"),
        ("import os\nGRPOConfig(use_vllm=os.environ.get('V', True))", "read from an environment variable; it may be True"),
        ("V = [1]\nV.append(2)\nGRPOConfig(use_vllm=V)", "plan.use_vllm is [1, 2]; expected a flag"),
        ("GRPOConfig(use_vllm=10 ** 10 ** 10)", "computed at run time"),
        ("GRPOConfig(use_vllm='x' * 10 ** 9)", "computed at run time"),
    ],
)  # fmt: skip
def test_other_settings_are_unknown_with_position_and_possible_values(tmp_path: Path, text: str, reason: str) -> None:
    facts = script(tmp_path, text).facts
    assert facts.get("plan.use_vllm") is None
    assert facts.why_unknown("plan.use_vllm").startswith("train.py:")
    assert facts.why_unknown("plan.use_vllm").endswith(reason)
    assert facts.open_at("plan.use_vllm").line


def test_unknown_keyword_arguments_leave_unset_settings_without_defaults(tmp_path: Path) -> None:
    assert not script(tmp_path, "GRPOConfig(use_vllm=True, **options())").takes_defaults
    assert not script(tmp_path, "kw = load()\nkw['use_vllm'] = True\nGRPOConfig(**kw)").takes_defaults
    assert not script(tmp_path, "GRPOTrainer(args=parser.parse())").takes_defaults


PARSER = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--tp", type=int, default=2)
parser.add_argument("--sleep", action="store_true")
parser.add_argument("-m", "--vllm-mode", default="colocate")
parser.add_argument("--share", type=float, required=True)
def main(args):
    GRPOConfig(vllm_tensor_parallel_size=args.tp, vllm_enable_sleep_mode=args.sleep, vllm_mode=args.vllm_mode,
               vllm_gpu_memory_utilization=args.share)
main(parser.parse_args())
"""


def test_the_text_of_a_number_stays_a_text_in_a_configuration_and_is_no_fact(tmp_path: Path) -> None:
    for given in ("'5e-1'", "'0.5'", "'half'"):
        facts = script(tmp_path, f"GRPOConfig(vllm_gpu_memory_utilization={given})").facts
        assert "plan.vllm_gpu_memory_utilization" not in facts.known
        assert facts.why_unknown("plan.vllm_gpu_memory_utilization").endswith("expected a number")


def test_an_option_has_its_default_unless_the_command_line_sets_it(tmp_path: Path) -> None:
    assert settings(tmp_path, PARSER) == {}
    facts = script(tmp_path, PARSER).facts
    assert "taken from the command line; it may be 2" in facts.why_unknown("plan.vllm_tensor_parallel_size")
    assert "taken from the command line" in facts.why_unknown("plan.vllm_gpu_memory_utilization")
    assert settings(tmp_path, PARSER, "") == {}, "a required option is missing"
    facts = script(tmp_path, PARSER, "--share=0.5").facts
    assert "default of --tp" in facts.known["plan.vllm_tensor_parallel_size"].source
    started = settings(tmp_path, PARSER, "--tp 4 --sleep --share 0.5")
    assert started == {
        "plan.vllm_tensor_parallel_size": 4,
        "plan.vllm_enable_sleep_mode": True,
        "plan.vllm_mode": "colocate",
        "plan.vllm_gpu_memory_utilization": 0.5,
    }


def test_a_dataclass_parser_reads_unset_settings_from_the_command_line(tmp_path: Path) -> None:
    text = """
@dataclass
class Extra:
    size: int = 2
@dataclass
class Mine(GRPOConfig):
    vllm_mode: str = "colocate"
parser = TrlParser((Extra, Mine, ModelConfig))
extra, training_args, model_args = parser.parse_args_and_config()
training_args.vllm_tensor_parallel_size = extra.size
training_args.use_vllm = True
"""
    read = script(tmp_path, text)
    assert read.why_open and not read.takes_defaults
    assert settings(tmp_path, text) == {"plan.use_vllm": True}
    assert "it may be 'colocate'" in read.facts.why_unknown("plan.vllm_mode")
    assert read.facts.value("plan.configuration") == "GRPOConfig"
    started = settings(tmp_path, text, "--size 4 --use_vllm false --num-generations 6")
    assert started == {
        "plan.use_vllm": True,
        "plan.vllm_mode": "colocate",
        "plan.vllm_tensor_parallel_size": 4,
        "plan.num_generations": 6,
    }


def test_adapters_trainers_engines_and_variables_are_read(tmp_path: Path) -> None:
    text = """
import os
os.environ["VLLM_USE_V1"] = "0"
os.environ.setdefault("NCCL_P2P_DISABLE", "1")
os.environ.update({"CUDA_VISIBLE_DEVICES": "0,1"}, MASTER_PORT="29501")
os.environ["EDITOR"] = "vi"
if x:
    os.environ["MASTER_ADDR"] = "there"
trainer = GRPOTrainer(model, peft_config=LoraConfig(r=8, modules_to_save=["lm_head"]))
llm = vllm.LLM(model="m", tensor_parallel_size=2, distributed_executor_backend="external_launcher", seed=None)
"""
    read = script(tmp_path, text)
    assert {name: known.value for name, known in read.facts.known.items()} == {
        "env.VLLM_USE_V1": "0",
        "env.NCCL_P2P_DISABLE": "1",
        "env.CUDA_VISIBLE_DEVICES": "0,1",
        "env.MASTER_PORT": "29501",
        "plan.trainer": "GRPOTrainer",
        "plan.peft": True,
        "plan.modules_to_save": ("lm_head",),
        "plan.lora_dropout": 0.0,
        "plan.lora_rank": 8,
        "plan.lora_targets": (),
        "plan.model": "m",
        "plan.engine_dtype": "auto",
        "plan.tensor_parallel_size": 2,
        "plan.distributed_executor_backend": "external_launcher",
        "plan.llm_seed": None,
        "plan.enable_prefix_caching": None,
        "plan.enable_chunked_prefill": None,
        "plan.enable_sleep_mode": False,
        "plan.kv_cache_dtype": None,
        "plan.speculative_config": False,
        "plan.patched": (),
    }
    assert "set only under a condition; it may be 'there'" in read.facts.why_unknown("env.MASTER_ADDR")
    assert list(read.overridable) == ["env.NCCL_P2P_DISABLE"]


def test_a_deepspeed_configuration_that_the_script_names_is_mentioned(tmp_path: Path) -> None:
    (mention,) = script(tmp_path, "GRPOConfig(deepspeed='ds.json')").mentions
    assert (mention.path, mention.kind, mention.place.line) == ("ds.json", "deepspeed", 1)


def test_the_configurations_of_a_script_can_be_read_separately(tmp_path: Path) -> None:
    path = tmp_path / "test_them.py"
    path.write_text("def test_a():\n    GRPOConfig(beta=0.1)\ndef test_b():\n    GRPOConfig(beta=x)\n")
    first, second = read_configurations(str(path))
    assert to_plain(first.settings["beta"].value) == 0.1
    with pytest.raises(NotPlainError):
        to_plain(second.settings["beta"].value)


@pytest.mark.parametrize(
    ("call", "ids"),
    [
        ("import vcompat; vcompat.patch()", "all"),
        ("import vcompat as v\nv.patch()", "all"),
        ("from vcompat import patch as arm\narm()", "all"),
        (
            "from vcompat import patch\npatch(only=['vllm_restore_sleep_buffers'])",
            ["vllm_restore_sleep_buffers"],
        ),
        ("import vcompat\nvcompat.patch(skip=('vllm_restore_sleep_buffers',))", "the others"),
        ("import vcompat\nvcompat.check()", []),
        ("patch()", []),
    ],
)
def test_the_patches_that_a_script_applies_are_known(tmp_path: Path, call: str, ids: str | list[str]) -> None:
    everything = patch_ids()
    expected = {"all": everything, "the others": [i for i in everything if i != "vllm_restore_sleep_buffers"]}
    found = script(tmp_path, call).facts.value("plan.patched")
    assert list(found) == (expected[ids] if isinstance(ids, str) else ids)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"def f(:\n", "train.py:1: not valid Python"),
        (b"\x7fELF\0\0", "contains binary data"),
        (b"x = '\xff'\n", "not valid Python"),
        (b"(" * 100_000, "not valid Python"),
        (b"-" * 300_000 + b"1", "train.py"),
        (b"x = 1\n" * 1_000_000, "larger than 4 MB"),
    ],
)
def test_invalid_scripts_are_rejected_in_one_line(tmp_path: Path, content: bytes, complaint: str) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_script(str(path))
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_script_and_a_folder_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read_script(str(tmp_path / "nowhere.py"))
    with pytest.raises(InputError, match="Is a directory"):
        read_script(str(tmp_path))


def test_a_script_is_read_and_never_run(tmp_path: Path) -> None:
    mark = tmp_path / "it-ran"
    script(tmp_path, f"open({str(mark)!r}, 'w')\nGRPOConfig(use_vllm=bool(open({str(mark)!r}, 'w')))")
    assert not mark.exists()


def test_a_long_script_is_read_like_a_short_one(tmp_path: Path) -> None:
    irrelevant = "def reward_{0}(completions):\n    '''Counts.'''\n    return [len(c) * {0} for c in completions]\n\n"
    filling = "".join(irrelevant.format(number) for number in range(700))
    text = filling + 'HINT = """\ndef x():\n    """\n' + PARSER + "def f():\n    '''one ''' + '''\n" + "    '''\n"
    assert len(text) > 50_000
    assert settings(tmp_path, text) == settings(tmp_path, PARSER)
    found = script(tmp_path, text).facts.open_at("plan.vllm_mode")
    assert found.line == text[: text.index("vllm_mode=args")].count("\n") + 1
    with pytest.raises(InputError, match=r"train\.py:\d+: not valid Python"):
        script(tmp_path, filling + "GRPOConfig(use_vllm=)\n")


def test_a_function_of_a_long_script_is_parsed_when_it_is_called(tmp_path: Path) -> None:
    filling = "def reward(completions):\n    return [len(c) for c in completions]\n\n" * 1000
    text = filling + "def make(n):\n    return GRPOConfig(num_generations=n)\n\nmake(6)\n"
    known = script(tmp_path, text).facts.known["plan.num_generations"]
    assert known.value == 6
    assert known.place is not None and known.place.line == text.count("\n") - 2


def test_unset_engine_arguments_have_vllm_s_defaults(tmp_path: Path) -> None:
    facts = script(tmp_path, "from vllm import LLM\nllm = LLM(model='m', tensor_parallel_size=2)\n").facts
    assert facts.value("plan.tensor_parallel_size") == 2
    assert facts.value("plan.enable_sleep_mode", "unknown") is False
    assert facts.get("plan.llm_seed") is not None
    opened = script(tmp_path, "from vllm import LLM\nllm = LLM(model='m', **rest())\n").facts
    assert opened.get("plan.llm_seed") is None


def test_arguments_that_differ_between_engines_are_unknown(tmp_path: Path) -> None:
    text = (
        "a = EngineArgs(model='m', dtype='half')\nb = EngineArgs(model='m', tensor_parallel_size=2)\n"
        "LLM(**vars(a))\nLLM(**vars(b))\n"
    )
    facts = script(tmp_path, text).facts
    assert facts.value("plan.model") == "m"
    assert "set to different values in lines 3, 4; it may be 'half' or 'auto'" in facts.why_unknown("plan.engine_dtype")
    assert "to different values in lines 3, 4; it may be 1 or 2" in facts.why_unknown("plan.tensor_parallel_size")


def test_main_guards_and_try_blocks_are_unconditional(tmp_path: Path) -> None:
    text = "import os\nif __name__ == '__main__':\n    os.environ['VLLM_USE_V1'] = '0'\n    try:\n        N = 4\n        GRPOConfig(num_generations=N)\n    except ValueError:\n        pass\n"
    assert settings(tmp_path, text) == {"env.VLLM_USE_V1": "0", "plan.num_generations": 4}
    handled = "try:\n    N = 4\n    import not_there\nexcept ImportError:\n    N = 5\nGRPOConfig(num_generations=N)\n"
    assert "it may be 4 or 5" in script(tmp_path, handled).facts.why_unknown("plan.num_generations")


@pytest.mark.parametrize(
    "text",
    [
        "GRPOTrainer(model='m', args=GRPOConfig(model_init_kwargs={'attn_implementation': 'flash_attention_2'}))",
        "M = AutoModelForCausalLM.from_pretrained('m', attn_implementation='flash_attention_2')\nGRPOTrainer(model=M)",
    ],
)
def test_the_attention_of_the_trainers_model_is_read(tmp_path: Path, text: str) -> None:
    assert script(tmp_path, text).facts.value("plan.attn_implementation") == "flash_attention_2"


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        (
            "M = AutoModelForCausalLM.from_pretrained('m', quantization_config=BitsAndBytesConfig(load_in_4bit=True))\nGRPOTrainer(model=M)",
            4,
        ),
        ("GRPOTrainer(model='m', args=GRPOConfig(model_init_kwargs={'load_in_8bit': True}))", 8),
        ("GRPOTrainer(model='m', args=GRPOConfig()) # not with bitsandbytes", None),
    ],
)
def test_the_bits_to_which_the_model_is_quantized_are_read(tmp_path: Path, text: str, bits: int | None) -> None:
    assert script(tmp_path, text).facts.known["plan.loaded_in_bits"].value == bits


@pytest.mark.parametrize(
    "text",
    [
        "Q = BitsAndBytesConfig(load_in_4bit=True) if X else None\nGRPOTrainer(model='m', args=GRPOConfig(model_init_kwargs={'quantization_config': Q}))",
        "GRPOTrainer(model='m', args=GRPOConfig(model_init_kwargs={'quantization_config': GPTQConfig(bits=4)}))",
        "M = AutoModelForCausalLM.from_pretrained('m', load_in_4bit=True)\nR = AutoModelForCausalLM.from_pretrained('m')\nGRPOTrainer(model=M)",
        "J = AutoModelForCausalLM.from_pretrained('judge', load_in_4bit=True)\nGRPOTrainer(model=policy())",
        "GRPOTrainer(model=policy(load_in_4bit=True))",
    ],
)
def test_a_model_that_may_be_quantized_leaves_the_bits_unknown(tmp_path: Path, text: str) -> None:
    facts = script(tmp_path, text).facts
    assert facts.get("plan.loaded_in_bits") is None
    assert "may quantize the model" in facts.why_unknown("plan.loaded_in_bits")


def test_an_adapter_that_is_not_passed_to_the_trainer_is_not_certain(tmp_path: Path) -> None:
    facts = script(tmp_path, "lora = LoraConfig(r=8)\nGRPOTrainer(model='m')  # peft_config=lora").facts
    assert "LoraConfig is not passed to the trainer here; it may be True" in facts.why_unknown("plan.peft")
    wrapped = "model = get_peft_model(model, LoraConfig(r=8))\nGRPOTrainer(model=model)\n"
    assert script(tmp_path, wrapped).facts.value("plan.peft") is True
    assert script(tmp_path, "LoraConfig(r=8)").facts.value("plan.peft") is True


def test_an_adapter_that_a_function_returns_is_not_certain(tmp_path: Path) -> None:
    facts = script(tmp_path, "GRPOTrainer(peft_config=get_peft_config(model_args))").facts
    assert "it may be True" in facts.why_unknown("plan.peft")
    made = script(tmp_path, "lora = LoraConfig(r=8)\nGRPOTrainer(peft_config=lora)").facts
    assert (made.value("plan.peft"), made.value("plan.modules_to_save")) == (True, ())


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ('c = GRPOConfig(output_dir="größe/日本", use_vllm=True)\n', "utf-8"),
        ('# -*- coding: latin-1 -*-\nc = GRPOConfig(output_dir="größe", use_vllm=True)\n', "latin-1"),
        ('\ufeffc = GRPOConfig(output_dir="größe", use_vllm=True)\n', "utf-8"),
        ('x = "🙂"; c = GRPOConfig(output_dir="🙂", use_vllm=True)\r\n', "utf-8"),
        ('c = GRPOConfig(output_dir="plain", use_vllm=True)\n', "utf-8"),
    ],
    ids=["umlauts and kanji", "latin-1", "a byte order mark", "beyond the basic plane", "ASCII"],
)
def test_columns_count_characters(tmp_path: Path, text: str, encoding: str) -> None:
    script = tmp_path / "train.py"
    script.write_bytes(text.encode(encoding))
    place = read_script(str(script)).facts.known["plan.use_vllm"].place
    assert place is not None
    line = text.removeprefix("\ufeff").splitlines()[place.line - 1]
    assert line[place.column - 1 :].startswith("True")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"vcompat.py": "def patch(): pass\n"}, ()),
        ({"vcompat.py": "syntax error\n"}, ()),
        ({"vcompat/__init__.py": "def patch(): pass\n"}, ()),
        ({"vcompat/__init__.py": "def patch(): pass\n", "vcompat/patching/__init__.py": ""}, "all"),
        ({"vcompat/__init__.py": "", "vcompat/patching/__init__.py": "", "vcompat.py": ""}, "all"),
        ({"vcompat/notes.txt": ""}, "all"),
    ],
)
def test_another_vcompat_beside_the_script_is_not_vcompat(
    tmp_path: Path, files: dict[str, str], expected: object
) -> None:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for text in ("import vcompat\nvcompat.patch()\n", "from vcompat import patch\npatch()\n"):
        found = script(tmp_path, text).facts.value("plan.patched")
        assert found == (tuple(patch_ids()) if expected == "all" else expected)
