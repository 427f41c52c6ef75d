"""``vcompat support``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from vcompat.cli.shared.options import color_option
from vcompat.cli.shared.terminal import say, say_all, width
from vcompat.facts.records.models import load_models
from vcompat.facts.records.recorded_settings import ClassRecord, known_classes, load_class
from vcompat.foundation.errors import InputError
from vcompat.foundation.suggest import did_you_mean
from vcompat.index.packages import IMPORTED
from vcompat.index.store import open_index
from vcompat.report.upstream.model_table import known_names, model_table
from vcompat.report.upstream.name_table import names_table
from vcompat.report.upstream.requirement_table import table
from vcompat.report.upstream.setting_table import class_table, foreign_bases, setting_table
from vcompat.rules.record import load_record
from vcompat.upstream.requirements import PARTNERS

#: The class, or the command, that is listed if none is named.
_MAIN = {
    "trl": "GRPOConfig",
    "transformers": "TrainingArguments",
    "vllm": "EngineArgs",
    "peft": "LoraConfig",
    "accelerate": "launch",
    "deepspeed": "DeepSpeedZeroConfig",
    "torch": "torchrun",
}


@click.command()
@click.argument("package", metavar="[PACKAGE]", type=click.Choice(sorted({*PARTNERS, *IMPORTED})), default="trl")
@click.argument("words", nargs=-1, metavar="[NAME]...")
@click.option("--settings", is_flag=True, help="Print which releases have which settings of configuration classes.")
@click.option("--models", is_flag=True, help="Print which releases of vllm or transformers have which models.")
@click.option("--names", is_flag=True, help="Print which releases have which names in their code, and where.")
@color_option
def command(package: str, words: Sequence[str], settings: bool, models: bool, names: bool) -> int:
    """Print what the releases of a package require of others, newest first.

    Which vLLM each TRL supports, which torch each vLLM is built for, what each torch wheel on the package index is
    built for. It is each release's own metadata, as recorded; extras count if they have the other package's name.
    PACKAGE is trl by default.

    With --settings: which settings came, went or changed their defaults, and when. For trl these are the settings of
    GRPOConfig. NAME is a class, such as SFTConfig, of which all settings are printed, or a setting, such as vllm_mode.

    With --models: which releases of vllm have which architectures, and which of transformers which model types. NAME is
    one of them, such as Qwen3NextForCausalLM.

    With --names: where releases have NAME in their code, which import it, and where the code went. NAME is a module, a
    class, a function, an attribute, an argument or an entry of a registry, such as ConstantLengthDataset, or with its
    class, such as GRPOTrainer.llm. The exit code is 1 if no release has it.
    """
    if settings + models + names > 1:
        raise InputError("vcompat support", "--settings, --models and --names exclude each other", "one of them")
    if names:
        return _names(package, words)
    if package not in PARTNERS:
        raise InputError(f"vcompat support {package}", "only the names of this package are recorded", "--names NAME")
    if models:
        say_all(_models(package, words))
        return 0
    if settings:
        say_all(_settings(package, words))
        return 0
    if words:
        raise InputError(
            f"vcompat support {package} {words[0]}", "a name without --settings, --models or --names", "one of them"
        )
    say_all(table(load_record(package)))
    return 0


def _names(package: str, words: Sequence[str]) -> int:
    index = open_index(package)
    if not words:
        raise InputError(f"vcompat support {package} --names", "no name", "one such as ConstantLengthDataset")
    if index is None:
        raise InputError(f"vcompat support {package} --names", "the names of this package are not recorded")
    known = 0
    for number, word in enumerate(words):
        lines = list(names_table(index, word, width()))
        known += bool(lines)
        say_all(["", *lines] if number else lines)
        if not lines:
            say(f"No recorded release of {package} ({index.releases[0]} - {index.releases[-1]}) has {word}.")
    return 0 if known == len(words) else 1


def _settings(package: str, names: Sequence[str]) -> Iterator[str]:
    classes = known_classes(package)
    if not names:
        yield from class_table(_record(package, _MAIN[package]), True, width())
    for number, name in enumerate(names):
        yield from [""] if number else []
        if name in classes:
            yield from class_table(_record(package, name), False, width())
        else:
            yield from _setting(package, name.replace("-", "_"), classes)


def _models(package: str, names: Sequence[str]) -> Iterator[str]:
    record = load_models(package)
    if record is None:
        raise InputError(f"vcompat support {package} --models", "no models are recorded", "vllm or transformers")
    known = known_names(record)
    for name in names:
        if name not in known:
            near = did_you_mean(name, known) or "a name such as Qwen2ForCausalLM or qwen2"
            raise InputError(name, f"no surveyed release of {package} has it", near)
    yield from model_table(record, names)


def _setting(package: str, name: str, classes: Sequence[str]) -> Iterator[str]:
    records = [_record(package, one) for one in classes]
    inherited = {base for record in records for base in foreign_bases(record)}
    for base in sorted(inherited):
        owner, _, kind = base.partition(".")
        records += [record for record in [load_class(owner, kind)] if record is not None]
    having = [record for record in records if name in record.names()]
    if not having:
        known = [*classes, *(setting for record in records for setting in record.names())]
        near = did_you_mean(name, known) or "a class such as GRPOConfig, or a setting"
        raise InputError(name, f"no class of {package} has it in any release", near)
    yield from setting_table(name, having, width())


def _record(package: str, name: str) -> ClassRecord:
    record = load_class(package, name)
    assert record is not None, f"{name} is recorded"
    return record
