"""The table of docs/mlx/quantization.md: what MLX's weight formats cost in bits and in error.

    python -m benchmarks.quantization_error

It needs mlx 0.32.1 (on Linux `mlx[cpu]`) and a few seconds of one CPU core. Weights are normal, mean zero, in float16,
1,024 rows of 4,096. The error is relative RMS: the root mean square of (dequantized - original) over that of the
original, in float32.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

import mlx.core as mx

SHAPE = (1024, 4096)
SIGMAS = (1.0, 0.02)

# Mode, group sizes, bits and what is stored per group, as the page's rows have them. Several values share a row.
Row = tuple[str, tuple[int, ...], tuple[int, ...], str]
ROWS: tuple[Row, ...] = (
    ("affine", (32, 64, 128), (4,), "scale, bias"),
    ("affine", (64,), (2, 3, 5), "scale, bias"),
    ("affine", (64,), (6, 8), "scale, bias"),
    ("mxfp4", (32,), (4,), "e8m0 scale"),
    ("nvfp4", (16,), (4,), "e4m3 scale"),
    ("mxfp8", (32,), (8,), "e8m0 scale"),
)
HEAD = ("Mode", "Group", "Per group", "Bits per weight", *(f"Error, σ = {sigma:g}" for sigma in SIGMAS))


@functools.cache
def weights(sigma: float) -> mx.array:
    """Normal weights of standard deviation `sigma`, float16; the same ones each time."""
    return (mx.random.normal(SHAPE, key=mx.random.key(0)) * sigma).astype(mx.float16)


def round_trip(
    mode: str, group_size: int, bits: int, sigma: float, global_scale: mx.array | None = None
) -> tuple[float, float]:
    """Bits stored per weight and the relative RMS error of quantizing and back. `global_scale` is for nvfp4 alone."""
    w = weights(sigma)
    parts = mx.quantize(w, group_size=group_size, bits=bits, mode=mode, global_scale=global_scale)
    back = mx.dequantize(*parts, group_size=group_size, bits=bits, mode=mode, global_scale=global_scale)
    exact = w.astype(mx.float32)
    error = mx.sqrt(mx.mean((back.astype(mx.float32) - exact) ** 2) / mx.mean(exact**2))
    return 8 * sum(part.nbytes for part in parts) / w.size, error.item()


def nvfp4_with_global_scale(sigma: float) -> float:
    """The error of nvfp4 whose group scales are relative to the largest magnitude of the whole matrix."""
    largest = mx.max(mx.abs(weights(sigma))).astype(mx.float32)
    return round_trip("nvfp4", 16, 4, sigma, largest)[1]


def table(chosen: Sequence[Row] = ROWS) -> list[tuple[str, ...]]:
    """The rows of the page's table, cell by cell: bits to two places at most, errors to three."""
    rows = [HEAD]
    for mode, groups, widths, stored in chosen:
        found = [[round_trip(mode, group, bits, sigma) for group in groups for bits in widths] for sigma in SIGMAS]
        name = mode if mode != "affine" else f"affine, {' / '.join(map(str, widths))} bits"
        rows.append(
            (
                name,
                " / ".join(map(str, groups)),
                stored,
                " / ".join(f"{size:g}" for size, _ in found[0]),
                *(" / ".join(f"{error:.3f}" for _, error in column) for column in found),
            )
        )
    return rows


def main() -> None:
    mx.set_default_device(mx.cpu)
    for row in table():
        print("|", " | ".join(row), "|")
    for sigma in (2.0, 1.4, 1.0, 0.71, 0.5):
        print(f"mxfp8, sigma {sigma:g}: {round_trip('mxfp8', 32, 8, sigma)[1]:.3f}")
    print(f"nvfp4 with a global scale, sigma 0.02: {nvfp4_with_global_scale(0.02):.3f}")


if __name__ == "__main__":
    main()
