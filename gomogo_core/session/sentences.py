"""Sentences about a game: its introduction, the actions of its players, and its end.

The module uses sessions and records of games, but no player and no user interface.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence

from gomogo_core.drawing.text import printable
from gomogo_core.games.base import RESIGN, Game, Outcome, Reason, Seat
from gomogo_core.play.events import Ply
from gomogo_core.printable import count_with_noun
from gomogo_core.records.game_record import DepartedPlayer, PlayedGame
from gomogo_core.session._dialogue import commands_sentence
from gomogo_core.session.actions import Action
from gomogo_core.session.game_session import GameSession

_REASON_WORDS = {
    Reason.RESIGNED: "{loser} resigned",
    Reason.AGREEMENT: "{detail}",
    Reason.OUT_OF_TIME: "{loser} ran out of time ({detail})",
    Reason.ILLEGAL_MOVE: "{loser} made an invalid move ({detail})",
    Reason.NOT_A_MOVE: "{loser} made an invalid move ({detail})",
    Reason.OUT_OF_TURN: "{loser} moved out of turn ({detail})",
    Reason.CRASHED: "{loser} crashed ({detail})",
    Reason.TOO_MUCH_MEMORY: "{loser} took too much memory ({detail})",
    Reason.CPU_OUT_OF_TURN: "{loser} used CPU time out of turn ({detail})",
    Reason.FORBIDDEN: "{loser} played a forbidden move ({detail})",
}


ConvertPoints = Callable[[str], str]  # converts the points in a sentence to other coordinates


def game_introduction(
    game: Game, names: Sequence[str], *, human_plays: bool, convert_points: ConvertPoints = str
) -> str:
    """Return the game and its players; if a human plays, also how to type moves and other commands.

    human_plays: whether a human plays. convert_points: a function that converts the points in a sentence to the
    coordinates of the terminal.
    """
    option_texts = [f"{name} {str(value).lower()}" for name, value in game.non_default_options.items()]
    rules = f"{game.name} ({', '.join(option_texts)})" if option_texts else game.name
    title = f"{rules}: {' against '.join(map(printable, names))}"
    return f"{title}\n{convert_points(game.how_to_move())} {commands_sentence()}" if human_plays else title


def action_sentence(
    session: GameSession,
    action: Action,
    reader_seats: Container[Seat] = (),
    format_name: Callable[[str], str] = printable,
) -> str:
    """Describe a player's action in a sentence without its period: a move with its effect, or a departure.

    reader_seats: the seats of the reader. format_name: a function that returns the displayed name of a player.
    """
    name = format_name(session.names[action.seat - 1])
    if action.move != RESIGN:
        what = "passes" if action.move == "pass" else f"plays {action.move}"
        return f"{name} {what}" + (f", {action.effect}" if action.effect else "")
    departure = next(
        (leaver for leaver in session.departed if leaver.seat == action.seat),
        DepartedPlayer(action.seat, Reason.INTERRUPTED, ""),
    )
    sentence = _departure_words("you" if action.seat in reader_seats else name, departure)
    return sentence if session.is_over else f"{sentence}. The others play on"


def ending_sentence(
    played_game: PlayedGame,
    reader_seat: Seat | None = None,
    *,
    convert_points: ConvertPoints = str,
    format_name: Callable[[str], str] = printable,
) -> str:
    """Return one sentence with the winner and the reason, and one sentence for each player who left earlier.

    reader_seat: the reader's seat, if the reader plays. convert_points: a function that converts the points in a
    sentence to the coordinates of the reader. format_name: a function that returns the displayed name of a player.
    """
    return result_sentence(
        played_game.outcome,
        played_game.names,
        played_game.plies,
        played_game.departed,
        reader_seat,
        convert_points=convert_points,
        format_name=format_name,
    )


def result_sentence(
    outcome: Outcome,
    names: Sequence[str],
    plies: Sequence[Ply],
    departed: Sequence[DepartedPlayer],
    reader_seat: Seat | None = None,
    *,
    convert_points: ConvertPoints = str,
    format_name: Callable[[str], str] = printable,
) -> str:
    """Return the sentences of `ending_sentence` for a game without a record. departed: the players who left earlier."""
    players = ["you" if seat == reader_seat else format_name(name) for seat, name in enumerate(names, 1)]
    winners = [player for player, rank in zip(players, outcome.ranks, strict=True) if rank == 1]
    loser = players[outcome.ranks.index(max(outcome.ranks))]
    reason = _reason_words(outcome.reason, loser, convert_points(printable(outcome.detail)), "{detail}")
    move_count_text = count_with_noun(sum(ply.move != RESIGN for ply in plies), "move")
    if len(winners) == 1:
        reader_lost = reader_seat is not None and len(players) == 2 and winners[0] != "you"
        result = "You lost" if reader_lost else f"{winners[0]} won"
    elif len(winners) == len(players):
        result = "A draw"
    else:
        result = f"{', '.join(winners[:-1])} and {winners[-1]} share the first place"
    if winners[0] == "you":
        result = _capitalize_first(result)
    # as in "You won by 1.5 points, after 60 moves"
    is_margin = outcome.reason is Reason.SCORE and reason.startswith("by ")
    ending = f" {reason}, after {move_count_text}" if is_margin else f", after {move_count_text}: {reason}"
    sentence = f"{result}{ending}."
    return " ".join([sentence, *(f"{_departure_words(players[player.seat - 1], player)}." for player in departed)])


def _departure_words(name: str, leaver: DepartedPlayer) -> str:
    """Describe the departure of one of three or more players, in a sentence without its period."""
    words = _reason_words(leaver.reason, name, printable(leaver.detail), "{loser} left")
    return _capitalize_first(words) if name == "you" else words


def _reason_words(reason: Reason, loser: str, detail: str, default: str) -> str:
    """Return the reason for a defeat in words. default: the words, with "{loser}" or "{detail}", of another reason."""
    words = _REASON_WORDS.get(reason, default)
    return (words if detail else words.replace(" ({detail})", "")).format(loser=loser, detail=detail)


def _capitalize_first(text: str) -> str:
    return text[0].upper() + text[1:]


def series_score(
    winners: Iterable[str | None], names: Iterable[str], format_name: Callable[[str], str] = printable
) -> str:
    """Return each player's wins in a series so far, and the draws. winners: one name per game, None for a draw.

    format_name: a function that returns the displayed name of a player.
    """
    win_counts = Counter(winners)
    scores = [f"{format_name(name)} {win_counts[name]}" for name in names]
    return ", ".join([*scores, *([f"drawn {win_counts[None]}"] if win_counts[None] else [])])
