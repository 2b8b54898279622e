"""The identity of a browser: a random session id in a cookie, and values derived from it.

Only the browser keeps the session id. The store keeps a digest of it, which identifies the visitor.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

COOKIE_NAME = "gomogo"
_SESSION_ID = re.compile(r"[0-9a-f]{64}")


def new_session_id() -> str:
    """Return a random session id that cannot be guessed."""
    return secrets.token_hex(32)


def is_session_id(text: str) -> bool:
    """Return whether the content of a cookie has the form of a session id."""
    return _SESSION_ID.fullmatch(text) is not None


def visitor_of(session_id: str) -> str:
    """Return the digest of a session id that identifies the visitor in the store."""
    return hashlib.sha256(b"sitter " + session_id.encode()).hexdigest()[:40]


def form_token(session_id: str) -> str:
    """Return the token that the forms of this session contain. No other site can know it."""
    return hmac.new(session_id.encode(), b"form", hashlib.sha256).hexdigest()


def is_form_token(session_id: str, token: str) -> bool:
    """Return whether this is the token that the forms of this session contain."""
    return hmac.compare_digest(form_token(session_id).encode(), token.encode())
