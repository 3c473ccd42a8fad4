"""The two quoted GEMM kernels of m5-gemm, run out of a clone, count what their pages say. Never stored here."""

from __future__ import annotations

import re
import subprocess

import numpy as np
import pytest
import yaml

from tests.ladder.conftest import ROOT, Compile

REPO = "yaroslavvb/m5-gemm"
CLONE = ROOT / "code" / REPO


def committed(path: str) -> str:
    if not CLONE.exists():
        pytest.skip(f"{REPO} is not under code/; fetch.sh clones it")
    sources = yaml.safe_load((ROOT / "sources.yml").read_text(encoding="utf-8"))
    (commit,) = (entry["commit"] for entry in sources["repositories"] if entry["repo"] == REPO)
    folder = CLONE / ".git" if (CLONE / ".git").exists() else CLONE
    shown = subprocess.run(
        ["git", "--git-dir", folder, "show", f"{commit}:{path}"], capture_output=True, text=True, check=False
    )
    if shown.returncode:
        pytest.skip(f"{path} is not in the clone of {REPO}: {shown.stderr.strip()}")
    return shown.stdout


def counts(compiled: Compile, name: str, k: int) -> dict[str, int]:
    library = compiled(committed(name), name, SW=2, SIMD_TILE=4, TILE_K=2)
    random = np.random.default_rng(k)
    n = m = 64
    A, B, C = (random.uniform(-1, 1, shape).astype(np.float32) for shape in ((n, k), (k, m), (n, m)))
    want = 1.5 * A.astype(np.float64) @ B + 0.5 * C
    numbers = [np.array([value], np.uint32) for value in (n, k, m)]
    scales = [np.array([value], np.float32) for value in (1.5, 0.5)]
    run = library.run("matmul", [*numbers, *scales, A, B, C], [1, m // 64, n // 64], [32, 2, 2])
    assert [str(finding) for finding in run.findings] == []
    np.testing.assert_allclose(C, want, rtol=0, atol=1e-4)
    return run.counts


def says(page: str, pattern: str) -> None:
    prose = re.sub(r"\s+", " ", (ROOT / "docs" / "kernels" / page).read_text(encoding="utf-8"))
    assert re.search(pattern, prose), f"{page} no longer says: {pattern}"


@pytest.mark.parametrize(("name", "barriers", "size"), [("sync_copy.metal", 2, 8192), ("sync_copy_db.metal", 1, 16384)])
def test_it_counts_what_its_page_says(compiled: Compile, name: str, barriers: int, size: int) -> None:
    short, long = counts(compiled, name, 64), counts(compiled, name, 128)
    step = {key: (long[key] - short[key]) / 4 for key in long}  # four K steps of 16
    assert step["barriers"] == barriers
    assert long["threadgroup_bytes"] == size
    assert step["device_read_bytes"] == 8192  # 16 FLOP a byte
    assert step["device_reads"] / 128 == 4  # float4 loads a thread, two for each slab
    assert step["fragment_multiplies"] / 4 == 32  # a simdgroup
    assert step["fragment_loads"] / 4 == 64  # as written
    assert step["threadgroup_read_bytes"] == 64 * 1024
    epilogue = {key: short[key] - 4 * step[key] for key in short}
    assert epilogue["fragment_multiplies"] / 4 == 32
    assert epilogue["device_read_bytes"] == epilogue["device_write_bytes"] == 64 * 64 * 4


def test_the_pages_say_so() -> None:
    says("gemm-tiled.md", r"16 × 2 × 2 = 64 fragment loads (a|per) simdgroup for 32 multiplies")
    says("gemm-tiled.md", r"As written the four simdgroups ask \S+ \S+ for 64 KiB")
    says("gemm-tiled.md", r"131,072 FLOP, for 8 KiB of slabs")
    says("gemm-tiled.md", r"scales and adds the accumulator: 32 in all")
    says("gemm-double-buffered.md", r"\| Barriers (a|per) K step \| 2 \| 1 \|")
    says("gemm-double-buffered.md", r"4 × 1,024 × 4 = 16 KiB")
