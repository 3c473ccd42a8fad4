"""The page of one project on a package index: links in HTML (PEP 503) or JSON (PEP 691)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01"
"""What is asked for, the JSON first: https://packaging.python.org/en/latest/specifications/simple-repository-api/"""
NOT_A_PAGE = (AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What reading raises for pages that are none, nested without end, or of other types than the standard says."""
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file that the page lists; ``size`` in bytes and ``sha256`` as it says, when it does."""

    name: str
    url: str
    size: int | None = None
    sha256: str | None = None


def read_page(data: bytes, content_type: str, url: str) -> list[ListedFile]:
    """Return the files that the page at *url* lists; raises one of NOT_A_PAGE for anything else."""
    return list(_json_files(json.loads(data), url) if "json" in content_type else _html_files(data, url))


def _json_files(page: dict[str, object], url: str) -> Iterator[ListedFile]:
    version = page["meta"]["api-version"]  # type: ignore[index]
    if version.partition(".")[0] != "1":
        raise ValueError("a version of the standard that is not known")
    for item in page["files"]:  # type: ignore[attr-defined]
        name, link, size, sha256 = item["filename"], item["url"], item.get("size"), item["hashes"].get("sha256")
        if not isinstance(name, str) or not isinstance(link, str) or isinstance(size, bool):
            raise TypeError("a file without name or address")
        known = isinstance(size, int) and size >= 0
        yield ListedFile(name, urljoin(url, link), size if known else None, _checked(sha256))


def _html_files(data: bytes, url: str) -> Iterator[ListedFile]:
    reader = _Links(url)
    reader.feed(data.decode("utf-8", "replace"))
    reader.close()
    for link in reader.links:
        try:
            target, fragment = urldefrag(urljoin(reader.base, link))
            name = unquote(urlsplit(target).path).rpartition("/")[2]
        except ValueError:  # a host in brackets that is no address
            continue
        algorithm, _, digest = fragment.partition("=")
        yield ListedFile(name, target, None, _checked(digest if algorithm == "sha256" else None))


def _checked(sha256: object) -> str | None:
    """Return *sha256* when it is one; raises TypeError for what is no text, ValueError for another text."""
    if sha256 is None:
        return None
    if not isinstance(sha256, str):
        raise TypeError("a hash that is no text")
    if not _SHA256.fullmatch(sha256):
        raise ValueError("a hash that is none")
    return sha256


class _Links(HTMLParser):
    """Collects the addresses of all links, and the page's own base."""

    def __init__(self, base: str) -> None:
        super().__init__(convert_charrefs=True)
        self.base = base
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take the address of a link."""
        target = dict(attrs).get("href")
        if target and tag == "a":
            self.links.append(target)
        elif target and tag == "base":
            self.base = urljoin(self.base, target)
