"""Creates a session from the form for a new game. form_choices.py has the choices of that form.

The module starts no game. Its functions raise UserError for invalid fields.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from gomogo.new_games import usual_komi
from gomogo.page.play.form_choices import (
    LEVEL_PREFIX,
    MAX_HANDICAP,
    OTHER_OPPONENT,
    PLAYERS_OPTION,
    FieldError,
    handicap_moves,
    read_clock,
)
from gomogo.page.server.context import PageContext
from gomogo.page.server.settings import DEFAULT_MOVE_SECONDS, MAX_MOVE_SECONDS, PageSettings
from gomogo.text.names import guest_name, normalise_person_name, unique_file_names
from gomogo_core import games, levels
from gomogo_core.catalogue import agent, check_agents, why_no_undo
from gomogo_core.errors import UserError, suggest_name, there_are_text
from gomogo_core.games.base import Game, IllegalMove, NotAMove
from gomogo_core.level_names import STRONGEST, WEAKEST, level_of_player
from gomogo_core.play.clock import TimeControl
from gomogo_core.records.level_results import visitor_results
from gomogo_core.records.sessions import sessions_of
from gomogo_core.records.store import Store
from gomogo_core.session.actions import Action, SeatInfo, agent_time_control
from gomogo_core.session.game_session import GameSession
from gomogo_core.wire.lines import distinct_names

Form = Mapping[str, Sequence[str]]
ADVISED_LEVEL, SAME_SCREEN, BY_LINK, NO_OPPONENT = "auto", "here", "link", "nobody"
_DEFAULT_OPPONENT, _DEFAULT_SEAT = f"{LEVEL_PREFIX}{levels.FIRST_LEVEL}", "1"  # the values of an empty form


class FormValues(NamedTuple):
    """The values of the form's fields as they were sent, or their defaults. more_opponents: the opponents
    after the first.
    """

    name: str
    seat: str = _DEFAULT_SEAT
    opponent: str = _DEFAULT_OPPONENT
    other: str = ""
    more_opponents: tuple[str, ...] = ()
    size: str = ""
    seconds: str = ""
    clock: str = ""
    options: Mapping[str, str] = {}
    moves: str = ""
    handicap: str = ""


def read_form_values(form: Form) -> FormValues:
    """Return the values of a refused form, so that it can be shown again. Missing fields have their defaults."""
    opponents = [word[:200] for word in form.get("opponent", ())] or [_DEFAULT_OPPONENT]
    options = {key.removeprefix("option-"): _single_field(form, key)[:40] for key in form if key.startswith("option-")}
    return FormValues(
        _single_field(form, "name")[:60],
        _single_field(form, "seat")[:9] or _DEFAULT_SEAT,
        opponents[0],
        _single_field(form, "other")[:200],
        tuple(opponents[1:]),
        _single_field(form, "size")[:40],
        _single_field(form, "seconds")[:20],
        _single_field(form, "clock")[:20],
        options,
        _single_field(form, "moves"),
        _single_field(form, "handicap")[:9],
    )


class NewGame(NamedTuple):
    """The rules of a new game and the moves with which it begins. greeting: a sentence about a handicap, or empty."""

    game: Game
    opening: list[Action]
    greeting: str


def read_new_game(form: Form, players: int) -> NewGame:
    """Return the rules and the opening in a form. Raises UserError, mostly FieldError, for invalid fields."""
    game, handicap = _read_game(form, players), _read_handicap(form)
    moves = _read_moves(game, " ".join(handicap_moves(game, handicap)) if handicap else _single_field(form, "moves"))
    return NewGame(game, moves, f"Black has {handicap} handicap stones, so White moves first." if handicap else "")


def create_session(form: Form, visitor: str, store: Store, settings: PageSettings, default_name: str) -> GameSession:
    """Return the session that the form describes. default_name: the visitor's name if the field for it is empty."""
    opponent_words = [
        _single_field(form, "other") if word == OTHER_OPPONENT else word for word in form.get("opponent", ())
    ]
    opponents = [word for word in opponent_words if word and word != NO_OPPONENT]
    if not opponents or (form.get("opponent", ("",))[0] == OTHER_OPPONENT and not opponent_words[0]):
        raise FieldError("opponent", "An opponent is missing.", "Choose an opponent.")
    game, moves, greeting = read_new_game(form, 1 + len(opponents))
    if len(opponents) + 1 != game.seats:
        problem = f"{game.name} is for {game.seats} players, and {there_are_text(len(opponents) + 1)}."
        raise FieldError("opponent", problem, "Choose more or fewer opponents.")
    seconds = _read_seconds(_single_field(form, "seconds"))
    own_name = _read_name(_single_field(form, "name"), default_name, settings)
    seat_infos, notes = [], list[str]()
    for word in opponents:
        try:
            seat_info, note = _seat_info(word, game, visitor, store, settings, seconds)
        except UserError as error:
            raise FieldError("opponent", error.problem, error.remedy) from None
        seat_infos.append(seat_info)
        if note and note not in notes:
            notes.append(note)
    seat = _read_seat(_single_field(form, "seat"), game)
    seat_infos.insert(seat - 1, SeatInfo(own_name, "human", visitor=visitor))
    names = distinct_names([seat_info.name for seat_info in seat_infos])
    named_seat_infos = tuple(replace(seat_info, name=name) for name, seat_info in zip(names, seat_infos, strict=True))
    agents = [agent(info.spec, key) for info, key in zip(named_seat_infos, unique_file_names(names), strict=True)]
    check_agents(game, agents)
    message, no_undo = " ".join([*notes, greeting]).rstrip(), why_no_undo(agents)
    session = GameSession(
        game, named_seat_infos, actions=moves, greeting=message, why_no_undo=no_undo, opening_length=len(moves)
    )
    if (clock := read_clock(_single_field(form, "clock"))) is not None:
        if session.has_agents:
            raise FieldError("clock", "A clock is for games between people.", "Choose a friend, or no clock.")
        session.set_human_clocks(clock)
    return session


def _read_moves(game: Game, text: str) -> list[Action]:
    """Return the moves from which the game continues. Raises FieldError for invalid moves."""
    position, actions = game.start(), list[Action]()
    try:
        for word in text.split():
            move = game.parse(word)
            actions.append(Action(position.to_move, game.format(move), 0.0))
            position = position.play(move)
    except (NotAMove, IllegalMove) as error:
        raise FieldError("", f"The game cannot begin with these moves: {error}.", "Choose another position.") from None
    if position.outcome() is not None:
        raise FieldError("", "The game is over in this position.", "Choose an earlier position.")
    return actions


def visitor_name(context: PageContext, visitor: str) -> str:
    """Return the name that the visitor had in the last game; for a new visitor, an invented name."""
    for saved in sessions_of(context.store, visitor, 1):
        for info in saved.json_values["chairs"]:
            if info["sitter"] == visitor:
                return str(info["name"])
    return guest_name(visitor)


def unique_name(text: str, default_name: str, other_names: Sequence[str], settings: PageSettings) -> str:
    """Return a player's name, changed if another player has it.

    text: the chosen name. default_name: the name if `text` is empty. other_names: the names of the other players.

    Raises FieldError for an invalid name.
    """
    return distinct_names([*other_names, _read_name(text, default_name, settings)])[-1]


def _single_field(form: Form, name: str) -> str:
    return next(iter(form.get(name, ())), "").strip()


def _read_game(form: Form, players: int) -> Game:
    name = _single_field(form, "game") or "gomoku"
    declared = {spec.name for spec in games.rules(name).declared_options}
    options: dict[str, Any] = {}
    for pair in _single_field(form, "size").split():
        option, _, value = pair.partition("=")
        if option in declared:
            options[option] = value[:40]
    for key in form:
        if not key.startswith("option-"):
            continue
        option = key.removeprefix("option-")
        if option == PLAYERS_OPTION or option not in declared:
            raise FieldError(
                "", f"{name} has no option {option[:40]!r} here.", suggest_name(option, declared - {PLAYERS_OPTION})
            )
        if value := _single_field(form, key):
            options[option] = value[:40]
    if (
        "option-komi" in form
        and "komi" not in options
        and (komi := usual_komi(name, options, with_handicap=_read_handicap(form) > 0))
    ):
        options["komi"] = komi
    if PLAYERS_OPTION in declared:
        options[PLAYERS_OPTION] = str(max(2, players))
    try:
        return games.load(name, **options)
    except UserError as error:  # the message begins with the option's name
        option = error.problem.partition(" ")[0]
        raise FieldError(f"option-{option}" if option in declared else "", error.problem, error.remedy) from None


def _read_handicap(form: Form) -> int:
    """Return the number of handicap stones in a form, 0 for none. Raises FieldError for an invalid number."""
    text = _single_field(form, "handicap")
    if text in ("", "0"):
        return 0
    if not text.isdecimal() or len(text) > 1:
        raise FieldError("handicap", f"{text[:9]!r} is not a number of stones.", f"Choose 2 to {MAX_HANDICAP}.")
    return int(text)


def _read_seconds(text: str) -> float | None:
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.1 <= seconds <= MAX_MOVE_SECONDS:
        problem = f"{text[:20]!r} is not a valid time per move."
        raise FieldError("seconds", problem, f"Use 0.1 to {MAX_MOVE_SECONDS:g} seconds.")
    return seconds


def _read_name(text: str, default_name: str, settings: PageSettings) -> str:
    try:
        name = normalise_person_name(text or default_name)
    except UserError as error:
        raise FieldError("name", error.problem, error.remedy) from None
    taken_names = {agent.name.casefold() for agent in settings.agents}
    if level_of_player(name.casefold()) is not None or name.casefold() in taken_names:
        raise FieldError("name", f"{name[:40]!r} is the name of an opponent.", "Choose another name for yourself.")
    return name


def _read_seat(text: str, game: Game) -> int:
    if text == "random":
        return secrets.randbelow(game.seats) + 1
    if not text.isdecimal() or not 1 <= int(text) <= game.seats:
        if text:
            problem = f"There is no seat {text[:9]!r}: {game.name} has {game.seats}."
            raise FieldError("seat", problem, "Choose another seat.")
        return 1
    return int(text)


def _seat_info(
    word: str, game: Game, visitor: str, store: Store, settings: PageSettings, seconds: float | None
) -> tuple[SeatInfo, str]:
    if word == SAME_SCREEN:
        return SeatInfo("guest", "human", visitor=visitor), ""
    if word == BY_LINK:
        return SeatInfo("guest", "human", invite=secrets.token_urlsafe(16)), ""
    if word == ADVISED_LEVEL or word.startswith(LEVEL_PREFIX):
        level, note = _read_level(word, game, visitor, store)
        level.opponent().require_extra(level.label)
        move_seconds = min(level.seconds, DEFAULT_MOVE_SECONDS) if seconds is None else seconds
        return SeatInfo(level.name, level.spec, agent_time_control(move_seconds)), note
    agent = settings.offered_agent(word)
    move_seconds = agent.time_control(TimeControl(DEFAULT_MOVE_SECONDS)).per_move or DEFAULT_MOVE_SECONDS
    return SeatInfo(
        agent.name,
        agent.spec,
        agent_time_control(min(move_seconds, DEFAULT_MOVE_SECONDS) if seconds is None else seconds),
    ), ""


def _read_level(word: str, game: Game, visitor: str, store: Store) -> tuple[levels.Level, str]:
    if word == ADVISED_LEVEL:
        return levels.advised_level(game.name, visitor_results(store, visitor, game.name))
    number = level_of_player(word)
    if number is None:
        raise UserError(f"{word[:40]!r} is not a level.", f"Choose {WEAKEST} to {STRONGEST}.")
    return levels.levels_of_game(game.name)[number - 1], ""
