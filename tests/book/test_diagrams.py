"""Every diagram of the book speaks one visual language, follows the theme, and says in words what it shows."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
DIAGRAMS = [path for path in sorted(DOCS.rglob("*.svg")) if "assets" not in path.relative_to(DOCS).parts]
NAMES = [path.relative_to(DOCS).as_posix() for path in DIAGRAMS]
INCLUDE = re.compile(r'^--8<-- "([^"]+\.svg)"$', re.MULTILINE)

ELEMENTS = {"svg", "title", "desc", "defs", "marker", "g", "path", "rect", "circle", "text", "tspan"}
# Size of text by class, in units of a view box that is 720 wide; the same numbers are in docs/contributing/drawing.md.
TEXT = {"d-t": 14, "d-s": 12, "d-m": 13, "d-h": 15}
# A word for each color of the book, of which one stands in every picture that has the color.
WORDS = {
    "mw-registers": r"register|accumulator",
    "mw-threadgroup": r"threadgroup|shared",
    "mw-cache": r"cache",
    "mw-device": r"device|DRAM",
    "mw-host": r"host",
    "mw-load": r"load|read|copy",
    "mw-compute": r"comput|multipl|run|math|GPU",
    "mw-wait": r"wait|idle|barrier",
    "mw-store": r"store|write",
}
CATEGORIES = {"d-a", "d-b", "d-c", "d-d", "d-hot"}
FILLED = CATEGORIES | set(WORDS)
TEXTURED = FILLED - CATEGORIES - {"mw-compute"} | {"d-c"}
STROKED = {"d-line", "d-dash", "d-grid", "d-arrow"}
CLASSES = {"mw-svg", "d-box", "d-soft", "d-head", "d-mid", "d-end", "d-on", "mw-part", *TEXT, *FILLED, *STROKED}
# What the theme decides. A presentation attribute here would not follow light, dark and paper.
LOOKS = re.compile(r"^(style|fill|stroke|color|opacity|font|text-anchor|dominant-baseline|letter-spacing|on[a-z]+)")
HEAD = {"viewBox": "0 0 8 8", "refX": "7", "refY": "4", "markerWidth": "7", "markerHeight": "7"}


def local(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def parsed(path: Path) -> ET.Element:
    return ET.parse(path).getroot()


@pytest.fixture(params=DIAGRAMS, ids=NAMES)
def diagram(request: pytest.FixtureRequest) -> Path:
    return request.param


def test_there_are_diagrams() -> None:
    assert len(DIAGRAMS) > 50


def test_root_title_and_description(diagram: Path) -> None:
    root = parsed(diagram)
    assert set(root.attrib) == {"class", "viewBox", "role", "aria-labelledby"}
    assert root.get("class") == "mw-svg"
    assert root.get("role") == "img"
    left, top, width, height = (float(part) for part in root.get("viewBox", "").split())
    assert (left, top, width) == (0, 0, 720)
    assert 60 <= height <= 900
    title, description = list(root)[:2]
    assert (local(title), local(description)) == ("title", "desc")
    assert root.get("aria-labelledby", "").split() == [title.get("id"), description.get("id")]
    assert 8 <= len(title.text or "") <= 120
    assert len((description.text or "").split()) >= 12, "a description is for someone who does not see the picture"


def test_only_known_elements_and_classes_and_no_looks(diagram: Path) -> None:
    for element in parsed(diagram).iter():
        assert local(element) in ELEMENTS, local(element)
        for name in element.attrib:
            assert not LOOKS.match(name), (name, element.attrib)
            assert not name.endswith("href"), "nothing is fetched"
            assert name not in {"rx", "ry"}, "one radius, which the style sheet gives"
        unknown = set((element.get("class") or "").split()) - CLASSES
        assert not unknown, unknown


def test_shapes_are_painted_and_text_is_at_least_twelve(diagram: Path) -> None:
    root = parsed(diagram)
    inherited: dict[ET.Element, set[str]] = {}
    for element in root.iter():
        own = set((element.get("class") or "").split()) | inherited.get(element, set())
        for child in element:
            inherited[child] = own if local(element) == "g" else set()
        kind = local(element)
        if kind in {"rect", "circle", "path"}:
            # The classes paint; without one a shape would be black in both schemes.
            assert own & {"d-box", "d-soft", "d-head", *FILLED, *STROKED}, element.attrib
        if kind == "text":
            sizes = [TEXT[name] for name in own & set(TEXT)] or [14]
            assert min(sizes) >= 12
            assert len(sizes) == 1, f"one size: {element.text}"
            assert "transform" not in element.attrib or "scale" not in element.attrib["transform"]
        assert "transform" not in element.attrib or not re.search(r"scale|matrix", element.attrib["transform"])


Box = tuple[float, float, float, float]


def classes(element: ET.Element) -> set[str]:
    return set((element.get("class") or "").split())


def box(element: ET.Element) -> Box:
    """Left, top, right and bottom; of a text by about what its characters take."""
    at = {name: float(value) for name, value in element.attrib.items() if re.fullmatch(r"-?[\d.]+", value)}
    if local(element) == "rect":
        return at["x"], at["y"], at["x"] + at["width"], at["y"] + at["height"]
    if local(element) == "circle":
        return at["cx"] - at["r"], at["cy"] - at["r"], at["cx"] + at["r"], at["cy"] + at["r"]
    if local(element) == "path":
        numbers = [float(number) for number in re.findall(r"[\d.]+", element.get("d", ""))]
        return min(numbers[::2]), min(numbers[1::2]), max(numbers[::2]), max(numbers[1::2])
    size = min([TEXT[name] for name in classes(element) & set(TEXT)] or [14])
    wide = len("".join(element.itertext())) * size * 0.52
    left = at["x"] - (wide / 2 if "d-mid" in classes(element) else wide if "d-end" in classes(element) else 0)
    return left, at["y"] - size, left + wide, at["y"] + 3


def apart(one: Box, other: Box) -> float:
    across = max(one[0] - other[2], other[0] - one[2], 0)
    return max(across, one[1] - other[3], other[1] - one[3])


def painted(root: ET.Element) -> list[tuple[str, ET.Element]]:
    """Each shape that has a color, with the class of it."""
    shapes = [element for element in root.iter() if local(element) in {"rect", "circle", "path"}]
    return [(name, shape) for shape in shapes for name in classes(shape) & FILLED]


def test_a_shape_has_one_color(diagram: Path) -> None:
    for element in parsed(diagram).iter():
        if local(element) != "text":
            assert len(classes(element) & FILLED) <= 1, element.attrib
            if "mw-part" in classes(element):
                assert classes(element) & set(WORDS), "a part of what"


def test_every_color_is_told_in_words(diagram: Path) -> None:
    root = parsed(diagram)
    texts = [element for element in root.iter() if local(element) == "text"]
    seen = " ".join("".join(text.itertext()) for text in texts)
    shapes = painted(root)
    for name in {name for name, _ in shapes}:
        near = min(apart(box(shape), box(text)) for one, shape in shapes if one == name for text in texts)
        assert near <= 32, f"no word on or beside a shape of {name}"
        if name in WORDS:
            assert re.search(WORDS[name], seen, re.IGNORECASE), f"{name}: no word for it"


def test_text_on_a_texture_ends_it(diagram: Path) -> None:
    root = parsed(diagram)
    boxes = [element for element in root.iter() if local(element) in {"rect", "circle"}]
    boxes = [shape for shape in boxes if classes(shape) & (FILLED | {"d-box", "d-soft"})]
    for text in (element for element in root.iter() if local(element) == "text"):
        left, top, right, bottom = box(text)
        middle = ((left + right) / 2, (top + bottom) / 2)
        under = [shape for shape in boxes if apart(box(shape), (*middle, *middle)) == 0]
        on = classes(under[-1]) if under and "rotate" not in text.get("transform", "") else set()
        textured = on & TEXTURED if "mw-part" not in on else set()
        if on:
            assert bool(on & FILLED) <= ("d-on" in classes(text)), f"{text.text}: ink on a color"
            assert classes(text) & FILLED == textured, f"{text.text}: {on}"


def test_arrows_have_one_head(diagram: Path) -> None:
    root = parsed(diagram)
    markers = {}
    for marker in (element for element in root.iter() if local(element) == "marker"):
        assert {key: marker.get(key) for key in HEAD} == HEAD
        (head,) = list(marker)
        assert (head.get("class"), head.get("d")) == ("d-head", "M0 0L8 4L0 8z")
        markers[marker.get("id")] = marker
    used = set()
    for element in root.iter():
        for key in ("marker-start", "marker-end"):
            if value := element.get(key):
                used.add(value.removeprefix("url(#").removesuffix(")"))
    assert used == set(markers), "every marker is used, every used one is here"


def test_ids_begin_with_the_name_of_the_file(diagram: Path) -> None:
    found = [element.get("id") for element in parsed(diagram).iter() if element.get("id")]
    assert len(found) == len(set(found))
    for name in found:
        assert name is not None
        assert name.startswith(f"{diagram.stem}-"), name


def test_no_blank_line(diagram: Path) -> None:
    """Markdown would end the figure at one."""
    assert "\n\n" not in diagram.read_text(encoding="utf-8").strip("\n") + "\n"


def test_each_is_used_once_and_ids_are_unique_on_a_page() -> None:
    used: Counter[str] = Counter()
    for page in sorted(DOCS.rglob("*.md")):
        ids: Counter[str] = Counter()
        for name in INCLUDE.findall(page.read_text(encoding="utf-8")):
            assert (DOCS / name).exists(), (page, name)
            used[name] += 1
            ids.update(element.get("id") or "" for element in parsed(DOCS / name).iter() if element.get("id"))
        assert [name for name, times in ids.items() if times > 1] == [], page
    assert sorted(used) == NAMES, "drawn and included"


def test_every_figure_says_what_to_see() -> None:
    figure = re.compile(r'<figure class="mw-diagram"[^>]*>(.*?)</figure>', re.DOTALL)
    for page in sorted(DOCS.rglob("*.md")):
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        for body in figure.findall(text):
            caption = re.search(r"<figcaption>(.+?)</figcaption>", body, re.DOTALL)
            assert caption, page
            assert len(caption.group(1).split()) >= 5, (page, caption.group(1))
            assert "\n\n" not in body, page
