"""Games are found by name, read options from text, and end with a reason.

The tests use Gomoku only as an example.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Hashable, Iterator
from typing import Any, ClassVar

import pytest

from gomogo_core import games
from gomogo_core.errors import UserError, suggest_name
from gomogo_core.games.base import BadOption, Game, IllegalMove, Move, NotAMove, Outcome, Position, Reason, option
from gomogo_core.games.gomoku import Gomoku


def test_games_are_found_by_the_names_of_their_files() -> None:
    assert "gomoku" in games.names()
    assert not {"base", "_grid", "_renju"} & set(games.names())
    assert list(games.names()) == sorted(games.names())


@pytest.mark.parametrize("name", games.names())
def test_every_game_has_its_name_and_starts_undecided_with_moves(name: str) -> None:
    game = games.load(name)
    assert (game.name, type(game)) == (name, games.rules(name))
    start = game.start()
    assert start.game == game
    assert start.to_move == 1
    assert start.outcome() is None
    assert any(True for _ in start.moves())


def test_an_unknown_game_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UserError) as error_info:
        games.load("gomuko")
    assert error_info.value.problem == "There is no game called 'gomuko'."
    assert error_info.value.remedy == "Did you mean gomoku?"
    assert str(error_info.value) == "There is no game called 'gomuko'.\nDid you mean gomoku?"


@pytest.mark.parametrize("name", ["base", "_renju", "__init__", "../gomoku", "", "Gomoku"])
def test_a_module_that_is_not_a_game_cannot_be_loaded(name: str) -> None:
    with pytest.raises(UserError, match="There is no game called"):
        games.load(name)


@pytest.mark.parametrize(
    ("word", "known_names", "message"),
    [
        ("gomuko", ["go", "gomoku"], "Did you mean gomoku?"),
        ("SIZE", ["size", "line"], "Did you mean size?"),
        ("xyz", ["line", "exact"], "Choose from exact, line."),
        ("xyz", [], "There is none."),
    ],
)
def test_a_mistyped_name_gets_a_suggestion_or_the_list(word: str, known_names: list[str], message: str) -> None:
    assert suggest_name(word, known_names) == message


class Pebbles(Game):
    """A game of nothing, with an option of each type."""

    name: ClassVar[str] = "pebbles"

    count: int = option(7, "pebbles in the heap", low=1, high=9)
    komi: float = option(0.5, "points for the second", low=-5)
    fair: bool = option(False, "whether it is")
    kind: str = option("round", "their form", choices=("round", "flat"))

    def start(self) -> Position:
        return NoPebbles(self)

    def parse(self, text: str) -> Move:
        raise NotAMove(text, "there is none")

    def format(self, move: Move) -> str:
        return str(move)

    def from_diagram(self, text: str) -> Position:
        return NoPebbles(self)


def pebbles(**options: Any) -> Pebbles:
    """The game with its options as text, as a command line gives them."""
    return Pebbles(**options)


class NoPebbles(Position):
    """The one position of Pebbles."""

    def __init__(self, game: Pebbles) -> None:
        self.game = game
        self.to_move = 1

    def key(self) -> Hashable:
        return 0

    def moves(self) -> Iterator[Move]:
        return iter(())

    def why_illegal(self, move: Move) -> str | None:
        return "there are no pebbles"

    def play(self, move: Move) -> Position:
        raise IllegalMove("there are no pebbles")

    def outcome(self) -> Outcome | None:
        return Outcome.draw(Reason.BOARD_FULL)

    def rows(self) -> tuple[str, ...]:
        return ()

    def diagram(self) -> str:
        return ""


@pytest.mark.parametrize(
    ("name", "option_value", "option_read"),
    [
        ("count", "3", 3),
        ("count", " 3 ", 3),
        ("count", 3.0, 3),
        ("komi", "-2.5", -2.5),
        ("komi", 6, 6.0),
        *[("fair", yes, True) for yes in ("true", "True", "YES", "on", "1", 1, True)],
        *[("fair", no, False) for no in ("false", "No", "off", "0", 0, False)],
        ("kind", "FLAT", "flat"),
    ],
)
def test_options_are_read_from_text_or_taken_as_values(name: str, option_value: Any, option_read: Any) -> None:
    options = Pebbles(**{name: option_value}).options
    assert options[name] == option_read
    assert type(options[name]) is type(option_read)


@pytest.mark.parametrize(
    ("name", "option_value", "problem"),
    [
        ("count", "0", "count 0 is too small: pebbles needs 1 to 9"),
        ("count", "10", "count 10 is too large: pebbles needs 1 to 9"),
        ("count", "1e3", "count 1e3 is not a whole number"),
        ("count", None, "count None is not a whole number"),
        ("count", float("inf"), "count inf is not a whole number"),
        ("komi", "-6", "komi -6 is too small: pebbles needs -5 or more"),
        ("komi", "nan", "komi nan is not a number"),
        ("komi", "inf", "komi inf is not a number"),
        ("komi", "half", "komi half is not a number"),
        ("komi", True, "komi True is not a number"),
        ("fair", "perhaps", "fair perhaps is neither true nor false: pebbles needs one of them"),
        ("fair", "", "fair  is neither true nor false: pebbles needs one of them"),
        ("kind", "square", "kind square is not known: pebbles accepts round, flat"),
    ],
)
def test_an_option_that_cannot_be_read_is_refused(name: str, option_value: Any, problem: str) -> None:
    with pytest.raises(BadOption) as error_info:
        Pebbles(**{name: option_value})
    assert error_info.value.problem == problem
    assert error_info.value.remedy


def test_a_game_lists_its_options_in_order_with_their_values() -> None:
    assert list(pebbles(count="2").options.items()) == [("count", 2), ("komi", 0.5), ("fair", False), ("kind", "round")]


def test_equal_options_make_equal_games_and_positions_of_unequal_games_differ() -> None:
    assert pebbles(count="2") == Pebbles(count=2)
    assert hash(pebbles(count="2")) == hash(Pebbles(count=2))
    assert Pebbles(count=2).start() == Pebbles(count=2).start()
    assert Pebbles(count=2).start() != Pebbles(count=3).start()


def test_a_game_cannot_be_changed() -> None:
    game: Any = Gomoku()
    with pytest.raises(AttributeError):
        game.size = 9


def test_defaults_of_the_base_game_are_harmless() -> None:
    position = Pebbles().start()
    assert (position.mark(1), position.mark(2), position.mark(3)) == ("x", "o", "3")
    assert position.warning("h8") is None
    assert position.facts() == {}
    assert str(position) == ""
    with pytest.raises(IllegalMove, match="pebbles ends when a player leaves"):
        position.withdraw(2)


KINDS = {
    "rules": "LINE CAPTURES SCORE BOXES BOARD_FULL NO_MOVE TWO_PASSES MOVE_CAP FORBIDDEN",
    "choice": "RESIGNED AGREEMENT",
    "forfeit": "OUT_OF_TIME ILLEGAL_MOVE NOT_A_MOVE OUT_OF_TURN CRASHED TOO_MUCH_MEMORY CPU_OUT_OF_TURN",
    "void": "REFEREE_FAULT INTERRUPTED ALL_CRASHED",
}


def test_every_reason_has_its_kind() -> None:
    assert {reason.name: reason.kind for reason in Reason} == {
        name: kind for kind, names in KINDS.items() for name in names.split()
    }


def test_every_reason_is_written_as_its_name_in_lower_case() -> None:
    assert [reason.value for reason in Reason] == [reason.name.lower() for reason in Reason]


def test_an_outcome_names_the_one_winner() -> None:
    assert Outcome.won_by(2, Reason.LINE, "5 in a row") == Outcome((2, 1), Reason.LINE, "5 in a row")
    assert Outcome.won_by(2, Reason.LINE).winner == 2
    assert Outcome.won_by(3, Reason.BOXES, seats=3).ranks == (2, 2, 1)
    assert Outcome.draw(Reason.BOARD_FULL).winner is None
    assert Outcome.draw(Reason.BOXES, seats=3).ranks == (1, 1, 1)
    assert Outcome((1, 1, 3), Reason.BOXES).winner is None
    assert Outcome((0, 0), Reason.INTERRUPTED).winner is None


@pytest.mark.parametrize("reason", Reason)
def test_a_game_is_void_by_its_reason_alone(reason: Reason) -> None:
    assert Outcome((0, 0), reason).is_void == (reason.kind == "void")


def test_a_replay_accepts_moves_and_texts_and_refuses_illegal_ones() -> None:
    game = Gomoku()
    assert game.replay(["h8", game.parse("a1")]) == game.start().play(game.parse("h8")).play(game.parse("a1"))
    with pytest.raises(NotAMove):
        game.replay(["h8", "nowhere"])
    with pytest.raises(IllegalMove, match="h8 is occupied by black"):
        game.replay(["h8", "h8"])


@pytest.mark.parametrize("change", ["update", "pop", "clear", "setdefault", "__setitem__", "__delitem__", "__ior__"])
def test_the_options_of_a_game_cannot_change(change: str) -> None:
    with pytest.raises(TypeError, match="load the game with other options"):
        getattr(games.load("gomoku").options, change)("size", 7)


def test_the_options_of_a_game_are_written_as_a_dict() -> None:
    game = games.load("gomoku", size=9)
    assert json.loads(json.dumps(game.options)) == game.options == pickle.loads(pickle.dumps(game)).options
    assert games.load("gomoku", **game.options) == game
