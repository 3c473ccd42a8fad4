"""Finding and downloading an archive on the user's own package indexes (PEP 503 and 691)."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import requests
from packaging.utils import canonicalize_name, parse_sdist_filename, parse_wheel_filename
from packaging.version import InvalidVersion, Version
from requests.utils import get_auth_from_url, get_netrc_auth

from ..quote.packages import PackageSpec
from .addresses import Route, leads_inward, may_carry_credentials
from .http import Breaker, HostDown, Limits, NetrcAuth, body, host_of, new_session, open_stream
from .pip_settings import IndexSettings
from .simple_page import ACCEPT, NOT_A_PAGE, read_page
from .store_folder import open_at_once
from .transport import NotDelivered

_CHUNK = 1 << 20
_PAGE_MAX = 16 << 20
_NAME = re.compile(r"[A-Za-z0-9._+!-]+")
"""Of the name of a wheel or sdist; any other would have to be escaped wherever it is written."""

ARCHIVE_LIMITS = Limits(total=900.0, max_bytes=1 << 30)
"""What one archive may cost: a quarter of an hour, 1 GiB."""


@dataclass(frozen=True, slots=True)
class Offer:
    """An archive that some index or folder has. ``size`` in bytes and ``sha256`` as the index says, when it does."""

    filename: str
    where: str
    url: str | None = None
    path: Path | None = None
    size: int | None = None
    sha256: str | None = None
    outside: bool = False
    """Whether the index is out there, so that what it names may not be inside."""


class _IndexAuth(NetrcAuth):
    """Those of the index URLs before those of netrc."""

    def __init__(self, urls: tuple[str, ...]) -> None:
        self._known = {_origin(url): get_auth_from_url(url) for url in urls if urlsplit(url).username}
        self._indexes = {_origin(url) for url in urls}

    def credentials(self, url: str) -> tuple[str, str] | None:
        """Return user name and password for *url*, or None."""
        known = self._known.get(_origin(url)) or super().credentials(url)
        # netrc's entry for every host is for those that the person named.
        return get_netrc_auth(url) if known is None and _origin(url) in self._indexes else known


class Index:
    """The package indexes of *settings*, asked in order. Times in *limits* are seconds, for one archive."""

    def __init__(
        self,
        settings: IndexSettings,
        *,
        session_factory: Callable[[], requests.Session] = new_session,
        limits: Limits = ARCHIVE_LIMITS,
    ) -> None:
        self._settings = settings
        self._limits = limits
        self._breaker = Breaker()
        self._session = session_factory()
        self._session.headers["Accept"] = ACCEPT
        self._session.auth = _IndexAuth(settings.urls)
        if settings.cert:
            self._session.verify = settings.cert
        if settings.proxy:
            self._session.proxies = {"http": settings.proxy, "https": settings.proxy}

    def named(self, spec: PackageSpec, filename: str) -> Iterator[Offer | NotDelivered]:
        """Yield every place that has *filename* of *spec*, local folders first, and why an index has not."""
        for folder in self._settings.folders:
            if "/" not in filename and (folder / filename).is_file():
                yield Offer(filename, folder.name, path=folder / filename)
        for url in self._settings.urls:
            try:
                found = [offer for offer in self._page(url, spec) if offer.filename == filename]
            except NotDelivered as error:
                yield error
            else:
                yield from found
                if not found:
                    yield NotDelivered("not-delivered", f"{host_of(url)}: has no {filename}")

    def release(self, spec: PackageSpec) -> list[Offer]:
        """Return the archives of *spec* on the first index (or else folder) that has any, in a fixed order.

        Windows wheels come last, since their text files can have CRLF line ends (mlx-cpu 0.32.1 has), then size and
        name decide.

        Raises NotDelivered with every index's reason.
        """
        reasons: list[str] = []
        for url in self._settings.urls:
            try:
                offers = [offer for offer in self._page(url, spec) if _is_of(offer.filename, spec)]
            except NotDelivered as error:
                reasons.append(error.diagnostic.message)
                continue
            if offers:
                return sorted(offers, key=_rank)
            reasons.append(f"{host_of(url)}: no {spec.kind} of {spec.name} {spec.version}")
        listed = (item for folder in self._settings.folders for item in folder.iterdir())
        local = [item for item in listed if _is_of(item.name, spec) and item.is_file()]
        if local:
            found = [Offer(item.name, item.parent.name, path=item, size=item.stat().st_size) for item in local]
            return sorted(found, key=_rank)
        raise NotDelivered("not-delivered", "; ".join(reasons) or "no package index is configured")

    def download(self, offer: Offer) -> Iterator[bytes]:
        """Yield the bytes of *offer*, unverified; raises NotDelivered as ``http.body`` does."""
        if offer.path is not None:
            yield from _read(offer.path, self._limits.max_bytes)
        elif offer.url is not None:
            yield from self._guarded(offer.url, self._limits, Route(outside_only=offer.outside))

    def close(self) -> None:
        """Close the connections; may be called twice."""
        self._session.close()

    def _guarded(
        self, url: str, limits: Limits, route: Route, seen: list[requests.Response] | None = None
    ) -> Iterator[bytes]:
        host = host_of(url)
        self._breaker.check(host)
        try:
            answer = open_stream(self._session, url, limits, route=route)
            if seen is not None:
                seen.append(answer)
            yield from body(answer, limits)
        except HostDown as error:
            self._breaker.trip(host, error)
            raise

    def _page(self, index: str, spec: PackageSpec) -> list[Offer]:
        if urlsplit(index).username and not may_carry_credentials(index):
            raise NotDelivered("not-delivered", f"{host_of(index)}: its password is not sent without TLS")
        name = canonicalize_name(spec.name)
        url = f"{_without_userinfo(index).rstrip('/')}/{name}/"
        limits = Limits(self._limits.connect, self._limits.read, self._limits.total, _PAGE_MAX)
        seen: list[requests.Response] = []
        route = Route()
        data = b"".join(self._guarded(url, limits, route, seen))
        try:
            files = read_page(data, seen[0].headers.get("content-type", ""), seen[0].url)
        except NOT_A_PAGE:
            raise NotDelivered("not-delivered", f"{host_of(url)}: its page of {name} is not a package index") from None
        return [
            Offer(file.name, host_of(index), file.url, None, file.size, file.sha256, route.inside is False)
            for file in files
            if _usable(file.url, index)
        ]


def _usable(url: str, index: str) -> bool:
    """Tell whether *url* may be asked: an HTTPS index offers only HTTPS, and one outside nothing inside."""
    try:
        scheme = urlsplit(url).scheme
        allowed = {"https"} if urlsplit(index).scheme == "https" else {"http", "https"}
        return scheme in allowed and not leads_inward(index, url)
    except ValueError:
        return False


def _rank(offer: Offer) -> tuple[bool, bool, int, str]:
    windows = "-win" in offer.filename and offer.filename.endswith(".whl")
    return windows, offer.size is None, offer.size or 0, offer.filename


def _is_of(filename: str, spec: PackageSpec) -> bool:
    try:
        if not _NAME.fullmatch(filename):
            return False
        if spec.kind == "wheel":
            name, version = parse_wheel_filename(filename)[:2]
        else:
            name, version = parse_sdist_filename(filename)
        return name == canonicalize_name(spec.name) and version == Version(spec.version)
    except (ValueError, InvalidVersion):
        return False


def _read(path: Path, most: int) -> Iterator[bytes]:
    """Yield what a file of a local folder holds; what takes its place may be a pipe, or without end."""
    try:
        with open(path, "rb", opener=open_at_once) as stream:
            info = os.fstat(stream.fileno())
            if not stat.S_ISREG(info.st_mode) or info.st_size > most:
                raise NotDelivered("not-delivered", f"{path.name}: no file, or one of more than {most} bytes")
            while chunk := stream.read(_CHUNK):
                yield chunk
    except OSError as error:
        raise NotDelivered("not-delivered", f"{path.name}: {error.strerror}") from None


def _origin(url: str) -> tuple[str, str]:
    return urlsplit(url).scheme, host_of(url)


def _without_userinfo(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
