"""The messages before and after a game, and the seats."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gomogo.commands.play.series import arrange_seats, find_players
from gomogo_core.catalogue import agent
from gomogo_core.games import load
from gomogo_core.games.base import Outcome, Reason
from gomogo_core.play.clock import NO_LIMIT
from gomogo_core.play.events import Ply
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.session.sentences import ending_sentence, game_introduction, series_score


def played(outcome: Outcome, names: tuple[str, ...] = ("me", "bot"), moves: int = 9) -> PlayedGame:
    return PlayedGame(
        game="gomoku",
        options={},
        specs=names,
        names=names,
        controls=(NO_LIMIT,) * len(names),
        plies=tuple(Ply(1, "a1") for _ in range(moves)),
        opening_length=0,
        seconds=(0.0,) * moves,
        clocks=(None,) * moves,
        thoughts=(None,) * moves,
        warnings=(),
        outcome=outcome,
        started=0.0,
        duration=1.0,
    )


@pytest.mark.parametrize(
    ("outcome", "reader_seat", "words"),
    [
        (Outcome.won_by(1, Reason.LINE, "5 in a row"), 1, "You won, after 9 moves: 5 in a row."),
        (Outcome.won_by(2, Reason.LINE, "5 in a row"), 1, "You lost, after 9 moves: 5 in a row."),
        (Outcome.won_by(1, Reason.LINE, "5 in a row"), None, "me won, after 9 moves: 5 in a row."),
        (Outcome.won_by(1, Reason.SCORE, "by 1.5 points"), 1, "You won by 1.5 points, after 9 moves."),
        (Outcome.draw(Reason.BOARD_FULL, "board full"), 1, "A draw, after 9 moves: board full."),
        (Outcome.won_by(1, Reason.RESIGNED, "resigned"), 1, "You won, after 9 moves: bot resigned."),
        (Outcome.won_by(2, Reason.RESIGNED, "resigned"), 1, "You lost, after 9 moves: you resigned."),
        (
            Outcome.won_by(1, Reason.OUT_OF_TIME, "10.1 s taken, 10 s allowed"),
            1,
            "You won, after 9 moves: bot ran out of time (10.1 s taken, 10 s allowed).",
        ),
        (
            Outcome.won_by(1, Reason.CRASHED, "exited with code 1"),
            None,
            "me won, after 9 moves: bot crashed (exited with code 1).",
        ),
        (
            Outcome.won_by(2, Reason.FORBIDDEN, "double three"),
            1,
            "You lost, after 9 moves: you played a forbidden move (double three).",
        ),
    ],
)
def test_the_ending_sentence_names_winner_and_reason(outcome: Outcome, reader_seat: int | None, words: str) -> None:
    assert ending_sentence(played(outcome), reader_seat) == words


def test_every_forfeit_names_the_player_at_fault() -> None:
    for reason in Reason:
        if reason.kind == "forfeit":
            assert ending_sentence(played(Outcome.won_by(1, reason, "the evidence"))).count("bot") == 1


def test_one_move_is_singular() -> None:
    assert ", after 1 move: " in ending_sentence(played(Outcome.won_by(1, Reason.RESIGNED), moves=1))


def test_several_players_can_share_the_first_place() -> None:
    three = played(Outcome((1, 3, 1), Reason.BOXES, "4 boxes to 1 to 4"), ("ann", "bo", "cy"))
    assert ending_sentence(three) == "ann and cy share the first place, after 9 moves: 4 boxes to 1 to 4."
    assert ending_sentence(three, 3) == "ann and you share the first place, after 9 moves: 4 boxes to 1 to 4."


def test_the_ending_sentence_escapes_program_output() -> None:
    assert "\x1b" not in ending_sentence(played(Outcome.won_by(1, Reason.CRASHED, "\x1b[2J"), ("me", "\x1b[2J")))


def test_a_series_is_counted_with_its_draws() -> None:
    assert series_score(["me", None, "me", "bot"], ("me", "bot")) == "me 2, bot 1, drawn 1"
    assert series_score(["me"], ("bot", "me")) == "bot 0, me 1"


def test_the_introduction_names_unusual_options() -> None:
    game = load("gomoku", size=9, renju=True)
    title = "gomoku (size 9, renju true): me against bot"
    assert game_introduction(game, ("me", "bot"), human_plays=False) == title
    assert game_introduction(game, ("me", "bot"), human_plays=True).startswith(
        f"{title}\n{game.how_to_move()} You may also type "
    )
    assert game_introduction(load("gomoku"), ("me", "bot"), human_plays=False) == "gomoku: me against bot"


def test_the_first_named_player_gets_the_requested_seat() -> None:
    three = [replace(agent("human"), name=name) for name in "abc"]
    assert ["".join(player.name for player in arrange_seats(three, seat)) for seat in (1, 2, 3, 4)] == [
        "abc",
        "cab",
        "bca",
        "abc",
    ]


def test_a_person_fills_a_free_seat() -> None:
    assert [player.name for player in find_players(["random_mover"], 2)] == ["me", "random_mover"]
    assert [player.name for player in find_players(["human"], 2)] == ["me"]
    assert [player.name for player in find_players(["human", "human"], 2)] == ["me", "guest"]
