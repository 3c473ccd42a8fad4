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

from urllib3.util import parse_url

_LOCAL = (".localhost", ".local", ".internal")
_CARRY = {  # networks of IPv6 whose addresses name one of IPv4, and by how many bits it stands above the end
    ipaddress.ip_network("64:ff9b::/96"): 0,  # NAT64
    ipaddress.ip_network("::ffff:0:0:0/96"): 0,  # SIIT
    ipaddress.ip_network("::/96"): 0,
    ipaddress.ip_network("2002::/16"): 80,  # 6to4
}
_LOCALLY_USED = tuple(map(ipaddress.ip_network, ("192.0.0.0/24", "64:ff9b:1::/48", "fec0::/10")))
"""Networks that some versions of Python call global, and that no server out there is in."""


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
        carried = next((bits for network, bits in _CARRY.items() if address in network), None)
        if address.ipv4_mapped:
            address = address.ipv4_mapped
        elif carried is not None and int(address) > 1:
            address = ipaddress.IPv4Address(int(address) >> carried & 0xFFFFFFFF)
    known = any(address in network for network in _LOCALLY_USED if network.version == address.version)
    return known or address.is_multicast or not address.is_global


def host_in(url: str) -> str:
    """Return the host of *url*, as both read it that judge addresses and that connect. Raises ValueError.

    They differ in what stands before a backslash, for one: what was judged must be what is asked.
    """
    judged = urlsplit(url).hostname or ""
    read = parse_url(url).host or ""
    again = (
        parse_url(f"https://{f'[{judged}]' if ':' in judged else judged}/").host or ""
    )  # as letters of any script are
    if read != again:
        raise ValueError("an address that can be read in two ways")
    return read.strip("[]")


def leads_inward(url: str, target: str) -> bool:
    """Tell whether *target* is spelled as an address inside, and *url* is not. Raises ValueError."""
    return is_inside(host_in(target)) and not is_inside(host_in(url))


def may_carry_credentials(url: str) -> bool:
    """Tell whether a password may be sent to *url*: over TLS, or to this very machine."""
    parts = urlsplit(url)
    try:
        loopback = ipaddress.ip_address(parts.hostname or "").is_loopback
    except ValueError:
        loopback = parts.hostname == "localhost"
    return parts.scheme == "https" or loopback
