"""The WGSL twins run in Chromium, on its software adapter, and give NumPy's product."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from tests.conftest import SHELL
from tests.ladder.conftest import LADDER, RUNGS, Product, Rung

FLAGS = ("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan", "--no-sandbox")
TWINS = [rung for rung in RUNGS if rung.wgsl]
SHAPES = [(64, 64, 32), (67, 33, 19), (1, 1, 1)]

MULTIPLY = """async ({code, jobs}) => {
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice();
  const module = device.createShaderModule({code});
  const {messages} = await module.getCompilationInfo();
  if (messages.length) return {messages: messages.map((m) => `${m.lineNum}: ${m.message}`)};
  const made = (data, usage) => {
    const buffer = device.createBuffer({size: Math.max(16, data.byteLength), usage: usage | GPUBufferUsage.COPY_DST});
    device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  };
  const {STORAGE, UNIFORM, COPY_SRC, COPY_DST, MAP_READ} = GPUBufferUsage;
  // Compiled once: a rung takes the software adapter two seconds.
  const pipeline = await device.createComputePipelineAsync({layout: 'auto', compute: {module, entryPoint: 'gemm'}});
  const multiply = async ({a, b, size, groups}) => {
    const c = new Float32Array(size[0] * size[1]).fill(NaN);
    const out = made(c, STORAGE | COPY_SRC);
    const buffers = [made(new Float32Array(a), STORAGE), made(new Float32Array(b), STORAGE), out,
                     made(new Uint32Array([...size, 0]), UNIFORM)];
    const bound = device.createBindGroup({layout: pipeline.getBindGroupLayout(0),
      entries: buffers.map((buffer, binding) => ({binding, resource: {buffer}}))});
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bound);
    pass.dispatchWorkgroups(...groups);
    pass.end();
    const read = device.createBuffer({size: c.byteLength, usage: COPY_DST | MAP_READ});
    encoder.copyBufferToBuffer(out, 0, read, 0, c.byteLength);
    device.queue.submit([encoder.finish()]);
    await read.mapAsync(GPUMapMode.READ);
    return [...new Float32Array(read.getMappedRange())];
  };
  const found = [];
  for (const job of jobs) found.push(await multiply(job));
  return {found};
}"""


@pytest.fixture(scope="module")
def webgpu(browser: Browser) -> Iterator[Page]:
    made = browser.browser_type.launch(executable_path=SHELL, args=list(FLAGS))
    page = made.new_page()
    page.route("http://localhost/**", lambda route: route.fulfill(body="<p>", content_type="text/html"))
    page.goto("http://localhost/")
    if not page.evaluate("async () => !!(await navigator.gpu?.requestAdapter())"):
        made.close()
        pytest.skip("this Chromium has no WebGPU adapter")
    yield page
    made.close()


@pytest.mark.parametrize("rung", TWINS, ids=[rung.file for rung in TWINS])
def test_a_twin_multiplies(webgpu: Page, rung: Rung) -> None:
    code = (LADDER / "wgsl" / f"{rung.file}.wgsl").read_text(encoding="utf-8")
    products = [Product.of(*shape) for shape in SHAPES]
    jobs = [
        {"a": one.A.ravel().tolist(), "b": one.B.ravel().tolist(), "size": [m, n, k], "groups": rung.groups(m, n)}
        for one, (m, n, k) in zip(products, SHAPES, strict=True)
    ]
    got = webgpu.evaluate(MULTIPLY, {"code": code, "jobs": jobs})
    assert "messages" not in got, got
    for product, (m, n, _), found in zip(products, SHAPES, got["found"], strict=True):
        C = np.array(found).reshape(m, n)
        np.testing.assert_allclose(C, product.expected(rung.rung), rtol=0, atol=product.tolerance())


def test_there_is_a_twin_for_each_rung_that_says_so() -> None:
    found = {path.stem for path in (LADDER / "wgsl").glob("*.wgsl")}
    assert found == {rung.file for rung in TWINS}
