"""What Triton and FlashInfer compile with, found in real folders."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import pytest

from vcompat.facts.facts import Facts
from vcompat.sources.probe.compilers import probe_compilers


def program(folder: Path, name: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return file


def probed(environment: dict[str, str], prefix: Path) -> Facts:
    facts = Facts()
    probe_compilers(facts, environment, str(prefix))
    return facts


def headers_of(prefix: Path) -> Path:
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}{sys.abiflags}"
    folder = prefix / "include" / version
    folder.mkdir(parents=True)
    (folder / "Python.h").write_text("")
    return folder


def test_an_empty_path_has_neither_compiler_nor_ninja_nor_headers(tmp_path: Path) -> None:
    facts = probed({"PATH": str(tmp_path)}, tmp_path)
    assert [facts.value(f"host.{name}") for name in ("c_compiler", "python_headers", "ninja")] == [False] * 3
    assert facts.known["host.c_compiler"].source == "no gcc or clang"


@pytest.mark.parametrize("name", ["gcc", "clang"])
def test_a_compiler_and_ninja_are_found_in_path(tmp_path: Path, name: str) -> None:
    program(tmp_path / "bin", name)
    program(tmp_path / "tools", "ninja")
    facts = probed({"PATH": f"{tmp_path / 'bin'}:{tmp_path / 'tools'}"}, tmp_path)
    assert facts.value("host.c_compiler") is True
    assert facts.value("host.ninja") is True


def test_triton_takes_the_compiler_in_the_variable_cc_also_if_it_does_not_exist(tmp_path: Path) -> None:
    program(tmp_path / "bin", "gcc")
    path = str(tmp_path / "bin")
    missing = probed({"PATH": path, "CC": "/opt/missing/gcc"}, tmp_path)
    assert missing.value("host.c_compiler") is False
    assert probed({"PATH": "", "CC": f"{path}/gcc"}, tmp_path).value("host.c_compiler") is True


def test_headers_are_those_of_the_interpreter_and_a_search_path_leaves_them_open(tmp_path: Path) -> None:
    assert probed({"PATH": "", "CPATH": "/opt/include"}, tmp_path).get("host.python_headers") is None
    assert probed({"PATH": "", "CPATH": ""}, tmp_path).value("host.python_headers") is False
    headers_of(tmp_path)
    assert probed({"PATH": ""}, tmp_path).value("host.python_headers") is True


def test_the_folder_of_headers_is_the_one_that_sysconfig_names(tmp_path: Path) -> None:
    folder = headers_of(tmp_path)
    named = sysconfig.get_path("include", "posix_prefix", {"installed_base": str(tmp_path)})
    assert folder == Path(named)
