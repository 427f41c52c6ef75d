"""Reads the program of a framework that a command starts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from vcompat.sources.reading.commands.started import PROGRAMS, Started
from vcompat.sources.reading.document import Document
from vcompat.sources.reading.frameworks import axolotl, easy_r1, llama_factory, ms_swift, openrlhf, verl
from vcompat.sources.reading.frameworks.framework_program import Files, Presumed, Program
from vcompat.sources.reading.frameworks.wrapping_scripts import wrapped_by
from vcompat.sources.reading.invocation import Invocation
from vcompat.sources.reading.locate import Locator
from vcompat.sources.reading.part import Part
from vcompat.sources.reading.word import Word, readable

#: Modules and paths of scripts, as modules, and the framework of each. The last part is the command.
_MODULES: Mapping[str, str] = {
    r"(?:.*\.)?swift\.cli(?:\._megatron)?\.(?:rlhf|sft|pt)": "ms-swift",
    r"(?:.*\.)?axolotl\.cli\.train": "axolotl",
    r"(?:.*\.)?openrlhf\.cli\.train_\w+": "openrlhf",
    r"(?:.*\.)?verl\.trainer\.(?:main_ppo|main_ppo_split|fsdp_sft_trainer|sft_trainer|sft_trainer_ray)": "verl",
    r"verl\.trainer\.main": "verl",
    r"(?:.*\.)?recipe\.[\w.]+\.main_\w+": "verl",
}
#: Keys that only configurations of one framework have.
_KEYS: Mapping[str, frozenset[str]] = {
    "ms-swift": frozenset({"rlhf_type"}),
    "llama-factory": frozenset({"stage", "finetuning_type"}),
    "axolotl": frozenset({"base_model", "datasets"}),
}
_OF_PROGRAM = {"swift": "ms-swift", "megatron": "ms-swift", "llamafactory-cli": "llama-factory", "lmf": "llama-factory"}
Reader = Callable[[Program, Files, Presumed], "Part | None"]
_READERS: Mapping[str, Reader] = {
    "ms-swift": ms_swift.read,
    "llama-factory": llama_factory.read,
    "axolotl": axolotl.read,
    "verl": verl.read,
    "openrlhf": openrlhf.read,
}


def program_of(started: Started, invocation: Invocation) -> Program | None:
    """Return the program of a framework that a command starts; None if it starts none that is known."""
    if started.launcher in PROGRAMS:
        name = f"{started.launcher}.{readable(started.script)}"
        return Program(_OF_PROGRAM[started.launcher], name, started.arguments, invocation)
    module = started.module or started.script.removesuffix(".py").replace("/", ".")
    if not isinstance(module, str):
        # The folder of the package is computed: ``$(python -c "import swift; ...")/cli/rlhf.py``.
        is_swift = started.script.endswith("/cli/rlhf.py") and any(
            _is_swifts_option(word) for word in started.arguments
        )
        return Program("ms-swift", "swift.cli.rlhf", started.arguments, invocation) if is_swift else None
    for pattern, framework in _MODULES.items():
        if re.fullmatch(pattern, module):
            name = module.replace("swift.cli._megatron", "megatron") if "_megatron" in module else module
            return Program(framework, name, started.arguments, invocation)
    return None


def _is_swifts_option(word: Word) -> bool:
    """Return whether a word is the option that ms-swift alone has."""
    return isinstance(word, str) and word.partition("=")[0] == "--rlhf_type"


def framework_of(document: Document) -> str:
    """Return the framework whose configuration `document` is, by keys that no other has; empty if it is none."""
    for framework, keys in _KEYS.items():
        if keys <= document.table.keys():
            return framework
    return ""


def read_document_alone(document: Document, locator: Locator, presuming: bool) -> Part | None:
    """Return what a framework's configuration states that is handed over without a command; None if it is none."""
    framework = framework_of(document)
    if not framework:
        return None
    words = (document.path,)
    invocation = Invocation(words, document.place())
    files = Files(locator, invocation)
    files.given = document
    return _READERS[framework](Program(framework, "", words, invocation), files, [] if presuming else None)


def read_wrapped(source: bytes, words: tuple[Word, ...], start: Invocation, files: Files, is_sure: bool) -> Part | None:
    """Return what `words` state for a script that only calls a framework; None if it does anything else.

    `is_sure` is True for the certain reading.
    """
    wrapped = wrapped_by(source)
    if wrapped is None:
        return None
    program = Program(wrapped.framework, wrapped.command, words, start)
    return _READERS[wrapped.framework](program, files, None if is_sure else [])


def read_framework(started: Started, invocation: Invocation, locator: Locator, presuming: bool = False) -> Part | None:
    """Return what a command states that starts the program of a framework; None if it starts none that is known."""
    program = program_of(started, invocation)
    if program is None:
        return None
    reader = easy_r1.read if program.command == "verl.trainer.main" else _READERS[program.framework]
    return reader(program, Files(locator, invocation), [] if presuming else None)
