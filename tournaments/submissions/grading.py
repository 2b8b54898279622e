"""What every student has come to: steps, results against each opponent, and what was required.

Knows the night and the store; writes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gomogo_core.games.base import Reason
from gomogo_core.records.store import Run, Store
from gomogo_core.records.tallies import PairEnds, pair_ends
from tournaments.submissions.night import Entrant, Night
from tournaments.submissions.preparing import Prepared


@dataclass(frozen=True)
class Against:
    """A student's games against one opponent. planned: games in all. required: how many to win, or None. plays: whether
    it can play at all.

    won_by, drawn_by, lost_by: the numbers by reason; a game lost by its own fault stands under that.
    """

    opponent: Entrant
    planned: int
    required: int | None
    plays: bool
    won_by: Mapping[str, int]
    drawn_by: Mapping[str, int]
    lost_by: Mapping[str, int]

    @property
    def won(self) -> int:
        """Games won."""
        return sum(self.won_by.values())

    @property
    def drawn(self) -> int:
        """Games drawn."""
        return sum(self.drawn_by.values())

    @property
    def lost(self) -> int:
        """Games lost."""
        return sum(self.lost_by.values())

    @property
    def games(self) -> int:
        """Games played."""
        return self.won + self.drawn + self.lost

    @property
    def score(self) -> float:
        """Points a game, of all that are planned: a win 1, a draw one half, and nothing for what was not played."""
        return (self.won + self.drawn / 2) / self.planned if self.planned else 0.0

    @property
    def fulfilled(self) -> bool | None:
        """Whether as many are won as is required; None while games to come may still decide it."""
        if self.required is None or self.won >= self.required:
            return True
        still = self.planned - self.games if self.plays else 0
        return False if self.won + still < self.required else None

    @property
    def verdicts(self) -> str:
        """By which reasons its games ended, in words."""
        kinds = (("won", self.won_by), ("drawn", self.drawn_by), ("lost", self.lost_by))
        told = [
            f"{kind}: {', '.join(f'{reason} {count}' for reason, count in by.items())}".replace("_", " ")
            for kind, by in kinds
            if by
        ]
        return "; ".join(told)


@dataclass(frozen=True)
class Grade:
    """All of one student. player: who it is in the run; None where it cannot play."""

    prepared: Prepared
    called: str
    player: Entrant | None
    against: tuple[Against, ...]

    @property
    def name(self) -> str:
        """In tables and files."""
        return self.prepared.submission.name

    @property
    def forfeits(self) -> int:
        """Games against all opponents that were lost by its own fault."""
        faults = {reason.value for reason in Reason if reason.kind == "forfeit"}
        return sum(count for one in self.against for reason, count in one.lost_by.items() if reason in faults)


def grades(
    night: Night, prepared: Sequence[Prepared], called: Mapping[str, str], store: Store, run: Run
) -> list[Grade]:
    """The grades of all who have handed in, in the order of their names. called: what each is called to others.

    Who cannot play has lost nothing, and won nothing of what the others play.
    """
    playing = {one.name: one for one in night.students}
    ends: defaultdict[tuple[str, str], list[PairEnds]] = defaultdict(list)
    for end in pair_ends(store, run):
        ends[end.player, end.other].append(end)

    def against(name: str, opponent: Entrant, player: Entrant | None) -> Against:
        met = ends[player.player, opponent.player] if player is not None else []
        asked = night.asks.required.get(opponent.name) if not _is_student(opponent) else None
        won, drawn, lost = (
            {end.reason: int(count) for end in met if (count := (end.wins, end.draws, end.losses)[which])}
            for which in range(3)
        )
        return Against(opponent, night.games_of_two, asked, player is not None, won, drawn, lost)

    def _is_student(one: Entrant) -> bool:
        return one.name in playing and playing[one.name] is one

    found = []
    for one in sorted(prepared, key=lambda one: one.submission.name.casefold()):
        name, player = one.submission.name, playing.get(one.submission.name)
        others = [other for other in night.students if other is not player] if night.asks.against_each_other else []
        opponents = [*night.house, *(others if player is not None else [])]
        found.append(Grade(one, called[name], player, tuple(against(name, other, player) for other in opponents)))
    return found
