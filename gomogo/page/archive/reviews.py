"""Reviews of finished games for the page: one at a time, and cached.

Uses records, but no request.
"""

from __future__ import annotations

import threading
from collections import OrderedDict

from gomogo_core.analysis.review import Review, review
from gomogo_core.errors import UserError
from gomogo_core.records.game_record import PlayedGame

_SECONDS = 8.0  # for a review
_PATIENCE = 10.0  # seconds to wait while others are reviewed
_REMEMBERED = 100


class ReviewCache:
    """Computes reviews one at a time, and caches them."""

    def __init__(self) -> None:
        self._one = threading.Lock()
        self._reviews: OrderedDict[str, Review] = OrderedDict()

    def of(self, played: PlayedGame) -> Review:
        """Return the review of a game. Raises UserError while the server computes others."""
        if (held := self._reviews.get(played.key)) is not None:
            return held
        if not self._one.acquire(timeout=_PATIENCE):
            raise UserError("The server is busy with other reviews.", "Try again in a few seconds.")
        try:
            made = review(played, _SECONDS)
        finally:
            self._one.release()
        self._reviews[played.key] = made
        while len(self._reviews) > _REMEMBERED:
            self._reviews.popitem(last=False)
        return made
