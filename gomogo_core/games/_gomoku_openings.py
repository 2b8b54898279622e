"""The openings that make Gomoku fair: the stones that each player lays, and the choices before the game itself begins.

This module needs no board: the number of stones is enough. `swap` and `swap2` are the openings of human tournaments and
of Gomocup. WPI's `takeover` has no phases; it is a rule about moves, in gomoku.py.
"""

from __future__ import annotations

from enum import Enum

from gomogo_core.games.base import Seat

NAMES = ("none", "takeover", "swap", "swap2")


class Choice(Enum):
    """An action in an opening other than placing a stone."""

    SWAP = "swap"  # exchange colours with the other player
    STAY = "stay"  # keep the colours as they are
    PLACE = "place"  # swap2 only: place two more stones, and let the other choose


class Phase(Enum):
    """The part of the opening that a position belongs to."""

    LAY = "lay"  # the first player lays three stones of both colours
    CHOOSE = "choose"  # the second player chooses
    LAY_TWO = "lay two"  # swap2: the second player lays two more
    CHOOSE_LAST = "choose last"  # swap2: the first player chooses
    PLAY = "play"


_CHOICES = {
    ("swap", Phase.CHOOSE): (Choice.SWAP, Choice.STAY),
    ("swap2", Phase.CHOOSE): (Choice.SWAP, Choice.STAY, Choice.PLACE),
    ("swap2", Phase.CHOOSE_LAST): (Choice.SWAP, Choice.STAY),
}
_STONES = {  # the possible numbers of stones during an opening
    ("swap", Phase.LAY): (0, 1, 2),
    ("swap", Phase.CHOOSE): (3,),
    ("swap2", Phase.LAY): (0, 1, 2),
    ("swap2", Phase.CHOOSE): (3,),
    ("swap2", Phase.LAY_TWO): (3, 4),
    ("swap2", Phase.CHOOSE_LAST): (5,),
}


def has_phases(opening: str) -> bool:
    """Return whether the opening has phases before the players take turns."""
    return opening in ("swap", "swap2")


def choices(opening: str, phase: Phase) -> tuple[Choice, ...]:
    """Return the available choices; empty if the player must place a stone."""
    return () if phase is Phase.PLAY else _CHOICES.get((opening, phase), ())


def can_be(opening: str, phase: Phase, stones: int) -> bool:
    """Return whether a position with this number of stones can be in this phase of an unfinished opening."""
    return stones in _STONES.get((opening, phase), ())


def mover(phase: Phase) -> Seat:
    """Return the seat that lays stones or chooses during the opening."""
    return 2 if phase in (Phase.CHOOSE, Phase.LAY_TWO) else 1


def after_stone(phase: Phase, stones: int) -> Phase:
    """Return the phase after one more stone, given the number of stones before it."""
    if phase is Phase.LAY and stones == 2:
        return Phase.CHOOSE
    if phase is Phase.LAY_TWO and stones == 4:
        return Phase.CHOOSE_LAST
    return phase


def after_choice(choice: Choice) -> Phase:
    """Return the phase after a choice."""
    return Phase.LAY_TWO if choice is Choice.PLACE else Phase.PLAY


def task(opening: str, phase: Phase, colour: str) -> str:
    """Describe the task of the player to move, whose next stone has this colour; empty after the opening."""
    if phase is Phase.LAY:
        return f"Opening: lay three stones, black, white, black; then the other chooses. Now {colour}."
    if phase is Phase.LAY_TWO:
        return f"Opening: lay two more stones, white, black; then the other chooses. Now {colour}."
    if offered := choices(opening, phase):
        mine, other = ("white", "black") if mover(phase) == 2 else ("black", "white")
        meanings = {
            Choice.SWAP: f"swap: you take {other}",
            Choice.STAY: f"stay: you keep {mine}",
            Choice.PLACE: "place: you lay two more stones, and the other chooses",
        }
        return f"Opening: choose. {'; '.join(meanings[choice] for choice in offered)}. The next stone is {colour}."
    return ""
