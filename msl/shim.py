"""Compile a .metal file with g++, run its kernels on the CPU, count what they touch and report what they may not do.

The file is compiled as it is, but for declarations of threadgroup variables: C++ has no storage that a group of
fibers shares, so `threadgroup float a[16][16];` becomes a reference to memory that the runtime watches. Lines keep
their numbers.
"""

from __future__ import annotations

import ctypes
import hashlib
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msl.source import POSITIONS, blank, entry, kernels, parameters, shared_variables

HERE = Path(__file__).resolve().parent
FLAGS = ("-std=c++20", "-O0", "-g", "-fPIC", "-fsanitize=thread", "-w", f"-I{HERE / 'include'}")
# The members of Counts in runtime.cpp, in their order.
COUNTERS = (
    "device_reads",
    "device_read_bytes",
    "device_read_lines",
    "device_writes",
    "device_write_bytes",
    "device_write_lines",
    "constant_reads",
    "threadgroup_reads",
    "threadgroup_read_bytes",
    "threadgroup_writes",
    "threadgroup_write_bytes",
    "threadgroup_bytes",
    "barriers",
    "simdgroup_barriers",
    "fragment_loads",
    "fragment_stores",
    "fragment_multiplies",
    "exchanges",
    "threadgroups",
    "threads",
)


class CompileError(Exception):
    """g++ refused the file; the message is the compiler's."""


@dataclass(frozen=True)
class Finding:
    """What a kernel did that it may not: kind, place, and the other place of a race."""

    kind: str
    line: int
    detail: str
    file: str
    other_line: int = 0

    def __str__(self) -> str:
        other = f" (the other in line {self.other_line})" if self.other_line else ""
        return f"{self.file}:{self.line}: {self.kind}: {self.detail}{other}"


@dataclass(frozen=True)
class Run:
    """Counts by name, over the whole grid, and findings in the order in which they were met.

    Bytes and reads are those of the source, thread by thread. `*_lines` are 128-byte lines, each counted once for a
    request of a simdgroup, which is one line of the source run by its lanes together. Fragments and barriers count
    once for the simdgroup and the threadgroup. `threadgroup_bytes` is what one group holds.
    """

    counts: dict[str, int]
    findings: list[Finding] = field(default_factory=list)


def runtime(build: Path) -> Path:
    """Compile the runtime into *build*, once."""
    made = build / "runtime.o"
    if not made.exists():
        _compile(["-std=c++20", "-O2", "-fPIC", "-w", "-U_FORTIFY_SOURCE", "-c", str(HERE / "runtime.cpp")], made)
    return made


def _compile(arguments: Sequence[str], output: Path) -> None:
    compiler = shutil.which("g++")
    if compiler is None:
        raise CompileError("g++ is not here")
    output.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([compiler, *arguments, "-o", output], capture_output=True, text=True, check=False)
    if done.returncode:
        raise CompileError(done.stderr)


class Library:
    """One .metal file, compiled; its kernels can be run any number of times."""

    def __init__(self, source: str, name: str, build: Path, defines: dict[str, int] | None = None) -> None:
        """Compile *source*, which findings call *name*, in *build*; raise CompileError where g++ does."""
        self.name = name
        self._text = blank(source)
        digest = hashlib.sha256(repr((source, defines)).encode()).hexdigest()[:12]
        stem = re.sub(r"\W", "_", name) + digest
        self._files = (Path(name).name, f"{stem}.cpp")  # g++ calls the file by either name
        cpp, obj, self._path = (build / f"{stem}{end}" for end in (".cpp", ".o", ".so"))
        build.mkdir(parents=True, exist_ok=True)
        entries = {kernel: entry(kernel, parameters(self._text, kernel)) for kernel in kernels(self._text)}
        made = "".join(code for code, _ in entries.values())
        cpp.write_text(f'#line 1 "{name}"\n{shared_variables(self._text)}\n{made}', encoding="utf-8")
        self._buffers = {kernel: buffers for kernel, (_, buffers) in entries.items()}
        _compile([*FLAGS, *(f"-D{k}={v}" for k, v in (defines or {}).items()), "-c", str(cpp)], obj)
        _compile(["-shared", str(obj), str(runtime(build)), "-ldl"], self._path)
        self._library = ctypes.CDLL(str(self._path))
        for function, result in (
            ("msl_buffer", ctypes.c_void_p),
            ("msl_launch", ctypes.POINTER(ctypes.c_uint64)),
            ("msl_kind", ctypes.c_char_p),
            ("msl_detail", ctypes.c_char_p),
            ("msl_where", ctypes.c_size_t),
        ):
            getattr(self._library, function).restype = result

    def run(self, kernel: str, buffers: Sequence[Any], groups: Sequence[int], threads: Sequence[int]) -> Run:
        """Run *groups* threadgroups of *threads* threads; *buffers* are writable, contiguous and changed in place."""
        lib, kinds = self._library, self._buffers[kernel]
        if len(buffers) != len(kinds):
            raise ValueError(f"{kernel} has {len(kinds)} buffers, not {len(buffers)}")
        lib.msl_begin()
        views = [memoryview(buffer).cast("B") for buffer in buffers]
        names = [v for _, v, attribute in parameters(self._text, kernel) if attribute not in POSITIONS]
        at = []
        for view, kind, name in zip(views, kinds, names, strict=True):
            place = lib.msl_buffer(name.encode(), ctypes.c_size_t(view.nbytes), kind == "constant")
            ctypes.memmove(place, (ctypes.c_char * view.nbytes).from_buffer(view), view.nbytes)
            at.append(place)
        three = [(ctypes.c_uint32 * 3)(*size, *(1,) * (3 - len(size))) for size in (groups, threads)]
        enter = getattr(lib, f"msl_enter_{kernel}")
        counted = lib.msl_launch(enter, (ctypes.c_void_p * len(at))(*at), *three)
        counts = dict(zip(COUNTERS, counted[: len(COUNTERS)], strict=True))
        for view, place in zip(views, at, strict=True):
            ctypes.memmove((ctypes.c_char * view.nbytes).from_buffer(view), place, view.nbytes)
        return Run(counts, [self._finding(i) for i in range(lib.msl_findings())])

    def _finding(self, i: int) -> Finding:
        lib = self._library
        line, other = self._line(i, 0), self._line(i, 1)
        return Finding(lib.msl_kind(i).decode(), line, lib.msl_detail(i).decode(), self.name, other)

    def _line(self, i: int, other: int) -> int:
        """The innermost place of a trace that lies in the .metal file itself, not in the headers below it."""
        places: list[int] = []
        while place := self._library.msl_where(i, other, len(places)):
            places.append(place)
        if not places:
            return 0
        command = ["addr2line", "-e", str(self._path), *(hex(p) for p in places)]
        last = self._text.count("\n") + 1  # what follows is the entry
        for answer in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines():
            file, _, line = answer.split(" ")[0].rpartition(":")
            if Path(file).name in self._files and line.isdigit() and int(line) <= last:
                return int(line)
        return 0
