from __future__ import annotations

import io

import pytest

from tests.unit.libraries import CUBIN, FAMILY, LTO, PTX, SPECIFIC, container, entry, library
from vcompat.foundation.elf import BadElf, needed, sections
from vcompat.foundation.fatbin import common, containers, in_order, ptx_versions

EVERY_GPU = container(entry(CUBIN, 80), entry(CUBIN, 90), entry(PTX, 90, header=80))
SOME_GPUS = container(entry(CUBIN, 90, SPECIFIC), entry(CUBIN, 100, FAMILY, header=112), entry(PTX, 120, FAMILY))


def read(data: bytes) -> list[frozenset[str]]:
    return containers(io.BytesIO(data))


def test_each_container_has_the_architectures_of_its_machine_code_and_ptx() -> None:
    assert read(library(fatbin=EVERY_GPU + SOME_GPUS)) == [
        {"sm_80", "sm_90", "compute_90"},
        {"sm_90a", "sm_100f", "compute_120f"},
    ]


def test_zeros_between_containers_are_passed_over() -> None:
    assert len(read(library(fatbin=EVERY_GPU + bytes(64) + SOME_GPUS + bytes(24)))) == 2


def test_code_that_only_a_linker_reads_is_no_architecture() -> None:
    assert read(library(fatbin=container(entry(LTO, 80), entry(CUBIN, 75)))) == [{"sm_75"}]


def test_ptx_has_the_version_of_its_instruction_set_and_machine_code_has_none() -> None:
    assert ptx_versions(io.BytesIO(library(fatbin=EVERY_GPU))) == {"8.7"}
    assert ptx_versions(io.BytesIO(library(fatbin=container(entry(CUBIN, 80))))) == set()


def test_a_library_without_cuda_code_has_no_container() -> None:
    assert read(library(["libc.so.6"])) == []


def test_the_needed_libraries_are_those_before_the_end_of_the_dynamic_section() -> None:
    names = ("libtorch.so", "libcudart.so.13", "libc.so.6")
    assert needed(io.BytesIO(library(names))) == names


def test_a_section_has_its_name_and_its_bytes() -> None:
    data = library(fatbin=EVERY_GPU)
    found = {
        section.name: data[section.offset : section.offset + section.size] for section in sections(io.BytesIO(data))
    }
    assert found[".nv_fatbin"] == EVERY_GPU


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "truncated"),
        (b"MZ" + bytes(100), "not a 64-bit little-endian ELF file"),
        (b"\x7fELF\x01\x01" + bytes(100), "not a 64-bit little-endian ELF file"),
        (b"\x7fELF\x02\x01" + bytes(100), "no section headers"),
        (library(fatbin=EVERY_GPU)[:-100], "truncated"),
        (library(fatbin=b"x" * 64), "no container"),
        (library(fatbin=bytes(8192)), "no container"),
        (library(fatbin=EVERY_GPU[:-8]), "no container"),
        (library(fatbin=container(entry(CUBIN, 80)[:-4])), "longer than its container"),
        (library(fatbin=container() * 100_001), "more than 100000 entries"),
        (library(fatbin=container(entry(CUBIN, 80, code=b"") * 100_001)), "more than 100000 entries"),
        (library(fatbin=container(entry(CUBIN, 80, header=64).replace(b"\x40\0\0\0", b"\0\0\0\0", 1))), "longer"),
    ],
)
def test_a_damaged_library_is_refused_with_the_reason(data: bytes, why: str) -> None:
    with pytest.raises(BadElf, match=why):
        read(data)


def test_a_damaged_library_raises_nothing_but_its_own_error() -> None:
    whole = bytearray(library(["libcudart.so.12"], EVERY_GPU + SOME_GPUS))
    read_without_error = 0
    for at in range(len(whole)):
        for value in (0x00, 0xFF):
            damaged = whole[:at] + bytes([value]) + whole[at + 1 :]
            try:
                containers(io.BytesIO(damaged))
                needed(io.BytesIO(damaged))
                read_without_error += 1
            except BadElf:
                pass
    assert 0 < read_without_error < 2 * len(whole)


def test_the_common_kernels_cover_the_most_generations_and_are_the_most_frequent_of_these() -> None:
    every, more, hopper = (
        frozenset({"sm_70", "sm_80", "sm_90"}),
        frozenset({"sm_70", "sm_80", "sm_90", "sm_90a"}),
        frozenset({"sm_90a"}),
    )
    default = frozenset({"sm_52", "compute_52"})
    assert common([hopper, hopper, hopper, more, every, every, default]) == every
    assert common([hopper]) == hopper
    assert common([]) == frozenset()


def test_architectures_are_sorted_by_kind_and_by_age() -> None:
    assert in_order({"compute_90", "sm_120", "sm_90a", "sm_90", "sm_75"}) == [
        "sm_75",
        "sm_90",
        "sm_90a",
        "sm_120",
        "compute_90",
    ]
