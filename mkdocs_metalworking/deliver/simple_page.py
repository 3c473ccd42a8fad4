"""The page of one project on a package index: links in HTML (PEP 503) or JSON (PEP 691)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01"
"""What is asked for, the JSON first: https://packaging.python.org/en/latest/specifications/simple-repository-api/"""
NOT_A_PAGE = (AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading raises for pages that are none, nested without end, or of other types than the standard says."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
# Up to the next tag, since an attribute of another name may hold a ">".
_TAG = re.compile(r"<(a|base)(?=[\s/])([^<]*+)", re.IGNORECASE)
_HREF = re.compile(r"""[\s/"']href\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))""", re.IGNORECASE)
_MOST = 1_000_000
"""Brackets of a page: each may become an object of some hundred bytes, and a file has three or four. Of commas in JSON
no more: each is between two values, and a file has ten.
"""
_LARGEST = 10**12 - 1
"""Bytes of a file whose size is taken for one."""


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file that the page lists; ``size`` in bytes and ``sha256`` as it says, when it does."""

    name: str
    url: str
    size: int | None = None
    sha256: str | None = None


def read_page(data: bytes, content_type: str, url: str) -> list[ListedFile]:
    """Return the files that the page at *url* lists; raises one of NOT_A_PAGE for anything else."""
    is_json = "json" in content_type
    counted = (data.count(b"{") + data.count(b"["), data.count(b"<"), data.count(b",") if is_json else 0)
    if max(counted) > _MOST:
        raise ValueError("more than any project has")
    return list(_json_files(json.loads(data), url) if is_json else _html_files(data, url))


def _json_files(page: dict[str, object], url: str) -> Iterator[ListedFile]:
    version = page["meta"]["api-version"]  # type: ignore[index]
    if version.partition(".")[0] != "1":
        raise ValueError("a version of the standard that is not known")
    for item in page["files"]:  # type: ignore[attr-defined]
        name, link, size, sha256 = item["filename"], item["url"], item.get("size"), item["hashes"].get("sha256")
        if not isinstance(name, str) or not isinstance(link, str) or isinstance(size, bool):
            raise TypeError("a file without name or address")
        known = isinstance(size, int) and 0 <= size <= _LARGEST
        yield ListedFile(name, urljoin(url, link), size if known else None, _checked(sha256))


def _html_files(data: bytes, url: str) -> Iterator[ListedFile]:
    base = ""
    for tag, link in _links(data.decode("utf-8", "replace")):
        if tag == "base":
            base = base or urljoin(url, link)  # the first one counts
            continue
        try:
            target, fragment = urldefrag(urljoin(base or url, link))
            name = unquote(urlsplit(target).path).rpartition("/")[2]
        except ValueError:  # a host in brackets that is no address
            continue
        algorithm, _, digest = fragment.partition("=")
        yield ListedFile(name, target, None, _checked(digest if algorithm == "sha256" else None))


def _links(page: str) -> Iterator[tuple[str, str]]:
    """Yield ``a`` or ``base`` and the address of each such tag of *page*, comments left out.

    Each character is looked at a few times, whatever the page holds: the HTML parser of the standard library takes
    minutes for 300 KB of tags that nothing closes.
    """
    for part in page.split("-->"):
        for match in _TAG.finditer(part.partition("<!--")[0]):
            link = _HREF.search(match[2])
            if link is not None:
                yield match[1].lower(), unescape(link[1] or link[2] or link[3] or "")


def _checked(sha256: object) -> str | None:
    """Return *sha256* when it is one; raises TypeError for what is no text, ValueError for another text."""
    if sha256 is None:
        return None
    if not isinstance(sha256, str):
        raise TypeError("a hash that is no text")
    if not _SHA256.fullmatch(sha256):
        raise ValueError("a hash that is none")
    return sha256
