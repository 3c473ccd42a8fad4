"""Names and characters of a page as XML takes them: HTML takes more, and a reading system refuses a page with one."""

from __future__ import annotations

import re
from typing import Any

import lxml.etree

from ...quote.diagnostics import MetalworkingError

NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""https://www.w3.org/TR/xml/#charsets; a reading system refuses a page that has one."""
_SVG, _MATH, _HTML = (f"http://www.w3.org/{name}" for name in ("2000/svg", "1998/Math/MathML", "1999/xhtml"))
_NAME = re.compile(r"(?!xmlns$)[A-Za-z_][\w.-]*|xml:(?:lang|space)", re.ASCII)
"""A name without a prefix: HTML knows no namespaces, so none is declared."""
_LINK = "xlink:href"
# Names that the HTML parser writes small and XML must not.
_NAMES = (
    "viewBox preserveAspectRatio markerWidth markerHeight markerUnits refX refY gradientUnits gradientTransform"
    " patternUnits patternContentUnits patternTransform clipPathUnits maskUnits maskContentUnits textLength"
    " lengthAdjust startOffset pathLength spreadMethod filterUnits primitiveUnits stdDeviation baseFrequency"
    " numOctaves tableValues"
    " linearGradient radialGradient clipPath textPath foreignObject feBlend feColorMatrix feComponentTransfer"
    " feComposite feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode"
    " feMorphology feOffset feTile feTurbulence"
)
_CAMEL = {name.lower(): name for name in _NAMES.split()}


def fit(root: Any) -> None:
    """Leave in the tree *root*, which was HTML, no name and no character that XML does not take.

    An attribute goes whose name is none, an element becomes one that says nothing; in a drawing it goes, since no
    browser draws it. SVG's own ``xlink:href`` is ``href`` today. Of what is not fit lxml takes no text to move it.
    """
    for element in list(root.iter()):
        if NOT_IN_XML.search(element.tail or ""):
            element.tail = as_xml(element.tail)
        if not isinstance(element.tag, str):
            continue
        if NOT_IN_XML.search(element.text or ""):
            element.text = as_xml(element.text)
        if any(not _NAME.fullmatch(name) or NOT_IN_XML.search(value) for name, value in element.items()):
            kept = {name: as_xml(value) for name, value in element.items() if _NAME.fullmatch(name)}
            if link := element.get(_LINK):
                kept.setdefault("href", as_xml(link))
            element.attrib.clear()  # by name lxml takes none away that it finds odd
            for name, value in kept.items():
                element.set(name, value)
        if not _NAME.fullmatch(element.tag):
            around = next(element.iterancestors("svg", "foreignobject"), None)
            if around is not None and around.tag == "svg":
                element.drop_tree()
            else:
                element.tag = "span"


def as_xml(text: str) -> str:
    """Return *text* with a mark in the place of each character that XML does not take."""
    return NOT_IN_XML.sub("\ufffd", text)


def name_for_xml(root: Any) -> None:
    """Give the drawings and formulas of *root* the names and namespaces that XML wants."""
    for element in list(root.iter("math")):
        element.set("xmlns", _MATH)
    for svg in list(root.iter("svg")):
        svg.set("xmlns", _SVG)
        for element in svg.iter():
            if not isinstance(element.tag, str):
                continue
            parent = element.getparent()
            if parent is not None and parent.tag == "foreignObject" and element.get("xmlns") is None:
                element.set("xmlns", _HTML)
            element.tag = _CAMEL.get(element.tag, element.tag)
            for name, value in element.items():
                if name in _CAMEL:
                    del element.attrib[name]
                    element.set(_CAMEL[name], value)


def refuse_no_xml(content: bytes, uri: str) -> None:
    """Raise MetalworkingError (``epub``) where *content*, made of the page *uri*, is not well-formed."""
    try:
        lxml.etree.fromstring(content, lxml.etree.XMLParser(huge_tree=True, resolve_entities=False))
    except lxml.etree.XMLSyntaxError as error:
        raise MetalworkingError("epub", f"{uri} makes no page of an EPUB: {error.msg}") from None
