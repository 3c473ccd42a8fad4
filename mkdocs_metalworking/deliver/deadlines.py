"""An end to every answer: time limits that a server cannot put off by sending a byte now and then.

A socket's own timeout begins anew with every byte. So a thread waits beside the reader, and when the time is up it
shuts the socket down, which wakes the reader with an error. That ends slow handshakes, endless ``100 Continue``, floods
of headers, and chunks whose trailers never stop, all of which the standard library reads in loops without a bound.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.util.retry import Retry

from .addresses import ROUTE, Inward


class SocksProxy(ValueError):
    """A proxy that does not speak HTTP: nothing bounds its handshake, and nothing is sent around it."""


class Deadline:
    """Calls *end* when the block takes longer than *seconds*; ``passed`` tells whether it did."""

    def __init__(self, seconds: float, end: Callable[[], object]) -> None:
        self.passed = False
        self._end = end
        self._timer = threading.Timer(seconds, self._fire)
        self._timer.daemon = True

    def __enter__(self) -> Deadline:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._timer.cancel()

    def _fire(self) -> None:
        self.passed = True
        with contextlib.suppress(OSError, ValueError):  # it may be closed by now
            self._end()


class _Timed(HTTPConnection):
    """A connection whose handshake, and then the head of whose answer, must be there within *head_seconds*."""

    head_seconds = 30.0
    _twin: socket.socket | None = None

    def _new_conn(self) -> socket.socket:
        made = super()._new_conn()
        try:
            self._judge(made)
        except Inward:
            made.close()
            raise
        self._twin = made.dup()  # TLS takes the socket itself away from us
        return made

    def _judge(self, sock: socket.socket) -> None:
        """Raise Inward when the peer may not be asked; behind a proxy it is not the one that is."""
        route = ROUTE.get()
        if route is not None and self.proxy is None:
            route.meet(str(sock.getpeername()[0]))

    def request(self, *arguments: Any, **more: Any) -> None:
        """Send a request, also over a connection that another one made, if it may lead there."""
        if self.sock is not None and self._twin is not None:
            self._judge(self.sock)
        super().request(*arguments, **more)

    def connect(self) -> None:
        with Deadline(self.head_seconds, self._end) as deadline:
            try:
                super().connect()
            except Exception as error:
                if deadline.passed:
                    raise TimeoutError("the handshake took too long") from error
                raise
            finally:
                if self._twin is not None:
                    self._twin.close()

    def getresponse(self) -> Any:
        sock = self.sock
        with Deadline(self.head_seconds, lambda: socket.socket.shutdown(sock, socket.SHUT_RDWR)) as deadline:
            try:
                return super().getresponse()
            except Exception as error:
                if deadline.passed:
                    raise TimeoutError("the head of the answer took too long") from error
                raise

    def _end(self) -> None:
        if self._twin is not None:
            self._twin.shutdown(socket.SHUT_RDWR)


class _TimedTLS(_Timed, HTTPSConnection):
    """The same over TLS."""


class TimedAdapter(HTTPAdapter):
    """An adapter of requests whose connections wait *head_seconds* for an answer's head, and no longer."""

    def __init__(self, *, head_seconds: float, max_retries: Retry) -> None:
        plain = type("Timed", (_Timed,), {"head_seconds": head_seconds})
        tls = type("TimedTLS", (_TimedTLS,), {"head_seconds": head_seconds})
        self._pools = {
            "http": type("TimedPool", (HTTPConnectionPool,), {"ConnectionCls": plain}),
            "https": type("TimedTLSPool", (HTTPSConnectionPool,), {"ConnectionCls": tls}),
        }
        super().__init__(max_retries=max_retries)

    def init_poolmanager(self, *args: Any, **kwargs: Any) -> None:
        """Make the pools, with our connections in them."""
        super().init_poolmanager(*args, **kwargs)
        self.poolmanager.pool_classes_by_scheme = self._pools

    def proxy_manager_for(self, proxy: str, **kwargs: Any) -> Any:
        """Return the pools behind *proxy*, with our connections in them. Raises SocksProxy."""
        if proxy.lower().startswith("socks"):
            raise SocksProxy
        manager = super().proxy_manager_for(proxy, **kwargs)
        manager.pool_classes_by_scheme = self._pools
        return manager
