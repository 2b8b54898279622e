"""The grades of every student: steps, results against each opponent, and requirements.

Uses the course and counted results; writes nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gomogo_core.games.base import Reason, ReasonKind
from gomogo_core.records.aggregates import PairReasons
from tournaments.submissions.course import Course, Entrant
from tournaments.submissions.preparing import Prepared
from tournaments.submissions.roster import NOBODY, Roster, RosterEntry


@dataclass(frozen=True)
class OpponentResult:
    """A student's games against one opponent. planned: games in all. required: the wins required, or None. plays:
    whether it can play at all.

    won_by, drawn_by, lost_by: the numbers by reason; a game lost by its own fault counts under that.
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
        """Return points a game, over all planned games: a win 1, a draw one half, and 0 for games not played."""
        return (self.won + self.drawn / 2) / self.planned if self.planned else 0.0

    @property
    def fulfilled(self) -> bool | None:
        """Return whether the student has the required wins; None while further games may still decide it."""
        if self.required is None or self.won >= self.required:
            return True
        still = self.planned - self.games if self.plays else 0
        return False if self.won + still < self.required else None

    @property
    def verdicts(self) -> str:
        """Return the reasons of its games' ends, in words."""
        kinds = (("won", self.won_by), ("drawn", self.drawn_by), ("lost", self.lost_by))
        told = [
            f"{kind}: {', '.join(f'{reason} {count}' for reason, count in by.items())}".replace("_", " ")
            for kind, by in kinds
            if by
        ]
        return "; ".join(told)


@dataclass(frozen=True)
class Grade:
    """The result of one student. player: its name in the run; None if it cannot play. person: its entry on the course's
    list, NOBODY if it is not on it, None if there is no list.
    """

    prepared: Prepared
    called: str
    player: Entrant | None
    against: tuple[OpponentResult, ...]
    person: RosterEntry | None = None

    @property
    def entry(self) -> str:
        """Return the name of the student's folder or file."""
        return self.prepared.submission.entry

    @property
    def name(self) -> str:
        """Return the name in tables and files."""
        return self.prepared.submission.name

    @property
    def forfeits(self) -> int:
        """Return the games lost by its own fault, over all opponents."""
        faults = {reason.value for reason in Reason if reason.kind is ReasonKind.FORFEIT}
        return sum(count for one in self.against for reason, count in one.lost_by.items() if reason in faults)


def grades(
    course: Course,
    prepared: Sequence[Prepared],
    called: Mapping[str, str],
    results: Iterable[PairReasons],
    roster: Roster | None = None,
) -> list[Grade]:
    """Return the grades of all students, in the order of their names.

    called: the public name of each. results: of the players against each other. roster: the course's list, or None.

    A student that cannot play has no losses, and a score of 0 over all planned games.
    """
    playing = {one.name: one for one in course.students}
    ends: defaultdict[tuple[str, str], list[PairReasons]] = defaultdict(list)
    for end in results:
        ends[end.player, end.other].append(end)

    def against(name: str, opponent: Entrant, player: Entrant | None) -> OpponentResult:
        met = ends[player.player, opponent.player] if player is not None else []
        asked = course.intake.required.get(opponent.name) if not _is_student(opponent) else None
        won, drawn, lost = (
            {end.reason: int(count) for end in met if (count := (end.wins, end.draws, end.losses)[which])}
            for which in range(3)
        )
        return OpponentResult(opponent, course.games_of_two, asked, player is not None, won, drawn, lost)

    def _is_student(entrant: Entrant) -> bool:
        return entrant.name in playing and playing[entrant.name] is entrant

    found = []
    for one in sorted(prepared, key=lambda one: one.submission.name.casefold()):
        name, player = one.submission.name, playing.get(one.submission.name)
        others = [other for other in course.students if other is not player] if course.intake.against_each_other else []
        opponents = [*course.arena_agents, *(others if player is not None else [])]
        met = tuple(against(name, other, player) for other in opponents)
        person = None if roster is None else roster.owners.get(one.submission.title, NOBODY)
        found.append(Grade(one, called[name], player, met, person))
    return found
