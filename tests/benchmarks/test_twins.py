"""benchmarks/cuda/twins: the CUDA equivalents that the kernel pages show are programs, compiled, run and counted."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchmarks.cuda.results import read
from tests.support import some

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "kernels"
TWINS = ROOT / "benchmarks" / "cuda" / "twins"
RESULTS = read()
ROWS: dict[str, dict[str, Any]] = {
    name: row for entry in RESULTS["twins"].values() for name, row in entry["rows"].items()
}
NAMES = sorted(path.stem for path in TWINS.glob("*.cu"))
PAGES_WITH_A_TWIN = sorted(page.stem for page in PAGES.glob("*.md") if "```cuda\n" in page.read_text(encoding="utf-8"))

# What a page says of its twin, filled with what results.yml says.
SAID = {
    "gemm-async-ghost": "{gemm_async_ghost[registers]} registers per thread and {gemm_async_ghost[shared]:,} bytes of",
    "gemm-double-buffered": "{gemm_double_buffered[registers]} registers, {gemm_double_buffered[shared]:,} bytes of",
    "gemm-tiled": "takes {gemm_tiled[registers]} registers for it",
    "llamacpp-attention": "{llamacpp_attention_64[registers]} registers at D = 64 and 128 and "
    "{llamacpp_attention_512[registers]} at D = 512",
    "mfa-codegen": "at D = 256: {mfa_codegen_256_kept[registers]} registers kept, {mfa_codegen_256_paged[registers]} "
    "paged, no spill in either. At D = 512: {mfa_codegen_512_kept[registers]} kept with "
    "{mfa_codegen_512_kept[spill_stores]} bytes of spill stores, {mfa_codegen_512_paged[registers]} paged",
    "nax-gemm": "takes {nax_gemm[registers]} registers without spills",
    "qmv-decode": "takes {qmv_decode_1[registers]} registers for one row per warp, {qmv_decode_2[registers]}, "
    "{qmv_decode_4[registers]} and {qmv_decode_8[registers]} for 2, 4 and 8",
    "sdpa-vector": "takes {sdpa_vector_64[registers]} registers for pass 1 at D = 64, "
    "{sdpa_vector_128[registers]} at 128 and {sdpa_vector_256[registers]} at 256",
    "steel-attention": "{steel_attention_64[registers]} registers at D = 64 and {steel_attention_128[registers]} at",
    "steel-blockloader": "{steel_blockloader[registers]} registers",
    "steel-blockmma": "takes {steel_blockmma[registers]} for",
    "steel-gemm-fused": "{fewest} to {most} registers over the twelve instances",
}


def fence(page: str) -> str:
    found = re.findall(r"^```cuda\n(.*?)^```$", (PAGES / f"{page}.md").read_text(encoding="utf-8"), re.M | re.S)
    assert len(found) == 1, f"{page}: {len(found)} CUDA blocks"
    return str(found[0])


def marked(name: str) -> str:
    """What stands between the marks of a twin, in its own file or in the header that other twins share."""
    header = TWINS / f"{name}.cuh"
    text = (header if header.exists() else TWINS / f"{name}.cu").read_text(encoding="utf-8")
    found = re.findall(r"^// --8<-- \[start:twin\]\n(.*?)^// --8<-- \[end:twin\]$", text, re.M | re.S)
    assert len(found) == 1, name
    return str(found[0])


def test_every_cuda_block_of_a_kernel_page_is_a_program() -> None:
    assert len(NAMES) == 12
    assert [name.replace("_", "-") for name in NAMES] == PAGES_WITH_A_TWIN
    assert {entry["page"] for entry in RESULTS["twins"].values()} == set(PAGES_WITH_A_TWIN)


@pytest.mark.parametrize("name", NAMES)
def test_the_page_shows_the_program(name: str) -> None:
    assert fence(name.replace("_", "-")) == marked(name)


@pytest.mark.parametrize("page", PAGES_WITH_A_TWIN)
def test_the_page_says_what_the_program_gave(page: str) -> None:
    fused = [row["registers"] for name, row in ROWS.items() if name.startswith("steel_gemm_fused_")]
    assert len(fused) == 12
    said = SAID[page].format(**ROWS, fewest=min(fused), most=max(fused))
    text = " ".join((PAGES / f"{page}.md").read_text(encoding="utf-8").split())
    assert said in text
    assert "[@h200:twins" in text
    assert "compiled for this page" not in text


def test_every_twin_agreed_with_its_reference_on_the_device() -> None:
    for name, row in ROWS.items():
        assert row["unit"] == "of the largest value", name
        assert row["value"] < (1e-3 if "rounded to half" in row["conditions"] else 2e-6), name
        assert row["spill_stores"] == 0 or name == "mfa_codegen_512_kept", name


@pytest.mark.parametrize("name", some(NAMES, 3))
def test_it_compiles_to_the_counts_in_results(name: str, tmp_path: Path) -> None:
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("nvcc is not on PATH")
    done = subprocess.run(
        [nvcc, "-O3", "-std=c++17", "-arch=sm_90", "-Xptxas", "-v", "--cubin", "-o", tmp_path / "out", f"{name}.cu"],
        cwd=TWINS,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
    release = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    wanted = RESULTS["machines"][ROWS_OF[name][0]["machines"][0]]["toolkit"].removeprefix("CUDA ")
    if f"V{wanted}" not in release:
        pytest.skip(f"the counts are those of CUDA {wanted}")
    counted = sorted(int(n) for n in re.findall(r"Used (\d+) registers", done.stderr))
    assert counted == sorted(row["registers"] for row in ROWS_OF[name])


ROWS_OF = {name: list(entry["rows"].values()) for name, entry in RESULTS["twins"].items()}
