"""Serve the page: watch, replay and play games in a browser.

Knows options and words; the page is gomogo/page's.
"""

from __future__ import annotations

import ipaddress

import click

from gomogo.commands._options import store_option
from gomogo_core.errors import UserError

_HERE = "127.0.0.1"


@click.command(short_help="Serve the page: watch, replay and play games in a browser.")
@click.option("--host", default=_HERE, show_default=True, metavar="ADDRESS", help="Where to listen.")
@click.option("--port", type=click.IntRange(0, 65535), default=8440, show_default=True, help="The port; 0 for any.")
@click.option("--open", "opens", is_flag=True, help="Open the page in a browser.")
@click.option("--agents", "specs", multiple=True, metavar="AGENT", help="Whom to offer as opponents; else the house's.")
@click.option(
    "--games",
    "most",
    type=click.IntRange(1, 1000),
    default=4,
    show_default=True,
    metavar="N",
    help="How many games with agents run at a time; others wait.",
)
@store_option
def command(host: str, port: int, opens: bool, specs: tuple[str, ...], most: int, store: str | None) -> None:
    """Serve the page until Ctrl-C: running games, tables, replays, and boards to play at.

    Only this computer can reach it unless --host says otherwise. Everything is in the store.
    """
    try:
        from gomogo.page.app import application
        from gomogo.page.serving import listening, serve
    except ModuleNotFoundError as missing:
        raise UserError(
            f"The page needs a library that is not installed: {missing.name}.", "Run pip install 'gomogo[web]'."
        ) from None
    from gomogo.page.terms import Terms, listed
    from gomogo_core.records.store import Store

    alone = _is_loopback(host)
    terms = Terms(listed(specs), most, ("127.0.0.1", "localhost", "::1", host) if alone else ())
    with Store.open(store) as opened, listening(host, port) as at:
        name = f"[{host}]" if ":" in host else host
        address = f"http://{name if host not in ('0.0.0.0', '::') else 'localhost'}:{at.getsockname()[1]}/"

        def ready() -> None:
            if not alone:
                click.echo(
                    f"Warning: everybody who can reach {host} can play here, unencrypted. "
                    "A proxy in front of it can add TLS and names.",
                    err=True,
                )
            click.echo(f"Serving {opened.where} at {address} (Ctrl-C ends it).", err=True)
            if opens:
                click.launch(address)

        serve(application(opened, terms, person="me" if alone else "guest"), at, ready)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
