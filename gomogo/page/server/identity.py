"""The identity of a browser: a random session id in a cookie, and values derived from it.

Only the browser has the session id. The store has only a digest of it, which identifies the visitor.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

COOKIE = "gomogo"
_SESSION_ID = re.compile(r"[0-9a-f]{64}")


def new_session() -> str:
    """Return a random session id that cannot be guessed."""
    return secrets.token_hex(32)


def is_session(text: str) -> bool:
    """Return whether the content of a cookie has the form of a session id."""
    return _SESSION_ID.fullmatch(text) is not None


def visitor_of(session: str) -> str:
    """Return the digest of a session id that identifies the visitor in the store."""
    return hashlib.sha256(b"sitter " + session.encode()).hexdigest()[:40]


def token_of(session: str) -> str:
    """Return the token in the forms for this session, which no other site can know."""
    return hmac.new(session.encode(), b"form", hashlib.sha256).hexdigest()


def is_token_of(session: str, token: str) -> bool:
    """Return whether a token belongs to the session."""
    return hmac.compare_digest(token_of(session).encode(), token.encode())
