"""Makes a session from the form for a new game: rules, seats, levels and times.

Knows the fields of the form and the server settings; starts nothing. Raises UserError for invalid fields.
"""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gomogo.page.server.settings import LONGEST, MOST_SEATS, MOST_SECONDS, PageSettings
from gomogo_core import games, levels
from gomogo_core.arena import distinct
from gomogo_core.catalogue import check
from gomogo_core.errors import UserError, nearest, there_are
from gomogo_core.games.base import Game
from gomogo_core.levels import level_of
from gomogo_core.play.clock import TimeControl
from gomogo_core.records.level_results import results_of
from gomogo_core.records.store import Store
from gomogo_core.session.game_session import GameSession, SeatInfo

Form = Mapping[str, Sequence[str]]
AUTO, HERE, LINK, NOBODY = "auto", "here", "link", "nobody"
_LEVEL = "level-"
_PLAYERS = "players"


class FormField(NamedTuple):
    """An option of a game as a form field. values: the choices; empty for a number."""

    name: str
    about: str
    value: str
    values: tuple[str, ...]
    low: float | None
    high: float | None
    step: str


def fields(name: str) -> list[FormField]:
    """Return the options of a game as form fields, except the number of players, which follows from the opponents."""
    usual = games.load(name).options
    found = []
    for spec in games.rules(name).declared:
        if spec.name == _PLAYERS:
            continue
        value = usual[spec.name]
        values = ("false", "true") if isinstance(value, bool) else spec.of
        follows = spec.follows is not None or value is None
        step = "any" if isinstance(value, float) else "1"
        shown = "" if follows else str(value).casefold()
        found.append(FormField(spec.name, spec.about, shown, values, spec.low, spec.high, step))
    return found


def seats_of(name: str) -> int:
    """Return the maximum number of seats of this game on the page."""
    for spec in games.rules(name).declared:
        if spec.name == _PLAYERS:
            return min(MOST_SEATS, spec.high or MOST_SEATS)
    return games.load(name).seats


def session_of(form: Form, visitor: str, store: Store, settings: PageSettings, person: str) -> GameSession:
    """Return the session that the form describes. person: the name of a visitor who gives none."""
    asked = [word for word in form.get("opponent", ()) if word and word != NOBODY]
    if not asked:
        raise UserError("The form names no opponent.", "Choose an opponent.")
    game = _game(form, 1 + len(asked))
    if len(asked) + 1 != game.seats:
        raise UserError(f"{game.name} is for {game.seats} players, and {there_are(len(asked) + 1)}.", "Choose others.")
    seconds = _seconds(_one(form, "seconds"))
    own = _name(_one(form, "name"), person, settings)
    seat_infos, notes = [], list[str]()
    for word in asked:
        seat_info, note = _seat_info(word, game, visitor, store, settings, seconds)
        seat_infos.append(seat_info)
        if note and note not in notes:
            notes.append(note)
    seat = _seat(_one(form, "seat"), game)
    seat_infos.insert(seat - 1, SeatInfo(own, "human", visitor=visitor))
    names = distinct([seat_info.name for seat_info in seat_infos])
    named = tuple(
        SeatInfo(name, seat_info.spec, seat_info.seconds, seat_info.visitor, seat_info.invite)
        for name, seat_info in zip(names, seat_infos, strict=True)
    )
    from gomogo.page.play.session_referee import player_of

    check(game, [player_of(seat_info) for seat_info in named])
    return GameSession(game, named, greeting=" ".join(notes))


def name_beside(text: str, person: str, others: Sequence[str], settings: PageSettings) -> str:
    """Return a name for a player that differs from the others: their own, or `person`. Raises UserError."""
    return distinct([*others, _name(text, person, settings)])[-1]


def _one(form: Form, name: str) -> str:
    return next(iter(form.get(name, ())), "").strip()


def _game(form: Form, players: int) -> Game:
    name = _one(form, "game") or "gomoku"
    declared = {spec.name for spec in games.rules(name).declared}
    options: dict[str, Any] = {}
    for key in form:
        if not key.startswith("option-"):
            continue
        option = key.removeprefix("option-")
        if option == _PLAYERS or option not in declared:
            raise UserError(f"{name} has no option {option[:40]!r} here.", nearest(option, declared - {_PLAYERS}))
        if value := _one(form, key):
            options[option] = value[:40]
    if _PLAYERS in declared:
        options[_PLAYERS] = str(max(2, players))
    return games.load(name, **options)


def _seconds(text: str) -> float | None:
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.1 <= seconds <= MOST_SECONDS:
        raise UserError(f"{text[:20]!r} is not a valid time per move.", f"Use 0.1 to {MOST_SECONDS:g} seconds.")
    return seconds


def _name(text: str, person: str, settings: PageSettings) -> str:
    name = _plain(text) or person
    taken = {one.name.casefold() for one in settings.agents}
    if level_of(name.casefold()) is not None or name.casefold() in taken:
        raise UserError(f"{name[:40]!r} is the name of an opponent.", "Choose another name for yourself.")
    distinct([name])
    return name


def _plain(text: str) -> str:
    """Return a name that is valid in files: `Zoë B` becomes `Zoe-B`. Other invalid characters stay, and the caller
    refuses them.
    """
    letters = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return "-".join(letters.split())


def _seat(text: str, game: Game) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= game.seats:
        if text:
            raise UserError(f"There is no seat {text[:9]!r}: {game.name} has {game.seats}.", "Choose another seat.")
        return 1
    return int(text)


def _seat_info(
    word: str, game: Game, visitor: str, store: Store, settings: PageSettings, seconds: float | None
) -> tuple[SeatInfo, str]:
    if word == HERE:
        return SeatInfo("guest", "human", visitor=visitor), ""
    if word == LINK:
        return SeatInfo("guest", "human", invite=secrets.token_urlsafe(16)), ""
    if word == AUTO or word.startswith(_LEVEL):
        level, note = _level(word, game, visitor, store)
        allowed = min(level.seconds, LONGEST) if seconds is None else seconds
        return SeatInfo(level.name, level.spec, allowed), note
    one = settings.agent(word)
    allowed = one.under(TimeControl(LONGEST)).per_move or LONGEST
    return SeatInfo(one.name, one.spec, min(allowed, LONGEST) if seconds is None else seconds), ""


def _level(word: str, game: Game, visitor: str, store: Store) -> tuple[levels.Level, str]:
    known = levels.levels(game.name)
    if word != AUTO:
        number = level_of(word)
        if number is None:
            raise UserError(f"{word[:40]!r} is not a level.", f"Choose {levels.WEAKEST} to {levels.STRONGEST}.")
        return known[number - 1], ""
    results = [(level_of(name), share) for name, share in results_of(store, visitor, game.name, _LEVEL)]
    advice = levels.advise([(level, share) for level, share in results if level is not None])
    return known[advice.level - 1], f"Level {advice.level}: {advice.why}."
