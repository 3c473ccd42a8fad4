"""HTTP as the transports use it: retried, bounded in time and size, and silent about credentials."""

from __future__ import annotations

import netrc
import os
import threading
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

import requests
import urllib3
from requests.auth import AuthBase, HTTPBasicAuth
from requests.utils import NETRC_FILES, get_netrc_auth
from urllib3.util.retry import Retry

from ..quote.blob import MAX_FILE
from .addresses import ROUTE, Inward, Route, leads_inward, may_carry_credentials
from .deadlines import Deadline, SocksProxy, TimedAdapter
from .hushed import hush
from .transport import NotDelivered

_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one download. Times are in seconds, ``max_bytes`` counts bytes after decompression."""

    connect: float = 10.0
    read: float = 20.0
    total: float = 60.0
    max_bytes: int = MAX_FILE


class HostDown(NotDelivered):
    """The host did not answer as a working host does: asking it again in this run would only cost time."""


class NotFound(NotDelivered):
    """The host answered that it has no such thing (404 or 410)."""


class NetrcAuth(AuthBase):
    """Credentials from the user's netrc, each for its own host, over TLS or to this machine, and never else.

    The entry ``default``, which names no host, is for none that a server or a pin chose.
    """

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Return *request* with what may be sent along."""
        url = request.url or ""
        auth = self.credentials(url) if may_carry_credentials(url) else None
        return HTTPBasicAuth(*auth)(request) if auth else request

    def credentials(self, url: str) -> tuple[str, str] | None:
        """Return user name and password for *url*, or None."""
        names_host = urlsplit(url).hostname in _netrc_hosts()
        return get_netrc_auth(url) if names_host else None


def _netrc_hosts() -> Collection[str]:
    """Return the hosts that the user's netrc names, which lies where requests looks for it."""
    files = [os.environ["NETRC"]] if "NETRC" in os.environ else [f"~/{name}" for name in NETRC_FILES]
    found = next(filter(os.path.exists, map(os.path.expanduser, files)), None)
    try:
        return netrc.netrc(found).hosts.keys() - {"default"} if found else ()
    except (netrc.NetrcParseError, OSError, UnicodeDecodeError):
        return ()


def new_session(
    *, retries: int = 3, backoff: float = 0.5, retry_after_max: int = 15, head_seconds: float = 30.0
) -> requests.Session:
    """Return a session that retries 429 and 5xx, waiting *backoff* seconds, doubled each time.

    ``Retry-After`` is respected up to *retry_after_max* seconds. Connections are tried twice, and each time the head
    of the answer must be there within *head_seconds*. Bodies are asked for uncompressed.
    """
    retry = Retry(
        total=retries + 1,
        connect=1,
        read=1,
        other=1,  # a proxy that refuses
        redirect=0,
        status=retries,
        backoff_factor=backoff,
        status_forcelist=(429, 500, 502, 503, 504),
        allowed_methods=("GET",),
        raise_on_status=False,
        respect_retry_after_header=True,
        retry_after_max=retry_after_max,
    )
    session = requests.Session()
    session.auth = NetrcAuth()
    session.headers["Accept-Encoding"] = "identity"
    session.headers["User-Agent"] = "mkdocs-metalworking"
    for scheme in ("https://", "http://"):
        session.mount(scheme, TimedAdapter(head_seconds=head_seconds, max_retries=retry))
    return session


def open_stream(
    session: requests.Session,
    url: str,
    limits: Limits,
    *,
    hosts: frozenset[str] | None = None,
    redirects: int = 5,
    route: Route | None = None,
) -> requests.Response:
    """Return the answer to ``GET url`` with its body unread, after at most *redirects* redirects.

    *hosts*, when given, are the ``host`` or ``host:port`` that a redirect may lead to, over HTTPS or as the first
    URL did. A server outside may lead to none inside; *route* says so of the first one too, and where the last one was.
    Raises NotFound, HostDown or NotDelivered; no message carries a user name, a password or a query.
    """
    scheme = urlsplit(url).scheme
    route = route or Route()
    for _ in range(redirects + 1):
        host = host_of(url)
        answer = _asked(session, url, limits, route)
        if not answer.is_redirect:
            _check_status(answer, host)
            return answer
        answer.close()
        try:
            inward = leads_inward(url, target := urljoin(url, answer.headers["location"]))
        except ValueError:  # a host in brackets that is no address
            raise NotDelivered("not-delivered", f"{host}: redirect to something that is no address") from None
        if inward and hosts is None:
            raise NotDelivered("not-delivered", f"{host}: redirect to a private address refused")
        route.outside_only = route.inside is False and hosts is None
        url = target
        if urlsplit(url).scheme not in {"https", scheme}:
            # No more than the scheme: what else stands there may be meant for nobody else's eyes.
            refused = urlsplit(url).scheme[:20]
            raise NotDelivered("not-delivered", f"{host}: redirect to {refused}: refused, not HTTPS")
        if hosts is not None and host_of(url) not in hosts:
            raise NotDelivered("not-delivered", f"{host}: redirect to another host, {host_of(url)}, refused")
    raise NotDelivered("not-delivered", f"{host_of(url)}: more than {redirects} redirects")


def _asked(session: requests.Session, url: str, limits: Limits, route: Route) -> requests.Response:
    host = host_of(url)
    hush()
    token = ROUTE.set(route)
    try:
        return session.get(url, stream=True, timeout=(limits.connect, limits.read), allow_redirects=False)
    except Inward:
        raise NotDelivered("not-delivered", f"{host}: leads to a private address, refused") from None
    except (requests.RequestException, urllib3.exceptions.HTTPError, ValueError, OSError) as error:
        raise HostDown("not-delivered", f"{host}: {_reason(error, limits)}") from None
    finally:
        ROUTE.reset(token)


def body(answer: requests.Response, limits: Limits) -> Iterator[bytes]:
    """Yield the body in pieces as they arrive, and close the answer.

    Raises NotDelivered when it is longer than ``limits.max_bytes``, cut short, oddly compressed or broken, and
    HostDown when it stalls or takes longer than ``limits.total`` seconds, however steadily it drips.
    """
    with answer, Deadline(limits.total, answer.raw.shutdown) as deadline:
        try:
            yield from _pieces(answer, limits)
        except NotDelivered:
            if not deadline.passed:
                raise
        if deadline.passed:  # also where the body seemed to end well: what was cut off had no length
            raise HostDown("not-delivered", f"{host_of(answer.url)}: not done after {limits.total:g} seconds")


def _pieces(answer: requests.Response, limits: Limits) -> Iterator[bytes]:
    host = host_of(answer.url)
    encoding = answer.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in {"identity", "gzip", "x-gzip", "deflate", ""}:
        raise NotDelivered("not-delivered", f"{host}: unknown content encoding {encoding[:20]!r}")
    inflate = zlib.decompressobj(47) if encoding not in {"identity", ""} else None  # 47: gzip or zlib header
    size = 0
    try:
        while piece := answer.raw.read1(_CHUNK, decode_content=False):
            room = limits.max_bytes - size + 1
            data = inflate.decompress(piece, room) if inflate else piece
            if inflate and inflate.unused_data:
                raise zlib.error  # it goes on behind its end: zlib would keep that, all of it and again and again
            size += len(data)
            if size > limits.max_bytes:
                raise NotDelivered("not-delivered", f"{host}: more than the limit of {limits.max_bytes} bytes")
            yield data
        if inflate and not inflate.eof:
            raise NotDelivered("not-delivered", f"{host}: the body is cut short")
    except zlib.error:
        raise NotDelivered("not-delivered", f"{host}: the body is not {encoding}") from None
    except urllib3.exceptions.ProtocolError:  # what urllib3 makes of a length or a chunk that is not kept
        raise NotDelivered("not-delivered", f"{host}: the body is cut short") from None
    except urllib3.exceptions.ReadTimeoutError:
        raise HostDown("not-delivered", f"{host}: no more bytes for {limits.read:g} seconds") from None
    except (urllib3.exceptions.HTTPError, ValueError, OSError) as error:
        raise NotDelivered("not-delivered", f"{host}: connection lost ({type(error).__name__})") from None


class Breaker:
    """Remembers hosts that are down, so that 200 excerpts offline do not mean 200 timeouts. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._down: dict[str, str] = {}

    def check(self, host: str) -> None:
        """Raise NotDelivered when *host* failed before in this run."""
        with self._lock:
            reason = self._down.get(host)
        if reason is not None:
            raise NotDelivered("not-delivered", f"{reason} (not asked again in this run)")

    def trip(self, host: str, error: HostDown) -> None:
        """Remember that *host* is down; the first reason stays."""
        with self._lock:
            self._down.setdefault(host, error.diagnostic.message)


def host_of(url: str) -> str:
    """Return ``host`` or ``host:port`` of *url*, in lower case and without credentials."""
    return urlsplit(url).netloc.rpartition("@")[2].lower()


def _check_status(answer: requests.Response, host: str) -> None:
    status = answer.status_code
    if status == 200:
        return
    answer.close()
    if status in {404, 410}:
        raise NotFound("not-delivered", f"{host}: {status}, no such file")
    if status == 429 or status >= 500:
        raise HostDown("not-delivered", f"{host}: answers {status}, after retries")
    raise NotDelivered("not-delivered", f"{host}: answers {status}")


def _reason(error: Exception, limits: Limits) -> str:
    """Say what went wrong in our words: the library's own text can hold whole URLs."""
    if isinstance(error, SocksProxy):
        return "a SOCKS proxy is not gone through; name one that speaks HTTP"
    if isinstance(error, requests.ConnectTimeout):
        return f"no connection within {limits.connect:g} seconds"
    if isinstance(error, requests.Timeout) or "Read timed out" in str(error):
        return f"no answer within {limits.read:g} seconds"
    if isinstance(error, requests.exceptions.SSLError):
        return "its certificate is not accepted" if "CERTIFICATE" in str(error).upper() else "its TLS fails"
    if isinstance(error, requests.exceptions.ProxyError):
        return "the proxy does not let it through"
    if isinstance(error, requests.ConnectionError):
        return "cannot be reached"
    return f"request failed ({type(error).__name__})"
