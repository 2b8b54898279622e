"""Sentences about a game: its introduction, the actions of its players, its end.

Uses sessions and records of games, but no player and no screen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence

from gomogo_core.drawing.text import printable
from gomogo_core.games.base import RESIGN, Game, Outcome, Reason, Seat
from gomogo_core.play.events import Ply
from gomogo_core.records.game_record import DepartedPlayer, PlayedGame
from gomogo_core.session._dialogue import commands_in_a_line
from gomogo_core.session.game_session import Action, GameSession

_FAULTS = {
    Reason.RESIGNED: "{loser} resigned",
    Reason.AGREEMENT: "{detail}",
    Reason.OUT_OF_TIME: "{loser} ran out of time ({detail})",
    Reason.ILLEGAL_MOVE: "{loser} made an invalid move ({detail})",
    Reason.NOT_A_MOVE: "{loser} made an invalid move ({detail})",
    Reason.OUT_OF_TURN: "{loser} moved out of turn ({detail})",
    Reason.CRASHED: "{loser} crashed ({detail})",
    Reason.TOO_MUCH_MEMORY: "{loser} took too much memory ({detail})",
    Reason.CPU_OUT_OF_TURN: "{loser} used the machine out of turn ({detail})",
    Reason.FORBIDDEN: "{loser} played a forbidden move ({detail})",
}


Shown = Callable[[str], str]  # converts a sentence of the rules to the coordinates of the terminal


def introduction(game: Game, names: Sequence[str], *, ask: bool, shown: Shown = str) -> str:
    """Return the players and, if a person plays, the instructions for moves and other commands."""
    changed = [f"{name} {str(value).lower()}" for name, value in game.non_default_options.items()]
    title = (
        f"{game.name}{' (' + ', '.join(changed) + ')' if changed else ''}: {' against '.join(map(printable, names))}"
    )
    return f"{title}\n{shown(game.how_to_move())} {commands_in_a_line()}" if ask else title


def action_words(
    session: GameSession, action: Action, you: Container[Seat] = (), called: Callable[[str], str] = printable
) -> str:
    """Describe a player's action in a sentence without its period: a move with its effect, or a departure.

    you: the seats of the reader. called: returns the form in which a name is shown.
    """
    name = called(session.names[action.seat - 1])
    if action.move != RESIGN:
        return f"{name} plays {action.move}" + (f", {action.effect}" if action.effect else "")
    why = next(
        (leaver for leaver in session.left if leaver.seat == action.seat),
        DepartedPlayer(action.seat, Reason.INTERRUPTED, ""),
    )
    said = _departure("you" if action.seat in you else name, why)
    return said if session.over else f"{said}. The others play on"


def ending_sentence(
    played: PlayedGame, you: Seat | None = None, *, shown: Shown = str, called: Callable[[str], str] = printable
) -> str:
    """Name the winner and the reason in one sentence.

    you: the reader's seat, if the reader plays. called: returns the form in which a name is shown.
    """
    return result_sentence(played.outcome, played.names, played.plies, played.left, you, shown=shown, called=called)


def result_sentence(
    outcome: Outcome,
    names: Sequence[str],
    plies: Sequence[Ply],
    left: Sequence[DepartedPlayer],
    you: Seat | None = None,
    *,
    shown: Shown = str,
    called: Callable[[str], str] = printable,
) -> str:
    """Name the winner and the reason of a game that has no record yet."""
    players = ["you" if seat == you else called(name) for seat, name in enumerate(names, 1)]
    best = [players[seat] for seat, rank in enumerate(outcome.ranks) if rank == 1]
    loser = players[max(range(len(players)), key=lambda seat: outcome.ranks[seat])]
    why = _FAULTS.get(outcome.reason, "{detail}").format(loser=loser, detail=shown(printable(outcome.detail)))
    count = sum(ply.move != RESIGN for ply in plies)
    moves = f"{count} move{'s' * (count != 1)}"
    if len(best) == 1:
        result = f"{best[0]} won"
    elif len(best) == len(players):
        result = "A draw"
    else:
        result = f"{', '.join(best[:-1])} and {best[-1]} share the first place"
    sentence = f"{result[0].upper() if best[0] == 'you' else result[0]}{result[1:]}, after {moves}: {why}."
    return " ".join([sentence, *(f"{_departure(players[leaver.seat - 1], leaver)}." for leaver in left)])


def _departure(name: str, leaver: DepartedPlayer) -> str:
    """Describe the departure of one of three or more players, in a sentence without its period."""
    words = _FAULTS.get(leaver.reason, "{loser} left").format(loser=name, detail=printable(leaver.detail))
    return f"{words[0].upper() if name == 'you' else words[0]}{words[1:]}"


def series_score(winners: Iterable[str | None], names: Iterable[str]) -> str:
    """Return each player's wins in a series so far, and the draws. winners: of each game, None for a draw."""
    count = Counter(winners)
    scores = [f"{printable(name)} {count[name]}" for name in names]
    return ", ".join([*scores, *([f"drawn {count[None]}"] if count[None] else [])])
