"""What a kernel must have left behind, worked out on the CPU. The twin of docs/assets/lab/expected.js."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable
from typing import Any

Values = dict[str, Any]
WORD = 1 << 32


def affine(start: int, a: int, b: int, steps: int) -> int:
    """Return what *steps* times x -> a x + b make of *start*, modulo 2^32, by doubling."""
    scale, shift = 1, 0
    while steps:
        if steps & 1:
            scale, shift = scale * a % WORD, (shift * a + b) % WORD
        a, b = a * a % WORD, (b * a + b) % WORD
        steps >>= 1
    return (scale * start + shift) % WORD


def _same(out: array[int], pattern: list[int], threads: int) -> bool:
    used = min(len(out), threads)
    whole = array("I", pattern) * (used // len(pattern) + 1)
    return out[:used] == whole[:used]


def _steps(values: Values, trips: int) -> int:
    return trips * int(values["STEPS"])


def alternate(out: array[int], values: Values, trips: int, threads: int) -> bool:
    """Of x -> 1 - x: the start after an even number of steps, 1 - start after an odd one."""
    chains = 2 * int(values["HALF"]) if "HALF" in values else int(values["CHAINS"])
    odd = _steps(values, trips) % 2
    sums = [sum(1 - (t + c) if odd else t + c for c in range(chains)) % WORD for t in range(8)]
    return _same(out, sums, threads)


def ways(out: array[int], values: Values, trips: int, threads: int) -> bool:
    """The same with 1 + w - x, where w is the way that the thread took."""
    odd = _steps(values, trips) % 2
    by_group = values["BY"] == "group.x"
    group, count, chains = values["GROUP"], values["WAYS"], values["CHAINS"]
    pattern = []
    for i in range(group * count):
        way = (i // group if by_group else i) % count
        pattern.append(sum(1 + way - (i % 8 + c) if odd else i % 8 + c for c in range(chains)) % WORD)
    return _same(out, pattern, threads)


def integer(out: array[int], values: Values, trips: int, threads: int) -> bool:
    """Of x -> 1000003 x + 12345 modulo 2^32."""
    steps = _steps(values, trips)
    sums = [sum(affine(t * 77 + c, 1000003, 12345, steps) for c in range(values["CHAINS"])) % WORD for t in range(256)]
    return _same(out, sums, threads)


def fixed(out: array[int], values: Values, trips: int, threads: int) -> bool:
    """Chains that run to a fixed point, within 2^-16 of what double precision gives."""
    step: Callable[[float], float] = (lambda x: 2.0**-x) if "exp2" in values["OP"] else (lambda x: x**-0.5)
    want = []
    for t in range(4):
        total = 0.0
        for chain in range(values["CHAINS"]):
            x = 0.75 + 0.0625 * (t + chain)
            for _ in range(min(_steps(values, trips), 200)):
                x = step(x)
            total += x
        want.append(total)
    got = struct.unpack(f"{len(out)}f", out.tobytes())
    return all(abs(got[i] - want[i % 4]) <= want[i % 4] / 65536 for i in range(min(len(out), threads)))


def _lanes(out: array[int], values: Values, threads: int, want: Callable[[int, int, int], int]) -> bool:
    known: dict[int, int] = {}
    for i in range(0, min(len(out), 2 * threads), 2):
        told = out[i + 1]
        if told not in known:
            lane, size = told & 0xFFFF, told >> 16
            if not 0 < size <= 128 or lane >= size:
                return False
            known[told] = sum(want(lane, size, chain) for chain in range(values["CHAINS"])) % WORD
        if out[i] != known[told]:
            return False
    return True


def subgroup_sum(out: array[int], values: Values, trips: int, threads: int) -> bool:
    """Of x -> the sum of the subgroup + lane."""
    steps = _steps(values, trips)

    def want(lane: int, size: int, chain: int) -> int:
        pairs = size * (size - 1) // 2
        first = 3 * pairs + size * chain  # the first sum; each next one is size * sum + pairs
        return affine(first, size, pairs, steps - 1) + lane

    return _lanes(out, values, threads, want)


def rotate(out: array[int], values: Values, trips: int, threads: int) -> bool:
    """Of x -> the next lane's x + 77."""
    steps = _steps(values, trips)
    return _lanes(out, values, threads, lambda lane, size, chain: (lane + steps) % size * 3 + chain + 77 * steps)


def group_sum(out: array[int], values: Values, trips: int, threads: int) -> bool:
    """Of x -> the sum over 256 threads t of x xor t, which ends at one value."""
    total = 1
    for _ in range(min(_steps(values, trips), 40)):
        total = sum(total ^ t for t in range(256)) % WORD
    return _same(out, [total], threads)


def stride(out: array[int], values: Values, trips: int, threads: int) -> bool:
    """Of x -> x + 2048 modulo 4096."""
    move = 2048 * (_steps(values, trips) % 2)
    sums = [sum((t * values["STRIDE"] + c + move) % 4096 for c in range(values["CHAINS"])) for t in range(32)]
    return _same(out, sums, threads)


def exchange(out: array[int], values: Values, trips: int, threads: int) -> bool:
    """Each trip hands every value on by 33 threads."""
    group = values["GROUP"]
    return _same(out, [(t + 33 * trips) % group for t in range(group)], threads)


def tally(out: array[int], values: Values, trips: int, threads: int) -> bool:
    """Every word has been added to by its share of the threads."""
    words = min(values["words"], len(out))
    steps = _steps(values, trips)
    return all(out[i] == (threads // words + (i < threads % words)) * steps % WORD for i in range(words))


def tally_group(out: array[int], values: Values, trips: int, threads: int) -> bool:
    """The same within each workgroup."""
    words = values["words"]
    each = values["GROUP"] // words * _steps(values, trips) % WORD
    return _same(out, [each if t < words else 0 for t in range(values["GROUP"])], threads)


def piece_sum(trips: int, total: int) -> int:
    """Return the sum, modulo 2^32, of *trips* passes over *total* bytes: 0 to 4095 times a constant, repeated."""
    return total // 16384 * (4095 * 4096 // 2) * 2654435761 * trips % WORD


def piece_weight(total: int) -> int:
    """Return the same of one pass, each piece of four words counted as often as its place modulo 1,024 says, from 1."""
    period = sum((16 * i + 6) * (i + 1) for i in range(1024))
    return total // 16384 * period * 2654435761 % WORD


def order(lines: int) -> array[int]:
    """Return a random cycle through *lines*, the same in both languages: Fisher and Yates with xorshift32."""
    state = 2463534242
    out = array("I", range(lines))
    for i in range(lines - 1, 0, -1):
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        j = state % (i + 1)
        out[i], out[j] = out[j], out[i]
    return out


def factor(row: int, column: int, which: int) -> int:
    """Return an element of A (which 0) or B (1): a small whole number, so that every sum is exact in f32."""
    return (row * 7 + column * 3 + which * 5 + (row & column & 7)) % 9 - 4


def matrix(edge: int, which: int) -> array[float]:
    """Return a square of factors, row by row; they repeat every 72 rows and columns."""
    rows = [array("f", [factor(i, j, which) for j in range(72)]) * (edge // 72 + 1) for i in range(72)]
    out = array("f")
    for i in range(edge):
        out += rows[i % 72][:edge]
    return out


def element(row: int, column: int, depth: int) -> int:
    """Return an element of the product."""
    return sum(factor(row, k, 0) * factor(k, column, 1) for k in range(depth))


def samples(edge: int) -> list[tuple[int, int]]:
    """Return 64 places from all over a square, its corners among them."""
    last = edge - 1
    return [(0, 0), (0, last), (last, 0), (last, last)] + [(i * 7919 % edge, i * 104729 % edge) for i in range(1, 61)]


CHECKS: dict[str, Callable[[array[int], Values, int, int], bool]] = {
    check.__name__: check
    for check in (
        alternate, ways, integer, fixed, subgroup_sum, rotate, group_sum, stride, exchange, tally, tally_group,
    )
}  # fmt: skip
