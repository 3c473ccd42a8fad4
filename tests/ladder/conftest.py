"""Kernels compiled for the CPU, once in a session, and matrices for them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from msl.shim import Library, Run

ROOT = Path(__file__).resolve().parents[2]
LADDER = ROOT / "ladder"
Compile = Callable[..., Library]


@dataclass(frozen=True)
class Rung:
    """An entry of ladder/rungs.yml."""

    rung: int
    name: str
    file: str
    threads: list[int]
    x: tuple[str, int]
    y: tuple[str, int]
    wgsl: bool

    def groups(self, rows: int, columns: int) -> tuple[int, int]:
        sizes = {"rows": rows, "columns": columns}
        return tuple(-(-sizes[of] // covered) for of, covered in (self.x, self.y))  # type: ignore[return-value]


RUNGS = [Rung(**entry) for entry in yaml.safe_load((LADDER / "rungs.yml").read_text(encoding="utf-8"))]


@dataclass
class Product:
    """Operands and room for C, all in fp32; ``expected`` is NumPy's, computed in fp64."""

    A: Any
    B: Any
    C: Any
    bias: Any
    size: Any

    @classmethod
    def of(cls, m: int, n: int, k: int) -> Product:
        random = np.random.default_rng(m * 1_000_003 + n * 1_009 + k)
        A, B, bias = (random.uniform(-1, 1, shape).astype(np.float32) for shape in ((m, k), (k, n), (n,)))
        return cls(A, B, np.full((m, n), np.nan, np.float32), bias, np.array([m, n, k, 0], np.uint32))

    def expected(self, rung: int) -> Any:
        C = self.A.astype(np.float64) @ self.B.astype(np.float64)
        return np.maximum(C + self.bias, 0) if rung == 8 else C

    def tolerance(self) -> float:
        return 4e-7 * (1 + self.A.shape[1])


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for tool in ("g++", "addr2line"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not here; make test installs g++ through apt-get where it may")
    return tmp_path_factory.mktemp("msl")


@pytest.fixture(scope="session")
def compiled(build: Path) -> Compile:
    made: dict[tuple[str, str], Library] = {}

    def get(source: str, name: str, **defines: int) -> Library:
        key = (name, source)
        if key not in made:
            made[key] = Library(source, name, build, defines)
        return made[key]

    return get


@pytest.fixture(scope="session")
def climb(compiled: Compile) -> Callable[[Rung, Product], Run]:
    def run(rung: Rung, p: Product) -> Run:
        library = compiled((LADDER / "metal" / f"{rung.file}.metal").read_text(encoding="utf-8"), f"{rung.file}.metal")
        buffers = [p.A, p.B, p.C, p.size] + ([p.bias] if rung.rung == 8 else [])
        return library.run("gemm", buffers, rung.groups(*p.C.shape), rung.threads)

    return run
