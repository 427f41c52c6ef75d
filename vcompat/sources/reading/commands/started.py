"""Tells which launcher and which script a program's words start."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from vcompat.sources.reading.commands.entry_points import code_of
from vcompat.sources.reading.commands.launchers import Parsed, parse_launcher
from vcompat.sources.reading.commands.wrappers import LAUNCHING, MOST_WRAPPERS, Changes, inner_of, unwrapped
from vcompat.sources.reading.word import UNKNOWN, UNKNOWN_WORDS, Word, as_one, base_name, concat, mapped

PYTHON = re.compile(r"python(\d+(\.\d+)?)?|pypy3?")
#: Modules that are launchers.
_MODULES: Mapping[str, str] = {
    "torch.distributed.run": "torchrun",
    "torch.distributed.launch": "torchrun",
    "accelerate.commands.launch": "accelerate",
    "deepspeed": "deepspeed",
    "deepspeed.launcher.runner": "deepspeed",
}
#: Programs of frameworks, and their subcommands that train: `Started.script` is the subcommand.
PROGRAMS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(("swift", "megatron"), frozenset({"rlhf", "sft", "pt"})),
    **dict.fromkeys(("llamafactory-cli", "lmf"), frozenset({"train"})),
}
#: Modules that are tools: they start no program of the user's.
_TOOLS = frozenset(
    "pip pip3 ensurepip venv virtualenv uv build wheel twine compileall py_compile http.server json.tool zipfile "
    "tarfile site sysconfig platform pydoc base64 gzip pytest ruff black mypy ipykernel ipykernel_launcher jupyter "
    "notebook nbconvert tensorboard tensorboard.main nltk.downloader spacy torch.utils.collect_env bitsandbytes "
    "xformers.info gdown".split()
)
_SHELLS = frozenset("bash sh dash zsh".split())


class Started(NamedTuple):
    """A launcher and the script that it starts."""

    launcher: str
    """accelerate, torchrun, deepspeed, python, modal, trl, vllm, or a program of a framework, such as swift."""
    launcher_options: Mapping[str, Word | bool]
    """The launcher's own options by long name with ``_``; True for an option without a value."""
    script: Word
    """The path of the script; the subcommand of trl, vllm or a framework; ``-`` for standard input, whose text is in
    the invocation's `files`; UNKNOWN if it is not known; empty for a module."""
    module: Word
    """The module, for `python -m` and alike."""
    arguments: tuple[Word, ...]
    """The words of the script."""
    wrapped_by: tuple[Word, ...] = ()
    """The words before the launcher, such as `srun` and its options."""
    why_open: str = ""
    """Why the launcher can have other options than `launcher_options`; empty if it has none."""
    wrapper_certain: bool = True
    """False if words that are not known are among those of the wrappers."""
    changes: tuple[Changes, ...] = ()
    """What `env` and `sudo` around it change, from the outermost inwards."""
    unknown_option: str = ""
    """The first option that no release of the launcher has, without dashes; empty if there is none."""
    code: str = ""
    """What runs instead of a script: the call of the function of `module` that a program of the project stands for."""


def read_started(words: Sequence[Word], programs: Mapping[str, str] = MappingProxyType({})) -> Started | None:
    """Return what `words` start; None if it is neither a launcher nor Python, nor one of the project's `programs`.

    `programs` has the module and function that each name stands for.
    """
    rest, certain = tuple(words), True
    before: tuple[Word, ...] = ()
    changes: tuple[Changes, ...] = ()
    for _ in range(MOST_WRAPPERS):
        plain = unwrapped(rest)
        changes += plain.changes
        before, rest = (*before, *rest[: len(rest) - len(plain.words)]), plain.words
        if not rest:
            return None
        inner = inner_of(rest, LAUNCHING)
        if inner is None:
            break
        certain = certain and inner.certain
        before, rest = (*before, *rest[: inner.start]), _inner_words(rest, inner.start)
    found = _read(rest)
    target = programs.get(rest[0]) if isinstance(rest[0], str) else None
    if found is None and target is not None:
        found = Started("python", {}, "", target.partition(":")[0], rest[1:], code=code_of(target))
    return None if found is None else found._replace(wrapped_by=before, wrapper_certain=certain, changes=changes)


def _inner_words(words: tuple[Word, ...], start: int) -> tuple[Word, ...]:
    """Return the words of the program that a wrapper starts."""
    options, rest = words[1:start], words[start:]
    name = base_name(words[0])
    if name == "uv":
        if any(option in ("-m", "--module") for option in options):
            return ("python", "-m", *rest)
        if rest[0].endswith((".py", ".pyw")) or any(option in ("-s", "--script") for option in options):
            return ("python", *rest)
    if name in ("docker", "podman", "nvidia-docker"):
        for index, option in enumerate(options):
            if option == "--entrypoint":
                return (*options[index + 1 : index + 2], *rest)
            if option.startswith("--entrypoint="):
                return (option.partition("=")[2], *rest)
    return rest


def _read(words: tuple[Word, ...]) -> Started | None:
    name, rest = base_name(words[0]), words[1:]
    if isinstance(name, str) and (found := _of_program(name, rest)) is not None:
        return found
    if name.endswith(".py") and ("/" in words[0] or words[0].startswith(".")):
        return Started("python", {}, words[0], "", rest)
    return None


def _of_program(name: str, rest: tuple[Word, ...]) -> Started | None:
    """Return what a program starts that is called `name`."""
    if name in _SHELLS and "-c" in rest[:2]:
        return _of_text(concat(rest[rest.index("-c") + 1 :][:1]))
    if PYTHON.fullmatch(name):
        return _python(rest)
    if name in ("torchrun", "deepspeed", "accelerate-launch"):
        return _launched(name.removesuffix("-launch"), rest)
    if name == "accelerate" and rest[:1] == ("launch",):
        return _launched(name, rest[1:])
    if (name in ("trl", "vllm") or name in PROGRAMS) and rest:
        return _command(name, rest)
    if name == "modal" and rest[:1] == ("run",):
        return _modal(rest[1:])
    if name == "axolotl" and rest:
        return _axolotl(rest)
    return None


def _of_text(text: Word) -> Started | None:
    """Return what the plain command in `text` starts: that of a container, where no shell was followed."""
    if any(sign in text for sign in ";&|<>`$()\n"):
        return None
    try:
        words = mapped(text, shlex.split)
    except ValueError:
        return None
    return read_started(words) if words else None


def _command(name: str, rest: tuple[Word, ...]) -> Started | None:
    """Return what `trl` or `vllm` starts."""
    if rest[0].startswith("-"):
        return None
    if not isinstance(rest[0], str):
        return Started(name, {}, UNKNOWN, "", rest[1:], why_open=f"the subcommand of {name} is not known")
    return Started(name, {}, rest[0], "", rest[1:])


def _axolotl(rest: tuple[Word, ...]) -> Started | None:
    """Return what `axolotl` starts: a module of its own, by `accelerate launch` unless an option names another."""
    subcommand, words = rest[0].replace("-", "_"), rest[1:]
    if not isinstance(subcommand, str) or not re.fullmatch(r"[a-z]\w*", subcommand):
        return None
    module = f"axolotl.cli.{subcommand}"
    end = words.index("--") if "--" in words else len(words)
    own, for_launcher = words[:end], words[end + 1 :]
    options = dict(zip(own, (*own[1:], ""), strict=True))
    options.update({name: value for name, equals, value in (word.partition("=") for word in own) if equals})
    launcher = "python" if "--no-accelerate" in own else options.get("--launcher", "accelerate")
    if subcommand != "train" or not isinstance(launcher, str) or launcher not in ("accelerate", "torchrun"):
        return Started("python", {}, "", module, own)
    for name in ("num-processes", "main-process-port"):
        value = options.get(f"--{name}", options.get(f"--{name.replace('-', '_')}"))
        for_launcher = (*for_launcher, f"--{name}", value) if value else for_launcher
    return _launched(launcher, (*for_launcher, "-m", module, *own))


def _modal(rest: tuple[Word, ...]) -> Started | None:
    """Return what `modal run file::function` starts. The function is an option; empty if none is named."""
    found = _launched("modal", rest)
    if found is None:
        return None
    script, _, function = found.script.partition("::")
    module, _, of_module = found.module.partition("::")
    options = {**found.launcher_options, "entry": as_one(function or of_module)}
    return found._replace(script=script, module=module, launcher_options=options)


def _launched(name: str, rest: tuple[Word, ...]) -> Started | None:
    parsed = parse_launcher(name, rest)
    found = _of_launcher(name, parsed)
    return None if found is None else found._replace(unknown_option=parsed.unknown)


def _of_launcher(name: str, parsed: Parsed) -> Started | None:
    if "help" in parsed.options or not (parsed.rest or parsed.why_open):
        return None
    if not parsed.rest:
        return Started(name, parsed.options, UNKNOWN, "", (), why_open=parsed.why_open)
    if parsed.options.get("module"):
        return Started(name, parsed.options, "", as_one(parsed.rest[0]), parsed.rest[1:], why_open=parsed.why_open)
    if parsed.options.get("no_python") and parsed.rest[0] not in (UNKNOWN, UNKNOWN_WORDS):
        return _without_python(name, parsed)
    return Started(name, parsed.options, as_one(parsed.rest[0]), "", parsed.rest[1:], why_open=parsed.why_open)


def _without_python(name: str, parsed: Parsed) -> Started | None:
    """Return what `torchrun --no_python program` starts."""
    inner = read_started(parsed.rest)
    if inner is None or inner.launcher != "python":
        return Started(name, parsed.options, as_one(parsed.rest[0]), "", parsed.rest[1:], why_open=parsed.why_open)
    return inner._replace(launcher=name, launcher_options=parsed.options, why_open=parsed.why_open)


def _python(rest: tuple[Word, ...]) -> Started | None:
    parsed = parse_launcher("python", rest)
    module = parsed.options.get("m")
    own = {name: value for name, value in parsed.options.items() if name != "m"}
    if module is not None and not isinstance(module, bool):
        return _module(module, own, parsed)
    if parsed.options.keys() & {"c", "help", "V", "version"}:
        return None
    if not parsed.rest:
        # Without a script, Python reads standard input.
        script: Word = UNKNOWN if parsed.why_open else "-"
        return Started("python", own, script, "", (), why_open=parsed.why_open)
    return Started("python", own, as_one(parsed.rest[0]), "", parsed.rest[1:], why_open=parsed.why_open)


def _module(module: Word, own: Mapping[str, Word | bool], parsed: Parsed) -> Started | None:
    rest = parsed.rest
    if isinstance(module, str) and module in _TOOLS:
        return None
    if isinstance(module, str) and module in _MODULES:
        return _launched(_MODULES[module], rest)
    if module in ("accelerate.commands.accelerate_cli", "accelerate") and rest[:1] == ("launch",):
        return _launched("accelerate", rest[1:])
    if module == "modal" and rest[:1] == ("run",):
        return _modal(rest[1:])
    if module in ("trl.cli", "trl.cli.main", "trl") and rest:
        return _command("trl", rest)
    if module in ("swift.cli.main", "swift.cli._megatron.main") and rest:
        return _command("swift" if module == "swift.cli.main" else "megatron", rest)
    return Started("python", own, "", as_one(module), rest, why_open=parsed.why_open)


def adds_rank(started: Started) -> bool:
    """Return whether the launcher adds ``--local_rank`` to the script's arguments (deepspeed/launcher/launch.py)."""
    return started.launcher == "deepspeed" and not started.launcher_options.get("no_local_rank")
