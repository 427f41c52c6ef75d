"""The compiled code of wheels on a package index, and its record."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.version import Version

from tests.unit.libraries import CUBIN, PTX, SPECIFIC, container, entry, library
from tests.unit.upstream.index_server import File, serve
from vcompat.facts.records.wheels import FILE, Compiled, Wheels, compiled_code, load_wheels
from vcompat.foundation.errors import InputError
from vcompat.foundation.shipped import evidence_folder
from vcompat.upstream.index import Release, releases_of, wheels_of
from vcompat.upstream.store import Unavailable
from vcompat.upstream.wheels.compiled_code import compiled_of
from vcompat.upstream.wheels.compiled_record import news, save_wheels

unearth = pytest.importorskip("unearth", reason="the index client is an extra")

COMMON = container(entry(CUBIN, 75), entry(CUBIN, 80), entry(PTX, 80))
FOR_HOPPER = container(entry(CUBIN, 90, SPECIFIC))
CUDA_12, CUDA_13 = ["libcudart.so.12", "libc.so.6"], ["libcudart.so.13", "libc.so.6"]


def wheel(package: str = "vllm", **files: bytes) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in {"__init__.py": b"", "big.so": bytes(9 << 20), **files}.items():
            archive.writestr(f"{package}/{name}", content)
    return written.getvalue()


OLD = wheel(**{"_C.cpython-311-x86_64-linux-gnu.so": library(CUDA_12, COMMON + FOR_HOPPER)})
SPLIT = {"_C.abi3.so": library(CUDA_13, FOR_HOPPER), "_C_stable_libtorch.abi3.so": library(CUDA_13, COMMON)}
MIXED = {"_C.abi3.so": library(CUDA_12, COMMON), "_C_stable_libtorch.abi3.so": library(CUDA_13, COMMON)}
FILES = [
    File("vllm-0.4.0-cp311-cp311-manylinux1_x86_64.whl", OLD, ranges=True),
    File("vllm-0.4.1.tar.gz", b"source"),
    File("vllm-0.4.1-cp39-cp39-manylinux1_x86_64.whl", b"older Python"),
    File("vllm-0.4.1-cp311-cp311-manylinux1_x86_64.whl", OLD, ranges=True),
    File("vllm-0.9.0-cp38-abi3-manylinux1_x86_64.whl", b"an older build"),
    File("vllm-0.9.0-cp312-cp312-manylinux1_x86_64.whl", b"for one Python"),
    File("vllm-0.9.0-2-cp38-abi3-manylinux1_x86_64.whl", wheel(**SPLIT, **{"_moe_C.abi3.so": library([], FOR_HOPPER)}), ranges=True),
    File("vllm-0.9.1-cp38-abi3-manylinux2014_aarch64.whl", OLD, ranges=True),
    File("vllm-0.9.1-cp38-abi3-win_amd64.whl", b"for another system"),
    File("vllm-0.9.2-cp38-abi3-manylinux1_x86_64.whl", OLD),
    File("vllm-0.9.3-cp38-abi3-manylinux1_x86_64.whl", wheel(**MIXED), ranges=True),
    File("vllm-0.9.4-cp38-abi3-manylinux1_x86_64.whl", wheel(**{"_C.abi3.so": library()[:-9]}), ranges=True),
    File("vllm-0.9.5-cp38-abi3-manylinux1_x86_64.whl", wheel(**{"_C.abi3.so": library(["libc.so.6"])}), ranges=True),
]  # fmt: skip
BITSANDBYTES = wheel(
    "bitsandbytes",
    **{
        "libbitsandbytes_cuda118.so": library(["libcudart.so.11.0"], COMMON),
        "libbitsandbytes_cuda124.so": library(CUDA_12, COMMON),
        "libbitsandbytes_cuda124_nocublaslt.so": library(CUDA_13),
        "libbitsandbytes_cpu.so": b"",
    },
)
XFORMERS = wheel(
    "xformers",
    **{
        "_C.so": library(CUDA_12, COMMON),
        "_C_flashattention.so": library(CUDA_12, container(entry(CUBIN, 80))),
        "flash_attn_3/_C.so": library(CUDA_13),
    },
)
CUBINS = wheel(
    "flashinfer_cubin",
    **{
        "cubins/1e/fmha/fmhaSm100aKernel_QkvBfloat16H128PagedKv.cubin": b"",
        "cubins/1e/gemm/Gemm_Bfloat16_t128x128x128_sm100f.cubin": b"",
        "cubins/1e/gemm/Gemm_Bfloat16_t128x128x128_sm103a.cubin": b"",
        "cubins/1e/sm90/kernel.fp8_m_grouped_gemm.007404769193.cubin": b"",
        "cubins/1e/fmha/fmhaSm80Kernel.h": b"",
    },
)
PORTABLE = [
    File("flashinfer_cubin-0.4.0-py3-none-any.whl", CUBINS, ranges=True),
    File("flashinfer_cubin-0.4.0.tar.gz", b""),
]
FOR_XFORMERS = [File("xformers-0.0.27-cp311-cp311-manylinux2014_x86_64.whl", XFORMERS, ranges=True)]
OTHERS = [File("bitsandbytes-0.43.1-py3-none-manylinux_2_24_x86_64.whl", BITSANDBYTES, ranges=True)]  # fmt: skip
TURING = Compiled("12", ("sm_75", "sm_80", "compute_80"), ("sm_90a",), ("8.7",))


@pytest.fixture(scope="module")
def client() -> Iterator[object]:
    packages = {"vllm": FILES, "bitsandbytes": OTHERS, "xformers": FOR_XFORMERS, "flashinfer-cubin": PORTABLE}
    with serve(packages) as address:
        yield unearth.PackageFinder(index_urls=[address], ignore_compatibility=True)


def code(client: object, version: str, package: str = "vllm", recorded: Wheels | None = None) -> dict[str, Compiled]:
    release = next(one for one in releases_of(package, client) if one.version == Version(version))
    return compiled_of(release, client, recorded or {})


def test_the_common_kernels_and_the_cuda_runtime_are_read_from_the_wheel(client: object) -> None:
    assert code(client, "0.4.1") == {"vllm/_C x86_64": TURING}


def test_a_library_in_two_files_is_one_library(client: object) -> None:
    assert code(client, "0.9.0") == {
        "vllm/_C x86_64": TURING._replace(cuda="13"),
        "vllm/_moe_C x86_64": Compiled("", ("sm_90a",), ()),
    }


def test_the_version_of_ptx_that_no_gpu_needs_is_not_recorded() -> None:
    further = container(entry(CUBIN, 75), entry(CUBIN, 90)) * 2 + container(entry(PTX, 80))
    assert compiled_code([io.BytesIO(library(CUDA_12, further))]) == Compiled(
        "12", ("sm_75", "sm_90"), ("compute_80",), ()
    )


def test_a_library_without_cuda_code_has_no_architecture(client: object) -> None:
    assert code(client, "0.9.5") == {"vllm/_C x86_64": Compiled("", (), ())}


def test_the_wheel_for_another_processor_has_an_entry_of_its_own(client: object) -> None:
    assert code(client, "0.9.1") == {"vllm/_C aarch64": TURING}


def test_bitsandbytes_has_a_library_for_each_cuda_version(client: object) -> None:
    assert code(client, "0.43.1", "bitsandbytes") == {
        "bitsandbytes/cuda118 x86_64": TURING._replace(cuda="11", further=()),
        "bitsandbytes/cuda124 x86_64": TURING._replace(further=()),
    }


def test_the_libraries_of_xformers_are_recorded_but_not_its_flashattention_3(client: object) -> None:
    assert code(client, "0.0.27", "xformers") == {
        "xformers/_C x86_64": TURING._replace(further=()),
        "xformers/_C_flashattention x86_64": Compiled("12", ("sm_80",), ()),
    }


def test_the_names_of_cubins_state_their_architectures(client: object) -> None:
    assert code(client, "0.4.0", "flashinfer-cubin") == {
        "flashinfer-cubin/cubins any": Compiled("", (), ("sm_100a", "sm_100f", "sm_103a"))
    }


def test_of_a_recorded_release_only_libraries_of_which_nothing_is_recorded_are_read(client: object) -> None:
    here, before = {Version("0.9.0"): TURING}, {Version("0.8.0"): TURING}
    every = {f"vllm/{name} x86_64": here for name in ("_C", "_moe_C", "_vllm_fa2_C")}
    assert code(client, "0.9.0", recorded=every) == {}
    assert code(client, "0.9.0", recorded={**every, "vllm/_moe_C x86_64": before}) == {}
    del every["vllm/_moe_C x86_64"]
    assert [*code(client, "0.9.0", recorded=every)] == ["vllm/_moe_C x86_64"]
    assert len(code(client, "0.9.0", recorded={"vllm/_C x86_64": before})) == 2


def test_a_recorded_release_of_bitsandbytes_is_not_read_again(client: object) -> None:
    recorded = {"bitsandbytes/cuda118 x86_64": {Version("0.43.1"): TURING}}
    assert code(client, "0.43.1", "bitsandbytes", recorded) == {}


def test_older_releases_are_not_recorded(client: object) -> None:
    assert code(client, "0.4.0") == {}


def test_other_packages_and_releases_that_are_not_on_the_index_are_not_recorded(client: object) -> None:
    assert (
        compiled_of(Release("trl", Version("1.0"), "trl.whl", "https://example.org/trl.whl", "", False), client) == {}
    )
    assert compiled_of(Release("vllm", Version("0.4.1"), "", "", "", False), client) == {}


@pytest.mark.parametrize(
    ("version", "why"),
    [("0.9.2", "does not support range requests"), ("0.9.3", "several CUDA versions: 12, 13"), ("0.9.4", "truncated")],
)
def test_a_wheel_that_cannot_be_read_is_unavailable_with_the_reason(client: object, version: str, why: str) -> None:
    with pytest.raises(Unavailable, match=f"vllm {version}: vllm-{version}-.* cannot be read: .*{why}"):
        code(client, version)


def test_the_wheel_of_a_release_is_the_one_that_an_installer_prefers(client: object) -> None:
    assert {str(one.version): one.file for one in wheels_of("vllm", "x86_64", client)} == {
        "0.4.0": "vllm-0.4.0-cp311-cp311-manylinux1_x86_64.whl",
        "0.4.1": "vllm-0.4.1-cp311-cp311-manylinux1_x86_64.whl",
        "0.9.0": "vllm-0.9.0-2-cp38-abi3-manylinux1_x86_64.whl",
        **{f"0.9.{n}": f"vllm-0.9.{n}-cp38-abi3-manylinux1_x86_64.whl" for n in (2, 3, 4, 5)},
    }


def test_the_record_has_a_line_for_consecutive_releases_with_the_same_code(tmp_path: Path) -> None:
    versions = [Version(text) for text in ("0.9.0", "0.10.0", "0.11.0", "0.12.0")]
    other = TURING._replace(cuda="13")
    found = {"vllm/_C": dict(zip(versions, [TURING, TURING, other, TURING], strict=True))}
    assert save_wheels(found, tmp_path) == [tmp_path / FILE]
    lines = [line.strip() for line in (tmp_path / FILE).read_text().splitlines() if "sm_75" in line]
    assert lines == [
        '["0.9.0 0.10.0", "12", "sm_75 sm_80 compute_80", "sm_90a", "8.7"],',
        '["0.11.0", "13", "sm_75 sm_80 compute_80", "sm_90a", "8.7"],',
        '["0.12.0", "12", "sm_75 sm_80 compute_80", "sm_90a", "8.7"]',
    ]


def test_the_record_states_why_other_packages_are_not_in_it(tmp_path: Path) -> None:
    save_wheels({"vllm/_C": {Version("0.9.0"): TURING}}, tmp_path)
    stated = json.loads((tmp_path / FILE).read_text())["not recorded"]
    assert stated == json.loads((Path(evidence_folder()) / FILE).read_text())["not recorded"]
    assert "no wheels on the package index" in stated["flash-attn"]


def test_new_releases_are_added_to_those_of_the_record(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(
        '{"libraries": {"vllm/_C": [["0.1.0", "12", "sm_75 sm_80 compute_80", "sm_90a", "8.7"]]}}'
    )
    assert load_wheels(tmp_path) == {"vllm/_C": {Version("0.1.0"): TURING}}
    save_wheels({"vllm/_C": {Version("0.2.0"): TURING}}, tmp_path)
    assert '"0.1.0 0.2.0"' in (tmp_path / FILE).read_text()


def test_an_unchanged_record_is_not_written_again(tmp_path: Path) -> None:
    found = {"vllm/_C": {Version("0.9.0"): TURING}}
    save_wheels(found, tmp_path)
    assert save_wheels(found, tmp_path) == []


def test_a_release_built_for_other_gpus_than_the_release_before_is_news() -> None:
    recorded = load_wheels()["vllm/_C x86_64"]
    newest = max(recorded)
    same, other = Version("900.0"), Version("901.0")
    (one,) = news({"vllm/_C x86_64": {same: recorded[newest], other: TURING}})
    assert (one.package, one.version, one.name) == ("vllm", other, "vllm/_C x86_64")
    assert one.text.startswith(
        "CUDA 12, sm_75 sm_80 compute_80; also sm_90a; PTX 8.7; 900.0: CUDA 13, sm_75 sm_80 sm_86"
    )


def test_a_malformed_record_is_reported_with_its_place(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"libraries": {"vllm/_C": [["not a version", "12", "", ""]]}}')
    with pytest.raises(InputError, match=r"wheels\.json: cannot be read: Invalid version"):
        load_wheels(tmp_path)
