"""A new game out of a form: which rules, who sits where, how strong, how long it may think.

Knows the form's words and what the operator allows; starts nothing. Raises UserError for what cannot be.
"""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from gomogo.page.sitting import Chair, Sitting
from gomogo.page.terms import LONGEST, MOST_SEATS, MOST_SECONDS, Terms
from gomogo_core import games, levels
from gomogo_core.arena import distinct
from gomogo_core.catalogue import check
from gomogo_core.errors import UserError, nearest, there_are
from gomogo_core.games.base import Game
from gomogo_core.levels import level_of
from gomogo_core.play.clock import TimeControl
from gomogo_core.records.shares import shares_of
from gomogo_core.records.store import Store

Form = Mapping[str, Sequence[str]]
AUTO, HERE, LINK, NOBODY = "auto", "here", "link", "nobody"
_LEVEL = "level-"
_PLAYERS = "players"


class Field(NamedTuple):
    """An option of a game, as a form shows it. values: what can be chosen; none for a number."""

    name: str
    about: str
    value: str
    values: tuple[str, ...]
    low: float | None
    high: float | None
    step: str


def fields(name: str) -> list[Field]:
    """The options of a game as a form's fields; how many play is said by who is asked."""
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
        found.append(Field(spec.name, spec.about, shown, values, spec.low, spec.high, step))
    return found


def seats_of(name: str) -> int:
    """How many can sit down to this game here."""
    for spec in games.rules(name).declared:
        if spec.name == _PLAYERS:
            return min(MOST_SEATS, spec.high or MOST_SEATS)
    return games.load(name).seats


def sitting_of(form: Form, sitter: str, store: Store, terms: Terms, person: str) -> Sitting:
    """The game that the form asks for. person: what somebody is called who gives no name."""
    asked = [word for word in form.get("opponent", ()) if word and word != NOBODY]
    if not asked:
        raise UserError("There is nobody to play against.", "Choose an opponent.")
    game = _game(form, 1 + len(asked))
    if len(asked) + 1 != game.seats:
        raise UserError(f"{game.name} is for {game.seats} players, and {there_are(len(asked) + 1)}.", "Choose others.")
    seconds = _seconds(_one(form, "seconds"))
    own = _name(_one(form, "name"), person, terms)
    chairs, notes = [], list[str]()
    for word in asked:
        chair, note = _chair(word, game, sitter, store, terms, seconds)
        chairs.append(chair)
        if note and note not in notes:
            notes.append(note)
    seat = _seat(_one(form, "seat"), game)
    chairs.insert(seat - 1, Chair(own, "human", sitter=sitter))
    names = distinct([chair.name for chair in chairs])
    named = tuple(
        Chair(name, chair.spec, chair.seconds, chair.sitter, chair.invite)
        for name, chair in zip(names, chairs, strict=True)
    )
    from gomogo.page.refereeing import player_of

    check(game, [player_of(chair) for chair in named])
    return Sitting(game, named, greeting=" ".join(notes))


def name_beside(text: str, person: str, others: Sequence[str], terms: Terms) -> str:
    """What somebody is called who sits down beside others: by their own word, or `person`. Raises UserError."""
    return distinct([*others, _name(text, person, terms)])[-1]


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
        raise UserError(f"{text[:20]!r} is no time for a move here.", f"Give 0.1 to {MOST_SECONDS:g} seconds.")
    return seconds


def _name(text: str, person: str, terms: Terms) -> str:
    name = _plain(text) or person
    taken = {one.name.casefold() for one in terms.agents}
    if level_of(name.casefold()) is not None or name.casefold() in taken:
        raise UserError(f"{name[:40]!r} is the name of an opponent.", "Choose another name for yourself.")
    distinct([name])
    return name


def _plain(text: str) -> str:
    """A name as files can bear it: `Zoë B` is `Zoe-B`. What else cannot be in one stays, and is refused for it."""
    letters = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
    return "-".join(letters.split())


def _seat(text: str, game: Game) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= game.seats:
        if text:
            raise UserError(f"There is no seat {text[:9]!r}: {game.name} has {game.seats}.", "Choose another seat.")
        return 1
    return int(text)


def _chair(word: str, game: Game, sitter: str, store: Store, terms: Terms, seconds: float | None) -> tuple[Chair, str]:
    if word == HERE:
        return Chair("guest", "human", sitter=sitter), ""
    if word == LINK:
        return Chair("guest", "human", invite=secrets.token_urlsafe(16)), ""
    if word == AUTO or word.startswith(_LEVEL):
        level, note = _level(word, game, sitter, store)
        allowed = min(level.seconds, LONGEST) if seconds is None else seconds
        return Chair(level.name, level.spec, allowed), note
    one = terms.agent(word)
    allowed = one.under(TimeControl(LONGEST)).per_move or LONGEST
    return Chair(one.name, one.spec, min(allowed, LONGEST) if seconds is None else seconds), ""


def _level(word: str, game: Game, sitter: str, store: Store) -> tuple[levels.Level, str]:
    known = levels.levels(game.name)
    if word != AUTO:
        number = level_of(word)
        if number is None:
            raise UserError(f"{word[:40]!r} is no level.", f"Choose {levels.WEAKEST} to {levels.STRONGEST}.")
        return known[number - 1], ""
    results = [(level_of(name), share) for name, share in shares_of(store, sitter, game.name, _LEVEL)]
    advice = levels.adapted([(level, share) for level, share in results if level is not None])
    return known[advice.level - 1], f"Level {advice.level}: {advice.why}."
