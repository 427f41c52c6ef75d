"""Dependencies as poetry declares them, compared with what poetry's documentation says that they allow."""

from __future__ import annotations

from pathlib import Path

import pytest
from packaging.requirements import Requirement

from vcompat.sources.reading.document import read_document
from vcompat.sources.reading.packages.poetry_tables import has_poetry_table, poetry_lines


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ('"0.8.1"', "vllm==0.8.1"),
        ('"^1.2.3"', "vllm>=1.2.3,<2"),
        ('"^1"', "vllm>=1,<2"),
        ('"^0.2.3"', "vllm>=0.2.3,<0.3"),
        ('"^0.0.3"', "vllm>=0.0.3,<0.0.4"),
        ('"^0.0"', "vllm>=0.0,<0.1"),
        ('"^0"', "vllm>=0,<1"),
        ('"~1.2.3"', "vllm>=1.2.3,<1.3"),
        ('"~1.2"', "vllm>=1.2,<1.3"),
        ('"~1"', "vllm>=1,<2"),
        ('"1.2.*"', "vllm==1.2.*"),
        ('"*"', "vllm"),
        ('">= 0.9, <0.11"', "vllm>=0.9,<0.11"),
        ('"!=0.9"', "vllm!=0.9"),
        ('"~=0.9.1"', "vllm~=0.9.1"),
        ('"^1.0 || ^2.0"', "vllm"),
        ('"latest"', "vllm"),
        ("3", "vllm"),
        ('[{version = "1"}, {version = "2"}]', "vllm"),
        ('{version = "^0.9", extras = ["flashinfer"]}', "vllm>=0.9,<0.10"),
        ('{version = "0.9", markers = "sys_platform == \'linux\'"}', "vllm==0.9; sys_platform == 'linux'"),
        ('{git = "https://host/vllm.git", tag = "v0.9.0"}', "vllm @ git+https://host/vllm.git@v0.9.0"),
        ('{git = "https://host/vllm.git"}', "vllm @ git+https://host/vllm.git"),
        ('{url = "https://host/vllm-0.9.0.whl"}', "vllm @ https://host/vllm-0.9.0.whl"),
    ],
)
def test_a_limit_of_poetry_is_one_of_pip(tmp_path: Path, given: str, line: str) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(f'[tool.poetry.dependencies]\npython = "^3.10"\nvllm = {given}\n')
    document = read_document(str(file), "toml")
    assert has_poetry_table(document)
    ((read, place),) = list(poetry_lines(document))
    assert str(Requirement(read)) == str(Requirement(line)) and place.line == 3


def test_what_may_not_be_installed_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text('[tool.poetry.dependencies]\nvllm = {version = "1", optional = true}\nown = {path = "../own"}\n')
    assert not list(poetry_lines(read_document(str(file), "toml")))


def test_a_file_without_the_table_declares_nothing(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text("[tool.poetry]\nname = 'a'\n")
    document = read_document(str(file), "toml")
    assert not has_poetry_table(document) and not list(poetry_lines(document))
