"""Single files over HTTPS, by commit, from the hosts that serve them raw."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import urlsplit

import requests

from ...quote.blob import HEX_ID, MAX_FILE, LockedFile
from ...quote.diagnostics import MetalworkingError
from ...quote.repo import RAW_TEMPLATES, Repo
from ..http import Breaker, HostDown, Limits, NotFound, body, host_of, new_session, open_stream
from ..transport import NotDelivered

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
RAW_LIMITS = Limits(connect=8.0, read=15.0, total=60.0, max_bytes=MAX_FILE)


class Raw:
    """Fetches ``owner/name`` from GitHub and ``host/owner/name`` from *host*, by the URL *templates*.

    Only HTTPS, except that a template may name a loopback address. A redirect may lead to *allowed_hosts* (by default
    the templates' own hosts) and nowhere else. A host that fails is not asked again. The user's .netrc
    applies, as it does for git. *limits* are seconds and bytes, for one file.
    """

    name = "raw"

    def __init__(
        self,
        session_factory: Callable[[], requests.Session] = new_session,
        *,
        templates: Mapping[str, str] = RAW_TEMPLATES,
        allowed_hosts: frozenset[str] | None = None,
        limits: Limits = RAW_LIMITS,
        offline: bool = False,
    ) -> None:
        self._templates = dict(templates)
        for host, template in self._templates.items():
            _check_template(host, template)
        self._hosts = allowed_hosts or frozenset(map(host_of, self._templates.values()))
        self._limits = limits
        self._offline = offline
        self._new_session = session_factory
        self._idle: list[requests.Session] = []
        self._lock = threading.Lock()
        self._breaker = Breaker()

    def get(self, file: LockedFile) -> bytes:
        """Return what the host serves for *file*; raises NotDelivered when nothing comes whole and in bounds."""
        if self._offline:
            raise NotDelivered("not-delivered", "offline")
        url = self.url(file)
        host = host_of(url)
        self._breaker.check(host)
        try:
            with self._session() as session:
                answer = open_stream(session, url, self._limits, hosts=self._hosts)
                return b"".join(body(answer, self._limits))
        except HostDown as error:
            self._breaker.trip(host, error)
            raise
        except NotFound:
            raise NotDelivered("not-delivered", f"{host}: has no {file.key}") from None

    def url(self, file: LockedFile) -> str:
        """Return the address of *file*; raises NotDelivered when its host has no template or its name is unsafe."""
        key = file.key
        try:
            repo = Repo.named(key.repo)
        except MetalworkingError:
            repo = None
        if repo is None or not HEX_ID.match(key.commit) or {"", ".", ".."} & set(key.path.split("/")):
            raise NotDelivered("not-delivered", f"{key}: not a name that a URL can hold")
        url = repo.raw(key.commit, key.path, self._templates)
        if url is None:
            raise NotDelivered("not-delivered", f"no raw URL is known for {repo.host}")
        return url

    def close(self) -> None:
        """Close the connections; may be called twice."""
        with self._lock:
            for session in self._idle:
                session.close()
            self._idle.clear()

    @contextlib.contextmanager
    def _session(self) -> Iterator[requests.Session]:
        """Lend a session to one request at a time: requests does not promise that one can be shared."""
        with self._lock:
            session = self._idle.pop() if self._idle else self._new_session()
        try:
            yield session
        finally:
            with self._lock:
                self._idle.append(session)


def _check_template(host: str, template: str) -> None:
    parts = urlsplit(template)
    secure = parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
    if not secure or parts.username or "{path}" not in template or "{commit}" not in template:
        raise ValueError(f"{host}: a raw URL is https://… with {{repo}}, {{commit}} and {{path}}, and no credentials")
