"""The GPU through wgpu: Metal on a Mac, Vulkan elsewhere. The twin of docs/assets/lab/gpu.js."""

from __future__ import annotations

import struct
import time
from array import array
from typing import Any

import wgpu

from lab.method import Lost, Refused

WANTED = ("timestamp-query", "shader-f16", "subgroup")
WALL_BATCH = 3  # dispatches in a row where only the host's clock is there
# The bindings of a probe (out, run, data, other) and of a rung of the ladder (A, B, C, size).
ENTRIES: tuple[str, ...] = ("storage", "uniform", "read-only-storage", "storage")
PRODUCT: tuple[str, ...] = ("read-only-storage", "read-only-storage", "storage", "uniform")


class Gpu:
    """A device with what the probes need of it; raises RuntimeError where there is no adapter."""

    def __init__(self, *, timestamps: bool = True, fallback: bool = False) -> None:
        adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance", force_fallback_adapter=fallback)
        if adapter is None:
            raise RuntimeError("no GPU adapter")
        self.info = dict(adapter.info)
        wanted = [name for name in WANTED if name in adapter.features and (timestamps or name != "timestamp-query")]
        limits = {
            name: adapter.limits[name]
            for name in (
                "max-buffer-size",
                "max-storage-buffer-binding-size",
                "max-compute-invocations-per-workgroup",
                "max-compute-workgroup-size-x",
            )
        }
        self.device = adapter.request_device_sync(required_features=wanted, required_limits=limits)
        self.features = set(self.device.features) | ({"subgroups"} if "subgroup" in wanted else set())
        self.most_bytes = min(limits["max-buffer-size"], limits["max-storage-buffer-binding-size"])
        self.most_threads = min(limits["max-compute-invocations-per-workgroup"], limits["max-compute-workgroup-size-x"])
        self.wall = "timestamp-query" not in wanted
        self._layouts = {kinds: self._layout(kinds) for kinds in (ENTRIES, PRODUCT)}
        self._uniform = self.device.create_buffer(size=16, usage=wgpu.BufferUsage.UNIFORM | wgpu.BufferUsage.COPY_DST)
        if not self.wall:
            self._queries = self.device.create_query_set(type="timestamp", count=2)
            usage = wgpu.BufferUsage.QUERY_RESOLVE | wgpu.BufferUsage.COPY_SRC
            self._resolved = self.device.create_buffer(size=16, usage=usage)

    def _layout(self, kinds: tuple[str, ...]) -> tuple[Any, Any]:
        # Declared, because a binding that a kernel does not use drops out of an automatic one.
        entries = [
            {"binding": at, "visibility": wgpu.ShaderStage.COMPUTE, "buffer": {"type": kind}}
            for at, kind in enumerate(kinds)
        ]
        group = self.device.create_bind_group_layout(entries=entries)
        return group, self.device.create_pipeline_layout(bind_group_layouts=[group])

    def buffer(self, size: int) -> Any:
        """Return a storage buffer of *size* bytes, of zeros."""
        usage = wgpu.BufferUsage.STORAGE | wgpu.BufferUsage.COPY_SRC | wgpu.BufferUsage.COPY_DST
        return self.device.create_buffer(size=max(16, size), usage=usage)

    def write(self, buffer: Any, data: array[int] | array[float]) -> None:
        """Copy words to the start of a buffer."""
        self.device.queue.write_buffer(buffer, 0, data)

    def clear(self, buffer: Any) -> None:
        """Fill a buffer with zeros."""
        encoder = self.device.create_command_encoder()
        encoder.clear_buffer(buffer)
        self.device.queue.submit([encoder.finish()])

    def read(self, buffer: Any, size: int) -> array[int]:
        """Return the first *size* bytes of a buffer as words."""
        return array("I", bytes(self.device.queue.read_buffer(buffer, 0, size)))

    def pipeline(self, code: str, entry: str = "main", kinds: tuple[str, ...] = ENTRIES) -> Any:
        """Compile a kernel; naga has subgroup functions without the line that Tint demands. Raises Refused."""
        enable = "enable f16;\n" if "f16" in code and "shader-f16" in self.features else ""
        try:
            module = self.device.create_shader_module(code=enable + code)
            return self.device.create_compute_pipeline(
                layout=self._layouts[kinds][1], compute={"module": module, "entry_point": entry}
            )
        except wgpu.GPUError as error:
            raise Refused(" ".join(str(error).split())[-200:]) from error

    def bind(self, *buffers: Any) -> Any:
        """Bind out, data and other; the uniform stands second."""
        out, data, other = buffers
        return self._bind(ENTRIES, (out, self._uniform, data, other))

    def bind_product(self, a: Any, b: Any, c: Any, size: tuple[int, int, int]) -> Any:
        """Bind A, B, C and their size: rows, columns, depth."""
        usage = wgpu.BufferUsage.UNIFORM | wgpu.BufferUsage.COPY_DST
        uniform = self.device.create_buffer_with_data(data=struct.pack("<4I", *size, 0), usage=usage)
        return self._bind(PRODUCT, (a, b, c, uniform))

    def _bind(self, kinds: tuple[str, ...], buffers: tuple[Any, ...]) -> Any:
        entries = [
            {"binding": at, "resource": {"buffer": buffer, "offset": 0, "size": buffer.size}}
            for at, buffer in enumerate(buffers)
        ]
        return self.device.create_bind_group(layout=self._layouts[kinds][0], entries=entries)

    def set_trips(self, trips: int) -> None:
        """Write the uniform: trips, the factors -1 and 1, and a zero."""
        self.device.queue.write_buffer(self._uniform, 0, struct.pack("<IffI", trips, -1.0, 1.0, 0))

    def _encode(self, pipeline: Any, bound: Any, groups: int | tuple[int, int], times: int, writes: Any = None) -> Any:
        encoder = self.device.create_command_encoder()
        compute = encoder.begin_compute_pass(**({"timestamp_writes": writes} if writes else {}))
        compute.set_pipeline(pipeline)
        compute.set_bind_group(0, bound)
        for _ in range(times):
            compute.dispatch_workgroups(*(groups if isinstance(groups, tuple) else (groups,)))
        compute.end()
        return encoder

    def wait(self) -> None:
        """Wait until all that was submitted has run."""
        # wgpu 0.32's on_submitted_work_done_sync raises a TypeError in its binding; this is what it would wait with.
        self.device._poll_wait()

    def run(self, pipeline: Any, bound: Any, groups: int) -> None:
        """Run a dispatch once, untimed."""
        self.device.queue.submit([self._encode(pipeline, bound, groups, 1).finish()])
        self.wait()

    def time(self, pipeline: Any, bound: Any, groups: int | tuple[int, int], trips: int, times: int = 1) -> float:
        """Return the seconds that *times* dispatches in a pass take, on the device where it can tell. Raises Lost."""
        self.set_trips(trips)
        try:
            if self.wall:
                start = time.perf_counter()
                made = [self._encode(pipeline, bound, groups, times).finish() for _ in range(WALL_BATCH)]
                self.device.queue.submit(made)
                self.wait()
                return (time.perf_counter() - start) / WALL_BATCH
            writes = {
                "query_set": self._queries,
                "beginning_of_pass_write_index": 0,
                "end_of_pass_write_index": 1,
            }
            encoder = self._encode(pipeline, bound, groups, times, writes)
            encoder.resolve_query_set(self._queries, 0, 2, self._resolved, 0)
            self.device.queue.submit([encoder.finish()])
            begin, end = struct.unpack("<QQ", bytes(self.device.queue.read_buffer(self._resolved, 0, 16)))
            return float(end - begin) / 1e9
        except (wgpu.GPUError, RuntimeError) as error:
            raise Lost(str(error)[:200]) from error

    def send(self, pipeline: Any, bound: Any, mode: str, times: int) -> float:
        """Return the host's seconds for *times* dispatches, sent as *mode* says and awaited."""
        queue = self.device.queue
        self.set_trips(1)
        self.wait()
        start = time.perf_counter()
        if mode == "pass":
            queue.submit([self._encode(pipeline, bound, 1, times).finish()])
        elif mode == "passes":
            encoder = self.device.create_command_encoder()
            for _ in range(times):
                compute = encoder.begin_compute_pass()
                compute.set_pipeline(pipeline)
                compute.set_bind_group(0, bound)
                compute.dispatch_workgroups(1)
                compute.end()
            queue.submit([encoder.finish()])
        else:
            for _ in range(times):
                queue.submit([self._encode(pipeline, bound, 1, 1).finish()])
                if mode == "trip":
                    self.wait()
        self.wait()
        return time.perf_counter() - start
