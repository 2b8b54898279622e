"""All sittings of this page: begun, found again, changed, refereed, kept, deleted.

Knows sittings, their referees and the store; no request, no HTML. Safe to be used from many threads.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress

from gomogo.page.places import Places
from gomogo.page.refereeing import Refereeing
from gomogo.page.sitting import Refused, Sitting
from gomogo.page.terms import MOST_UNFINISHED, Terms
from gomogo_core.errors import UserError
from gomogo_core.records import sittings
from gomogo_core.records.played import PlayedGame
from gomogo_core.records.store import Store

_LATELY = 600.0  # seconds without a move, after which a game is not being played just now
_IN_MEMORY = 500  # sittings, of which those that nobody plays just now are let go first


class Room:
    """The sittings. changed: told of each change, in the sitting's lock and in any thread."""

    def __init__(self, store: Store, terms: Terms, changed: Callable[[Sitting], None] = lambda _: None) -> None:
        self.store, self.terms = store, terms
        self.changed = changed
        self.places = Places(terms.most_games)
        self._guard = threading.RLock()
        self._sittings: dict[str, Sitting] = {}
        self._referees: dict[str, Refereeing] = {}
        self._closed = False

    def close(self) -> None:
        """Send all agents home; every game stays as it is."""
        with self._guard:
            self._closed = True
            referees = list(self._referees.values())
        for referee in referees:
            referee.close()
        for referee in referees:
            referee.join(10)

    def find(self, key: str) -> Sitting:
        """The sitting of this key. Raises Refused where there is none."""
        with self._guard:
            if (sitting := self._sittings.get(key)) is not None:
                return sitting
            found = sittings.kept(self.store, key)
            if found is None:
                raise Refused("There is no such game.", "It may have been deleted.")
            sitting = self._sittings[key] = Sitting.from_json(found.plain)
            return sitting

    def of(self, sitter: str) -> list[Sitting]:
        """The sittings of one person, the last changed first."""
        found = []
        for kept in sittings.kept_of(self.store, sitter):
            with suppress(UserError, ValueError, KeyError, TypeError):  # of another version: it hides no other
                found.append(self.find(kept.key))
        return found

    def played_now(self) -> list[Sitting]:
        """The sittings in which something was done a short while ago and that go on, the latest first."""
        with self._guard:
            held = list(self._sittings.values())
        since = time.monotonic() - _LATELY
        lately = [one for one in held if one.changed_at > since and not one.over and not one.waiting_for_people]
        return sorted(lately, key=lambda one: -one.changed_at)

    def begin(self, sitting: Sitting, sitter: str) -> Sitting:
        """Open a new sitting. Raises Refused where one person has begun too many."""
        if sittings.unfinished_of(self.store, sitter) >= MOST_UNFINISHED:
            raise Refused(f"You have {MOST_UNFINISHED} games that are not over.", "End some of them, or delete them.")
        with self._guard:
            self._make_room()
            self._sittings[sitting.key] = sitting
        with sitting.lock:
            self._keep(sitting)
        self.go_on(sitting)
        return sitting

    def _make_room(self) -> None:
        for key in list(self._sittings)[: max(0, len(self._sittings) - _IN_MEMORY)]:
            if key not in self._referees:
                del self._sittings[key]

    def change(self, sitting: Sitting, what: Callable[[], object]) -> None:
        """Do something to a sitting that is asked of us, keep it, and tell everybody. Raises what `what` raises."""
        with sitting.lock:
            what()
            self._tell(sitting)
        self.go_on(sitting)

    def _tell(self, sitting: Sitting) -> None:
        """Show a change, then keep it: who plays waits for the one, not for the disk."""
        self.changed(sitting)
        if not sitting.gone:
            self._keep(sitting)

    def _keep(self, sitting: Sitting) -> None:
        sittings.keep(self.store, sitting.key, sitting.as_json(), sitting.sat(), over=sitting.over)

    def go_on(self, sitting: Sitting) -> None:
        """See that somebody referees the sitting, if there is anything to referee."""
        with sitting.lock:
            done = sitting.stored or sitting.gone or sitting.waiting_for_people
        with self._guard:
            referee = self._referees.get(sitting.key)
            if referee is not None and referee.stays:
                referee.wake()
                return
            if done or self._closed:
                return
            referee = Refereeing(sitting, self.places, self.terms.sandbox, self._tell, self._finished)
            self._referees[sitting.key] = referee
            referee.start()
        self._forget_idle()

    def refereed(self, key: str) -> bool:
        """Whether a referee sits at this table now."""
        with self._guard:
            return key in self._referees and self._referees[key].is_alive()

    def _forget_idle(self) -> None:
        with self._guard:
            for key in [key for key, referee in self._referees.items() if not referee.stays]:
                if self._referees[key].ident is not None:
                    del self._referees[key]

    def _finished(self, sitting: Sitting, played: PlayedGame) -> None:
        with sitting.lock:
            if sitting.gone:
                return
            self.store.add(played)
            sitting.stored = True
            sitting.touch()
            self._tell(sitting)

    def delete(self, sitting: Sitting, sitter: str) -> list[str]:
        """Remove a sitting with its moves and its record, once everybody who plays in it has asked for that.

        Returns the names of those who have not, while there are any. Raises Refused where it is none of theirs.
        """
        with sitting.lock:
            if not sitting.seats_of(sitter):
                raise Refused("You do not play in this game.", "Only who plays can delete it.")
            if still := sitting.give_up(sitter):
                self._keep(sitting)
                return still
            sitting.gone = True
            sitting.touch()
            self.changed(sitting)
            sittings.forget(self.store, sitting.key)
        with self._guard:
            self._sittings.pop(sitting.key, None)
            if (referee := self._referees.get(sitting.key)) is not None:
                referee.close()
        return []
