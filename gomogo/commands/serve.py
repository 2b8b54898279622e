"""The command `gomogo serve`: serve the page on which users watch, replay and play games in a browser.

The module handles options; gomogo/page is the server.
"""

from __future__ import annotations

import click

from gomogo.options import Decorator, sandbox_option, store_option
from gomogo_core import catalogue
from gomogo_core.errors import UserError
from gomogo_core.processes.limits import SandboxLevel

_LOCAL_HOST, _ALL_HOSTS = "127.0.0.1", "0.0.0.0"


def _limit_option(name: str, maximum: int, default: int, description: str) -> Decorator:
    help_text = f"Maximum number of {description} at a time; others wait."
    return click.option(
        name, type=click.IntRange(1, maximum), default=default, show_default=True, metavar="N", help=help_text
    )


@click.command(short_help="Serve the page: watch, replay and play games in a browser.")
@click.option(
    "--host", metavar="ADDRESS", help=f"Address to listen on. Default: {_LOCAL_HOST}, or {_ALL_HOSTS} with --class."
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8440, show_default=True, help="Port number; 0 for any free port."
)
@click.option("--open", "opens_browser", is_flag=True, help="Open the page in a browser.")
@click.option(
    "--agents",
    "specs",
    multiple=True,
    metavar="AGENT",
    help="Agent to offer as an opponent. Default: the agents of Gomogo.",
)
@click.option(
    "--analysis-engine",
    "analysts",
    multiple=True,
    metavar="AGENT",
    help="Agent or engine to offer on the analysis board, in addition to Gomogo's own. May be repeated.",
)
@_limit_option("--games", 1000, 4, "games with agents")
@_limit_option("--analyses", 100, 2, "analyses and reviews")
@click.option("--class", "with_class", is_flag=True, help="Serve a class: students join by name, a teacher pairs them.")
@sandbox_option()
@store_option
def command(
    host: str | None,
    port: int,
    opens_browser: bool,
    specs: tuple[str, ...],
    analysts: tuple[str, ...],
    games: int,
    analyses: int,
    with_class: bool,
    sandbox: SandboxLevel,
    store: str | None,
) -> None:
    """Serve the page until Ctrl-C: running games, tables, replays and interactive games.

    Only this computer can reach the page, unless --host names another address. All games are stored.
    """
    try:
        from gomogo.page.app import create_application
        from gomogo.page.server.serving import listen_on, serve
    except ModuleNotFoundError as error:
        raise UserError(
            f"The page needs a library that is not installed: {error.name}.", "Run pip install 'gomogo[web]'."
        ) from None
    from gomogo.page.server.addresses import is_loopback, lan_address
    from gomogo.page.server.settings import PageSettings, find_agents
    from gomogo_core.records.store import Store

    host = host or (_ALL_HOSTS if with_class else _LOCAL_HOST)
    is_local = is_loopback(host)
    hosts = ("127.0.0.1", "localhost", "::1", host) if is_local else ()
    analysis_agents = tuple(catalogue.agent(spec) for spec in analysts)
    settings = PageSettings(find_agents(specs), games, hosts, sandbox, analyses, analysis_agents)
    with Store.open(store) as opened_store, listen_on(host, port) as listener:
        host_text = f"[{host}]" if ":" in host else host
        if host in ("0.0.0.0", "::"):
            host_text = lan_address() or "localhost"
        address = f"http://{host_text}:{listener.getsockname()[1]}/"

        def announce() -> None:
            if not is_local:
                click.echo(
                    f"Warning: anyone who can reach {host} can play here, without encryption. "
                    "Use a proxy for TLS and passwords.",
                    err=True,
                )
            if with_class:
                click.echo(f"Students: {address}class", err=True)
                click.echo(
                    f"Teacher: {address}class/{app.state.classroom.secret} (keep this address to yourself)", err=True
                )
                click.echo(f"Wall: {address}wall", err=True)
            click.echo(f"Serving {opened_store.address} at {address} (Ctrl-C stops the server).", err=True)
            if opens_browser:
                click.launch(address)

        app = create_application(opened_store, settings, with_class=with_class)
        serve(app, listener, announce, app.state.context.close_channels)
