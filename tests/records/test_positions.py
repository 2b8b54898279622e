"""Positions as rows for learning: the board before each move, the mover, and the result."""

from __future__ import annotations

import csv
import io
import json

from gomogo_core.games import load
from gomogo_core.games.base import RESIGN, Outcome, Reason
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.events import Ply
from gomogo_core.records.game_record import PlayedGame
from gomogo_core.records.positions import ROW_FIELDS, position_rows, positions_as_csv, positions_as_json
from tests.records.conftest import played_by

SMALL = {"size": 5, "line": 3}
GAME = played_by(
    moves="a1 a2 b1 b2 c1",
    options=SMALL,
    opening_length=2,
    thoughts=("good", None, None),
    scores=(2.5, None, None),
    key="k",
)


def test_each_move_has_a_row_with_the_board_before_it() -> None:
    rows = list(position_rows(GAME))
    assert all(tuple(row) == ROW_FIELDS for row in rows)
    assert rows[0] == {
        "schema": 1,
        "key": "k",
        "game": "gomoku",
        "ply": 1,
        "seat": 1,
        "mark": "x",
        "board": "...../...../...../...../.....",
        "move": "a1",
        "opening": True,
        "seconds": None,
        "thoughts": None,
        "score": None,
        "result": 1.0,
        "reason": "line",
        "players": ["ann", "bob"],
    }
    assert rows[3]["board"] == "xx.../o..../...../...../....."
    assert [row["opening"] for row in rows] == [True, True, False, False, False]
    assert [row["seconds"] for row in rows] == [None, None, 0.25, 0.25, 0.25]
    assert [row["thoughts"] for row in rows] == [None, None, "good", None, None]
    assert [row["score"] for row in rows] == [None, None, 2.5, None, None]
    assert [row["result"] for row in rows] == [1.0, 0.0, 1.0, 0.0, 1.0]


def test_a_draw_is_a_half_and_a_void_game_has_no_result() -> None:
    for outcome, result in ((Outcome.draw(Reason.BOARD_FULL), 0.5), (Outcome((0, 0), Reason.INTERRUPTED), None)):
        rows = position_rows(played_by(moves="h8 a1", outcome=outcome))
        assert [row["result"] for row in rows] == [result] * 2


def test_the_mark_of_a_row_follows_a_swap() -> None:
    game = played_by(moves="h8 h9 i8 swap a1", options={"opening": "swap2"})
    rows = list(position_rows(game))
    assert [(row["seat"], row["move"]) for row in rows[3:]] == [(2, "swap"), (1, "a1")]
    assert [row["mark"] for row in rows] == ["x", "x", "x", "o", "o"]


def test_a_departed_player_has_no_rows_and_the_others_continue() -> None:
    options = load("dots_and_boxes", players=3).options
    game = PlayedGame(
        game="dots_and_boxes",
        options=dict(options),
        specs=("a", "b", "c"),
        names=("a", "b", "c"),
        controls=(TimeControl(),) * 3,
        plies=(Ply(1, "h0"), Ply(2, RESIGN), Ply(3, "h1")),
        opening_length=0,
        seconds=(0.5, 0.0, 0.25),
        clocks=(None,) * 3,
        thoughts=(None,) * 3,
        warnings=(),
        outcome=Outcome((1, 3, 2), Reason.BOXES),
        started=0.0,
        duration=1.0,
    )
    rows = list(position_rows(game))
    assert [(row["ply"], row["seat"], row["seconds"], row["result"]) for row in rows] == [
        (1, 1, 0.5, 1),
        (3, 3, 0.25, 0.5),
    ]


def test_json_lines_and_csv_agree_on_any_text() -> None:
    words = 'a "quote", a comma,\na line'
    game = played_by(moves="h8 a1", names=("ann", "bob lee"), thoughts=(words, "\ud800"), key="k")
    plain = [json.loads(line) for line in b"".join(positions_as_json([game, GAME])).splitlines()]
    text = b"".join(positions_as_csv([game, GAME])).decode()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(plain) == len(rows) == 7
    assert plain[0]["thoughts"] == rows[0]["thoughts"] == words
    assert (plain[1]["thoughts"], rows[1]["thoughts"]) == ("\ud800", "\\ud800")
    for json_line, other in zip(plain, rows, strict=True):
        assert json.loads(other["players"]) == json_line["players"]
        assert other["opening"] == str(int(json_line["opening"]))
        assert (float(other["result"]) if other["result"] else None) == json_line["result"]
        assert [other[name] for name in ("board", "move", "reason", "mark")] == [
            json_line[name] for name in ("board", "move", "reason", "mark")
        ]
