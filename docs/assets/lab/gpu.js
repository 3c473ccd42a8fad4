/* The GPU through the browser. The twin of lab/gpu.py. */
import { Lost, Refused } from "./method.js";

const WANTED = ["timestamp-query", "shader-f16", "subgroups"];
const WALL_BATCH = 3; // dispatches in a row where only the host's clock is there
// The bindings of a probe (out, run, data, other) and of a rung of the ladder (A, B, C, size).
export const PROBE = ["storage", "uniform", "read-only-storage", "storage"];
export const PRODUCT = ["read-only-storage", "read-only-storage", "storage", "uniform"];

const seconds = () => performance.now() / 1e3;

/** A device with what the probes need of it, or null where the browser has none. */
export const open = async ({ timestamps = true } = {}) => {
  const adapter = await navigator.gpu?.requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) return null;
  const wanted = WANTED.filter((name) => adapter.features.has(name) && (timestamps || name !== "timestamp-query"));
  const limits = {};
  for (const name of ["maxBufferSize", "maxStorageBufferBindingSize", "maxComputeInvocationsPerWorkgroup", "maxComputeWorkgroupSizeX"]) limits[name] = adapter.limits[name];
  const device = await adapter.requestDevice({ requiredFeatures: wanted, requiredLimits: limits });
  const wall = !wanted.includes("timestamp-query");
  let gone = null;
  device.lost.then((why) => {
    gone = why.message || why.reason || "the device was lost";
  });
  const still = () => {
    if (gone !== null) throw new Lost(gone);
  };
  /* A promise of the device, or Lost where it goes while we wait. */
  const held = async (promise) => {
    still();
    const told = promise.catch((why) => {
      // A buffer that waits to be mapped may hear of the loss before `lost` does.
      throw why.name === "AbortError" ? new Lost(gone ?? why.message) : why;
    });
    const done = await Promise.race([told, device.lost.then((why) => Promise.reject(new Lost(why.message || why.reason)))]);
    still();
    return done;
  };

  const { STORAGE, UNIFORM, COPY_SRC, COPY_DST, MAP_READ, QUERY_RESOLVE } = GPUBufferUsage;
  // Declared, because a binding that a kernel does not use drops out of an automatic one.
  const layouts = new Map(
    [PROBE, PRODUCT].map((kinds) => {
      const group = device.createBindGroupLayout({
        entries: kinds.map((type, binding) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer: { type } })),
      });
      return [kinds, { group, pipeline: device.createPipelineLayout({ bindGroupLayouts: [group] }) }];
    }),
  );
  const bindTo = (kinds, buffers) =>
    device.createBindGroup({ layout: layouts.get(kinds).group, entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })) });
  const uniform = device.createBuffer({ size: 16, usage: UNIFORM | COPY_DST });
  const queries = wall ? null : device.createQuerySet({ type: "timestamp", count: 2 });
  const resolved = wall ? null : device.createBuffer({ size: 16, usage: QUERY_RESOLVE | COPY_SRC });
  const stamps = wall ? null : device.createBuffer({ size: 16, usage: COPY_DST | MAP_READ });

  const setTrips = (trips) => {
    const data = new DataView(new ArrayBuffer(16));
    data.setUint32(0, trips, true);
    data.setFloat32(4, -1, true);
    data.setFloat32(8, 1, true);
    device.queue.writeBuffer(uniform, 0, data.buffer);
  };
  const inPass = (encoder, pipeline, bound, groups, times, writes) => {
    const pass = encoder.beginComputePass(writes ? { timestampWrites: writes } : {});
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bound);
    for (let turn = 0; turn < times; turn += 1) pass.dispatchWorkgroups(...(Array.isArray(groups) ? groups : [groups]));
    pass.end();
    return encoder;
  };
  const encode = (...what) => inPass(device.createCommandEncoder(), ...what);
  const wait = () => held(device.queue.onSubmittedWorkDone());
  let mine = [];

  const gpu = {
    info: adapter.info,
    features: new Set(device.features),
    mostBytes: Math.min(limits.maxBufferSize, limits.maxStorageBufferBindingSize),
    mostThreads: Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX),
    wall,
    /** A storage buffer of zeros. */
    buffer(size) {
      const made = device.createBuffer({ size: Math.max(16, size), usage: STORAGE | COPY_SRC | COPY_DST });
      mine.push(made);
      return made;
    },
    write: (buffer, data) => device.queue.writeBuffer(buffer, 0, data),
    clear(buffer) {
      const encoder = device.createCommandEncoder();
      encoder.clearBuffer(buffer);
      device.queue.submit([encoder.finish()]);
    },
    /** The first bytes of a buffer. */
    async read(buffer, size) {
      const copy = device.createBuffer({ size, usage: COPY_DST | MAP_READ });
      const encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(buffer, 0, copy, 0, size);
      device.queue.submit([encoder.finish()]);
      await held(copy.mapAsync(GPUMapMode.READ));
      const got = copy.getMappedRange().slice(0);
      copy.destroy();
      return new Uint32Array(got);
    },
    /** Compile a kernel; Tint wants its extensions named. Throws Refused. */
    async pipeline(text, entry = "main", kinds = PROBE) {
      still();
      const enable = [/\bf16\b/.test(text) && "enable f16;", /\bsubgroup/.test(text.replace(/\/\/.*/g, "")) && "enable subgroups;"];
      device.pushErrorScope("validation");
      try {
        const module = device.createShaderModule({ code: [...enable.filter(Boolean), text].join("\n") });
        return await held(device.createComputePipelineAsync({ layout: layouts.get(kinds).pipeline, compute: { module, entryPoint: entry } }));
      } catch (error) {
        if (error instanceof Lost) throw error;
        throw new Refused(String(error.message).slice(0, 200));
      } finally {
        device.popErrorScope().catch(() => {});
      }
    },
    /** Bind out, data and other; the uniform stands second. */
    bind: (out, data, other) => bindTo(PROBE, [out, uniform, data, other]),
    bindProduct(a, b, c, size) {
      const told = device.createBuffer({ size: 16, usage: UNIFORM | COPY_DST });
      mine.push(told);
      device.queue.writeBuffer(told, 0, new Uint32Array([...size, 0]));
      return bindTo(PRODUCT, [a, b, c, told]);
    },
    setTrips,
    async run(pipeline, bound, groups) {
      device.queue.submit([encode(pipeline, bound, groups, 1).finish()]);
      await wait();
    },
    /** The seconds that so many dispatches in a pass take, on the device where it can tell. Throws Lost. */
    async time(pipeline, bound, groups, trips, times = 1) {
      still();
      setTrips(trips);
      if (wall) {
        await wait();
        const start = seconds();
        device.queue.submit(Array.from({ length: WALL_BATCH }, () => encode(pipeline, bound, groups, times).finish()));
        await wait();
        return (seconds() - start) / WALL_BATCH;
      }
      const encoder = encode(pipeline, bound, groups, times, { querySet: queries, beginningOfPassWriteIndex: 0, endOfPassWriteIndex: 1 });
      encoder.resolveQuerySet(queries, 0, 2, resolved, 0);
      encoder.copyBufferToBuffer(resolved, 0, stamps, 0, 16);
      device.queue.submit([encoder.finish()]);
      await held(stamps.mapAsync(GPUMapMode.READ));
      const [begin, end] = new BigUint64Array(stamps.getMappedRange().slice(0));
      stamps.unmap();
      return Number(end - begin) / 1e9;
    },
    /** The host's seconds for so many dispatches, sent as `mode` says and awaited. */
    async send(pipeline, bound, mode, times) {
      setTrips(1);
      await wait();
      const start = seconds();
      if (mode === "pass") device.queue.submit([encode(pipeline, bound, 1, times).finish()]);
      else if (mode === "passes") {
        const encoder = device.createCommandEncoder();
        for (let turn = 0; turn < times; turn += 1) inPass(encoder, pipeline, bound, 1, 1);
        device.queue.submit([encoder.finish()]);
      } else {
        for (let turn = 0; turn < times; turn += 1) {
          device.queue.submit([encode(pipeline, bound, 1, 1).finish()]);
          if (mode === "trip") await wait();
        }
      }
      await wait();
      return seconds() - start;
    },
    /** Give back the memory of the last case. */
    free() {
      for (const buffer of mine) buffer.destroy();
      mine = [];
    },
    close: () => device.destroy(),
  };
  return gpu;
};
