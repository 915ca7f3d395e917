"""The addresses of this machine on its local networks, and which peers count as local."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable

LOOPBACK = "127.0.0.1"
_VIRTUAL = ("docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "podman", "cni", "flannel")
"""Interfaces that lead to virtual machines only."""


def local_addresses() -> list[str]:
    """Return the IPv4 addresses under which the local network reaches this machine, the likeliest first.

    Public addresses are left out: nothing is ever served to the internet. IPv6 is left out too, because a
    router gives it publicly and a QR code with it is hard to scan.
    """
    import ifaddr

    found = [
        str(address.ip)
        for adapter in ifaddr.get_adapters()
        for address in adapter.ips
        if address.is_IPv4 and not str(adapter.name).startswith(_VIRTUAL)
    ]
    return sorted((one for one in found if is_local(one) and not is_loopback(one)), key=_likelihood)


def _likelihood(address: str) -> tuple[int, str]:
    """Return a sort key: home networks first, then hotspots and large networks, self-assigned last."""
    order = ("192.168.", "10.", "172.")
    rank = next((place for place, start in enumerate(order) if address.startswith(start)), len(order))
    return (rank + 10 if address.startswith("169.254.") else rank), address


def is_local(address: str) -> bool:
    """Return whether an address belongs to this machine or to a local network."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is not None:
        return is_local(str(ip.ipv4_mapped))
    return (ip.is_private or ip.is_link_local or ip.is_loopback) and not ip.is_unspecified


def is_loopback(address: str) -> bool:
    """Return whether an address is this machine's own."""
    try:
        return ipaddress.ip_address(address.partition("%")[0]).is_loopback
    except ValueError:
        return False


def network_name() -> str:
    """Return the name under which this machine is announced: `shithead-HOST.local`."""
    host = socket.gethostname().partition(".")[0].lower()
    plain = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in host).strip("-")
    return f"shithead-{plain[:40] or 'table'}.local"


def host_names(addresses: Iterable[str], port: int) -> frozenset[str]:
    """Return what a browser may send as `Host` for these addresses and names."""
    return frozenset(f"{address}:{port}" for address in addresses)
