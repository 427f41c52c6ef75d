"""``vcompat rules scan --since``: what a raised bound changes of what a source tree uses of another package."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from packaging.version import Version

from tests.unit.cli.command_line import Answer, vcompat
from vcompat.upstream.checkout import checkout_in
from vcompat.upstream.raising.compare import BODY, GONE, SETTING, SIGNATURE, Change, compared

PROJECT = {
    "VERSION": "1.0.0\n",
    "pyproject.toml": '[project]\nname = "trl"\ndependencies = ["vllm<=0.33.0"]\n',
}
USES = """
from vllm import Engine, start, stop
from vllm.utils import get_ip, get_port
"""


def tree(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def changes(folder: Path, code: str, before: str | Mapping[str, str], after: str | Mapping[str, str]) -> list[Change]:
    """Return what changed of what `code` uses between two versions of vllm, each a module or several."""
    sides = []
    for name, files in (("before", before), ("after", after)):
        tree(folder / name, {"vllm/__init__.py": files} if isinstance(files, str) else files)
        sides.append(checkout_in(folder / name, Version("0.33.0" if name == "before" else "0.34.0")))
    user = checkout_in(tree(folder / "trl", {**PROJECT, "trl/__init__.py": "", "trl/a.py": code}))
    return list(compared(user, *sides).changes)


def only(found: list[Change], kind: str) -> Change:
    (one,) = [change for change in found if change.kind == kind]
    return one


def test_a_name_that_is_gone_is_listed_with_the_place_that_defines_it_now(tmp_path: Path) -> None:
    found = changes(
        tmp_path,
        "from vllm.utils import get_port\n",
        {"vllm/__init__.py": "", "vllm/utils.py": "def get_port(): ...\n"},
        {"vllm/__init__.py": "", "vllm/utils.py": "", "vllm/network.py": "def get_port(): ...\n"},
    )
    assert found == [Change(GONE, "imports vllm.utils.get_port", ["trl/a.py:1"], ["get_port is in vllm.network"], True)]


def test_a_name_that_only_getattr_finds_is_leaving_and_fails_not(tmp_path: Path) -> None:
    lazy = "NAMES = {'get_port': 'network'}\ndef __getattr__(name): ...\n"
    found = changes(
        tmp_path,
        "from vllm.utils import get_port\n",
        {"vllm/__init__.py": "", "vllm/utils.py": "def get_port(): ...\n"},
        {"vllm/__init__.py": "", "vllm/utils.py": lazy, "vllm/network.py": "def get_port(): ...\n"},
    )
    assert only(found, GONE).details == ["no longer defined there", "get_port is in vllm.network"]
    assert not only(found, GONE).fails


@pytest.mark.parametrize(
    "code",
    [
        "try:\n    from vllm import start\nexcept ImportError:\n    start = None\n",
        "import vllm\nfrom packaging.version import Version\n"
        "if Version(vllm.__version__) < Version('0.34.0'):\n    from vllm import start\n",
    ],
)
def test_what_the_newer_release_need_not_have_is_not_gone(code: str, tmp_path: Path) -> None:
    assert changes(tmp_path, code, "def start(): ...\n", "") == []


def test_what_neither_release_has_is_counted_only(tmp_path: Path) -> None:
    code = "from vllm import start, stop\n"
    assert [c.what for c in changes(tmp_path, code, "def stop(): ...\n", "")] == ["imports vllm.stop"]


@pytest.mark.parametrize(
    ("before", "after", "call", "details", "fails"),
    [
        ("a, b=1", "a, b=2", "start(0, b=1)", ["default of b: 1 -> 2 (passed in trl/a.py:2)"], False),
        ("a, b=1", "a, b=2", "start(0)", ["default of b: 1 -> 2 (not passed)"], False),
        ("a", "a, c=0", "start(0)", [], False),
        ("a", "a, c", "start(0)", ["new and required: c", "trl/a.py:2 does not pass c"], True),
        ("a, c=0", "a, c", "start(0, c=1)", ["now required: c (passed in trl/a.py:2)"], False),
        ("a, c=0", "a, *, c=0", "start(0)", ["by name only: c"], False),
        (
            "a, c=0",
            "a, *, c=0",
            "start(0, 1)",
            ["by name only: c", "trl/a.py:2 passes 2 arguments by position, of which 1 are taken"],
            True,
        ),
        ("a, b", "a, x", "start(0, 1)", ["renamed: b to x (not passed)"], False),
        ("a, b=0", "b=0, a=0", "start(0, 1)", ["trl/a.py:2 passes by position what was a and is b"], True),
        ("a, b=0", "a, **kwargs", "start(0)", ["removed: b (not passed); **kwargs takes it"], False),
        ("a, b=0", "b=0, a=0", "start(a=0, b=1)", [], False),
        ("a", "a, c", "start(*items)", ["new and required: c"], False),
    ],
)  # fmt: skip
def test_a_signature_is_compared_with_the_calls(
    before: str, after: str, call: str, details: list[str], fails: bool, tmp_path: Path
) -> None:
    found = changes(
        tmp_path, f"from vllm import start\n{call}\n", f"def start({before}): ...\n", f"def start({after}): ...\n"
    )
    signatures = [change for change in found if change.kind == SIGNATURE]
    assert [list(change.details) for change in signatures] == ([details] if details else [])
    assert any(change.fails for change in signatures) == fails


def test_an_argument_that_is_passed_and_gone_is_no_longer_accepted(tmp_path: Path) -> None:
    code = "from vllm import start\nstart(seed=1)\n"
    found = changes(tmp_path, code, "def start(seed=0): ...\n", "def start(seeds=0): ...\n")
    assert only(found, GONE) == Change(
        GONE, "passes vllm.start(seed=)", ["trl/a.py:2"], ["perhaps seeds, which is new"], True
    )


def test_a_method_is_found_in_a_base_of_the_class_that_a_variable_holds(tmp_path: Path) -> None:
    code = "from vllm import Engine\nengine = Engine()\nengine.run(1)\n"
    release = "class Base:\n    def run(self, {0}): ...\nclass Engine(Base):\n    pass\n"
    found = changes(tmp_path, code, release.format("a"), release.format("a, b"))
    assert only(found, SIGNATURE).details == ["new and required: b", "trl/a.py:3 does not pass b"]


def test_a_class_method_that_is_gone_is_found_where_the_class_is_used(tmp_path: Path) -> None:
    code = "from vllm import Engine\nEngine.create()\nif hasattr(Engine, 'other'):\n    Engine.other()\n"
    found = changes(
        tmp_path,
        code,
        "class Engine:\n    def create(): ...\n    def other(): ...\n",
        "class Engine:\n    x = 1\ndef create(): ...\n",
    )
    assert [(change.what, change.places) for change in found] == [("calls vllm.Engine.create", ["trl/a.py:2"])]


def test_a_class_that_is_only_imported_has_no_changed_constructor(tmp_path: Path) -> None:
    release = "class Engine:\n    def __init__(self, {0}): ...\n"
    code = "from vllm import Engine\ndef run(engine: Engine): ...\n"
    assert changes(tmp_path, code, release.format("a"), release.format("a, b")) == []


def test_the_fields_of_a_dataclass_are_what_its_constructor_takes(tmp_path: Path) -> None:
    release = "@dataclass\nclass Options:\n    a: int\n    b: int = {0}\n"
    found = changes(tmp_path, "from vllm import Options\nOptions(1)\n", release.format(0), release.format(1))
    assert only(found, SIGNATURE).details == ["default of b: 0 -> 1 (not passed)"]


OVERRIDES = """from vllm import Engine
class Mine(Engine):
    def step(self, batch): ...
    def go(self):
        super().start(1)
        self.stop()
class More(Mine):
    def go(self):
        super().go()
"""


def test_methods_that_subclasses_override_and_call_are_compared(tmp_path: Path) -> None:
    before = """class Engine:
    def step(self, batch): ...
    def run(self):
        self.step(1)
    def start(self, a): ...
    def stop(self): ...
    def go(self): ...
"""
    after = """class Engine:
    def step(self, batch, count): ...
    def run(self):
        self.step(1, 2)
    def start(self, a, b): ...
    def go(self): ...
"""
    found = changes(tmp_path, OVERRIDES, before, after)
    assert {(change.kind, change.what): list(change.details) for change in found if change.fails} == {
        (GONE, "calls vllm.Engine.stop"): [],
        (SIGNATURE, "vllm.Engine.step"): [
            "new and required: count",
            "trl/a.py:3 overrides it and is called with more: passes 2 arguments by position, of which 1 are taken",
        ],
        (SIGNATURE, "vllm.Engine.start"): ["new and required: b", "trl/a.py:5 does not pass b"],
    }


def test_an_override_without_a_new_argument_may_be_wrong(tmp_path: Path) -> None:
    release = "class Engine:\n    def step(self, batch{0}): ...\n"
    found = changes(tmp_path, OVERRIDES, release.format(""), release.format(", count=None"))
    assert only(found, SIGNATURE).details == ["trl/a.py:3 overrides it without count"]
    assert not only(found, SIGNATURE).fails


def test_a_function_that_becomes_async_or_deprecated_is_listed(tmp_path: Path) -> None:
    found = changes(
        tmp_path,
        "from vllm import start, stop\n",
        "def start(): ...\ndef stop(): ...\n",
        "async def start(): ...\n@deprecated('use halt')\ndef stop(): ...\n",
    )
    assert {change.what: change.details for change in found} == {
        "vllm.start": ["now async"],
        "vllm.stop": ["deprecated: @deprecated('use halt')"],
    }


def test_code_is_compared_without_comments_docstrings_and_annotations(tmp_path: Path) -> None:
    code = "from vllm import start, Engine\nengine = Engine()\nengine.run()\n"
    before = (
        "def start(a):\n    return a\nclass Engine:\n    def run(self):\n        return 1\n    def other(self): ...\n"
    )
    same = 'def start(a: int) -> int:\n    """Text."""\n    return a  # comment\n' + before.partition("return a\n")[2]
    other = before.replace("return a", "return a + 1").replace("return 1", "return 2").replace("...", "return 3")
    assert changes(tmp_path / "same", code, before, same) == []
    assert {(c.kind, c.what): c.details for c in changes(tmp_path / "other", code, before, other)} == {
        (BODY, "vllm.start"): ["1 line"],
        (BODY, "vllm.Engine"): ["other"],
        (BODY, "vllm.Engine.run"): ["1 line"],
    }


def test_settings_of_recorded_classes_are_read_from_trees_that_are_no_recorded_releases(tmp_path: Path) -> None:
    code = "from vllm.sampling_params import SamplingParams\nSamplingParams(n=1, logprobs=2)\n"
    module = "import msgspec\nclass SamplingParams(msgspec.Struct):\n    n: int = 1\n    {0}\n    seed: int = {1}\n"
    sides = [
        {"vllm/__init__.py": "", "vllm/sampling_params.py": module.format(*parts)}
        for parts in (("logprobs: int | None = None", 0), ("other: int = 0", 1))
    ]
    found = changes(tmp_path, code, *sides)
    assert only(found, GONE).what == "passes vllm.sampling_params.SamplingParams(logprobs=)"
    assert only(found, SETTING).details == ["seed: default 0 -> 1 (not passed)"]


AFTER = {
    "vllm/__init__.py": "class Engine:\n    def __init__(self, model, seed=1): ...\ndef stop():\n    return 2\n",
    "vllm/utils.py": "def get_ip(): ...\n",
    "vllm/network.py": "def get_port(): ...\n",
}
BEFORE = {
    "vllm/__init__.py": "class Engine:\n    def __init__(self, model, seed=0): ...\ndef start(): ...\ndef stop(): ...\n",
    "vllm/utils.py": "def get_ip(): ...\ndef get_port(): ...\n",
}
SINCE = ["vllm==0.34.0@./after", "--since", "0.33.0@./before"]


def scanned(folder: Path, *arguments: str, uses: str = f"{USES}Engine(model='m')\n") -> Answer:
    tree(folder / "before", BEFORE)
    tree(folder / "after", AFTER)
    tree(folder / "trl", {**PROJECT, "trl/__init__.py": "", "trl/a.py": uses})
    # Without an index, so that only the trees can answer.
    return vcompat(
        "rules", "scan", *arguments, PIP_INDEX_URL="http://127.0.0.1:9/simple", VCOMPAT_CACHE=str(folder / "cache")
    )


def test_the_text_begins_with_what_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answer = scanned(tmp_path, "./trl", *SINCE)
    assert answer.stdout.splitlines() == [
        "trl 1.0.0 declares vllm <=0.33.0, without 0.34.0",
        "Gone or no longer accepted",
        "  imports vllm.start",
        "      in trl/a.py:2",
        "  imports vllm.utils.get_port",
        "      get_port is in vllm.network",
        "      in trl/a.py:3",
        "",
        "Changed signatures and defaults",
        "  vllm.Engine",
        "      default of seed: 0 -> 1 (not passed)",
        "      in trl/a.py:4",
        "",
        "Changed code: 1; --all lists them",
        "",
        "trl 1.0.0 uses 6 names of vllm; 0.33.0 to 0.34.0: 2 gone, 1 with a changed signature, 1 with changed",
        "code",
    ]
    assert answer.code == 1
    every = scanned(tmp_path, "./trl", *SINCE, "--all").stdout
    assert "Changed code\n  vllm.stop\n      1 line\n      in trl/a.py:2\n" in every


def test_markdown_has_a_table_for_each_kind_of_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = scanned(tmp_path, "./trl", *SINCE, "--format", "markdown").stdout.splitlines()
    assert lines[0] == "### vllm: 0.33.0 to 0.34.0"
    assert "| `imports vllm.utils.get_port` | get_port is in vllm.network | trl/a.py:3 |" in lines
    assert "| `vllm.Engine` | default of seed: 0 -> 1 (not passed) | trl/a.py:4 |" in lines
    assert lines[-1] == "</details>"


def test_nothing_changed_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answer = scanned(tmp_path, "./trl", *SINCE, uses="from vllm.utils import get_ip\n")
    assert answer.stdout.splitlines()[1:] == [
        "trl 1.0.0 uses 1 name of vllm; none of them changed from 0.33.0 to 0.34.0"
    ]
    assert answer.code == 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["./trl", "vllm==0.34.0@./after", "--since", "0.35.0@./before"], "not older than vllm 0.34.0"),
        (["./trl", "vllm", "--since", "0.33.0"], "vllm: with --since, all releases of a package are too many; expected"),
        (["./trl", "vllm==0.34.0@./after", "--since", "new"], "'new' is not a version"),
        (["./trl", "vllm==0.34.0@./after", "--since", "0.33.0"], "vllm==0.33.0: the package index cannot be reached"),
        (["./trl", "trl==1.0.0@./trl", "--since", "0.33.0@./trl"], "a package always fits itself"),
        (["./trl", "vllm==0.34.0@./after", "--format", "markdown"], "only --since has several formats"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(
    arguments: list[str], complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = scanned(tmp_path, *arguments)
    assert (answer.code, answer.stdout) == (2, "")
    assert complaint in answer.stderr
    assert len(answer.stderr.splitlines()) == 1
