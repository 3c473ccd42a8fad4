"""Both runners on software adapters, small: every kernel's result, the same JSON, and checks that can fail."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from typing import Any

import jsonschema
import pytest
from playwright.sync_api import Browser, Page

from lab import expected, probes
from tests.lab.conftest import ROOT
from tests.support import NIGHT, PATIENCE, some

PROBES = probes.load()
WGSL = probes.sources(PROBES)
CASES = [case for probe in PROBES for case in probes.cases(probe)]
SCHEMA = json.loads((ROOT / "lab/measurement.schema.json").read_text(encoding="utf-8"))


def left_out() -> set[str]:
    """Return the cases that only the night runs: of each kernel of each probe the day has two."""
    if NIGHT:
        return set()
    kernels: dict[tuple[str, str], list[str]] = {}
    for case in CASES:
        kernels.setdefault((case.probe, case.values["file"]), []).append(case.name)
    kept = {name for names in kernels.values() for name in some(names, 2)}
    return {case.name for case in CASES} - kept


LEFT_OUT = left_out()
RUN = """async ({docs, only, names, tamper}) => {
  const at = (name) => import(`${docs}/assets/lab/${name}.js`);
  const [{open}, {load, cases}, {runAll, timer, SMALL}] = [await at('gpu'), await at('probes'), await at('run')];
  const book = await load();
  const gpu = await open();
  const latency = cases(book.probes.find((probe) => probe.id === 'latency'))[0];
  const clock = await timer(gpu, latency, book.wgsl.fma);
  const wgsl = {...book.wgsl};
  for (const [file, from, to] of tamper) {
    if (!wgsl[file].includes(from)) throw new Error(`${file} has no ${from}`);
    wgsl[file] = wgsl[file].replaceAll(from, to);
  }
  const picked = book.probes.filter((probe) => !only || probe.id === only)
    .map((probe) => ({...probe, cases: probe.cases.filter((one) => names.includes(one.case))}));
  const rows = [];
  for await (const row of runAll(gpu, picked, wgsl, SMALL, clock.step, () => false)) rows.push(row);
  const features = [...gpu.features];
  gpu.close();
  return {rows, clock, features};
}"""


def run(page: Page, docs: str, only: str = "", tamper: Any = (), names: Iterable[str] = ()) -> dict[str, Any]:
    """Run the cases of *names* of all probes or of *only* one; without names, all but those of *LEFT_OUT*."""
    named = list(names) or [case.name for case in CASES if case.name not in LEFT_OUT]
    told: dict[str, Any] = page.evaluate(RUN, {"docs": docs, "only": only, "tamper": list(tamper), "names": named})
    return told


@pytest.fixture(scope="module")
def told(chromium: Browser, docs: str) -> dict[str, Any]:
    """Every probe of the Lab, run once in Chromium."""
    page = chromium.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.route(f"{docs}/empty", lambda route: route.fulfill(body="<p>", content_type="text/html"))
    page.goto(f"{docs}/empty")
    if not page.evaluate("async () => !!(await navigator.gpu?.requestAdapter())"):
        pytest.skip("this Chromium has no WebGPU adapter")
    found = run(page, docs)
    page.close()
    return found


def excused(row: dict[str, Any]) -> bool:
    """Whether a small run may have no result for it: a missing feature, a larger buffer, or a larger group."""
    return row["state"] == "unsupported" and any(
        word in row["why"] for word in ("this device has no", "the buffer is larger", "threads in a group here")
    )


def test_every_kernel_gives_the_right_result_in_chromium(told: dict[str, Any]) -> None:
    rows = told["rows"]
    run = [(case.probe, case.name) for case in CASES if case.name not in LEFT_OUT]
    assert [(row["probe"], row["case"]) for row in rows] == run
    bad = [row for row in rows if row["state"] not in ("ok", "unstable") and not excused(row)]
    assert bad == []
    ran = [row for row in rows if row["state"] in ("ok", "unstable")]
    missing = sum(row["state"] == "unsupported" for row in rows)
    assert len(ran) == len(rows) - missing >= (80 if NIGHT else 30)


def document(rows: list[dict[str, Any]], clock: dict[str, Any]) -> dict[str, Any]:
    machine = {"chip": "none", "gpu": "software", "os": "Linux", "engine": "Chromium"}
    timer = {"kind": clock["kind"], "step_ns": clock["step"] * 1e9}
    return {
        "format": 1, "date": "2026-11-30", "runner": "browser", "machine": machine, "timer": timer, "rounds": 7,
        "results": rows,
    }  # fmt: skip


def test_what_the_browser_tells_fits_the_schema(told: dict[str, Any]) -> None:
    jsonschema.validate(document(told["rows"], told["clock"]), SCHEMA)


# One trip too many, or a wrong operand: each kind of check has to see it.
ONE_MORE = ["run.n", "(run.n + 1u)"]
TAMPERED: dict[str, list[list[str]]] = {
    "fma": [["fma", *ONE_MORE]],
    "special": [["special", *ONE_MORE], ["integer", *ONE_MORE]],
    "bandwidth": [
        ["bandwidth", "+ fold(v.v3)", "+ fold(v.v2)"],
        ["bandwidth", "other[place(i)] = v.v0", "other[place(i)] = v.v1"],
    ],
    "chase": [["chase", *ONE_MORE]],
    "subgroup": [
        ["subgroup", *ONE_MORE],
        ["tree", "half = 128u", "half = 64u"],
        ["subgroup-sum", "+= part[i]", "= part[i]"],
    ],
    "stride": [["stride", *ONE_MORE]],
    "barrier": [["barrier", "t + 33u", "t + 32u"]],
    "dispatch": [["count", "+ 1u", "+ 2u"]],
    "divergence": [["divergence", "f32(${w}u)", "f32(${w}u + 1u)"]],
    "atomics": [["atomic", *ONE_MORE], ["atomic-group", *ONE_MORE]],
    "ladder": [[file, "let K = size.z", "let K = size.z / 2u"] for file in WGSL if "let K = size.z" in WGSL[file]],
}  # fmt: skip


@pytest.mark.parametrize("probe", list(TAMPERED))
def test_a_kernel_that_computes_something_else_is_wrong_and_has_no_number(modules: Page, docs: str, probe: str) -> None:
    names = []
    for touched in dict.fromkeys(file for file, _, _ in TAMPERED[probe]):
        cases = [case.name for case in CASES if case.probe == probe and case.values["file"] == touched]
        names += [name for name in cases if name not in LEFT_OUT]
    rows = run(modules, docs, probe, TAMPERED[probe], names)["rows"]
    seen = [row for row in rows if not excused(row)]
    assert seen
    for row in seen:
        assert row["state"] == "wrong", row
        assert "value" not in row


def test_a_kernel_that_does_not_compile_is_refused_and_the_rest_runs(modules: Page, docs: str) -> None:
    rows = run(modules, docs, "special", [["special", "var sum = 0.0;", "var sum = nonsense;"]])["rows"]
    assert [row["state"] for row in rows][1:] == ["unsupported", "unsupported"]
    assert "refused" in rows[1]["why"]
    assert rows[0]["state"] in ("ok", "unstable")


LOSE = """async ({docs, aborted}) => {
  const at = (name) => import(`${docs}/assets/lab/${name}.js`);
  const [{open}, {load, cases}, {runAll, SMALL}] = [await at('gpu'), await at('probes'), await at('run')];
  const book = await load();
  const gpu = await open();
  const rows = [];
  let after = 0;
  const time = gpu.time;
  gpu.time = (...what) => {
    after += rows.length === 2;
    if (after === 5 && aborted) {
      GPUBuffer.prototype.mapAsync = () => Promise.reject(new DOMException("lost before it was mapped", "AbortError"));
    } else if (after === 5) gpu.close();
    return time(...what);
  };
  const picked = book.probes.filter((probe) => probe.id === 'special' || probe.id === 'barrier');
  for await (const row of runAll(gpu, picked, book.wgsl, SMALL, 0, () => false)) rows.push(row);
  return {rows, after};
}"""


@pytest.mark.parametrize("aborted", [False, True], ids=["lost", "a buffer hears of it first"])
def test_a_device_lost_in_the_middle_leaves_what_was_measured_and_tells_the_rest(
    modules: Page, docs: str, aborted: bool
) -> None:
    told = modules.evaluate(LOSE, {"docs": docs, "aborted": aborted})
    states = [row["state"] for row in told["rows"]]
    assert len(states) == 9
    assert set(states[:2]) <= {"ok", "unstable"}
    assert set(states[2:]) == {"lost"}
    assert told["after"] == 5


TEXTS = """async ({docs}) => {
  const at = (name) => import(`${docs}/assets/lab/${name}.js`);
  const [{load, cases, code, work}, e] = [await at('probes'), await at('expected')];
  const book = await load();
  const rows = [];
  for (const probe of book.probes) {
    for (const told of cases(probe)) {
      const source = book.wgsl[told.values.file];
      rows.push([told.probe, told.name, code(told, source, false), code(told, source, true), work(told, 4096)]);
    }
  }
  return {
    rows,
    affine: [0, 1, 2, 7, 1000, 123456].map((n) => e.affine(12345, 1000003, 77, n)),
    order: [...e.order(1000)],
    pieces: [1, 3, 4096].map((n) => e.pieceSum(n, 1 << 20)),
    weight: e.pieceWeight(1 << 28),
    elements: e.samples(128).map(([i, j]) => e.element(i, j, 128)),
    matrix: [...e.matrix(100, 1)],
  };
}"""


def test_both_languages_make_the_same_kernels_and_expect_the_same(modules: Page, docs: str) -> None:
    told = modules.evaluate(TEXTS, {"docs": docs})
    mine = []
    for case in CASES:
        source = WGSL[case.values["file"]]
        texts = [case.code(source, longer=longer) for longer in (False, True)]
        mine.append([case.probe, case.name, *texts, case.work(4096)])
    for theirs, own in zip(told["rows"], mine, strict=True):
        assert theirs == own, own[:2]
    assert told["affine"] == [expected.affine(12345, 1000003, 77, n) for n in (0, 1, 2, 7, 1000, 123456)]
    assert told["affine"][2] == ((12345 * 1000003 + 77) * 1000003 + 77) % 2**32
    assert told["order"] == expected.order(1000).tolist()
    assert sorted(told["order"]) == list(range(1000))
    assert told["pieces"] == [expected.piece_sum(n, 1 << 20) for n in (1, 3, 4096)]
    assert told["weight"] == expected.piece_weight(1 << 28)
    assert told["elements"] == [expected.element(i, j, 128) for i, j in expected.samples(128)]
    assert told["matrix"] == expected.matrix(100, 1).tolist()


COMPILE = """async ({docs}) => {
  const at = (name) => import(`${docs}/assets/lab/${name}.js`);
  const {load, cases, code} = await at('probes');
  const book = await load();
  const adapter = await navigator.gpu.requestAdapter();
  const device = await adapter.requestDevice({requiredFeatures: ['subgroups'].filter((f) => adapter.features.has(f))});
  const said = [];
  for (const told of book.probes.flatMap(cases)) {
    if (told.features.some((name) => !device.features.has(name))) continue;
    const text = code({...told, values: {LOG: 18, ...told.values}}, book.wgsl[told.values.file], true);
    const enable = text.includes('subgroupAdd') || text.includes('subgroup_size') ? 'enable subgroups;' : '';
    const info = await device.createShaderModule({code: enable + text}).getCompilationInfo();
    for (const message of info.messages) said.push(`${told.probe}, ${told.name}: ${message.message}`);
  }
  return said;
}"""


def test_the_kernels_of_full_size_compile_without_a_word(modules: Page, docs: str) -> None:
    """A small run shortens the bodies, since the software adapter compiles long ones for seconds."""
    assert modules.evaluate(COMPILE, {"docs": docs}) == []


@pytest.fixture(scope="module")
def python() -> dict[str, Any]:
    """Every probe of the Lab, run once from Python."""
    if importlib.util.find_spec("wgpu") is None:
        pytest.skip("wgpu is not installed: pip install --group lab")
    env = {**os.environ, "XDG_RUNTIME_DIR": os.environ.get("XDG_RUNTIME_DIR", "/tmp")}
    command = [sys.executable, "-m", "lab", "--small"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=env, timeout=PATIENCE, check=False)
    if "no GPU adapter" in done.stderr or "No suitable adapter" in done.stderr or "request_adapter" in done.stderr:
        pytest.skip("wgpu finds no adapter here; Debian's mesa-vulkan-drivers has one in software")
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_every_kernel_gives_the_right_result_from_python(python: dict[str, Any]) -> None:
    jsonschema.validate(python, SCHEMA)
    bad = [row for row in python["results"] if row["state"] not in ("ok", "unstable") and not excused(row)]
    assert bad == []


def test_both_runners_tell_the_same_rows_in_the_same_form(python: dict[str, Any], told: dict[str, Any]) -> None:
    theirs = document(told["rows"], told["clock"])
    assert python.keys() == theirs.keys()
    key = ("probe", "case", "unit")
    own = [row for row in python["results"] if row["case"] not in LEFT_OUT]
    assert [[row[k] for k in key] for row in own] == [[row[k] for k in key] for row in theirs["results"]]
    for mine, other in zip(own, theirs["results"], strict=True):
        if mine["state"] == other["state"] == "ok":
            assert mine.keys() == other.keys(), mine


def test_the_command_line_names_its_probes() -> None:
    if importlib.util.find_spec("wgpu") is None:
        pytest.skip("wgpu is not installed: pip install --group lab")
    command = [sys.executable, "-m", "lab", "--list"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE, check=True)
    named = [line.partition(":")[0] for line in done.stdout.splitlines() if not line.startswith(" ")]
    assert named == [probe["id"] for probe in PROBES]
    done = subprocess.run(
        [*command, "nothing"], capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE, check=False
    )
    assert done.returncode == 2
    assert "no probe is called nothing" in done.stderr
