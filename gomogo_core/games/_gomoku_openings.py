"""The phases of the openings `swap` and `swap2`, which make Gomoku fair.

In each phase a player places stones or chooses a colour. The module uses the number of stones, but not the
board. Human tournaments and Gomocup use these openings. WPI's `takeover` has no phases; it is a rule about moves, in
gomoku.py.
"""

from __future__ import annotations

from enum import Enum

from gomogo_core.games.base import Seat

OPENING_NAMES = ("none", "takeover", "swap", "swap2")


class Choice(Enum):
    """An action in an opening other than placing a stone."""

    SWAP = "swap"  # exchange colours with the other player
    STAY = "stay"  # keep the colours as they are
    PLACE = "place"  # swap2 only: place two more stones, and let the other player choose


class Phase(Enum):
    """The part of the opening that a position belongs to."""

    PLACE_THREE = "lay"  # the first player places three stones: black, white, black
    CHOOSE = "choose"  # the second player chooses
    PLACE_TWO = "lay two"  # swap2: the second player places two more stones
    CHOOSE_LAST = "choose last"  # swap2: the first player chooses
    PLAY = "play"


_CHOICES_BY_PHASE = {
    ("swap", Phase.CHOOSE): (Choice.SWAP, Choice.STAY),
    ("swap2", Phase.CHOOSE): (Choice.SWAP, Choice.STAY, Choice.PLACE),
    ("swap2", Phase.CHOOSE_LAST): (Choice.SWAP, Choice.STAY),
}
_POSSIBLE_STONE_COUNTS = {  # the possible numbers of stones during an opening
    ("swap", Phase.PLACE_THREE): (0, 1, 2),
    ("swap", Phase.CHOOSE): (3,),
    ("swap2", Phase.PLACE_THREE): (0, 1, 2),
    ("swap2", Phase.CHOOSE): (3,),
    ("swap2", Phase.PLACE_TWO): (3, 4),
    ("swap2", Phase.CHOOSE_LAST): (5,),
}


def has_phases(opening: str) -> bool:
    """Return whether this opening has phases in which players place several stones or choose."""
    return opening in ("swap", "swap2")


def available_choices(opening: str, phase: Phase) -> tuple[Choice, ...]:
    """Return the available choices; empty if the player must place a stone."""
    return () if phase is Phase.PLAY else _CHOICES_BY_PHASE.get((opening, phase), ())


def is_possible_phase(opening: str, phase: Phase, stone_count: int) -> bool:
    """Return whether an unfinished opening can be in this phase with this number of stones on the board."""
    return stone_count in _POSSIBLE_STONE_COUNTS.get((opening, phase), ())


def seat_to_move(phase: Phase) -> Seat:
    """Return the seat that places a stone or chooses in this phase."""
    return 2 if phase in (Phase.CHOOSE, Phase.PLACE_TWO) else 1


def phase_after_stone(phase: Phase, stone_count: int) -> Phase:
    """Return the phase after one more stone; `stone_count` is the number of stones before that stone."""
    if phase is Phase.PLACE_THREE and stone_count == 2:
        return Phase.CHOOSE
    if phase is Phase.PLACE_TWO and stone_count == 4:
        return Phase.CHOOSE_LAST
    return phase


def phase_after_choice(choice: Choice) -> Phase:
    """Return the phase after a choice."""
    return Phase.PLACE_TWO if choice is Choice.PLACE else Phase.PLAY


def describe_task(opening: str, phase: Phase, colour: str) -> str:
    """Describe the task of the player to move; return "" after the opening. `colour` is that of the next stone."""
    if phase is Phase.PLACE_THREE:
        return f"Opening: place three stones, black, white, black; then your opponent chooses. Now {colour}."
    if phase is Phase.PLACE_TWO:
        return f"Opening: place two more stones, white, black; then your opponent chooses. Now {colour}."
    if offered := available_choices(opening, phase):
        own_colour, opponent_colour = ("white", "black") if seat_to_move(phase) == 2 else ("black", "white")
        meanings = {
            Choice.SWAP: f"swap: you take {opponent_colour}",
            Choice.STAY: f"stay: you keep {own_colour}",
            Choice.PLACE: "place: you place two more stones, and your opponent chooses",
        }
        return f"Opening: choose. {'; '.join(meanings[choice] for choice in offered)}. The next stone is {colour}."
    return ""
