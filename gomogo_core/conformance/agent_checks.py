"""The checks that every agent must pass.

Each has a name, the sentence that it proves, and a function that tests the agent. Uses trials and opponents; other
modules print the results.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from gomogo_core.arena import PATIENCE
from gomogo_core.arena.conditions import busy_sentence
from gomogo_core.catalogue import why_unsupported
from gomogo_core.conformance.opponents import (
    Answer,
    Opponent,
    answer_slowly,
    random_moves,
    resign_after,
    take_over_after,
)
from gomogo_core.conformance.trial import Fault, LeftOut, Trial, moves_of, processes_of, where
from gomogo_core.conformance.variants import nearly_finished_game, small_game, variant_words, variants
from gomogo_core.games.base import Game, Seat
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.player import Turn
from gomogo_core.processes import cpu_times
from gomogo_core.processes.process import Process
from gomogo_core.protocols import protocols

HURRIED, UNHURRIED = 0.3, 1.0  # seconds a move
SIDES = (5, 7)  # points along the small boards
FEW, SOME = 3, 8  # the opponent resigns after this number of moves, in checks that need no whole game
PAUSE = 0.2  # seconds that a slow opponent takes: longer than the pause between two polls of a slow agent
TOTAL = 2.0  # seconds for a whole game on a small board


@dataclass(frozen=True)
class Check:
    """name: the name for --only. proves: the sentence that the check proves. run: raises Fault if the sentence is
    false, LeftOut if the check does not apply.
    """

    name: str
    proves: str
    run: Callable[[Trial], str | None]


def _random(game: Game) -> Callable[[Seat], Answer]:
    return lambda seat: random_moves(f"{variant_words(game)} {seat}")


def _random_for(game: Game, moves: int) -> Callable[[Seat], Answer]:
    return lambda seat: resign_after(random_moves(f"{variant_words(game)} {seat}"), moves)


def _starts(trial: Trial) -> str | None:
    opponent = Opponent(resign_after(lambda _: "", 0))
    trial.play(trial.usual, trial.usual.seats, lambda _: opponent)
    if trial.knows_terms:
        return None
    return "it does not say when it is ready, like legacy programs: it gets 1 s to load, and 10 s a move"


def _makes_a_first_move(trial: Trial) -> None:
    game, control = trial.usual, trial.limit(UNHURRIED)
    for seat, played in enumerate(trial.play_all_seats(game, _random_for(game, 1), control), 1):
        if not moves_of(played, seat):
            raise Fault(f"{where(game, seat)}, it made no move: {played.outcome.detail}.", "A move.")


def _plays_whole_games(trial: Trial) -> None:
    trial.require_terms("the size of the board")
    for side in SIDES:
        game = small_game(trial.game_name, side)
        trial.play_all_seats(game, _random(game), trial.limit(HURRIED))


def _plays_the_usual_board(trial: Trial) -> None:
    trial.play_all_seats(trial.usual, _random_for(trial.usual, SOME), trial.limit(UNHURRIED))


def _plays_every_variant(trial: Trial) -> None:
    trial.require_terms("options")
    for game in variants(trial.game_name):
        lacked = protocols()[trial.agent.protocol].optional_game_options.items()
        optional = any(game.options.get(name) == value for name, value in lacked)  # other checks cover these options
        if why_unsupported(game, trial.agent) is None and not optional:
            with suppress(LeftOut):  # engines may refuse an unusual size
                trial.play_all_seats(game, _random_for(game, FEW), trial.limit(HURRIED))


def _waits_for_its_turn(trial: Trial) -> None:
    game = trial.usual

    def slow_player(seat: Seat) -> Answer:
        return resign_after(answer_slowly(_random(game)(seat), PAUSE), FEW)

    for seat, played in enumerate(trial.play_all_seats(game, slow_player, trial.limit(UNHURRIED)), 1):
        for move, who, what in played.warnings:
            if who == seat:
                raise Fault(
                    f"{where(game, seat)}, after {move} moves, it {what}.",
                    f"Nothing written until {'it is asked' if trial.uses_pipes else 'its .go file is there'}.",
                    played.outputs[seat - 1],
                )


def _survives_take_over(trial: Trial) -> None:
    known = (game for game in variants(trial.game_name) if game.options.get("opening") == "takeover")
    if (game := next(known, None)) is None:
        raise LeftOut(f"{trial.game_name} has no take-over")
    if why := why_unsupported(game, trial.agent):
        raise LeftOut(why)
    opponent = Opponent(take_over_after(_random_for(game, FEW)(2)))
    played = trial.play(game, 1, lambda _: opponent, trial.limit(UNHURRIED))
    if len(moves_of(played, 1)) < 2:
        raise Fault(
            f"{where(game, 1)}, its first stone {played.plies[0].move} was taken, and it {played.outcome.detail}.",
            "Another move: the taken stone is the opponent's now.",
        )


def _plays_when_little_is_left(trial: Trial) -> None:
    if not trial.agent.knows_history:
        raise LeftOut("it reads only the last move, so it cannot start in the middle of a game")
    game = small_game(trial.game_name, SIDES[0])
    for seat in range(1, game.seats + 1):
        opening = nearly_finished_game(game, seat)
        played = trial.play(
            game, seat, lambda other: Opponent(_random(game)(other)), trial.limit(HURRIED), opening=opening
        )
        if not moves_of(played, seat):
            raise Fault(f"{where(game, seat)}, with little left to choose, it made no move.", "The move that is left.")


def _keeps_a_total_time(trial: Trial) -> None:
    trial.require_terms("the time for a whole game")
    game = small_game(trial.game_name, SIDES[0])
    trial.play_all_seats(game, _random(game), TimeControl(per_move=None, total=TOTAL))


def _plays_a_second_game(trial: Trial) -> None:
    first = small_game(trial.game_name, SIDES[0]) if trial.knows_terms else trial.usual
    for game in (first, trial.usual):
        trial.play_all_seats(game, _random_for(game, FEW), trial.limit(UNHURRIED))


def _survives_a_resigning_opponent(trial: Trial) -> None:
    opponent = Opponent(_random_for(trial.usual, 1)(2))
    process = trial.play_and_exit(trial.usual, 1, opponent, trial.limit(UNHURRIED))
    _expect_no_crash(trial, process, "after its opponent resigned")


def _survives_a_dying_opponent(trial: Trial) -> None:
    opponent = Opponent(_random(trial.usual)(2), dies_after=1)
    process = trial.play_and_exit(trial.usual, 1, opponent, trial.limit(UNHURRIED))
    _expect_no_crash(trial, process, "after its opponent's program ended in the middle of the game")


def _expect_no_crash(trial: Trial, process: Process, when: str) -> None:
    ended = process.exit_description()
    # an agent that does not exit fails only the check `leaves`
    if ended not in ("exited with code 0", "ended by the referee"):
        sees = "the end of its input" if trial.uses_pipes else "end_game"
        raise Fault(f"It {ended} {when}.", f"It sees {sees}, and leaves with exit code 0.", process.printed)


def _exits_after_the_end(trial: Trial) -> None:
    answer, began, spent = _random_for(trial.usual, SOME)(2), 0.0, cpu_times.NOTHING_KNOWN

    def answer_and_ask_for_survivors(turn: Turn) -> str:
        nonlocal began, spent
        for process in processes_of(turn.opponents):
            process.waits_for_survivors = True
            began, spent = time.monotonic(), cpu_times.tree_times(process.pid)
        return answer(turn)

    opponent = Opponent(answer_and_ask_for_survivors)
    process = trial.play_and_exit(trial.usual, 1, opponent, trial.limit(UNHURRIED))
    if process.exit_description() == "ended by the referee":
        doubt = busy_sentence(process.cpu_times_at_end.since(spent).waited, time.monotonic() - began)
        when, expected = f"{PATIENCE + trial.slack:g} s after the end", "It exits by itself once end_game exists."
        if trial.uses_pipes:
            when, expected = "After the end of its input", "It exits by itself at the end of its input."
        raise Fault(f"{when} it was still there, and had to be ended.", expected, process.printed, doubt)
    _expect_no_crash(trial, process, "after the end")
    if left := process.survivors:
        raise Fault(f"{left} of the processes it started outlived it.", "None.", process.printed)


CHECKS = (
    Check("starts", "it starts, and says when it is ready", _starts),
    Check("first_move", "it answers with a legal move in every seat", _makes_a_first_move),
    Check("whole_games", f"it plays whole games on small boards, {HURRIED:g} s a move", _plays_whole_games),
    Check("usual_board", f"it plays on the usual board, {UNHURRIED:g} s a move", _plays_the_usual_board),
    Check("variants", "it plays legally with every option of the game", _plays_every_variant),
    Check("waits", "it writes nothing before its turn", _waits_for_its_turn),
    Check("take_over", "it goes on when its first stone is taken over", _survives_take_over),
    Check("little_left", "it finds the last moves on a nearly full board", _plays_when_little_is_left),
    Check("total_time", f"it shares {TOTAL:g} s out over a whole game", _keeps_a_total_time),
    Check("plays_again", "it plays one game after another, on other boards", _plays_a_second_game),
    Check("resigned", "it sees the end when its opponent resigns", _survives_a_resigning_opponent),
    Check("died", "it sees the end when its opponent's program dies", _survives_a_dying_opponent),
    Check(
        "leaves",
        f"it exits by itself within {PATIENCE:g} s after the end, with all its processes",
        _exits_after_the_end,
    ),
)
