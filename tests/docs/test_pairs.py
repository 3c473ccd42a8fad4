"""The pairs of code of the terms compile: CUDA's side with nvcc, Metal's with g++ and the shim, where that has it all.

What cannot be compiled is named in pairs.yml with the reason, so that a new row is one or the other.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs.pairs import ROOT, Pairs

SHIM = ROOT / "msl/include"


@pytest.mark.parametrize("side", ["cuda", "metal"])
def test_every_row_is_compiled_or_has_a_reason(side: str) -> None:
    pairs = Pairs.of(side)
    rules = pairs.rules
    named = [name for names in rules["cannot"].values() for name in names]
    assert len(named) == len(set(named))
    assert set(named) | set(rules["given"]) | set(rules["frame"]) <= set(pairs.code)
    assert not set(named) & (set(rules["given"]) | set(rules["frame"]))
    compiled = len(pairs.code) - len(named)
    assert compiled >= {"cuda": 230, "metal": 80}[side], "what can be compiled is"


def test_the_cuda_side_compiles(tmp_path: Path) -> None:
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("nvcc is not on PATH")
    release = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    if "release 13." not in release:
        pytest.skip("the pairs are those of CUDA 13")
    source = tmp_path / "pairs.cu"
    source.write_text(Pairs.of("cuda").source(), encoding="utf-8")
    options = ["-std=c++17", "-arch=sm_90a", "-rdc=true", "-w", "-Xcudafe", "--error_limit=100000"]
    done = subprocess.run(
        [nvcc, *options, "-cubin", "-o", str(tmp_path / "pairs.cubin"), str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    told = re.findall(r"^.+\(\d+\): error: .*", done.stdout + done.stderr, re.MULTILINE)
    assert done.returncode == 0, "\n".join(told) or done.stderr


def test_the_metal_side_compiles(tmp_path: Path) -> None:
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("g++ is not here; make test installs it through apt-get where it may")
    source = tmp_path / "pairs.cpp"
    source.write_text(Pairs.of("metal").source(), encoding="utf-8")
    options = ["-std=c++20", "-w", "-fsyntax-only", "-fmax-errors=0", f"-I{SHIM}"]
    done = subprocess.run([compiler, *options, str(source)], capture_output=True, text=True, check=False)
    told = re.findall(r"^.+:\d+:\d+: error: .*", done.stderr, re.MULTILINE)
    assert done.returncode == 0, "\n".join(told) or done.stderr
