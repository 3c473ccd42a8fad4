"""Where a request may lead. What a server out there says may not make this machine ask its neighbors.

A name can be spelled in many ways and looked up twice with two answers; so the peer is judged that is connected, before
anything is said to it. Behind a proxy the peer is the proxy, and the spelling must do.
"""

from __future__ import annotations

import ipaddress
import socket
from contextvars import ContextVar
from dataclasses import dataclass
from urllib.parse import urlsplit

_LOCAL = (".localhost", ".local", ".internal")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


class Inward(Exception):
    """The peer lies inside this machine or network, and was named by somebody outside."""


@dataclass
class Route:
    """The way of one request. ``inside`` tells where its last peer was; None: nobody knows, as behind a proxy."""

    outside_only: bool = False
    inside: bool | None = None

    def meet(self, peer: str) -> None:
        """Judge the address *peer*; raises Inward when it may not be asked."""
        self.inside = is_inside(peer)
        if self.inside and self.outside_only:
            raise Inward(peer)


ROUTE: ContextVar[Route | None] = ContextVar("route", default=None)
"""The request on its way in this thread; connections look here."""


def is_inside(host: str | None) -> bool:
    """Tell whether *host* is an address inside this machine or network, in any spelling. Names are not looked up."""
    name = (host or "").rstrip(".").partition("%")[0].lower()
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        try:
            address = ipaddress.ip_address(socket.inet_aton(name))  # 127.1, 2130706433, 0x7f000001, 0
        except (OSError, UnicodeError):
            return not name or name == "localhost" or name.endswith(_LOCAL)
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            address = address.ipv4_mapped
        elif address in _NAT64:
            address = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return not address.is_global


def leads_inward(url: str, target: str) -> bool:
    """Tell whether *target* is spelled as an address inside, and *url* is not."""
    return is_inside(urlsplit(target).hostname) and not is_inside(urlsplit(url).hostname)


def may_carry_credentials(url: str) -> bool:
    """Tell whether a password may be sent to *url*: over TLS, or to this very machine."""
    parts = urlsplit(url)
    try:
        loopback = ipaddress.ip_address(parts.hostname or "").is_loopback
    except ValueError:
        loopback = parts.hostname == "localhost"
    return parts.scheme == "https" or loopback
