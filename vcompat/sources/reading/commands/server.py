"""vLLM servers that a launch script starts beside the training."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from vcompat.facts.stated import COMPUTED, OPTION, Setting, Stated
from vcompat.sources.reading.commands.started import Started
from vcompat.sources.reading.invocation import Invocation
from vcompat.sources.reading.word import Word

_SUBCOMMANDS = frozenset({("trl", "vllm-serve"), ("vllm", "serve"), ("swift", "rollout")})
_TRL_MODULE = "trl.scripts.vllm_serve"
_MODULES = frozenset({_TRL_MODULE, "vllm.entrypoints.openai.api_server", "swift.cli.rollout", "axolotl.cli.vllm_serve"})
#: TRL's server under another name: forks have subcommands such as ``vllm-serve-async``.
_FORKED = re.compile(r"vllm-serve(-\w+)+")
_FORKED_MODULE = re.compile(r"trl\.scripts\.vllm_serve(_\w+)?")
_OPTION = re.compile(r"--([A-Za-z][\w-]*)")


def serves(started: Started) -> bool:
    """Return whether a command starts a server."""
    if started.launcher == "trl" and isinstance(started.script, str) and _FORKED.fullmatch(started.script):
        return True
    if isinstance(started.module, str) and _FORKED_MODULE.fullmatch(started.module):
        return True
    return (started.launcher, started.script) in _SUBCOMMANDS or started.module in _MODULES


def is_of_trl(started: Started) -> bool:
    """Return whether a command starts the server of TRL's releases, whose options are known."""
    return (started.launcher, started.script) == ("trl", "vllm-serve") or started.module == _TRL_MODULE


def is_of_vllm(started: Started) -> bool:
    """Return whether a command starts vLLM's own server, which is not made for a trainer."""
    own = (started.launcher, started.script) == ("vllm", "serve")
    return own or started.module == "vllm.entrypoints.openai.api_server"


def takes_weights(words: Sequence[Word]) -> bool | None:
    """Return whether vLLM's own server gets ``--weight-transfer-config``; None if parts of its command are unknown."""
    known = [word.replace("_", "-") for word in words if isinstance(word, str)]
    if any(word.startswith("--weight-transfer-config") for word in known):
        return True
    return None if len(known) < len(words) or any(word.startswith("--config") for word in known) else False


def port_of(words: Sequence[Word]) -> int | None:
    """Return the port of a vLLM server with its default; None if parts of its command are unknown."""
    port = _value_of("--port", words, "8000")
    return int(port) if port is not None and port.isascii() and port.isdecimal() else None


def logprobs_mode_of(words: Sequence[Word]) -> str | None:
    """Return which probabilities vLLM's own server reports; None if parts of its command are unknown."""
    return _value_of("--logprobs-mode", words, "raw_logprobs") or None


def _value_of(option: str, words: Sequence[Word], default: str) -> str | None:
    """Return the last value of `option`; None if parts of the command are unknown."""
    known = [word for word in words if isinstance(word, str)]
    if len(known) < len(words) or any(word.startswith("--config") for word in known):
        return None
    for word, following in pairwise([*known, ""]):
        name, equals, value = word.partition("=")
        if name.replace("_", "-") == option:
            default = value if equals else following
    return default


def options_of_server(started: Started, invocation: Invocation) -> tuple[Stated, ...]:
    """Return the options that TRL's server gets, if it certainly starts."""
    if not is_of_trl(started) or invocation.why_uncertain:
        return ()
    options = (word.partition("=")[0] for word in started.arguments)
    names = [match[1] for option in options if isinstance(option, str) and (match := _OPTION.fullmatch(option))]
    settings = tuple(Setting(name, COMPUTED, invocation.place, OPTION) for name in names)
    own = frozenset({"config", "help"})
    kind = "trl.vllm_serve.ScriptArguments"
    return (Stated((kind,), settings, invocation.place, own, is_complete=False, abbreviates=True),)
