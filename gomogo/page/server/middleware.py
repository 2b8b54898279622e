"""ASGI middleware that checks every request: its host, origin, size, rate and form token. It adds security headers to
every response.

It stores `visitor`, `token` and `form` in the state of the request.
"""

from __future__ import annotations

import asyncio
import html
import json
import time
from collections import OrderedDict
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gomogo.page.server.identity import (
    COOKIE_NAME,
    form_token,
    is_form_token,
    is_session_id,
    new_session_id,
    visitor_of,
)

MAX_FORM_BYTES = 16_384
_MAX_VARIATION_TREE_BYTES = 512 * 1024  # for a form with a tree of variations
_VARIATION_TREE_PATHS = ("/analysis/sgf", "/analysis/read")
_FORM_SECONDS = 10.0  # the time limit for receiving a form
_YEAR_SECONDS = 365 * 86400
_CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)
_SECURITY_HEADERS = {
    "Content-Security-Policy": _CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")  # which browsers trust without encryption
_RELOAD_PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="0">'
    '<title>Gomogo</title><p><a href="">Continue</a></p></html>'
)

_MAX_BUCKETS = 10_000  # token buckets of each kind; beyond them, the client that was away longest loses its bucket


class RateLimits:
    """Limits the rate of requests of each client by token buckets. burst: the size of a bucket. per_second: new tokens
    per second.
    """

    def __init__(self, per_second: float, burst: float) -> None:
        self.per_second, self.burst = per_second, burst
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allow(self, client: str) -> bool:
        """Take a token of a client. Return False if there is none."""
        now = time.monotonic()
        tokens, updated_at = self._buckets.pop(client, (self.burst, now))
        tokens = min(self.burst, tokens + (now - updated_at) * self.per_second)
        is_allowed = tokens >= 1.0
        self._buckets[client] = (tokens - 1.0 if is_allowed else tokens, now)
        if len(self._buckets) > _MAX_BUCKETS:
            self._buckets.popitem(last=False)
        return is_allowed


class RequestTooLarge(Exception):
    """The error for a form that is larger than any form of the page."""


class RequestGuard:
    """The middleware. hosts: the accepted host names; empty for any."""

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...] = ()) -> None:
        self.app, self.hosts = app, hosts
        self.read_limits = RateLimits(per_second=200, burst=2000)  # limits of one address: a whole class may share it
        self.write_limits = RateLimits(per_second=100, burst=600)
        self.session_write_limits = RateLimits(per_second=10, burst=60)  # limits of one session
        self.new_game_limits = RateLimits(per_second=0.5, burst=60)  # new games of one address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a valid request on to the application; respond to other requests with an error."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        session_id, is_known = _session_id_of(headers)
        state = scope.setdefault("state", {})
        state.update(visitor=visitor_of(session_id), token=form_token(session_id), form={})

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                response_headers = MutableHeaders(scope=message)
                for name, value in _SECURITY_HEADERS.items():
                    response_headers.setdefault(name, value)
                if scope["scheme"] == "https" or _host_name(headers.get("host", "")) in _LOCAL_HOSTS:
                    # on other hosts, browsers ignore this header and write an error to the console of every page
                    response_headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
                response_headers.setdefault("Cache-Control", "no-store")
                if not is_known and message["status"] < 400 and not scope["path"].startswith(("/static/", "/health")):
                    cookie = f"{COOKIE_NAME}={session_id}; Path=/; Max-Age={_YEAR_SECONDS}; HttpOnly; SameSite=Strict"
                    response_headers.append("Set-Cookie", cookie + "; Secure" * (scope["scheme"] == "https"))
            await send(message)

        wants_json = "application/json" in headers.get("accept", "")

        async def refuse(status: int, problem: str, remedy: str) -> None:
            await _send_response(send_with_headers, status, problem, remedy, as_json=wants_json)

        client = scope["client"][0] if scope.get("client") else ""
        if self.hosts and _host_name(headers.get("host", "")) not in self.hosts:
            await refuse(421, "The server does not serve this host name.", f"Use {self.hosts[0]}.")
        elif not _is_valid_path(scope):
            await refuse(400, "The URL cannot be read.", "Use the page's own links.")
        elif scope["method"] in ("GET", "HEAD"):
            if not self.read_limits.allow(client):
                await refuse(429, "Too many requests.", "Wait a few seconds.")
            elif not is_known and headers.get("sec-fetch-site") == "cross-site":
                # After a link from another site, a browser sends no strict cookie: let it load the page again.
                is_known = True
                await _send_text(send_with_headers, 200, _RELOAD_PAGE)
            else:
                await self.app(scope, receive, send_with_headers)
        elif scope["method"] != "POST":
            await refuse(405, "The page does not support this request.", "Use the page's own links and buttons.")
        elif not self._may_post(client, session_id if is_known else client, scope["path"]):
            await refuse(429, "Too many requests.", "Wait a few seconds.")
        elif not _same_origin(headers):
            await refuse(403, "The request comes from another site.", "Use the page's own buttons.")
        else:
            max_bytes = _MAX_VARIATION_TREE_BYTES if scope["path"] in _VARIATION_TREE_PATHS else MAX_FORM_BYTES
            try:
                async with asyncio.timeout(_FORM_SECONDS):
                    state["form"] = await _read_form_body(headers, receive, max_bytes)
            except RequestTooLarge:
                await refuse(413, f"The form has more than {max_bytes} bytes.", "Send less.")
                return
            except TimeoutError:
                await refuse(408, "The form was not received completely.", "Send it again.")
                return
            except ValueError:
                await refuse(400, "The form cannot be read.", "Use the page's own buttons.")
                return
            token = headers.get("x-token") or state["form"].get("token", [""])[0]
            if not is_known or not is_form_token(session_id, token):
                await refuse(
                    403, "The form does not belong to this browser.", "Load the page again, with cookies allowed."
                )
                return
            await self.app(scope, receive, send_with_headers)

    def _may_post(self, client: str, session_id: str, path: str) -> bool:
        is_allowed = self.write_limits.allow(client) and self.session_write_limits.allow(session_id)
        return is_allowed and (path != "/play" or self.new_game_limits.allow(client))


def _session_id_of(headers: Headers) -> tuple[str, bool]:
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(COOKIE_NAME)
    except CookieError:
        morsel = None
    if morsel is not None and is_session_id(morsel.value):
        return morsel.value, True
    return new_session_id(), False


def _is_valid_path(scope: Scope) -> bool:
    """Return whether path and query are text without NUL characters, which some databases cannot store."""
    query: bytes = scope["query_string"]
    return query.isascii() and b"%00" not in query and "\0" not in scope["path"]


def _host_name(host: str) -> str:
    """Return a Host header without its port; empty if it is invalid."""
    try:
        return (urlsplit(f"//{host}").hostname or "") if host.isprintable() and "@" not in host else ""
    except ValueError:
        return ""


def _same_origin(headers: Headers) -> bool:
    """Return whether a page of this server sent the request, according to the browser. Programs that do not send these
    headers are accepted: they have no cookies of a user.
    """
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    try:
        return origin is None or urlsplit(origin).netloc.casefold() == headers.get("host", "").casefold()
    except ValueError:  # the origin is no URL, for example http://[
        return False


async def _read_form_body(headers: Headers, receive: Receive, max_bytes: int) -> dict[str, list[str]]:
    is_form = headers.get("content-type", "").startswith("application/x-www-form-urlencoded")
    if int(headers.get("content-length", "0")) > max_bytes:
        raise RequestTooLarge
    body = b""
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise ValueError
        body += message.get("body", b"")
        if len(body) > max_bytes:
            raise RequestTooLarge
        if body and not is_form:
            raise ValueError
        if not message.get("more_body"):
            return read_form(body)


def read_form(body: bytes) -> dict[str, list[str]]:
    """Return the fields of a URL-encoded form. Raises ValueError if it is invalid."""
    return parse_qs(body.decode("utf-8"), keep_blank_values=True, max_num_fields=100)


async def _send_response(send: Send, status: int, problem: str, remedy: str, *, as_json: bool) -> None:
    if as_json:
        body = json.dumps({"refused": problem, "remedy": remedy})
        await _send_text(send, status, body, "application/json")
    else:
        title = html.escape(problem)
        text = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><p>{title}</p>'
        await _send_text(send, status, f"{text}<p>{html.escape(remedy)}</p></html>")


async def _send_text(send: Send, status: int, text: str, content_type: str = "text/html; charset=utf-8") -> None:
    body = text.encode()
    headers = [(b"content-type", content_type.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
