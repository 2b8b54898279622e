"""Compute the grade of every student: preparation steps, results against each opponent, and fulfilled requirements.

The module reads the course and its results, and writes no file.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from gomogo_core.games.base import Reason, ReasonKind
from gomogo_core.records.aggregates import OpponentTally
from tournaments.submissions.course import CoursePlan, CoursePlayer
from tournaments.submissions.intake import Submission
from tournaments.submissions.preparing import HANDED_IN_STEP, PreparationStep, PreparedSubmission
from tournaments.submissions.roster import UNKNOWN_STUDENT, Roster, RosterStudent


@dataclass(frozen=True)
class OpponentResult:
    """A student's games against one opponent. planned_games: the number of all games. required_wins: the number of wins
    required, or None. can_play: whether the student's submission can play.

    wins_by_reason, draws_by_reason, losses_by_reason: the numbers of games by the reason for which they ended; a game
    that a player lost by a fault counts under that fault. doubtful_losses: the number of games that the student lost on
    time, perhaps by the machine's fault.
    """

    opponent: CoursePlayer
    planned_games: int
    required_wins: int | None
    can_play: bool
    wins_by_reason: Mapping[str, int]
    draws_by_reason: Mapping[str, int]
    losses_by_reason: Mapping[str, int]
    doubtful_losses: int = 0

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
    def played_games(self) -> int:
        """The number of games played."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per planned game: 1 for a win, one half for a draw, 0 for a game not played."""
        return (self.wins + self.draws / 2) / self.planned_games if self.planned_games else 0.0

    @property
    def is_requirement_fulfilled(self) -> bool | None:
        """Whether the student has the required wins; None if this still depends on the remaining games."""
        if self.required_wins is None or self.wins >= self.required_wins:
            return True
        games_left = self.planned_games - self.played_games if self.can_play else 0
        return False if self.wins + games_left < self.required_wins else None

    @property
    def reasons_text(self) -> str:
        """The reasons for which the games ended, with their numbers, as text."""
        results = (("won", self.wins_by_reason), ("drawn", self.draws_by_reason), ("lost", self.losses_by_reason))
        result_texts = [
            f"{result}: {', '.join(f'{count} by {Reason(reason).ended_by}' for reason, count in counts.items())}"
            for result, counts in results
            if counts
        ]
        if self.doubtful_losses:
            result_texts.append(_describe_doubtful_losses(self.doubtful_losses))
        return "; ".join(result_texts)


@dataclass(frozen=True)
class Grade:
    """The grade of one student.

    player: the student as a player of the run; None if the submission cannot play. opponent_results: the results
    against each opponent. roster_student: the student's entry on the roster; UNKNOWN_STUDENT if the roster does not
    have the student, None if there is no roster.
    """

    prepared_submission: PreparedSubmission
    player: CoursePlayer | None
    opponent_results: tuple[OpponentResult, ...]
    roster_student: RosterStudent | None = None

    @property
    def original_name(self) -> str:
        """The name of the student's folder or file."""
        return self.prepared_submission.submission.original_name

    @property
    def student_key(self) -> str:
        """The student's key, which names files."""
        return self.prepared_submission.submission.key

    @property
    def score(self) -> float:
        """Points per planned game, over all opponents."""
        planned = sum(result.planned_games for result in self.opponent_results)
        points = sum(result.score * result.planned_games for result in self.opponent_results)
        return points / planned if planned else 0.0

    @property
    def is_passed(self) -> bool | None:
        """Whether the student plays and fulfils every requirement; None if the remaining games decide this."""
        if self.player is None:
            return False
        answers = [result.is_requirement_fulfilled for result in self.opponent_results]
        return False if False in answers else None if None in answers else True

    @property
    def verdict(self) -> str:
        """The verdict on all requirements together: `passed`, `failed` or `open`."""
        return {True: "passed", False: "failed", None: "open"}[self.is_passed]

    @property
    def forfeits_by_reason(self) -> Counter[Reason]:
        """The numbers of games that the student's program lost by each fault, such as an illegal move."""
        faults = Counter[Reason]()
        for result in self.opponent_results:
            for reason, count in result.losses_by_reason.items():
                if Reason(reason).kind is ReasonKind.FORFEIT:
                    faults[Reason(reason)] += count
        return faults

    @property
    def forfeit_count(self) -> int:
        """The number of games that the student's program lost by a fault."""
        return self.forfeits_by_reason.total()

    @property
    def faults_text(self) -> str:
        """The most frequent fault and the number of games lost by it, then the number of doubtful losses, as text."""
        texts = [f"lost {count} by {reason.ended_by}" for reason, count in self.forfeits_by_reason.most_common(1)]
        return "; ".join([*texts, *([_describe_doubtful_losses(self.doubtful_losses)] if self.doubtful_losses else [])])

    @property
    def missing_wins_text(self) -> str:
        """The requirements that the student does not fulfil, with the number of wins, as text."""
        return "; ".join(
            f"won {result.wins} of the {result.required_wins} required against {result.opponent.name}"
            for result in self.opponent_results
            if result.is_requirement_fulfilled is False
        )

    @property
    def doubtful_losses(self) -> int:
        """The number of games that the student lost on time, perhaps by the machine's fault."""
        return sum(result.doubtful_losses for result in self.opponent_results)


def _describe_doubtful_losses(count: int) -> str:
    subject = "1 loss on time is" if count == 1 else f"{count} losses on time are"
    return f"{subject} doubtful: the machine was busy"


@dataclass(frozen=True)
class CourseGrades:
    """The grades of all students, in the order of their names. absent_grades: the grade of each student on the roster
    who has not submitted anything. Such a student has no key and no page.
    """

    grades: Sequence[Grade]
    absent_grades: Sequence[Grade] = ()

    @property
    def all_grades(self) -> Sequence[Grade]:
        """The grades of all students, those without a submission last."""
        return [*self.grades, *self.absent_grades]

    @cached_property
    def places_by_key(self) -> Mapping[str, int]:
        """The places by score of the students who play, by key. Students with equal scores have the same place."""
        playing = [grade for grade in self.grades if grade.player is not None]
        scores = sorted((grade.score for grade in playing), reverse=True)
        return {grade.student_key: scores.index(grade.score) + 1 for grade in playing}

    @property
    def non_players_sentence(self) -> str:
        """A sentence with the students who do not play, by key; empty if all of them play."""
        names = [grade.student_key for grade in self.grades if grade.player is None]
        if not names:
            return ""
        return f"{len(names)} of {len(self.grades)} {'does' if len(names) == 1 else 'do'} not play: {', '.join(names)}"


def compute_grades(
    course: CoursePlan,
    prepared: Sequence[PreparedSubmission],
    results: Iterable[OpponentTally],
    roster: Roster | None = None,
) -> CourseGrades:
    """Return the grades of all students.

    results: the results of each player against each other player. roster: the roster, or None. A student whose
    submission cannot play has no losses, and a score of 0.
    """
    players_by_key = {player.submission_key: player for player in course.student_players}
    tallies_by_pair: defaultdict[tuple[str, str], list[OpponentTally]] = defaultdict(list)
    for tally in results:
        tallies_by_pair[tally.player, tally.opponent].append(tally)

    def result_against(opponent: CoursePlayer, player: CoursePlayer | None) -> OpponentResult:
        tallies = tallies_by_pair[player.stored_name, opponent.stored_name] if player is not None else []
        required = course.submission_settings.required.get(opponent.name) if not opponent.submission_key else None
        wins, draws, losses = (
            {tally.reason: int(count) for tally in tallies if (count := (tally.wins, tally.draws, tally.losses)[index])}
            for index in range(3)
        )
        doubtful, can_play = sum(int(tally.doubtful) for tally in tallies), player is not None
        return OpponentResult(opponent, course.games_per_opponent, required, can_play, wins, draws, losses, doubtful)

    grades = []
    for prepared_submission in sorted(prepared, key=lambda each: each.submission.key.casefold()):
        submission = prepared_submission.submission
        player = players_by_key.get(submission.key)
        opponents = list(course.arena_agents)
        if player is not None and course.submission_settings.against_each_other:
            opponents += [opponent for opponent in course.student_players if opponent is not player]
        opponent_results = tuple(result_against(opponent, player) for opponent in opponents)
        roster_entry = None if roster is None else roster.owners_by_base_name.get(submission.base_name, UNKNOWN_STUDENT)
        grades.append(Grade(prepared_submission, player, opponent_results, roster_entry))
    missing = PreparationStep(HANDED_IN_STEP, False, "has not submitted anything")
    nothing = PreparedSubmission(Submission("", ""), (missing,), None)
    results_of_absent = tuple(result_against(opponent, None) for opponent in course.arena_agents)
    absent_students = [] if roster is None else roster.absent_students
    return CourseGrades(grades, [Grade(nothing, None, results_of_absent, student) for student in absent_students])
