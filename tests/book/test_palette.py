"""The colors that mean something are told apart by everybody, on paper too, and text on them can be read."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path

import pytest

from .colors import VISIONS, Triple, contrast, difference, lab, mixed, srgb

ROOT = Path(__file__).resolve().parents[2]
SITE = (ROOT / "docs/assets/site/site.css").read_text(encoding="utf-8")
PLUGIN = (ROOT / "mkdocs_metalworking/assets/metalworking.css").read_text(encoding="utf-8")
TEXTURES = re.sub(r"\{#.*?#\}", "", (ROOT / "overrides/partials/textures.html").read_text(encoding="utf-8"))
STORAGE = ("registers", "threadgroup", "cache", "device", "host")
ACTIVITY = ("load", "compute", "wait", "store")
CATEGORIES = ("first", "second", "third", "fourth", "notice")
VERDICTS = ("transfers", "resized", "unlearn", "none")
FAMILIES = [(STORAGE, SITE, 20), (ACTIVITY, SITE, 20), (CATEGORIES, SITE, 18), (VERDICTS, PLUGIN, 20)]


def color(name: str, css: str = SITE) -> Triple:
    """Return the one value that a variable has: one for both schemes, so that a color is remembered."""
    (value,) = re.findall(rf"--mw-{name}:(#[0-9a-f]{{3,6}})\b", css)
    return srgb(value)


DARK = color("dark")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [  # of the pairs that Sharma, Wu and Dalal give for a check of an implementation
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, -1.1848, -84.8006), (50, 0, -82.7485), 1.0000),
        ((50, 2.5, 0), (61, -5, 29), 22.8977),
        ((6.7747, -0.2908, -2.4247), (5.8714, -0.0985, -2.2286), 0.6377),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_the_difference_is_that_of_its_authors(one: Triple, other: Triple, expected: float) -> None:
    assert difference(one, other) == pytest.approx(expected, abs=1e-4)


def test_what_people_with_deuteranopia_see_is_simulated() -> None:
    """The old orange and red of the drawings, which they cannot tell apart."""
    orange, red = srgb("#ac4715"), srgb("#b23a17")
    assert difference(lab(orange, "deuteranopia"), lab(red, "deuteranopia")) < 5
    assert contrast(srgb("#fff"), srgb("#000")) == pytest.approx(21, abs=0.01)


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize(("names", "css", "least"), FAMILIES, ids=lambda value: str(value)[:12])
def test_members_of_a_family_are_told_apart(names: tuple[str, ...], css: str, least: float, vision: str) -> None:
    for one, other in combinations(names, 2):
        apart = difference(lab(color(one, css), vision), lab(color(other, css), vision))
        assert apart > least, f"{one} and {other}: {apart:.1f}"


def test_text_can_be_read_on_each() -> None:
    for names, css, _ in FAMILIES:
        for name in names:
            assert contrast(DARK, color(name, css)) >= 4.5, name
    part = re.search(r"\.mw-part\{fill:color-mix\(in srgb,var\(--f\) (\d+)%,#fff\)\}", SITE)
    assert part
    for name in (*STORAGE, *ACTIVITY):
        assert contrast(DARK, mixed(color(name), (1, 1, 1), int(part[1]) / 100)) >= 4.5, name
    assert "color:#14171b" in PLUGIN, "the sign of a verdict"
    assert srgb("#14171b") == DARK


def textures() -> dict[str, ET.Element]:
    found = {p.get("id", ""): p for p in ET.fromstring(TEXTURES).iter("pattern")}  # a file of ours
    return {name.removeprefix("mw-t-"): pattern for name, pattern in found.items()}


def test_every_level_and_activity_has_a_texture_of_its_own() -> None:
    patterns = textures()
    assert set(patterns) == {*STORAGE, *ACTIVITY, "third"} - {"compute"}, "computing is plain, and alone so"
    drawn = [(mark.tag, mark.get("d"), mark.get("r")) for pattern in patterns.values() for mark in list(pattern)[1:]]
    assert len(drawn) == len(set(drawn)) == len(patterns)
    for name in (*STORAGE, *ACTIVITY):
        (fill,) = re.findall(rf"\.mw-{name}\{{--f:var\(--mw-{name}\);fill:([^}}]*)\}}", SITE)
        assert fill == (f"url(#mw-t-{name}) " if name in patterns else "") + f"var(--mw-{name})"


def test_textures_stand_out_in_gray() -> None:
    for name, pattern in textures().items():
        ground, mark = list(pattern)
        assert ground.get("fill") == f"var(--mw-{name})"  # an attribute: a strict policy refuses styles in a page
        style = f"{mark.get('fill', '')} {mark.get('stroke', '')}"
        over = (1.0, 1.0, 1.0) if "#fff" in style else DARK
        assert "#fff" in style or "var(--mw-dark)" in style
        share = float(mark.get("stroke-opacity") or mark.get("fill-opacity") or 1)
        apart = abs(lab(mixed(over, color(name), share))[0] - lab(color(name))[0])
        assert apart >= 8, f"{name}: {apart:.1f}"


def test_verdicts_differ_by_sign() -> None:
    signs = dict(re.findall(r'\.mw-v-(\w+)\{--v:var\(--mw-\w+\);--g:"([^"]+)"\}', PLUGIN))
    assert set(signs) == set(VERDICTS)
    assert len(set(signs.values())) == len(VERDICTS)


def test_instruments_have_no_color_of_their_own() -> None:
    scripts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "docs/assets").glob("[il]*/*.js")}
    assert len(scripts) > 20
    known = {*STORAGE, *ACTIVITY}
    for path, text in scripts.items():
        assert not re.search(r"""["'`](#[0-9a-f]{3,8}|rgb|hsl|oklch)\b""", text), path
        assert not re.search(rf"\bi-(?:{'|'.join(known)})\b", text), (
            f"{path}: a name of its own for a color of the book"
        )
    css = (ROOT / "docs/assets/instruments/instruments.css").read_text(encoding="utf-8")
    assert not re.findall(r"#[0-9a-f]{3,8}\b", css)
    for name in known:
        assert f"--mw-{name}" not in css, "site.css says it once"
