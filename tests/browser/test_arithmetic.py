"""The arithmetic of the instruments against worked values of the book."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import HERE, Served

Call = Callable[..., Any]


@pytest.fixture(scope="module")
def call(browser: Browser, bench: Served) -> Call:
    """Call what a module exports, if it is a function: call("roofline", "ridge", 13.5, 516); `each` for many."""
    page = browser.new_context().new_page()
    page.goto(f"{bench.url}assets/metalworking/quantities.json")

    def run(module: str, name: str, *arguments: object, each: bool = False) -> Any:
        script = (
            f"async (given) => {{ const found = (await import('{bench.url}assets/instruments/{module}.js')).{name};"
            f" const one = (given) => (typeof found === 'function' ? found(...given) : found);"
            f" return {'given.map(one)' if each else 'one(given)'}; }}"
        )
        return page.evaluate(script, list(arguments))

    return run


def test_roofline_ridges_and_rows(call: Call) -> None:
    """techniques/roofline, worked example: ridges 26 and 113, reached at 27, 120 and (H100, 295) 345 rows."""
    alu, matrix = call("roofs", "ridge", 13.5, 516), call("roofs", "ridge", 58.2, 516)
    assert (round(alu), round(matrix)) == (26, 113)
    square = {"n": 4096, "k": 4096, "type": "fp16"}
    assert [call("roofs", "rows", square, ridge) for ridge in (alu, matrix, 295)] == [27, 120, 345]
    work = call("roofs", "product", {**square, "m": 64})
    intensity = work["flop"] / work["bytes"]
    assert intensity == pytest.approx(64 / (1 + 64 / 2048))
    assert call("roofs", "attainable", intensity, 58.2, 516) == pytest.approx(32.0, abs=0.05)
    assert call("roofs", "attainable", intensity, 13.5, 516) == 13.5
    assert call("roofs", "rows", {"n": 8, "k": 8, "type": "fp32"}, 295) is None


def test_roofline_case_studies(call: Call) -> None:
    """Intensities of techniques/roofline.svg and the table of techniques/arithmetic-intensity."""
    cases = {name: (flop / size, reached) for name, _, _, flop, size, reached, _ in call("roofs", "CASES")}
    gemm = [cases[f"m5-gemm fp32, {n}³, one buffer"] for n in ("1,024", "2,048", "4,096", "8,192")]
    assert [point for point, _ in gemm] == [128, 256, 512, 1024]
    assert round(cases["MLX NAX fp16, 4,096³"][0]) == 1365
    # Its beta is random, so C is read: four matrices, as for the kernel it is compared with.
    assert cases["MPS fp32, 4,096³"] == (512, 11.7)
    decode = [
        cases[f"MLX decode attention, 32,768 keys, {n}"]
        for n in ("32 KV heads", "8 KV heads", "4 KV heads", "1 KV head")
    ]
    assert [point for point, _ in decode] == [1, 4, 8, 32]
    assert [round(reached, 2) for _, reached in decode] == [0.47, 1.19, 1.53, 1.75]


def test_roofs_are_those_of_the_chip_table_or_unknown(call: Call) -> None:
    chips = {row["chip"]: row for row in call("quantities", "rows")}
    assert len(chips) == 19
    for name, row in chips.items():
        roof = call("roofs", "roofs", row, "alu", "counted")
        assert roof["gbs"] == row["bandwidth_gbs"]
        assert roof["tflops"] == row["tflops_fp32"], name
        unit = call("roofs", "roofs", row, "matrix", "counted")["tflops"]
        assert (unit is None) == (not name.startswith("M5") or name == "M5 Ultra")
        half = call("roofs", "roofs", row, "alu16", "counted")["tflops"]
        assert (half is None) == (name[:2] in ("M3", "M4") or row["tflops_fp32"] is None)
    assert call("roofs", "roofs", chips["M5 Max"], "matrix", "counted")["tflops"] == pytest.approx(66.4, abs=0.05)
    # FP16 on the lanes of an M5 Max over FP32, each type at its best (198.3 over 116.9 FMAs a core and cycle).
    assert call("roofs", "roofs", chips["M5 Max"], "alu16", "counted")["tflops"] == pytest.approx(28.14, abs=0.01)
    measured = call("roofs", "roofs", chips["M5 Max"], "matrix", "measured")
    assert (measured["tflops"], measured["gbs"]) == (58.2, 516)
    # machine/f16: FP16 and FP32 each at its best, 198.3 and 116.9 FMAs a core and cycle.
    lanes, half = (call("roofs", "roofs", chips["M5 Max"], path, "counted")["tflops"] for path in ("alu", "alu16"))
    assert half / lanes == pytest.approx(198.3 / 116.9, abs=0.01)
    # A ridge over a measured and a published roof is marked; two roofs of one kind are not.
    mixed = {
        (name, path, use): call("roofs", "roofs", chips[name], path, use)["mixed"]
        for name, path in (("M5 Max", "alu"), ("M2 Ultra", "alu"), ("M1 Ultra", "alu"), ("M5 Max", "alu16"))
        for use in ("counted", "measured")
    }
    assert {key for key, value in mixed.items() if value} == {
        ("M2 Ultra", "alu", "measured"),
        ("M1 Ultra", "alu", "measured"),
        ("M5 Max", "alu16", "measured"),
    }


def kernel(call: Call, name: str) -> dict[str, Any]:
    found = dict(call("tile-budget", "KERNELS"))
    return call("tile-budget", "budget", call("tile-budget", "numbers", found[name]))


@pytest.mark.parametrize(
    ("name", "flop", "memory", "accumulators"),
    [
        ("m5-gemm, fp32", 16, 8192, 32),
        ("steel fp16, medium device", 32, 5376, 32),
        ("steel fp16, small device, nn", 32, 5376, 64),
        ("llama.cpp, f16 weights", 16, 6144, 16),
        ("llama.cpp, tensor API", 25.6, 4096, 64),
        ("metal-flash-attention fp32, M1 and M2", 12, 9216, 18),
        ("metal-flash-attention fp32, M3 and later", 8, 4096, 32),
        ("MLX NAX fp16, M5 class s", 16, 0, 32),
    ],
)
def test_tile_budget_is_the_table_of_tiling(call: Call, name: str, flop: float, memory: int, accumulators: int) -> None:
    made = kernel(call, name)
    assert (made["fromMemory"], made["memory"], made["accumulators"]) == (pytest.approx(flop), memory, accumulators)


def test_tile_budget_registers_and_cliffs(call: Call) -> None:
    """Grids of techniques/register-blocking and kernels/steel-blockmma; the largest footprint of techniques/tiling."""
    for name, registers, loads in [
        ("m5-gemm, fp32", 48, 0.5),
        ("steel fp16, small device, nn", 88, 0.375),
        ("llama.cpp, f16 weights", 16 + 6, 0.75),
        ("m5-gemm, the 8 × 8 grid that spilled", 160, 0.25),
    ]:
        made = kernel(call, name)
        assert (made["registers"], made["loads"]) == (registers, loads), name
    assert kernel(call, "MLX NAX fp16, M5 class s")["merged"] == pytest.approx(42.7, abs=0.05)
    barriers = {
        "m5-gemm, fp32": 2,
        "llama.cpp, tensor API": 2,
        "metal-flash-attention fp32, M3 and later": 0,
        "MLX NAX fp16, M5 class s": 1,
    }
    assert {name: kernel(call, name)["barriers"] for name in barriers} == barriers
    staged = dict(call("tile-budget", "KERNELS"))["m5-gemm, fp32"]
    more = [call("tile-budget", "budget", call("tile-budget", "numbers", {**staged, "buffers": n})) for n in (2, 3)]
    assert [(made["barriers"], made["memory"]) for made in more] == [(1, 16384), (1, 24576)]
    assert kernel(call, "steel fp32, nt, its largest footprint")["memory"] == 13824
    # 13.5 TFLOPS from threadgroup memory: 1.7 TB/s for the 4 x 4 grid.
    assert 13.5 / kernel(call, "m5-gemm, fp32")["fromTile"] == pytest.approx(1.7, abs=0.02)
    odd = {"bm": 60, "bn": 64, "bk": 16, "wm": 2, "wn": 2, "memoryA": 2, "memoryB": 2, "stageA": 2, "stageB": 2}
    rest = {"pad": 0, "buffers": 1, "transposedB": False, "fragment": 8, "operand": 4}
    assert call("tile-budget", "budget", {**odd, **rest})["whole"] is False


def test_occupancy_is_three_divisions(call: Call) -> None:
    """machine/occupancy: 6, 11 and 24; techniques/double-buffering: 7 and 3; techniques/register-blocking: 8 and 9."""
    made = call("residency", "residency", {"registers": 64, "memory": 5376, "threads": 128})
    assert (made["byRegisters"], made["byMemory"], made["byThreads"]) == (6, 11, 24)
    assert (made["groups"], made["simdgroups"], made["limits"]) == (6, 24, ["registers"])
    memory = [
        call("residency", "residency", {"registers": 48, "memory": size, "threads": 128}) for size in (8192, 16384)
    ]
    assert [one["groups"] for one in memory] == [7, 3]
    assert call("residency", "residency", {"registers": 48, "memory": 0, "threads": 128})["groups"] == 8
    wide = call("residency", "residency", {"registers": 88, "memory": 5376, "threads": 64})
    assert (wide["groups"], wide["simdgroups"]) == (9, 18)


def test_occupancy_staircase(call: Call) -> None:
    """The ten pairs of halves and threads in Mesa's agx_performance.c, as machine/registers gives them."""
    pairs = {104: 1024, 112: 896, 128: 832, 136: 768, 144: 704, 160: 640, 184: 576, 208: 512, 232: 448, 256: 384}
    for halves, threads in pairs.items():
        assert call("residency", "largestThreadgroup", halves / 2) == threads
    assert [call("residency", "largestThreadgroup", n) for n in (53, 56, 128, 129)] == [896, 896, 384, 0]


def test_kv_cache_sizes(call: Call) -> None:
    """techniques/kv-cache: 131,072 bytes and 4.29 GB, 57,344 and 1.88; the table; 1.12 GB saved."""
    eight = {"layers": 32, "kvHeads": 8, "headDim": 128, "tokens": 32768}
    qwen = {"layers": 28, "kvHeads": 4, "headDim": 128, "tokens": 32768}
    plain = {"k": "f16", "v": "f16"}
    assert call("cache", "perToken", {**eight, **plain}) == 131072
    assert call("cache", "cache", {**eight, **plain}) == 4 * 2**30
    assert call("cache", "perToken", {**qwen, **plain}) == 57344
    assert round(call("cache", "cache", {**qwen, **plain}) / 1e9, 2) == 1.88
    rows = {
        ("f16", "f16"): (4.29, 8.3),
        ("q8_0", "q8_0"): (2.28, 4.4),
        ("q8_0", "q4_0"): (1.74, 3.4),
        ("mlx4", "mlx4"): (1.21, 2.3),
    }
    for (k, v), (size, ms) in rows.items():
        made = call("cache", "cache", {**eight, "k": k, "v": v})
        assert (round(made / 1e9, 2), round(call("cache", "milliseconds", made, 516), 1)) == (size, ms)
    saved = call("cache", "cache", {**qwen, **plain}) - call("cache", "cache", {**qwen, "k": "q8_0", "v": "q4_0"})
    assert round(saved / 1e9, 2) == 1.12
    assert call("cache", "shipped", "q8_0", "q4_0")
    assert call("cache", "shipped", "q8_0", "q8_0") is None


def test_decode_and_prefill_bounds(call: Call) -> None:
    """techniques/decode-vs-prefill: 71% of 153 GB/s, 8.8 TFLOPS; techniques/kv-cache: 17.0 ms, 59 and 115 tokens."""
    runs = call("decode-ceiling", "RUNS")
    name, run, out, into, _, part = runs[0]
    # The M1 Pro of a published run had 14 of 16 cores, so its plateau is that of 14.
    assert part == 1
    assert {run[0]: run[5] for run in runs if run[5] != 1} == {"LLaMA 7B Q4_0, M1 Pro with 14 cores": 14 / 16}
    assert name == "Mistral 7B Q4_0, base M5"
    bound = call("decode-ceiling", "decode", run, 153)
    assert round(out / bound["perSecond"], 2) == 0.71
    assert round(out * bound["step"] / 1e9) == 109
    flop = call("decode-ceiling", "promptFlop", run)
    assert round(into * flop / run["prompt"] / 1e12, 1) == 8.9  # with attention; 8.8 by the weights alone
    assert round(into * 2 * run["active"] * 1e9 / 1e12, 1) == 8.8
    assert round(call("decode-ceiling", "prefill", run, 16.16, 153)["perSecond"]) == pytest.approx(1110, abs=5)
    model = {"active": 8, "bits": 4.5, "layers": 32, "kvHeads": 8, "headDim": 128, "k": "f16", "v": "f16", "batch": 1}
    long = call("decode-ceiling", "decode", {**model, "tokens": 32768}, 516)
    assert (round(1000 / long["perSecond"], 1), round(long["perSecond"])) == (17.0, 59)
    assert round(call("decode-ceiling", "decode", {**model, "tokens": 0}, 516)["perSecond"]) == 115
    assert round(call("decode-ceiling", "decode", {**model, "kvHeads": 32, "tokens": 32768}, 516)["perSecond"]) == 24
    for chip, tokens in {68: 15, 400: 89, 546: 121, 614: 136}.items():
        assert round(call("decode-ceiling", "decode", {**model, "tokens": 0}, chip)["perSecond"]) == tokens
    # machine/neural-accelerators: with 4-bit weights about a quarter of the ridge.
    turn = call("decode-ceiling", "crossover", {**model, "tokens": 0}, 58.1, 572)
    assert turn == pytest.approx(58.1e3 / 572 * 4.5 / 16)
    assert call("decode-ceiling", "crossover", {**model, "tokens": 32768}, 58.1, 572) is None


def test_dispatch_geometry(call: Call) -> None:
    """metal/dispatch-geometry: 3,907 groups, 64 in the last, 192 that leave; m5-gemm at 4096 has 4,096 groups."""
    million = {"size": [1000000, 1, 1], "group": [256, 1, 1]}
    counted = call("dispatch-geometry", "cut", {**million, "threads": True})
    assert (counted["total"], counted["last"][0], counted["guarded"], counted["simdgroups"]) == (3907, 64, 0, 31250)
    whole = call("dispatch-geometry", "cut", {**million, "threads": False})
    assert (whole["total"], whole["last"][0], whole["guarded"], whole["simdgroups"]) == (3907, 256, 192, 31256)
    gemm = call("dispatch-geometry", "cut", {"size": [32, 128, 128], "group": [32, 2, 2], "threads": True})
    assert (gemm["total"], gemm["launched"], gemm["idle"]) == (4096, 524288, 0)
    ragged = call("dispatch-geometry", "cut", {"size": [50, 20, 3], "group": [16, 8, 2], "threads": True})
    assert (ragged["groups"], ragged["last"], ragged["launched"]) == ([4, 3, 2], [2, 4, 1], 3000)
    simdgroups = sum(-(-x * y * z // 32) for x in (16, 16, 16, 2) for y in (8, 8, 4) for z in (2, 1))
    assert ragged["simdgroups"] == simdgroups
    # With groups 24 wide, lane 24 belongs to the next row.
    assert call("dispatch-geometry", "positionOf", 24, [24, 8]) == [0, 1, 0]
    assert call("dispatch-geometry", "positionOf", 23, [24, 8]) == [23, 0, 0]


def test_online_softmax_is_the_row_of_the_page(call: Call) -> None:
    """techniques/online-softmax: the table, 14 / 3; and for any tile the same as two passes and as a merge."""
    scores, values = [1, 2, 0, 3, 1, 1, 2, 0], [4, 8, 16, 2, 6, 2, 4, 8]
    steps = call("online-softmax", "online", scores, values, 2)
    assert [(s["m"], s["c"], s["p"], s["l"], s["o"]) for s in steps] == [
        (2, 0, [0.5, 1], 1.5, 10),
        (3, 0.5, [0.125, 1], 1.875, 9),
        (3, 1, [0.25, 0.25], 2.375, 11),
        (3, 1, [0.5, 0.125], 3, 14),
    ]
    row, out = [0.3, -2, 700, 699.5, 12, 700], [1, 2, 3, -4, 5, 6]
    for base in ("2", "e"):
        exact = call("online-softmax", "direct", row, out, base)["result"]
        for tile in (1, 2, 4, 6):
            last = call("online-softmax", "online", row, out, tile, base)[-1]
            assert last["o"] / last["l"] == pytest.approx(exact)
        halves = [call("online-softmax", "online", row[a:b], out[a:b], 2, base)[-1] for a, b in ((0, 3), (3, 6))]
        whole = call("online-softmax", "merge", *halves, base)
        assert whole["o"] / whole["l"] == pytest.approx(exact)


def test_double_buffering_timeline(call: Call) -> None:
    """techniques/double-buffering: 55% alone; a second tile or a second group closes the gap; groups by both pools."""
    work = {"math": 576, "wait": 478}
    assert round(call("double-buffer", "busy", {**work, "groups": 1, "overlap": False}), 2) == 0.55
    assert call("double-buffer", "busy", {**work, "groups": 2, "overlap": False}) == 1
    assert call("double-buffer", "busy", {**work, "groups": 1, "overlap": True}) == 1
    kernel = {"tile": 8192, "registers": 48, "threads": 128}
    assert call("double-buffer", "flying", 8192, 128) == 16
    ways = call("double-buffer", "WAYS")
    holds = {way: call("double-buffer", "resident", kernel, given) for way, given in ways.items()}
    assert {way: (made["byMemory"], made["byRegisters"], made["groups"]) for way, made in holds.items()} == {
        "one": (7, 8, 7),
        "two": (3, 6, 3),
        "ahead": (3, 8, 3),
        "registers": (7, 6, 6),
    }
    assert call("double-buffer", "busy", {"math": 512, "wait": 847, "groups": 3, "overlap": False}) == 1
    assert call("double-buffer", "busy", {"math": 512, "wait": 847, "groups": 2, "overlap": False}) < 0.8
    given = [
        {"math": 576, "wait": wait, "groups": groups, "overlap": overlap, "steps": 100}
        for wait in (100, 478, 2000)
        for groups in (1, 2, 3)
        for overlap in (False, True)
    ]
    shares = [made["share"] for made in call("double-buffer", "simulate", *([one] for one in given), each=True)]
    assert shares == pytest.approx(call("double-buffer", "busy", *([one] for one in given), each=True), rel=0.03)


MORTON = """
 0  0  1  1  8  8  9  9
 2  2  3  3 10 10 11 11
 4  4  5  5 12 12 13 13
 6  6  7  7 14 14 15 15
16 16 17 17 24 24 25 25
18 18 19 19 26 26 27 27
20 20 21 21 28 28 29 29
22 22 23 23 30 30 31 31
"""


def test_fragment_map_is_the_morton_order(call: Call) -> None:
    """metal-flash-attention states the 8 x 8 order as a table (GEMMHeaders.swift L539-546)."""
    places = [(row, column) for row in range(8) for column in range(8)]
    held = call("fragment-map", "owner", *([8, *place] for place in places), each=True)
    assert held == [[int(lane), at % 2] for at, lane in enumerate(MORTON.split())]
    places = [(row, column) for row in range(16) for column in range(16)]
    lanes = [lane for lane, _ in call("fragment-map", "owner", *([16, *place] for place in places), each=True)]
    rows = [lanes[row * 16 : row * 16 + 16] for row in range(16)]
    assert rows[0] == [0] * 4 + [1] * 4 + [8] * 4 + [9] * 4
    for row in range(8):
        assert rows[row] == rows[row + 8]
        assert set(rows[row]) == set(call("fragment-map", "partners", min(rows[row])))


SQUARE = {
    "type": "float16",
    "M": 4096,
    "N": 4096,
    "K": 4096,
    "batch": 1,
    "shared": True,
    "a": "n",
    "b": "t",
    "nax": True,
    "tf32": True,
}


def route(call: Call, chip: str, **given: object) -> dict[str, Any]:
    return call("matmul-route", "route", {**SQUARE, "generation": int(chip[:2]), "letter": chip[2], **given})


@pytest.mark.parametrize(
    ("chip", "name", "groups", "threads"),
    [
        ("16g", "steel_gemm_fused_nt_float16_float16_bm64_bn32_bk32_wm2_wn2", 8192, 128),
        ("16s", "steel_gemm_fused_nt_float16_float16_bm64_bn64_bk16_wm2_wn2", 4096, 128),
        ("15d", "steel_gemm_fused_nt_float16_float16_bm64_bn64_bk16_wm1_wn2", 4096, 64),
        ("17g", "steel_gemm_fused_nax_nt_float16_float16_bm128_bn128_bk512_wm4_wn4", 1024, 512),
        ("17s", "steel_gemm_fused_nax_nt_float16_float16_bm64_bn128_bk256_wm2_wn4", 2048, 256),
    ],
)
def test_matmul_dispatch_on_five_chips(call: Call, chip: str, name: str, groups: int, threads: int) -> None:
    """The table of mlx/how-an-op-becomes-a-kernel."""
    (made,) = route(call, chip)["kernels"]
    grid = made["grid"]
    assert (made["name"], grid[0] * grid[1] * grid[2], made["threads"]) == (name, groups, threads)


def test_matmul_dispatch_other_routes(call: Call) -> None:
    """The tests of mlx/how-an-op-becomes-a-kernel, one shape for each outcome; lines are those of matmul.cpp."""
    kinds = [
        ("dot_product", "16s", {"M": 1, "N": 1, "K": 8192}),
        ("dot_product", "16s", {"M": 1, "N": 1, "K": 8192, "a": "s"}),  # its copy is contiguous
        ("gemv", "16s", {"M": 1}),
        ("gemv", "16s", {"N": 1, "b": "n"}),
        ("gemv_wide", "17g", {"M": 15}),
        ("NAX", "17g", {"M": 16}),
        ("split-K", "17g", {"M": 16, "nax": False}),  # 256 blocks and K as long as N
        ("steel", "17g", {"M": 16, "nax": False, "K": 2048}),
        ("split-K", "14g", {"M": 8}),  # before generation 15 no gemv_wide
        ("steel", "16s", {"M": 8, "b": "n", "K": 2048}),
        ("NAX", "17g", {"type": "float32"}),
        ("steel", "17g", {"type": "float32", "tf32": False}),
        ("steel", "17s", {"type": "complex64"}),
        ("split-K", "16s", {"M": 128, "N": 128, "K": 16384, "b": "n"}),
        ("NAX split-K", "17s", {"M": 512, "N": 512, "K": 2048, "b": "n"}),
        ("steel", "16s", {"M": 4, "batch": 64, "b": "n", "K": 64}),
    ]
    for kind, chip, given in kinds:
        assert route(call, chip, **given)["kind"] == kind, (chip, given)
    split = route(call, "16s", M=128, N=128, K=16384, b="n")["kernels"]
    assert [split[0]["grid"], split[0]["why"], split[1]["name"]] == [
        [4, 4, 32],
        "32 parts of K",
        "steel_gemm_splitk_accum_float16_float32",
    ]
    copied = route(call, "16s", a="s")["kernels"]
    assert copied[0]["name"] == "copy"
    folded = route(call, "16s", M=2, batch=64, b="n")
    assert (folded["M"], folded["batch"]) == (128, 1)
    assert route(call, "16s", M=2, batch=64, b="n", shared=False)["batch"] == 64
    assert route(call, "16s", M=1)["kernels"][0]["name"] == "gemv_float16_bm8_bn1_sm1_sn32_tm4_tn4_nc0_axpby0"


def test_matmul_dispatch_cites_lines_that_say_so() -> None:
    """Where the pinned file is here, the lines that the instrument names hold the words that matter."""
    source = HERE / "code/ml-explore/mlx"
    if not source.exists():
        pytest.skip("ml-explore/mlx is not cloned under code/")
    commit = "3a6219917e4535575ce5bce2fc2ba27a483a709b"
    shown = {
        name: subprocess.run(
            ["git", "-C", str(source), "show", f"{commit}:mlx/backend/metal/{name}"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split("\n")
        for name in ("matmul.cpp", "device.cpp")
    }
    for name, first, last, words in [
        ("matmul.cpp", 27, 43, "contiguous_copy_gpu"),
        ("matmul.cpp", 1492, 1502, "M *= batch_shape.back()"),
        ("matmul.cpp", 1507, 1517, "return dot_product("),
        ("matmul.cpp", 1299, 1354, "int passes = (M + 4) / 5;"),
        ("matmul.cpp", 1545, 1564, "std::min(M, N) == 1"),
        ("matmul.cpp", 917, 919, "env::enable_tf32()"),
        ("matmul.cpp", 920, 926, "? 2048 : 1024"),
        ("matmul.cpp", 947, 950, "K >= 3 * std::max(M, N)"),
        ("matmul.cpp", 523, 560, "next_power_of_2(_tk / (_tm * _tn))"),
        ("matmul.cpp", 680, 790, "split_k_partition_size = 2048"),
        ("matmul.cpp", 205, 302, "bk = (K >= 8192 && K > (M + N)) ? 64 : 256;"),
        ("matmul.cpp", 1141, 1182, "K >= 16 * out_vector_len"),
        ("device.cpp", 947, 966, "arch == 'p' ? 18 : 17"),
    ]:
        assert words in "\n".join(shown[name][first - 1 : last]), (name, first)
