"""Compute the grade of every student: preparation steps, results against each opponent, and fulfilled requirements.

The module reads the course and its results, and writes no file.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gomogo_core.games.base import Reason, ReasonKind
from gomogo_core.records.aggregates import OpponentTally
from tournaments.submissions.course import Course, Entrant
from tournaments.submissions.preparing import PreparedSubmission
from tournaments.submissions.roster import NOBODY, Roster, RosterEntry


@dataclass(frozen=True)
class OpponentResult:
    """A student's games against one opponent. planned: the number of all games. required: the number of wins required,
    or None. can_play: whether the student's submission can play.

    wins_by_reason, draws_by_reason, losses_by_reason: the numbers of games by the reason for which they ended; a game
    that a player lost by a fault counts under that fault. doubtful: the number of games that the student lost on time,
    perhaps by the machine's fault.
    """

    opponent: Entrant
    planned: int
    required: int | None
    can_play: bool
    wins_by_reason: Mapping[str, int]
    draws_by_reason: Mapping[str, int]
    losses_by_reason: Mapping[str, int]
    doubtful: int = 0

    @property
    def wins(self) -> int:
        """The number of games won."""
        return sum(self.wins_by_reason.values())

    @property
    def draws(self) -> int:
        """The number of games drawn."""
        return sum(self.draws_by_reason.values())

    @property
    def losses(self) -> int:
        """The number of games lost."""
        return sum(self.losses_by_reason.values())

    @property
    def games(self) -> int:
        """The number of games played."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per planned game: 1 for a win, one half for a draw, 0 for a game not played."""
        return (self.wins + self.draws / 2) / self.planned if self.planned else 0.0

    @property
    def is_fulfilled(self) -> bool | None:
        """Whether the student has the required wins; None while the remaining games may still decide it."""
        if self.required is None or self.wins >= self.required:
            return True
        still = self.planned - self.games if self.can_play else 0
        return False if self.wins + still < self.required else None

    @property
    def reasons_text(self) -> str:
        """The reasons for which the games ended, with their numbers, as text."""
        kinds = (("won", self.wins_by_reason), ("drawn", self.draws_by_reason), ("lost", self.losses_by_reason))
        parts = [
            f"{kind}: {', '.join(f'{count} by {Reason(reason).ended_by}' for reason, count in by.items())}"
            for kind, by in kinds
            if by
        ]
        if self.doubtful:
            losses = "1 loss on time is" if self.doubtful == 1 else f"{self.doubtful} losses on time are"
            parts.append(f"{losses} doubtful: the machine was busy")
        return "; ".join(parts)


@dataclass(frozen=True)
class Grade:
    """The grade of one student.

    entrant: the student as a player of the run; None if the submission cannot play. opponent_results: the results
    against each opponent. person: the student's entry on the roster; NOBODY if the roster does not have the student,
    None without a roster.
    """

    prepared: PreparedSubmission
    public_name: str
    entrant: Entrant | None
    opponent_results: tuple[OpponentResult, ...]
    person: RosterEntry | None = None

    @property
    def entry_name(self) -> str:
        """The name of the student's folder or file."""
        return self.prepared.submission.entry_name

    @property
    def name(self) -> str:
        """The student's key, for files."""
        return self.prepared.submission.name

    @property
    def score(self) -> float:
        """Points per planned game, over all opponents."""
        planned = sum(one.planned for one in self.opponent_results)
        return sum(one.score * one.planned for one in self.opponent_results) / planned if planned else 0.0

    @property
    def is_passed(self) -> bool | None:
        """Whether every requirement is fulfilled; None while the remaining games may still decide it."""
        answers = [one.is_fulfilled for one in self.opponent_results]
        return False if False in answers else None if None in answers else True

    @property
    def forfeits(self) -> int:
        """The number of games that the student's program lost by a fault, such as an illegal move."""
        faults = {reason.value for reason in Reason if reason.kind is ReasonKind.FORFEIT}
        return sum(
            count for one in self.opponent_results for reason, count in one.losses_by_reason.items() if reason in faults
        )

    @property
    def doubtful(self) -> int:
        """The number of games that the student lost on time, perhaps by the machine's fault."""
        return sum(one.doubtful for one in self.opponent_results)


def compute_grades(
    course: Course,
    prepared: Sequence[PreparedSubmission],
    public_names: Mapping[str, str],
    results: Iterable[OpponentTally],
    roster: Roster | None = None,
) -> list[Grade]:
    """Return the grades of all students, in the order of their names.

    public_names: each student's public name, by the student's key. results: the results of each player against each
    other player. roster: the roster, or None. A student whose submission cannot play has no losses, and a score of 0.
    """
    playing = {one.key: one for one in course.students}
    ends: defaultdict[tuple[str, str], list[OpponentTally]] = defaultdict(list)
    for end in results:
        ends[end.player, end.opponent].append(end)

    def result_against(name: str, opponent: Entrant, player: Entrant | None) -> OpponentResult:
        met = ends[player.stored_name, opponent.stored_name] if player is not None else []
        asked = course.submission_settings.required.get(opponent.name) if not opponent.key else None
        won, drawn, lost = (
            {end.reason: int(count) for end in met if (count := (end.wins, end.draws, end.losses)[which])}
            for which in range(3)
        )
        doubtful = sum(int(end.doubtful) for end in met)
        return OpponentResult(
            opponent, course.games_against_each, asked, player is not None, won, drawn, lost, doubtful
        )

    found = []
    for one in sorted(prepared, key=lambda one: one.submission.name.casefold()):
        name, player = one.submission.name, playing.get(one.submission.name)
        others = (
            [other for other in course.students if other is not player]
            if course.submission_settings.against_each_other
            else []
        )
        opponents = [*course.arena_agents, *(others if player is not None else [])]
        met = tuple(result_against(name, other, player) for other in opponents)
        person = None if roster is None else roster.owners.get(one.submission.title, NOBODY)
        found.append(Grade(one, public_names[name], player, met, person))
    return found
