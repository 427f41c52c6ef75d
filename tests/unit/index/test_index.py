"""The index of a package of our own making, in four releases: built from source trees, written, and asked."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from packaging.version import Version

from vcompat.index import names
from vcompat.index.lines import line_hash, normalized
from vcompat.index.names import Names
from vcompat.index.rows import intervals, mask_of_text, text_of_mask
from vcompat.index.store import Index
from vcompat.upstream.index import Release
from vcompat.upstream.names import sources
from vcompat.upstream.names.build import build
from vcompat.upstream.names.extract import rows_of
from vcompat.upstream.names.write import packed, write_index

#: The modules of each release; what a release leaves out is as in the one before, and None removes a module.
RELEASES: tuple[dict[str, str | None], ...] = (
    {
        "__init__.py": "from .trainer import Trainer, pad\nfrom trl._C import fast\n",
        "_lazy.py": "import sys\nclass _Lazy: pass\nsys.modules[__name__] = _Lazy()\n",
        "made.py": "__getattr__, __dir__ = attach(__name__)\nif TYPE_CHECKING:\n    from .trainer import Base\n",
        "args.py": "from dataclasses import dataclass\n@dataclass\nclass Args:\n    beta: float = 0.1\n",
        "trainer.py": """
            from vllm import LLM
            def pad(tensors, value=0):
                first = tensors[0]
                return fill(first, value)
            class Base:
                def train(self, steps): self.steps = steps
            class Trainer(Base):
                def __init__(self, model, *, beta=0.1, **kwargs):
                    self.llm = LLM(model)
                    self.model = model
            """,
    },
    {
        "trainer.py": """
            try:
                from vllm import LLM
            except ImportError:
                LLM = None
                missing = True
            from .tools import pad
            class Base:
                def train(self, steps, resume=None): self.steps = steps
            class Trainer(Base):
                def __init__(self, model, *, gamma=1):
                    self.engine = LLM(model)
                    self.model = model
            """,
        "tools.py": "def pad(tensors, value=0):\n    first = tensors[0]\n    return fill(first, value)\n",
    },
    {
        "tools.py": "def pad(tensors, value=0):\n    first = tensors[-1]\n    return fill(first, value)\n",
        "star.py": "from .args import *\n",
    },
    {"args.py": None, "star.py": None},
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    folder = tmp_path_factory.mktemp("releases")
    path = folder / "index" / "trl.zip"
    assert write_index(path, build("trl", releases(folder), lambda _: None))
    return Index(str(path))


def releases(folder: Path) -> list[Release]:
    files: dict[str, str | None] = {}
    found = []
    for number, changes in enumerate(RELEASES):
        files |= changes
        for name, text in files.items():
            if text is not None:
                file = folder / str(number) / "trl" / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(textwrap.dedent(text), encoding="utf-8")
        found.append(Release("trl", Version(f"{number}.0"), "", "", "", False, str(folder / str(number))))
    return found


@pytest.mark.parametrize(
    ("module", "name", "has", "may"),
    [
        ("trl.trainer", "Trainer", "0-3", ""),
        ("trl", "Trainer", "0-3", ""),
        ("trl", "trainer", "0-3", ""),
        ("trl", "nothing", "", ""),
        ("trl.trainer", "pad", "0-3", ""),
        ("trl.trainer", "LLM", "0-3", ""),
        ("trl.trainer", "missing", "", "1-3"),
        ("trl.trainer", "__doc__", "", "0-3"),
        ("trl.star", "Args", "2", ""),
        ("trl.star", "Other", "", ""),
        ("trl.args", "Args", "0-2", ""),
        ("trl._lazy", "Trainer", "", "0-3"),
        ("trl._lazy", "sys", "", "0-3"),
        ("trl._lazy", "nothing", "", ""),
        ("trl.made", "Base", "0-3", ""),
        ("trl.made", "Trainer", "", "0-3"),
        ("trl.made", "nothing", "", ""),
        ("trl._C", "anything", "", "0-3"),
    ],
)
def test_a_name_is_found_in_the_releases_that_have_it(index: Index, module: str, name: str, has: str, may: str) -> None:
    answer = Names(index).name(module, name)
    assert (answer.has, answer.may) == (mask_of(has), mask_of(may))


@pytest.mark.parametrize(("module", "has", "may"), [("trl.args", "0-2", ""), ("trl._C", "", "0-3"), ("trl.no", "", "")])
def test_a_module_without_source_is_neither_there_nor_absent(index: Index, module: str, has: str, may: str) -> None:
    answer = Names(index).module(module)
    assert (answer.has, answer.may) == (mask_of(has), mask_of(may))


@pytest.mark.parametrize(
    ("attribute", "has"),
    [("llm", "0"), ("engine", "1-3"), ("model", "0-3"), ("steps", "0-3"), ("train", "0-3"), ("x", "")],
)
def test_attributes_are_those_that_a_class_or_a_base_sets(index: Index, attribute: str, has: str) -> None:
    assert Names(index).attribute("trl.trainer", "Trainer", attribute) == (mask_of(has), 0)


@pytest.mark.parametrize(
    ("name", "argument", "has", "may"),
    [
        ("Trainer", "beta", "0", ""),
        ("Trainer", "gamma", "1-3", "0"),
        ("Trainer.train", "resume", "1-3", ""),
        ("pad", "value", "0-3", ""),
        ("pad", "side", "", ""),
    ],
)
def test_arguments_are_those_of_the_function_that_a_name_leads_to(
    index: Index, name: str, argument: str, has: str, may: str
) -> None:
    assert Names(index).takes("trl", name, argument) == (mask_of(has), mask_of(may))


def test_fields_of_a_dataclass_are_arguments(index: Index) -> None:
    assert Names(index).takes("trl.args", "Args", "beta") == (mask_of("0-2"), 0)
    assert Names(index).takes("trl.args", "Args", "gamma") == (0, 0)


def test_signatures_have_their_defaults(index: Index) -> None:
    found = dict(Names(index).signatures("trl", "Trainer.__init__"))
    assert found == {"(self,model,*,beta=0.1,**kwargs) >": mask_of("0"), "(self,model,*,gamma=1)": mask_of("1-3")}


def test_a_word_leads_to_every_place_that_has_it(index: Index) -> None:
    assert {(where.module, where.scope, where.releases) for where in index.places_of("pad")} == {
        ("trl.trainer", "", mask_of("0")),
        ("trl.tools", "", mask_of("1-3")),
    }


def test_code_that_ends_in_one_place_and_begins_in_another_has_moved(index: Index) -> None:
    assert index.moves == {"trl.trainer:pad": [(0, "trl.tools:pad")]}


def test_lines_tell_the_releases_in_which_they_stand(index: Index) -> None:
    scope = index.scopes("trl.tools")["pad"]
    assert (scope.releases, scope.changes) == (mask_of("1-3"), mask_of("2"))
    hashes = {line: bytes.fromhex(line_hash(line)) for line in ("first = tensors[0]", "first = tensors[-1]")}
    assert scope.lines == {hashes["first = tensors[0]"]: mask_of("1"), hashes["first = tensors[-1]"]: mask_of("2-3")}


def test_the_file_depends_on_nothing_but_the_releases(tmp_path: Path) -> None:
    one, other = (packed(build("trl", releases(tmp_path / name), lambda _: None)) for name in ("one", "other"))
    assert one == other


def test_sets_of_releases_are_read_as_they_were_written() -> None:
    for mask in range(1, 512):
        assert mask_of_text(text_of_mask(mask, 9), 9) == mask
        assert sum((1 << last + 1) - (1 << first) for first, last in intervals(mask)) == mask


def test_a_name_that_only_some_ways_bind_is_conditional() -> None:
    rows = rows_of("trl.x", "try:\n    import vllm\nexcept ImportError:\n    pass\nelse:\n    A = 1\nB = 2\n", False)
    assert {name for kind, _, name, _ in rows if kind == "c"} == {"vllm", "A"}


@pytest.mark.parametrize(
    ("line", "code"),
    [("    x = f(1)  # one", "x = f(1)"), ("# x = 1", ""), ("  )", ""), ("y = '#'  # two", "y = '#'  # two")],
)
def test_lines_are_compared_without_indentation_and_comments(line: str, code: str) -> None:
    assert normalized(line) == code


def mask_of(text: str) -> int:
    return mask_of_text(text, len(RELEASES)) if text else 0


def test_the_folders_without_modules_are_those_that_are_left_out() -> None:
    assert names.LEFT_OUT == sources._LEFT_OUT


def test_only_whole_names_lead_to_modules(index: Index) -> None:
    assert {"trl.tools", "trl.trainer"} <= {*index.modules_with("pad")}
    assert [*index.modules_with("pa")] == [*index.modules_with("ad")] == []
    assert (index.has("pad"), index.has("pa"), index.has("pad")) == (True, False, True)
