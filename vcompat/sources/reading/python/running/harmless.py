"""Which functions of libraries leave their arguments alone, and which set environment variables."""

from __future__ import annotations

import sys

from vcompat.sources.reading.python.values.values import Lib, Method, Obj, Value

#: Packages whose functions read the configurations that they get. Those that change them have models.
READERS = frozenset(
    "absl accelerate aiohttp anthropic argparse asyncio atexit attr attrs base64 bitsandbytes black boto3 bs4 "
    "cachetools clearml click collections comet_ml contextlib csv cv2 dask dataclasses datasets datetime deepspeed "
    "diffusers distutils einops enum evaluate faiss fastapi filelock fire flash_attn flask fsspec functools gc glob "
    "google gradio hashlib httpx huggingface_hub hydra importlib_metadata importlib_resources inspect io ipdb "
    "itertools jinja2 joblib json jsonlines jsonschema kagglehub langchain latex2sympy2_extended levenshtein "
    "liger_kernel lightning litellm llguidance lm_eval logging loguru markdown math math_verify matplotlib mlflow "
    "modal msgpack multiprocessing neptune networkx nltk numpy nvidia nvidia_smi omegaconf openai operator optuna "
    "orjson os outlines packaging pandas pathlib peft pickle PIL pkg_resources platform plotly polars pprint "
    "prometheus_client psutil pyarrow pydantic pydantic_settings pygments pynvml pytest pytz qwen_vl_utils random "
    "rapidfuzz ray re regex requests rich rouge_score s3fs sacrebleu safetensors schedule scipy seaborn "
    "sentence_transformers sentencepiece shlex shutil signal sklearn socket sqlalchemy starlette streamlit string "
    "subprocess swanlab sympy sys tabulate tempfile tenacity tensorboard termcolor textwrap threading tiktoken time "
    "timeit timm tokenizers toml tomllib torch torchao torchaudio torchmetrics torchvision tqdm traceback "
    "transformer_engine transformers triton trl typer types typing tyro ujson unittest urllib uuid uvicorn uvloop "
    "vcompat verifiers vllm wandb warnings weakref websockets xformers xxhash yaml zmq".split()
)
#: The modules of Python itself.
STANDARD = frozenset(sys.stdlib_module_names)
#: Those of them that run code which they get, as libraries do.
_RUNNERS = frozenset("bdb cProfile code ctypes doctest imp pdb profile runpy site trace".split())
#: Packages whose import is an event: patches must come before some of them.
WATCHED = frozenset({"vllm", "trl", "vcompat", "transformers", "unsloth"})
#: Builtins that read their arguments.
_BUILTINS = frozenset(
    "__import__ abs all any ascii AssertionError bin bool breakpoint bytearray bytes callable chr classmethod "
    "compile complex dir divmod enumerate Exception exit FileNotFoundError filter float format frozenset hasattr "
    "hash help hex id ImportError input int isinstance issubclass iter KeyError len list map max memoryview min "
    "next NotImplementedError object oct open ord OSError pow print property quit range repr reversed round "
    "RuntimeError set slice sorted staticmethod str sum super SystemExit tuple type TypeError ValueError zip".split()
)
#: Methods by which loggers and reporters are called, on any object.
_METHODS = frozenset("info debug warning error critical exception log log_metrics print write".split())
#: Methods that texts have and hardly anything else.
_OF_TEXTS = frozenset(
    "upper lower strip lstrip rstrip split rsplit splitlines partition rpartition startswith endswith removeprefix "
    "removesuffix capitalize casefold isdigit isnumeric isalpha isalnum zfill isspace islower isupper".split()
)
#: Functions that set environment variables.
_SETTERS = frozenset("load_dotenv dotenv_values activate_env set_env setup_env".split())
_SETTING_ROOTS = frozenset("dotenv environs unsloth decouple".split())


def only_reads(callee: Value | None, name: str) -> bool:
    """Return whether a function leaves its arguments as they are."""
    if isinstance(callee, Lib):
        if callee.imported:
            return callee.root in READERS
        return callee.path in _BUILTINS or callee.root in READERS
    last = name.rpartition(".")[2]
    if isinstance(callee, Method) and isinstance(callee.receiver, Obj) and isinstance(callee.receiver.kind, Lib):
        return callee.receiver.kind.root in READERS or last in _METHODS
    return last in _METHODS


def is_of_text(callee: Value | None) -> bool:
    """Return whether a function is a method of a text, of which only the name of the attribute is known."""
    return isinstance(callee, Method) and callee.name in _OF_TEXTS and isinstance(callee.receiver, Method)


def sets_variables(callee: Value | None) -> bool:
    """Return whether a function is made to set environment variables, any of them."""
    return isinstance(callee, Lib) and (callee.name in _SETTERS or callee.root in _SETTING_ROOTS)


def patches(callee: Value | None) -> bool:
    """Return whether a function changes a dictionary that it gets, though its package leaves others alone."""
    return isinstance(callee, Lib) and callee.root in ("unittest", "mock", "pytest", "collections")


def is_foreign(callee: Value | None) -> bool:
    """Return whether a function is one of a module that cannot be read, which may change what the script has set."""
    return isinstance(callee, Lib) and callee.imported and callee.root not in READERS | (STANDARD - _RUNNERS)


def is_standard(callee: Value | None) -> bool:
    """Return whether a function is one of Python itself."""
    return isinstance(callee, Lib) and callee.root in (STANDARD if callee.imported else _BUILTINS)
