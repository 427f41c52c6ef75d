"""What a launcher hands on to the script: files, environment variables, and what the script can change of it."""

from __future__ import annotations

from collections.abc import Iterator

from vcompat.facts.facts import Facts
from vcompat.facts.stated import COMPUTED, OPTION, Setting, Stated
from vcompat.sources.reading import recognize as kinds
from vcompat.sources.reading.configurations.stated_keys import stated_keys
from vcompat.sources.reading.document import Document
from vcompat.sources.reading.part import Mention, Part
from vcompat.sources.reading.starts import Start
from vcompat.sources.reading.word import PartlyKnown

#: What accelerate passes on to its processes by environment variables.
_BY_VARIABLES = tuple(
    f"plan.{name}"
    for name in "deepspeed_stage optimizer_offload parameter_offload deepspeed_accumulation_steps fsdp fsdp_version "
    "fsdp_sharding mixed_precision distributed_type use_cpu".split()
)


def deepspeed_file(start: Start, accelerate: Document | None, launched: Facts) -> Iterator[Mention]:
    """Yield the file of DeepSpeed's configuration that the launcher hands on: by an option, else by accelerate's."""
    option = start.started.launcher_options.get("deepspeed_config_file")
    if option is not None and not isinstance(option, bool):
        yield Mention(option, kinds.DEEPSPEED, start.invocation.place)
    elif option is None and accelerate is not None and launched.is_open("plan.deepspeed_stage"):
        keys = ("deepspeed_config", "deepspeed_config_file")
        if isinstance(named := accelerate.get(*keys), str):
            yield Mention(named, kinds.DEEPSPEED, accelerate.place(*keys))


def keys_of(accelerate: Document) -> Stated:
    """Return the keys of accelerate's configuration, which takes two old ones, too."""
    stated = stated_keys("accelerate.ClusterConfig", accelerate.table, accelerate.place, accelerate.place())
    return stated._replace(own=frozenset({"fp16", "dynamo_backend"}))


#: The records of the launchers' options. `accelerate launch` takes no abbreviations.
_COMMANDS = {"accelerate": "accelerate.launch", "torchrun": "torch.torchrun", "deepspeed": "deepspeed.runner"}
#: Options that launchers take beside those that are recorded: argparse's, and that of `torch.distributed.launch`.
_BESIDE = frozenset({"help", "use_env"})


def options_of(start: Start) -> Iterator[Stated]:
    """Yield the options that the launcher gets, if the command certainly runs."""
    started, place = start.started, start.invocation.place
    kind = _COMMANDS.get(started.launcher)
    if kind is None or start.invocation.why_uncertain:
        return
    given: dict[str, object] = {name: value for name, value in started.launcher_options.items() if len(name) > 1}
    if started.why_open:
        # Options after words that are not known may be the script's.
        given = {started.unknown_option: COMPUTED} if started.unknown_option else {}
    settings = tuple(
        Setting(name, COMPUTED if isinstance(value, PartlyKnown) else value, place, OPTION)
        for name, value in given.items()
    )
    complete = not started.why_open
    yield Stated((kind,), settings, place, _BESIDE, is_complete=complete, abbreviates=started.launcher != "accelerate")


def launcher_yields(facts: Facts, part: Part) -> None:
    """Forget what the launcher says and the script can change: its devices, and that it runs on the CPU."""
    devices = part.facts.recorded("env.CUDA_VISIBLE_DEVICES")
    if devices is not None or part.facts.is_open("env.CUDA_VISIBLE_DEVICES"):
        place = devices.place if devices else part.facts.open_at("env.CUDA_VISIBLE_DEVICES")
        if facts.recorded("plan.trainer_devices") is not None:
            facts.forget("plan.trainer_devices", f"{place}: the script sets CUDA_VISIBLE_DEVICES", place)
    for fact in (*_BY_VARIABLES, "plan.trainer_devices") if part.clears_variables else ():
        if facts.recorded(fact) is not None:
            facts.forget(fact, "the script clears the environment, by which the launcher passes it on")
    launched = facts.recorded("plan.use_cpu")
    if launched is not None and launched.value is True and part.facts.value("plan.use_cpu") is not True:
        facts.forget("plan.use_cpu", f"{launched.source}: the trainer's configuration may not follow", launched.place)
