"""The rules of a class: whether its students have help, take back moves, and have points for rounds without a game."""

from __future__ import annotations

from collections.abc import Sequence

from gomogo.page.play.class_members import ClassMembers
from gomogo.page.play.resemblance import LINE_LENGTH, any_resembles, resembles
from gomogo_core.games.base import Position
from gomogo_core.session.actions import ActionRefused
from gomogo_core.session.game_session import GameSession

_HELP_ACTIONS = ("hint", "explain", "capture")
_RESEMBLANCE_ERROR = ActionRefused(
    "A running game of the class has this position, or one that resembles it.", "Ask again when that game is over."
)
_REVIEW_ERROR = ActionRefused(
    "This game resembles one of the class that is still running.", "The review opens here as soon as that game is over."
)
_UNDO_ACTIONS = ("undo", "agree", "delete")


class ClassRules(ClassMembers):
    """The rules of a class, which the teacher sets."""

    def find_refusal(self, visitor: str, action: str, session: GameSession) -> ActionRefused | None:
        """Return the error if the rules of the class forbid an action of a visitor in a session, else None.

        action: the last part of its URL, such as "hint".
        """
        if action in _HELP_ACTIONS and (
            refusal := self.find_help_refusal(visitor, session.recent_history(LINE_LENGTH - 1)[1])
        ):
            return refusal
        if not session.is_class_game:
            return None
        if action == "rematch":
            return ActionRefused("The teacher starts the games of the class.", "Wait for your next game.")
        if action in _UNDO_ACTIONS and not self.allows_undo and (action == "delete" or not session.is_over):
            return ActionRefused("In this class, moves stay, and games are not deleted.", "Ask the teacher.")
        return None

    def find_help_refusal(self, visitor: str, positions: Sequence[Position]) -> ActionRefused | None:
        """Return the error if the rules of the class forbid hints and analyses of the last of these positions, else
        None. While help is off, students have none in any game that they play during a game of the class. Nobody but a
        teacher has help in positions that resemble a game of the class: a student could use another browser.
        """
        if self.allows_help:
            return None
        if self.is_member(visitor) and self.running_game_of(self.students[visitor]) is not None:
            return ActionRefused("The teacher has switched off help during games.", "Ask again after your game.")
        if visitor not in self.teacher_visitors and resembles(positions, self._unfinished_lines()):
            return _RESEMBLANCE_ERROR
        return None

    def find_review_refusal(self, visitor: str, positions: Sequence[Position]) -> ActionRefused | None:
        """Return the error if the rules of the class forbid the review of a game with these positions, else None."""
        if self.allows_help or visitor in self.teacher_visitors:
            return None
        other_positions = [line[-1] for line in self._unfinished_lines()]
        return _REVIEW_ERROR if any_resembles(positions, other_positions) else None

    def _unfinished_lines(self) -> list[Sequence[Position]]:
        """Return the last positions of each unfinished game of the class."""
        games = [*self.running_games(), *self.adjourned_games()]
        return [session.recent_history(LINE_LENGTH - 1)[1] for session in games]

    def forbidden_controls(self, *, is_over: bool) -> str:
        """Return the kinds of controls that students do not see in a game of the class, separated by blanks."""
        kinds = ["no-delete"] if not self.allows_undo else []
        if not is_over:
            kinds += [*(["no-undo"] if not self.allows_undo else []), *(["no-help"] if not self.allows_help else [])]
        return " ".join(kinds)

    def restrictions_text(self) -> str:
        """Return a sentence that tells students what the teacher forbids in games of the class; empty if everything is
        allowed.
        """
        if self.allows_help:
            return "" if self.allows_undo else "No taking back in class games."
        return f"No hints{' or analysis' if self.allows_undo else ', analysis or taking back'} in class games."

    def set_rule(self, rule: str, *, allowed: bool) -> None:
        """Allow or forbid "help" or "undo" in running and new games, or "byes" in new pairings."""
        with self.lock:
            if name := {"help": "allows_help", "undo": "allows_undo", "byes": "gives_byes"}.get(rule):
                setattr(self, name, allowed)
            self._save()
            for session in self.running_games():
                self.sessions.apply_change(session, session.mark_changed)
