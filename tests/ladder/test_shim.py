"""The shim itself: positions, narrow types, lanes, the lane map, and what it reports with file and line."""

from __future__ import annotations

import numpy as np
import pytest

from msl.shim import CompileError, Finding
from msl.source import parameters, shared_variables
from tests.ladder.conftest import Compile

HEAD = "#include <metal_stdlib>\nusing namespace metal;\n"


def body(code: str) -> str:
    """A kernel of two buffers around *code*, which begins in line 5."""
    return (
        f"{HEAD}kernel void k(device float *in [[buffer(0)]], device float *out [[buffer(1)]],\n"
        "  uint t [[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]]) {\n"
        f"{code}\n}}\n"
    )


def findings(compiled: Compile, code: str, threads: int = 64, floats: int = 64) -> list[Finding]:
    library = compiled(body(code), "broken.metal")
    buffers = [np.arange(floats, dtype=np.float32), np.zeros(floats, np.float32)]
    return library.run("k", buffers, [1], [threads]).findings


def outcome(compiled: Compile, code: str, given: list[float], threads: int = 32) -> list[float]:
    library = compiled(body(code), "works.metal")
    out = np.zeros(max(threads, len(given)), np.float32)
    run = library.run("k", [np.array(given, np.float32), out], [1], [threads])
    assert [str(f) for f in run.findings] == []
    return out.tolist()


def test_a_barrier_in_a_divergent_branch(compiled: Compile) -> None:
    (found,) = findings(
        compiled,
        "  if (t < 10)\n    threadgroup_barrier(mem_flags::mem_threadgroup);\n  out[t] = in[t];",
    )
    assert (found.kind, found.line) == ("divergence", 6)
    assert "10 of 64 threads" in found.detail
    assert "54 have returned" in found.detail
    assert str(found).startswith("broken.metal:6: divergence: a barrier")


def test_two_barriers_are_not_one(compiled: Compile) -> None:
    found = findings(
        compiled,
        "  if (t < 32)\n    threadgroup_barrier(mem_flags::mem_threadgroup);\n"
        "  else\n    threadgroup_barrier(mem_flags::mem_threadgroup);\n  out[t] = in[t];",
    )
    assert [(f.kind, f.line) for f in found] == [("divergence", 6), ("divergence", 8)]


def test_a_fragment_needs_all_lanes(compiled: Compile) -> None:
    (found,) = findings(
        compiled,
        "  simdgroup_float8x8 f;\n  if (lane == 3) return;\n  simdgroup_load(f, in, 8);\n  simdgroup_store(f, out, 8);",
        threads=32,
    )
    assert (found.kind, found.line) == ("divergence", 7)


@pytest.mark.parametrize(
    ("code", "line", "detail"),
    [
        ("  out[t] = in[t + 1];", 5, "4 bytes read at byte 256 of 'in', which has 256"),
        ("  out[0] = 1;\n  out[t * 2] = 1;", 6, "4 bytes written at byte 256 of 'out', which has 256"),
        ("  out[t] = float4(*(device float4 *)(in + t / 32 * 62)).x;", 5, "16 bytes read at byte 248 of 'in'"),
        ("  threadgroup float a[8];\n  a[t % 9] = 1;", 6, "4 bytes written at byte 32 of 'a', which has 32"),
        ("  device float *none = 0;\n  out[t] = none[t];", 6, "4 bytes read through a null pointer"),
        ("  out[t] = in[int(t) - 1];", 5, "4 bytes read before the first buffer"),
    ],
)
def test_out_of_bounds(compiled: Compile, code: str, line: int, detail: str) -> None:
    (found,) = findings(compiled, code)
    assert (found.kind, found.line) == ("out-of-bounds", line)
    assert detail in found.detail


def test_out_of_bounds_inside_a_fragment_names_the_kernels_line(compiled: Compile) -> None:
    (found,) = findings(compiled, "  simdgroup_float8x8 f;\n  simdgroup_load(f, in + 1, 8);", threads=32)
    assert (found.kind, found.line) == ("out-of-bounds", 6)


RACES = {
    "read after write": ("  threadgroup float a[64];\n  a[t] = in[t];\n  out[t] = a[63 - t];", 7, 6),
    "write after read": (
        "  threadgroup float a[64];\n  a[t] = in[t];\n  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
        "  out[t] = a[63 - t];\n  a[t] = 0;",
        9,
        8,
    ),
    "two writes": ("  threadgroup float a[64];\n  a[t / 2] = in[t];", 6, 6),
    "a barrier that orders nothing": (
        "  threadgroup float a[64];\n  a[t] = in[t];\n  threadgroup_barrier(mem_flags::mem_none);\n"
        "  out[t] = a[63 - t];",
        8,
        6,
    ),
    "a simdgroup barrier between simdgroups": (
        "  threadgroup float a[64];\n  a[t] = in[t];\n  simdgroup_barrier(mem_flags::mem_threadgroup);\n"
        "  out[t] = a[63 - t];",
        8,
        6,
    ),
}


@pytest.mark.parametrize("name", RACES)
def test_a_race(compiled: Compile, name: str) -> None:
    code, line, other = RACES[name]
    races = [f for f in findings(compiled, code) if f.kind == "race"]
    assert races
    assert {(f.line, f.other_line) for f in races} <= {(line, other), (other, line)}
    assert "of 'a' (declared in line 5)" in races[0].detail
    assert f"broken.metal:{races[0].line}: race: " in str(races[0])


@pytest.mark.parametrize(
    "code",
    [
        "  threadgroup float a[64];\n  a[t] = in[t];\n  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
        "  out[t] = a[63 - t];",
        "  threadgroup float a[64];\n  a[t] = in[t];\n  simdgroup_barrier(mem_flags::mem_threadgroup);\n"
        "  out[t] = a[t ^ 1];",
        "  threadgroup float a[64];\n  a[t] = in[t];\n  a[t] += 1;\n  out[t] = a[t];",
    ],
)
def test_no_race(compiled: Compile, code: str) -> None:
    assert findings(compiled, code) == []


def test_threadgroup_memory_that_nobody_wrote(compiled: Compile) -> None:
    (found,) = findings(compiled, "  threadgroup float a[64];\n  out[t] = a[t];")
    assert (found.kind, found.line) == ("unwritten", 6)


def test_a_tile_is_new_in_every_group(compiled: Compile) -> None:
    library = compiled(
        body("  threadgroup float a[1];\n  if (in[0] > 0) a[0] = 1;\n  in[0] = 0;\n  out[t] = a[0];"), "groups.metal"
    )
    run = library.run("k", [np.ones(1, np.float32), np.zeros(1, np.float32)], [2], [1])
    assert [f.kind for f in run.findings] == ["unwritten"]


def test_the_lane_map_is_mlxs(compiled: Compile) -> None:
    """get_coord of MLX, written again: lane and element to row and column."""
    got = outcome(
        compiled,
        "  simdgroup_float8x8 f;\n  simdgroup_load(f, in, 8);\n"
        "  out[t * 2] = f.thread_elements()[0];\n  out[t * 2 + 1] = f.thread_elements()[1];",
        [float(i) for i in range(64)],
    )
    for lane in range(32):
        quad = lane // 4
        row, column = (quad & 4) + lane // 2 % 4, (quad & 2) * 2 + lane % 2 * 2
        assert got[lane * 2 : lane * 2 + 2] == [row * 8 + column, row * 8 + column + 1]


def test_fragments_transpose_scale_and_start_elsewhere(compiled: Compile) -> None:
    given = [float(i) for i in range(256)]
    got = outcome(
        compiled,
        "  simdgroup_float8x8 f, g;\n  simdgroup_load(f, in, 16, ulong2(8, 2), true);\n"
        "  simdgroup_multiply(g, f, simdgroup_float8x8(2.0f));\n  simdgroup_store(g, out, 8);",
        given,
    )
    block = np.array(given).reshape(16, 16)[2:10, 8:16]
    assert got[:64] == (2 * block.T).ravel().tolist()


def test_lanes_exchange(compiled: Compile) -> None:
    given = [float(i) for i in range(32)]
    assert outcome(compiled, "  out[t] = simd_sum(in[t]);", given) == [496.0] * 32
    assert outcome(compiled, "  out[t] = simd_max(in[t]);", given) == [31.0] * 32
    assert outcome(compiled, "  out[t] = simd_shuffle_xor(in[t], 1);", given) == [float(i ^ 1) for i in range(32)]
    down = outcome(compiled, "  out[t] = simd_shuffle_down(in[t], 4);", given)
    assert down[:28] == [float(i + 4) for i in range(28)]
    assert outcome(compiled, "  out[t] = simd_broadcast(in[t], 7);", given) == [7.0] * 32


def test_lanes_that_returned_take_no_part(compiled: Compile) -> None:
    given = [float(i) for i in range(32)]
    got = outcome(compiled, "  if (lane >= 4) return;\n  out[t] = simd_sum(in[t]);", given)
    assert got == [6.0] * 4 + [0.0] * 28


@pytest.mark.parametrize("kind", ["half", "bfloat"])
def test_narrow_types_round_to_nearest_even(compiled: Compile, kind: str) -> None:
    random = np.random.default_rng(1)
    scale = 2.0 ** random.integers(-30, 18, 96)
    given = np.concatenate(
        [random.uniform(-1, 1, 96) * scale, [0, 65504, 65520, 6e-8, 2.9e-8, 1 + 2**-11, 1 + 2**-9, 1e-40]]
    )
    given = given.astype(np.float32)
    got = outcome(compiled, f"  out[t] = {kind}(in[t]);", given.tolist(), threads=104)
    if kind == "half":
        with np.errstate(over="ignore"):
            want = given.astype(np.float16).astype(np.float32)
    else:
        bits = given.view(np.uint32).astype(np.uint64)
        want = ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    assert got == want.tolist()


def test_narrow_arithmetic_rounds_after_every_operation(compiled: Compile) -> None:
    got = outcome(compiled, "  half h = in[t];\n  h += half(2048.0f);\n  out[t] = h - half(2048.0f);", [1.0] * 32)
    assert got == [0.0] * 32  # 2049 is halfway between 2048 and 2050


def test_positions_have_the_arity_that_was_asked_for(compiled: Compile) -> None:
    source = (
        f"{HEAD}kernel void k(device uint *out, ushort2 g [[threadgroup_position_in_grid]],\n"
        "  uint2 t [[thread_position_in_threadgroup]], uint2 at [[thread_position_in_grid]],\n"
        "  uint2 all [[threads_per_grid]], ushort sg [[simdgroup_index_in_threadgroup]]) {\n"
        "  out[at.y * all.x + at.x] = g.x * 1000 + g.y * 100 + t.y * 10 + sg;\n}\n"
    )
    out = np.zeros((4, 64), np.uint32)
    run = compiled(source, "positions.metal").run("k", [out], [2, 2], [32, 2])
    assert run.findings == []
    assert out[3, 40] == 1000 + 100 + 10 + 1
    assert run.counts["threadgroups"] == 4


def test_counts_of_a_few_lines(compiled: Compile) -> None:
    source = body(
        "  threadgroup float4 a[64];\n  a[t] = float4(in[t]);\n  threadgroup_barrier(mem_flags::mem_threadgroup);\n"
        "  out[t] = a[t].x + in[t * 2 % 64];"
    )
    counts = compiled(source, "counts.metal").run("k", [np.ones(64, np.float32)] * 2, [3], [64]).counts
    assert counts["device_reads"] == 3 * 64 * 2
    assert counts["device_read_bytes"] == 3 * 64 * 2 * 4
    assert counts["device_read_lines"] == 3 * 2 * (1 + 2)  # one line for neighbors, two for a stride of two
    assert counts["threadgroup_write_bytes"] == 3 * 64 * 16
    assert counts["threadgroup_read_bytes"] == 3 * 64 * 4
    assert counts["threadgroup_bytes"] == 64 * 16
    assert counts["barriers"] == 3


def test_a_value_returned_into_a_tile_is_counted(compiled: Compile) -> None:
    """A compiler may build such a value in place, past the instrumentation."""
    source = body(
        "  threadgroup float4 a[32];\n  threadgroup half h[32];\n  a[t] = max(float4(in[t]).x, 0.0f) * float4(1);\n"
        "  h[t] = half(1) * half(2);\n  out[t] = a[t].y + h[t];"
    )
    run = compiled(source, "returned.metal").run("k", [np.ones(32, np.float32), np.zeros(32, np.float32)], [1], [32])
    assert run.findings == []
    assert run.counts["threadgroup_write_bytes"] == 32 * 18


def test_declarations_keep_their_lines() -> None:
    text = "void k() {\n  threadgroup float a[2][N * 4], b[3];\n  threadgroup float *p = (threadgroup float *)a;\n}\n"
    made = shared_variables(text)
    assert made.count("\n") == text.count("\n")
    assert 'auto &a = ::msl::variable<float [2][N * 4]>("a", __LINE__);' in made
    assert 'auto &b = ::msl::variable<float [3]>("b", __LINE__);' in made
    assert "threadgroup float *p = (threadgroup float *)a;" in made


def test_parameters() -> None:
    text = (
        "kernel void __attribute__((max_total_threads_per_threadgroup(SW * 32)))\nk(constant uint &n,\n"
        "  const device float *A [[buffer(1)]], uint3 t [[threads_per_threadgroup]]) {}"
    )
    assert parameters(text, "k") == [
        ("constant uint &", "n", ""),
        ("const device float *", "A", "buffer(1)"),
        ("uint3", "t", "threads_per_threadgroup"),
    ]
    with pytest.raises(ValueError, match="no kernel named other"):
        parameters(text, "other")


def test_what_does_not_compile_says_where(compiled: Compile) -> None:
    with pytest.raises(CompileError, match=r"wrong\.metal:5:.*not declared"):
        compiled(body("  out[t] = missing;"), "wrong.metal")


def test_a_constant_cannot_be_written(compiled: Compile) -> None:
    with pytest.raises(CompileError, match="read-only"):
        compiled(f"{HEAD}kernel void k(constant uint &n) {{ n = 1; }}\n", "constant.metal")
