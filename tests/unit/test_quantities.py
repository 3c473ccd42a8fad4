"""quantities.yml: what it says, and every way in which it may contradict itself, with file and line."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mkdocs_metalworking.quote.amounts import agree, number_text, range_text
from mkdocs_metalworking.quote.diagnostics import MetalworkingError
from mkdocs_metalworking.quote.formula import Formula, Number
from mkdocs_metalworking.quote.quantities import Quantities
from mkdocs_metalworking.quote.quantity_file import load_quantities
from mkdocs_metalworking.quote.quantity_mentions import read_quantity_mention, shown_quantity
from mkdocs_metalworking.quote.schema import packaged
from mkdocs_metalworking.quote.units import Unit, Units, _usual

UNITS = Units(["core"])


def read(body: str) -> tuple[Quantities, list[str]]:
    text = "counts: [core, lane, thread]\nquantities:\n" + body
    quantities, problems = load_quantities(text)
    return quantities, [str(problem) for problem in problems]


def test_a_value_a_range_and_a_formula() -> None:
    quantities, problems = read(
        "  pool: {value: 208, unit: KiB, sources: [{cite: a, kind: measured}], chip: M1 Max, method: inferred}\n"
        "  threads: {value: 128, unit: threads, kind: derived}\n"
        "  latency: {range: [515, 919], unit: ns, sources: [{cite: b}]}\n"
        "  registers: {formula: 'pool / (threads * 4 B)'}\n"
        "  clocks: {formula: 'latency * 1620 MHz', unit: cycles, digits: 2}\n"
    )
    assert problems == []
    assert {key: one.text() for key, one in quantities.by_key.items()} == {
        "pool": "208\u00a0KiB",
        "threads": "128\u00a0threads",
        "latency": "515\u2013919\u00a0ns",
        "registers": "416",
        "clocks": "830\u20131,500\u00a0cycles",
    }
    assert quantities.get("registers").inputs == ("pool", "threads")
    assert [one.key for one in quantities.leaves(quantities.get("registers"))] == ["pool"]
    assert quantities.get("pool").about() == "M1 Max, inferred; measured"
    assert quantities.get("pool").text(digits=4, unit="B", factor=1 / 1024) == "213,000\u00a0B"


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("  a: {formula: b / 2}", "quantities.yml:3: no quantity 'b' in quantities.yml"),
        (
            "  pool: {value: 1, kind: derived}\n  a: {formula: pol / 2}",
            "quantities.yml:4: no quantity 'pol' in quantities.yml (did you mean pool?)",
        ),
        (
            "  a: {value: 1, unit: KiB, kind: derived}\n  b: {formula: a + 1 ns, unit: KiB}",
            "quantities.yml:4: units do not agree in a + 1 ns: time is added to information",
        ),
        (
            "  a: {value: 1, unit: KiB, kind: derived}\n  b:\n    formula: a / 1 ns\n    unit: TFLOPS",
            "quantities.yml:5: units do not agree: a / 1 ns is information / time, and TFLOPS is 1 / time "
            "(mend unit: or the formula)",
        ),
        (
            "  a: {formula: b}\n  b: {formula: c * 2}\n  c:\n    formula: a + 1",
            "quantities.yml:3: a cycle: a needs b needs c needs a (give one of them a value)",
        ),
        ("  a: {formula: a}", "quantities.yml:3: a cycle: a needs a (give one of them a value)"),
        (
            "  a:\n    value: 1\n    unit: frobs\n    kind: derived",
            "quantities.yml:5: Pint knows no unit 'frobs' (a thing that is counted goes into counts:)",
        ),
        (
            "  a: {value: 1, unit: TFLOP, kind: derived, shown: x}\n  b: {value: 1, unit: bytess, kind: derived}",
            "quantities.yml:4: Pint knows no unit 'bytess' (did you mean byte?)",
        ),
        (
            "  a: {formula: 1 / (2 - 2)}",
            "quantities.yml:3: division by zero in 1 / (2 - 2) (a range that reaches zero counts as zero)",
        ),
        (
            "  a: {range: [-1, 1], kind: derived}\n  b: {formula: 1 / a}",
            "quantities.yml:4: division by zero in 1 / a (a range that reaches zero counts as zero)",
        ),
        (
            f"  a: {{value: {'9' * 400}, kind: derived}}",
            "quantities.yml:3: quantities.a.value: write a number of at most 100 digits",
        ),
        (
            f"  a: {{formula: '{'9' * 400}'}}",
            f"quantities.yml:3: {'9' * 60} is too large a number",
        ),
        (
            f"  a: {{formula: '{'9 * ' * 200}9'}}",
            "quantities.yml:3: a formula of 801 characters (500 at most: name its parts)",
        ),
        ("  a: {value: .nan, kind: derived}", "quantities.yml:3: the value of a is no number (write digits)"),
        (
            "  a: {value: .inf, kind: derived}",
            "quantities.yml:3: quantities.a.value: write a number of at most 100 digits",
        ),
        (
            "  a: {range: [3, 1], kind: derived}",
            "quantities.yml:3: the range of a is reversed (write [lowest, highest])",
        ),
        ("  a: {value: 1}", "quantities.yml:3: a has no source (add sources:, or kind: derived)"),
        ("  a: {value: 1, formula: '2'}", "quantities.yml:3: quantities.a: give a value, a range, or a formula"),
        ("  a: {range: [1, 2], formula: '2'}", "quantities.yml:3: quantities.a: give a value, a range, or a formula"),
        ("  a: {unit: B, kind: derived}", "quantities.yml:3: quantities.a: give a value, a range, or a formula"),
        ("  a: {value: 1, sources: [{cite: a, units: {}}]}", "quantities.yml:3: unknown key 'units'"),
        (f"  a: {{value: 1, unit: {'m' * 81}, kind: derived}}", "write a unit of at most 80 characters"),
        (
            "  A_1: {value: 1, kind: derived}",
            "quantities.yml:2: quantities: a key is small letters and digits, joined by . and -: m1-max.simd-sum.f32",
        ),
        ("  a: {value: 1, kind: guess}", "one of: measured, documented"),
        (
            "  a:\n    value: 7.8\n    unit: cycles\n    sources:\n    - cite: b\n    - {cite: c, value: 8.1}",
            "quantities.yml:8: a: c says 8.1 cycles, here it is 7.8 cycles "
            "(mend one of them, or say why under dispute:)",
        ),
        (
            "  a:\n    formula: 198.3 / 116.9\n    tolerance: 0.02\n    sources: [{cite: b, value: 1.85}]",
            "quantities.yml:6: a: b says 1.85, its formula gives 1.6963, beyond 2%",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_line(body: str, problem: str) -> None:
    _, problems = read(body + "\n")
    assert len(problems) == 1
    assert problem in problems[0]


def test_a_dispute_and_a_tolerance_are_declared() -> None:
    quantities, problems = read(
        "  a: {value: 512, unit: KiB, sources: [{cite: b}, {cite: c, value: 3072}], "
        "dispute: 'two sources, <b>two</b> sizes'}\n"
        "  d: {formula: 198.3 / 116.9, tolerance: 0.1, sources: [{cite: e, value: 1.85}]}\n"
    )
    assert problems == []
    assert quantities.get("a").about() == "Disputed: two sources, <b>two</b> sizes"


EVIL = (
    "__import__('os').system('x')",
    "a.__class__",
    "lambda: 1",
    "[x for x in a]",
    "print(a)",
    "a if a else a",
    "a; a",
    "eval('1')",
    "{a}",
    "a := 1",
    "9**9**9**9",
    "a ^ 99",
    "2 ^ a",
    "open(a)",
)


@pytest.mark.parametrize("formula", EVIL)
def test_a_formula_is_never_python(formula: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    sys.addaudithook(lambda event, _: ran.append(event) if event in ("compile", "exec", "os.system") else None)
    with pytest.raises(MetalworkingError):
        Formula(formula, Units().unit)
    assert ran == []


def test_a_formula_of_the_whole_language() -> None:
    values = {"a-b.c": Number(3, 4), "zero": Number(0, 0)}
    formula = Formula("floor(-a-b.c * -2 + max(1, 2.5e1, min(7, 3)) ^ 2 - (1 - 25 %)) / 1", Units().unit)
    assert formula.keys == {"a-b.c"}
    result = formula.evaluate(values.__getitem__)
    assert (result.low, result.high) == (630, 632)


class Counting(dict[str, Number]):
    def __init__(self) -> None:
        super().__init__({"k": Number(1, 1)})
        self.asked = 0

    def __getitem__(self, key: str) -> Number:
        self.asked += 1
        return super().__getitem__(key)


def test_a_formula_asks_for_each_of_its_keys_once() -> None:
    values = Counting()
    Formula("k" + " + k" * 100, Units().unit).evaluate(values.__getitem__)
    assert values.asked == 101


def steps(work: Callable[[], object]) -> int:
    """Return how many calls of Python functions *work* makes."""
    count = 0

    def profile(*_: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "line",
    ["  k{i}: {{formula: 'k{before} + 1'}}\n", "  k{i}: {{formula: 'k{after} + 1'}}\n", "  k{i}: {{formula: none}}\n"],
)
def test_ten_times_the_quantities_take_ten_times_the_calls(line: str) -> None:
    def text(many: int) -> str:
        body = "".join(line.format(i=i, before=i - 1, after=i % many + 1) for i in range(1, many + 1))
        return f"quantities:\n  k0: {{value: 1, kind: derived}}\n{body}"

    small, large = steps(lambda: load_quantities(text(250))), steps(lambda: load_quantities(text(2_500)))
    assert large < 11 * small


def test_numbers_are_shown_as_people_write_them() -> None:
    assert [number_text(value) for value in (2.5, 3072, 66, 0.084, 1e-7, -4, 2.0)] == [
        "2.5", "3,072", "66", "0.084", "0.0000001", "\u22124", "2.0",
    ]  # fmt: skip
    assert [number_text(value, 3) for value in (66.3552, 1228.8, 6.8, 0.5, 26.85, 0.0)] == [
        "66.4", "1,230", "6.80", "0.500", "26.9", "0",
    ]  # fmt: skip
    assert number_text(16.0, 3, exact=False) == "16"
    assert number_text(26.849999999999998, 3) == "26.9"
    assert range_text(1.01, 1.04, 2) == "1.0"
    assert [number_text(value) for value in (1e40, 1.25e-30, 18446744073709551615, 1.2345e-15)] == [
        "1e+40", "1.25e\u221230", "18,446,744,073,709,551,615", "0.0000000000000012345",
    ]  # fmt: skip


def test_in_another_unit_no_digit_is_lost_that_was_written() -> None:
    quantities, problems = read(
        "  size: {value: 12345, unit: byte, kind: derived}\n"
        "  page: {value: 1000, unit: KiB, kind: derived}\n"
        "  clock: {value: 1578, unit: MHz, kind: derived}\n"
        "  rough: {value: 1578, unit: MHz, digits: 2, kind: derived}\n"
        "  rate: {formula: clock * 3.3333, unit: MHz}\n"
        "  wait: {value: -5, range: [-9, -2], unit: ns, kind: derived}\n"
    )
    assert not problems
    shown = {
        "size unit=bit": "98,760",
        "size unit=bit digits=3": "98,800",
        "page unit=kB": "1,024",
        "clock unit=GHz": "1.578",
        "rough unit=GHz": "1.6",
        "rate unit=GHz": "5.26",
        "wait unit=µs": "\u22120.005",
    }
    assert {m: shown_quantity(read_quantity_mention(f"{m} as=number"), quantities).text for m in shown} == shown
    spread = shown_quantity(read_quantity_mention("wait as=range unit=µs"), quantities)
    assert spread.text == "\u22120.009\u2013\u22120.002"


@pytest.mark.parametrize(
    ("said", "value", "tolerance", "agrees"),
    [
        (26.5, 26.55, 0, True),
        (26.5, 26.56, 0, False),
        (2.62, 2.617344, 0, True),
        (800, 819.2, 0, False),
        (800, 819.2, 0.03, True),
        (17, 16.5, 0, True),
        (1.85, 1.6963, 0.05, False),
    ],
)
def test_a_source_agrees_when_it_rounds(said: float, value: float, tolerance: float, agrees: bool) -> None:
    assert agree(said, value, tolerance) is agrees


@given(st.text(alphabet="ab.-+*/^(),0123456789e KBns%minaxfloreil_'\"[]{}\u00b5\u00a0", max_size=60))
def test_any_text_is_a_formula_or_an_error(text: str) -> None:
    values = {"a": Number(1, 2), "b": Number(0, 0)}
    with contextlib.suppress(MetalworkingError):
        formula = Formula(text, UNITS.unit)
        assert formula.evaluate(lambda key: values.get(key, Number(3, 3))).low is not None


@pytest.mark.parametrize("text", ["¼", "½m", "m*¾", "1/¼", "m⁰"])
def test_digits_that_are_no_decimal_are_no_unit(text: str) -> None:
    with pytest.raises(MetalworkingError, match=r"no unit|cannot read unit"):
        UNITS.unit(text)


@given(st.text(max_size=40))
def test_any_text_is_a_unit_or_an_error(text: str) -> None:
    with contextlib.suppress(MetalworkingError):
        assert UNITS.unit(text).factor > 0


_ENTRIES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["value", "range", "formula", "unit", "bound", "hint", "digits", "sources", "cite"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["a", "A", "counts", "1"]), _ENTRIES, max_size=2), st.booleans())
def test_a_file_is_wrong_where_the_library_says_so(entries: dict[str, object], inside: bool) -> None:
    data = {"quantities": entries} if inside else entries
    schema = packaged("quantities.schema.json")
    found = sorted((str(error.absolute_path), error.validator) for error in schema.errors(data))
    plain = sorted((str(e.absolute_path), e.validator) for e in Draft202012Validator(schema.data).iter_errors(data))
    assert found == plain


@given(_ENTRIES)
def test_any_entry_is_read_or_refused(entry: object) -> None:
    with contextlib.suppress(MetalworkingError):
        load_quantities(json.dumps({"quantities": {"a": entry}}))


@pytest.mark.parametrize("written", ["0100", "1:30", "1_000", "-010", "1:30.5", "07.5", "0x1F", "0b11", "-0x10"])
def test_a_number_that_yaml_reads_otherwise_is_refused(written: str) -> None:
    _, problems = read(f"  a: {{value: {written}, kind: derived}}\n")
    assert problems == [f"quantities.yml:3: YAML reads {written} as another number (write plain digits)"]


@pytest.mark.parametrize("written", ["100", "0", "0.5", "-0.25", "1.5e+3", "10"])
def test_plain_digits_are_a_number(written: str) -> None:
    assert read(f"  a: {{value: {written}, kind: derived}}\n")[1] == []


def test_a_minus_binds_less_than_a_power() -> None:
    quantities, problems = read("  a: {formula: '-2^2'}\n  b: {formula: '3 - -2^2 * 2'}\n  c: {formula: '(-2)^2'}\n")
    assert problems == []
    assert [one.low for one in quantities.by_key.values()] == [-4, 11, 4]


@pytest.mark.parametrize("unit", ["ft", "yd", "dB", "GT", "kmin", "mbit", "GT/s"])
def test_a_unit_that_people_read_otherwise_is_none(unit: str) -> None:
    _, problems = read(f"  a: {{value: 1, unit: {unit}, kind: derived}}\n")
    assert len(problems) == 1
    assert problems[0].startswith(f"quantities.yml:3: Pint knows no unit '{unit}'")


def read_by_pint(units: Units, text: str) -> Unit:
    """What Pint says, which is asked when no unit is a usual one."""
    units._usual.clear()
    return units.unit(text)


@pytest.mark.parametrize("text", [*_usual(), "cores", "GB/s", "FLOP/byte", "core*cycle^2/s^3", "B/cycle/core", "1/s"])
def test_a_usual_unit_is_what_pint_makes_of_it(text: str) -> None:
    quick, told = Units(["core"]), read_by_pint(Units(["core"]), text)
    assert quick.unit(text).dimension == told.dimension
    assert quick.unit(text).factor == pytest.approx(told.factor, rel=1e-15)
    assert (quick._registry is None) == (text != "1/s")


_NAMES = st.text("nsmkBGbytecorMFPSxw", min_size=1, max_size=5)


@given(st.lists(_NAMES, max_size=2), st.lists(st.sampled_from([*_usual(), "x", "cores", "w"]) | _NAMES, min_size=1))
def test_names_that_a_site_counts_mean_the_same_to_both(counts: list[str], terms: list[str]) -> None:
    quick, slow, text = Units(counts), Units(counts), "/".join(terms[:4])
    assert quick.redefined == (slow._pint() and slow.redefined)
    if quick.redefined:
        return
    try:
        told = read_by_pint(slow, text)
    except MetalworkingError as problem:
        with pytest.raises(MetalworkingError, match=re.escape(str(problem))):
            quick.unit(text)
    else:
        assert quick.unit(text).dimension == told.dimension
        assert quick.unit(text).factor == pytest.approx(told.factor, rel=1e-12)


def test_the_books_units_are_usual_ones() -> None:
    text = (Path(__file__).parents[2] / "quantities.yml").read_text("utf-8")
    quantities, problems = load_quantities(text)
    assert problems == []
    assert len(quantities.units.known) > 20
    assert quantities.units._registry is None


def test_no_unit_is_given_another_meaning() -> None:
    text = "counts: [core, byte]\nunits: {ns: 1000 s, mile: 1609.344 m}\nquantities: {}\n"
    assert [str(one) for one in load_quantities(text)[1]] == [
        "quantities.yml:1: byte is a unit already (choose another name)",
        "quantities.yml:2: ns is a unit already (choose another name)",
    ]


def test_a_value_lies_within_its_range() -> None:
    _, problems = read("  a: {value: 7, range: [1, 2], kind: derived}\n  b: {value: 2, range: [1, 2], kind: derived}\n")
    assert problems == ["quantities.yml:3: the value of a lies outside its range (mend one of them)"]
