"""Reads the settings of a training script. The script is parsed with `ast`; nothing in it is run.

The reader finds calls that configure a run (`GRPOConfig(...)`, `LoraConfig(...)`, `LLM(...)`), later assignments to the
configuration, `os.environ`, command-line options, and the call of `vcompat.patch()`. A value that is not one constant
is unknown, with its possible values. ``facts.derive`` adds TRL's defaults for settings that are not set.
"""

from __future__ import annotations

import ast
import warnings
from typing import Any

from vcompat.facts.facts import Facts, Place
from vcompat.facts.value import show
from vcompat.facts.vocabulary import ENVIRONMENT
from vcompat.foundation.errors import InputError
from vcompat.foundation.reading import read_bytes
from vcompat.sources.plan.arguments import Dataclass, dataclasses, options, parsed_classes, use_of
from vcompat.sources.plan.calls import Call, Setting, merged
from vcompat.sources.plan.columns import Columns
from vcompat.sources.plan.engine_calls import ENGINES, engine_call
from vcompat.sources.plan.evaluator import Entry, Evaluator, is_environ
from vcompat.sources.plan.outline import Arms, Outline, Site, callee, outline
from vcompat.sources.plan.part import CommandLine, Configuration, Mention, Part
from vcompat.sources.plan.patch_call import read_patch_call
from vcompat.sources.plan.reaching import Use
from vcompat.sources.plan.settings import fact_of, state
from vcompat.sources.plan.skim import skim
from vcompat.sources.plan.values import Values, constant, one_of, unknown

#: Maximum file size in bytes. Training scripts are much smaller.
SIZE_LIMIT = 4_000_000
_EXPECTED = "a training script"

#: TRL's configuration classes of trainers that generate, including all with vLLM settings.
CONFIGURATIONS = frozenset(
    "GRPOConfig RLOOConfig OnlineDPOConfig XPOConfig NashMDConfig GOLDConfig AsyncGRPOConfig GMPOConfig A2POConfig "
    "GFPOConfig PAPOConfig MiniLLMConfig GRPOWithReplayBufferConfig DistillationConfig ServerDistillationConfig "
    "DPPOConfig AsyncDistillationConfig SelfDistillationConfig SDPOConfig SDFTConfig SSDConfig IWOPDConfig".split()
)
_OTHER_CONFIGURATIONS = ("LoraConfig", "PeftConfig", "TrlParser", "HfArgumentParser")


def read_script(path: str, command_line: CommandLine | None = None) -> Part:
    """Read the settings of the training script at `path`, which `command_line` starts if it is known.

    Raises InputError, with file and line, if it is not valid Python.
    """
    source = read_bytes(path, SIZE_LIMIT, _EXPECTED)
    try:
        reader = _Reader(path, _skimmed(path, source), source, command_line)
        reader.read()
        return reader.part()
    except RecursionError:
        raise InputError(path, "nested too deeply to be read", _EXPECTED) from None


def read_configurations(path: str) -> list[Call]:
    """Return every call in the script at `path` that configures a trainer, without merging them.

    Raises InputError if the script is not valid Python.
    """
    source = read_bytes(path, SIZE_LIMIT, _EXPECTED)
    reader = _Reader(path, _parse(path, source), source, None)
    reader.read()
    return reader.configurations


def _skimmed(path: str, source: bytes) -> ast.Module:
    """Return the syntax tree; of a long script, without functions that contain no settings."""
    short = skim(source)
    if short is not source:
        try:
            return _parse(path, short)
        except InputError:
            # The layout is unusual or the script is invalid. Parsing the whole script tells which.
            pass
    return _parse(path, source)


def _parse(path: str, source: bytes) -> ast.Module:
    try:
        if b"\0" in source:
            raise InputError(path, "contains binary data", "a Python script")
        with warnings.catch_warnings():
            # Do not print Python's warnings about the user's code, such as invalid escapes.
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except SyntaxError as error:
        where = f"{path}:{error.lineno}" if error.lineno else path
        raise InputError(where, f"not valid Python: {error.msg}", "a Python script") from None
    except (RecursionError, MemoryError):
        raise InputError(path, "nested too deeply to be read", _EXPECTED) from None
    except ValueError as error:
        raise InputError(path, f"not Python text: {error}", "a Python script") from None


class _Reader:
    """Collects the settings of one script."""

    def __init__(self, path: str, tree: ast.Module, source: bytes, given: CommandLine | None) -> None:
        self.path = path
        self.source = source
        self._columns = Columns(source)
        self.facts = Facts()
        self.outline: Outline = outline(tree)
        self.evaluator = Evaluator()
        self.classes: dict[str, Dataclass] = dataclasses(self.outline)
        self.parsed = parsed_classes(self.outline, self.evaluator)
        self.evaluator.arguments = options(self.outline, self.evaluator, self.classes, self.parsed, given)
        self.configurations: list[Call] = []
        self.engines: list[Call] = []
        self.mentions: list[Mention] = []
        self.overridable: set[str] = set()
        self.trains_whole_model = False
        self.adapter: ast.Call | None = None

    def read(self) -> None:
        for name in self.parsed:
            if self._base(name) in CONFIGURATIONS:
                self.configurations.append(self._from_command_line(name))
        for site in self.outline.calls:
            if isinstance(site.node, ast.Call):
                self.evaluator.start()
                self._call(site, site.node, callee(site.node))
        for store in self.outline.stores:
            self.evaluator.start()
            use = Use(store.scope, store.arms, (store.target.lineno, store.target.col_offset))
            if isinstance(store.target, ast.Subscript):
                if is_environ(store.target.value):
                    self._variable(self.evaluator.value(store.target.slice, use), store.value, use)
            else:
                self._assigned(store.target, store.value, use, store.arms)
        self._state_configurations()
        self._state_engines()
        self._finish()

    def part(self) -> Part:
        patched = read_patch_call(self.outline, self.evaluator) if b"vcompat" in self.source else None
        if patched is not None:
            place = Place(self.path, patched.line, 1)
            self.facts.set("plan.patched", patched.ids, str(place), place)
        else:
            self.facts.set("plan.patched", (), f"{self._place(None)} does not call vcompat.patch()")
        own = self._own_configurations()
        from_outside = any(call.node in {c.node for c in self.classes.values()} for call in own) or any(
            self._base(name) in CONFIGURATIONS for name in self.parsed
        )
        calls = [call for call in own if isinstance(call.node, ast.Call)]
        return Part(
            self.facts,
            takes_defaults=bool(own) and not from_outside and not any(call.open_ended for call in own),
            reads_command_line=from_outside,
            mentions=tuple(self.mentions),
            configuration=Configuration("python", self._place(calls[0].node), calls[0].name)
            if len(calls) == 1
            else None,
            overridable=frozenset(self.overridable),
        )

    # Calls

    def _call(self, site: Site, call: ast.Call, name: str) -> None:
        use = use_of(site)
        if name == "LoraConfig":
            self._adapter(call, use)
        elif name.endswith("Trainer"):
            self._trainer(call, name, use)
        elif name in ENGINES:
            self.engines.append(engine_call(call, name, use, self.evaluator))
        elif name in ("setdefault", "update", "putenv"):
            self._environment_call(call, name, use)
        elif name == "from_pretrained":
            self._model(call, use)
        elif self._configures_a_trainer(call, name):
            self.configurations.append(self._configuration(call, name, use))

    def _base(self, name: str) -> str:
        """Return the configuration class that a class of the script extends, or `name` itself."""
        for _ in range(10):
            if name in CONFIGURATIONS or name not in self.classes or not self.classes[name].bases:
                break
            name = self.classes[name].bases[0]
        return name

    def _configures_a_trainer(self, call: ast.Call, name: str) -> bool:
        if name == "TrainingArguments" or self._base(name) in CONFIGURATIONS:
            return True
        if name in _OTHER_CONFIGURATIONS or not name.endswith(("Config", "Arguments")):
            return False
        stated = (keyword.arg for keyword in call.keywords if keyword.arg is not None)
        return any(setting.startswith("vllm_") for setting in stated)

    def _configuration(self, call: ast.Call, name: str, use: Use) -> Call:
        settings, open_ended = self._class_defaults(name), False
        for entry in self.evaluator.entries(call, use):
            if entry.name is None:
                open_ended = True
                continue
            values = self.evaluator.value(entry.node, entry.use)
            known = settings.get(entry.name)
            if entry.optional:
                values = (
                    one_of([values, known.values], "depends on a condition")
                    if known
                    else unknown("set only under a condition", values.candidates)
                )
            settings[entry.name] = Setting(values, entry.node)
        return Call(self._base(name), call, settings, open_ended)

    def _class_defaults(self, name: str) -> dict[str, Setting]:
        """Return the defaults of a configuration class that the script derives from one of TRL's classes."""
        settings: dict[str, Setting] = {}
        while name in self.classes and name not in CONFIGURATIONS:
            for field in self.classes[name].fields:
                settings.setdefault(field.name, Setting(self.evaluator.value(field.default, field.use), field.default))
            name = self.classes[name].bases[0] if self.classes[name].bases else ""
        return settings

    def _from_command_line(self, name: str) -> Call:
        """Return the settings of a class that a parser fills: defaults of the class, overridden by the command line."""
        settings: dict[str, Setting] = {}
        for field, setting in self._class_defaults(name).items():
            argument = self.evaluator.arguments.get(field)
            settings[field] = Setting(argument or setting.values, setting.node)
        node: ast.AST = self.classes[name].node if name in self.classes else ast.Pass(lineno=0, col_offset=-1)
        return Call(self._base(name), node, settings, open_ended=False)

    def _assigned(self, target: ast.Attribute, value: ast.expr, use: Use, arms: Arms) -> None:
        """Record an assignment to a configuration, such as ``config.use_vllm = True``."""
        if fact_of(target.attr) is None and target.attr != "deepspeed":
            return
        origin, origin_use = self.evaluator.origin(target.value, use)
        made = next((call for call in self.configurations if call.node is origin), None)
        if made is None and isinstance(origin, ast.Call) and callee(origin).startswith("parse_"):
            made = next((call for call in self.configurations if not isinstance(call.node, ast.Call)), None)
        if made is None:
            return
        values = self.evaluator.value(value, use)
        before = made.settings.get(target.attr)
        if arms != origin_use.arms[: len(arms)]:
            values = unknown(
                "depends on a condition", (*values.candidates, *(before.values.candidates if before else ()))
            )
        made.settings[target.attr] = Setting(values, value)

    def _own_configurations(self) -> list[Call]:
        """Return the calls of TRL's configuration classes; if there are none, those of TrainingArguments."""
        ours = [call for call in self.configurations if call.name != "TrainingArguments"]
        return ours or self.configurations

    def _state_configurations(self) -> None:
        calls = self._own_configurations()
        names = {call.name for call in calls}
        if len(names) == 1:
            self._record("plan.configuration", constant(names.pop()), calls[0].node)
        for name, (values, node) in merged(calls, "configuration"):
            if name == "model_init_kwargs":
                self._model_settings(values, node)
            elif name == "deepspeed":
                self._deepspeed(values, node)
            elif (fact := fact_of(name)) is not None:
                self._record(fact, values, node)

    def _state_engines(self) -> None:
        for name, (values, node) in merged(self.engines, "engine", pass_on=True):
            self._record(f"plan.{name}", values, node)

    def _deepspeed(self, values: Values, node: ast.AST) -> None:
        value = values.candidates[0] if values.is_constant else None
        if isinstance(value, dict):
            from vcompat.sources.plan.deepspeed_config import state_table

            state_table(self.facts, value, lambda keys: self._place(node))
        elif isinstance(value, str):
            self._record("plan.deepspeed", values, node)
            self.mentions.append(Mention(value, "deepspeed", self._place(node)))
        else:
            self._record("plan.deepspeed", values, node)

    def _model_settings(self, values: Values, node: ast.AST) -> None:
        table = values.candidates[0] if values.is_constant else None
        if isinstance(table, dict):
            for name in ("dtype", "torch_dtype"):
                if isinstance(table.get(name), str):
                    self._record("plan.dtype", constant(table[name]), node)

    def _model(self, call: ast.Call, use: Use) -> None:
        function = call.func
        owner = callee(ast.Call(function.value, [], [])) if isinstance(function, ast.Attribute) else ""
        if not owner.startswith(("AutoModelFor", "AutoLigerKernel")):
            return
        for entry in self.evaluator.entries(call, use):
            if entry.name in ("dtype", "torch_dtype"):
                self._record("plan.dtype", self.evaluator.value(entry.node, entry.use), entry.node)
        if call.args:
            self._record("plan.model", self.evaluator.value(call.args[0], use), call.args[0])

    def _trainer(self, call: ast.Call, name: str, use: Use) -> None:
        self._record("plan.trainer", constant(name), call)
        entries = list(self.evaluator.entries(call, use))
        self.trains_whole_model = not any(entry.name in (None, "peft_config") for entry in entries)
        for entry in entries:
            values = self.evaluator.value(entry.node, entry.use)
            if entry.name == "peft_config" and values.candidates != (None,):
                self._peft(entry)
            elif entry.name == "model" and (values.is_constant and isinstance(values.candidates[0], str)):
                self._record("plan.model", values, entry.node)
        first = self.evaluator.value(call.args[0], use) if call.args else unknown("not set")
        if first.is_constant and isinstance(first.candidates[0], str):
            self._record("plan.model", first, call.args[0])

    def _peft(self, entry: Entry) -> None:
        """Record an adapter. It is certain only if the script creates its configuration: a function can return None."""
        origin, _ = self.evaluator.origin(entry.node, entry.use)
        made_here = isinstance(origin, ast.Call) and callee(origin).endswith("Config") and not entry.optional
        self._record("plan.peft", constant(True) if made_here else unknown("computed at run time", (True,)), entry.node)

    def _adapter(self, call: ast.Call, use: Use) -> None:
        self.adapter = call
        entries = {entry.name: entry for entry in self.evaluator.entries(call, use)}
        if "modules_to_save" in entries:
            entry = entries["modules_to_save"]
            values = self.evaluator.value(entry.node, entry.use)
            self._record("plan.modules_to_save", constant([]) if values.candidates == (None,) else values, entry.node)
        elif None not in entries:
            self._record("plan.modules_to_save", constant([]), call)

    # The environment

    def _environment_call(self, call: ast.Call, name: str, use: Use) -> None:
        function = call.func
        if name == "putenv" and len(call.args) == 2:
            self._variable(self.evaluator.value(call.args[0], use), call.args[1], use)
        elif not isinstance(function, ast.Attribute) or not is_environ(function.value):
            return
        elif name == "update":
            entries = [e for argument in call.args for e in self.evaluator.opened(argument, use)]
            for entry in [*entries, *self.evaluator.entries(call, use)]:
                if entry.name is not None:
                    self._variable(constant(entry.name), entry.node, entry.use)
        elif len(call.args) == 2:
            self._variable(self.evaluator.value(call.args[0], use), call.args[1], use, overridable=True)

    def _variable(self, name: Values, value: ast.expr, use: Use, overridable: bool = False) -> None:
        variable = name.candidates[0] if name.is_constant else None
        if isinstance(variable, str) and ENVIRONMENT.fullmatch(variable):
            values = self.evaluator.value(value, use)
            if use.arms:
                values = unknown("set only under a condition", values.candidates)
            self._record(f"env.{variable}", values, value)
            if overridable:
                self.overridable.add(f"env.{variable}")

    # Facts

    def _record(self, fact: str, values: Values, node: ast.AST) -> None:
        """Record a setting. It is unknown if it is not constant, has a wrong type, or has two different values."""
        place = self._place(node)
        if not values.is_constant:
            listed = f"; it may be {_listed(values.candidates)}" if values.candidates else ""
            self.facts.forget(fact, f"{place}: {values.why_open}{listed}", place)
            return
        known = self.facts.known.get(fact)
        if fact in self.facts.reasons:
            return
        state(self.facts, fact, values.candidates[0], place, values.remark)
        now = self.facts.known.get(fact)
        if known is not None and now is not None and known.value != now.value:
            other = f"; it may be {show(known.value)} or {show(now.value)}"
            self.facts.forget(fact, f"{place} and {known.place} set different values{other}", place)

    def _place(self, node: ast.AST | None) -> Place:
        line, offset = getattr(node, "lineno", 0), getattr(node, "col_offset", -1)
        return Place(self.path, line, self._columns.of(line, offset) if offset > 0 else offset + 1)

    def _finish(self) -> None:
        """Record whether an adapter is trained: not if the script creates a trainer and never mentions PEFT or LoRA."""
        silent = b"peft" not in self.source.lower() and b"lora" not in self.source.lower()
        if self.adapter is not None and "plan.peft" not in self.facts.reasons and self.facts.get("plan.peft") is None:
            if b"get_peft_model" in self.source or "plan.trainer" not in self.facts.known:
                self._record("plan.peft", constant(True), self.adapter)
            else:
                self._record(
                    "plan.peft", unknown("LoraConfig is not passed to the trainer here", (True,)), self.adapter
                )
        if self.trains_whole_model and self.facts.get("plan.peft") is None and silent and not self.parsed:
            self.facts.set("plan.peft", False, f"{self._place(None)} does not use PEFT")


def _listed(candidates: tuple[Any, ...]) -> str:
    shown = [repr(candidate)[:60] for candidate in candidates]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"
