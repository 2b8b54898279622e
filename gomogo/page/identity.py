"""Who a browser is: a random session in a cookie, and what is derived from it.

Knows no request. The session itself is kept nowhere but in the browser: the store has its digest.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

COOKIE = "gomogo"
_FORM = re.compile(r"[0-9a-f]{64}")


def new_session() -> str:
    """A session that nobody can guess."""
    return secrets.token_hex(32)


def is_session(text: str) -> bool:
    """Whether a cookie's content can be one of ours."""
    return _FORM.fullmatch(text) is not None


def sitter_of(session: str) -> str:
    """What stands in the store for whoever has this session."""
    return hashlib.sha256(b"sitter " + session.encode()).hexdigest()[:40]


def token_of(session: str) -> str:
    """What each form of this session's pages carries, and no other site can know."""
    return hmac.new(session.encode(), b"form", hashlib.sha256).hexdigest()


def is_token_of(session: str, token: str) -> bool:
    """Whether `token` is that of the session."""
    return hmac.compare_digest(token_of(session).encode(), token.encode())
