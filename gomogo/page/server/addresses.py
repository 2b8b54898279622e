"""The addresses at which other computers reach this server, and QR codes for links."""

from __future__ import annotations

import ipaddress
import socket
from urllib.parse import urlsplit

from markupsafe import Markup

_LOCAL_ONLY_WARNING = "Only this computer can open this link. To let others open it, run"


def is_loopback(host: str) -> bool:
    """Return whether a host name or address is reachable from this computer only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def lan_address() -> str | None:
    """Return this computer's address in its local network, or None. This sends no packet."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address reserved for documentation; connect() only finds the route
            address = str(probe.getsockname()[0])
        except OSError:
            return None
    return None if is_loopback(address) or address == "0.0.0.0" else address


def shareable_base_url(base_url: str, *, is_local: bool, with_class: bool = False) -> tuple[str, str]:
    """Return the base URL of links for other computers, and a warning if other computers cannot open them.

    base_url: the base URL that the visitor uses. is_local: whether the server accepts only connections
    from this computer. with_class: whether the server has a class; other computers can open its default address.

    >>> shareable_base_url("http://localhost/", is_local=True, with_class=True)[1].partition(". ")[2]
    'To let others open it, run without --host: gomogo serve --class'
    """
    base, parts = base_url.rstrip("/"), urlsplit(base_url)
    if is_local:
        command = " without --host: gomogo serve --class" if with_class else ": gomogo serve --host 0.0.0.0"
        return base, f"{_LOCAL_ONLY_WARNING}{command}"
    if not is_loopback(parts.hostname or ""):
        return base, ""
    address = lan_address()
    if address is None:
        return base, "This computer has no network address, so only this computer can open this link."
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{address}{port}", ""


def qr_code(text: str) -> Markup:
    """Return a QR code as inline SVG."""
    import segno

    return Markup(segno.make(text, micro=False).svg_inline(border=2, omitsize=True))
