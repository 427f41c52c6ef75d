"""Which functions of libraries leave their arguments alone, and which set environment variables."""

from __future__ import annotations

from vcompat.sources.plan.python.values import Lib, Method, Obj, Value

#: Packages whose functions read the configurations that they get. Those that change them have models.
_READERS = frozenset(
    "accelerate argparse asyncio atexit base64 bitsandbytes collections comet_ml contextlib csv dataclasses datasets "
    "datetime deepspeed enum evaluate fire functools gc glob hashlib huggingface_hub inspect io itertools json liger_kernel "
    "logging loguru math mlflow multiprocessing numpy nvidia operator os pandas pathlib peft pickle platform pprint pydantic "
    "random ray re requests rich safetensors shlex shutil signal socket string subprocess swanlab sys tempfile tensorboard "
    "textwrap threading time timeit tokenizers toml tomllib torch torchvision tqdm traceback transformers trl typer types "
    "typing unittest urllib uuid vllm wandb warnings weakref yaml vcompat omegaconf hydra click absl tyro "
    "aiohttp anthropic attr attrs black boto3 bs4 cachetools clearml cv2 dask diffusers einops faiss fastapi filelock "
    "fsspec flash_attn flask google gradio httpx hydra ipdb jinja2 joblib jsonlines jsonschema kagglehub langchain "
    "latex2sympy2_extended levenshtein lightning litellm llguidance lm_eval markdown math_verify matplotlib modal msgpack "
    "neptune networkx nltk nvidia_smi openai optuna orjson outlines packaging PIL plotly polars prometheus_client psutil "
    "pyarrow pydantic_settings pygments pynvml pytest pytz qwen_vl_utils rapidfuzz regex rouge_score s3fs sacrebleu "
    "schedule scipy seaborn sentence_transformers sentencepiece sklearn sqlalchemy starlette streamlit sympy tabulate "
    "tenacity termcolor tiktoken timm torchaudio torchmetrics torchao transformer_engine triton ujson uvicorn uvloop "
    "verifiers websockets xformers xxhash zmq".split()
)
#: Builtins that read their arguments.
_BUILTINS = frozenset(
    "print len str repr bool int float type isinstance issubclass id hash format ascii callable sum min max any all sorted "
    "range enumerate zip map filter reversed iter next list tuple set frozenset open input dir abs round divmod hasattr help "
    "super object property bytes bytearray memoryview ord chr bin hex oct slice complex pow staticmethod classmethod "
    "breakpoint quit exit compile __import__ Exception ValueError RuntimeError TypeError KeyError ImportError "
    "NotImplementedError AssertionError FileNotFoundError OSError SystemExit".split()
)
#: Methods by which loggers and reporters are called, on any object.
_METHODS = frozenset("info debug warning error critical exception log log_metrics print write".split())
#: Functions that set environment variables.
_SETTERS = frozenset("load_dotenv dotenv_values activate_env set_env setup_env".split())
_SETTING_ROOTS = frozenset("dotenv environs unsloth decouple".split())


def only_reads(callee: Value | None, name: str) -> bool:
    """Return whether a function leaves its arguments as they are."""
    if isinstance(callee, Lib):
        if callee.imported:
            return callee.root in _READERS
        return callee.path in _BUILTINS or callee.root in _READERS
    last = name.rpartition(".")[2]
    if isinstance(callee, Method) and isinstance(callee.receiver, Obj) and isinstance(callee.receiver.kind, Lib):
        return callee.receiver.kind.root in _READERS or last in _METHODS
    return last in _METHODS


def sets_variables(callee: Value | None) -> bool:
    """Return whether a function is made to set environment variables, any of them."""
    return isinstance(callee, Lib) and (callee.name in _SETTERS or callee.root in _SETTING_ROOTS)


def is_foreign(callee: Value | None) -> bool:
    """Return whether a function is one of a module that cannot be read, which may change what the script has set."""
    return isinstance(callee, Lib) and callee.imported and callee.root not in _READERS
