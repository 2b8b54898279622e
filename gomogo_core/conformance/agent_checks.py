"""The checks that every agent must pass.

Each check has a name, the sentence that it proves, and a function that tests the agent. The module uses trials and
scripted opponents. Other modules print the results.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from gomogo_core.arena import EXIT_TIMEOUT
from gomogo_core.arena.conditions import core_wait_sentence
from gomogo_core.catalogue import why_unsupported
from gomogo_core.conformance.opponents import (
    Script,
    ScriptedOpponent,
    answer_slowly,
    random_moves,
    resign_after,
    take_over_first,
)
from gomogo_core.conformance.trial import CheckFailed, NotApplicable, Trial, game_and_seat_text, moves_of, processes_of
from gomogo_core.conformance.variants import nearly_finished_game, small_game, variant_text, variants
from gomogo_core.games.base import Game, Seat
from gomogo_core.play.clock import TimeControl
from gomogo_core.play.player import Turn
from gomogo_core.processes import cpu_times
from gomogo_core.processes.process import Process
from gomogo_core.protocols import protocols_by_name

SHORT_MOVE_LIMIT, LONG_MOVE_LIMIT = 0.3, 1.0  # seconds per move
SMALL_BOARD_SIDES = (5, 7)  # points along the sides of the small boards
# the number of moves after which the opponent resigns, in checks that need no whole game
SHORT_GAME_MOVES, LONGER_GAME_MOVES = 3, 8
SLOW_ANSWER_SECONDS = 0.2  # seconds that a slow opponent takes, longer than a slow agent waits between two polls
WHOLE_GAME_LIMIT = 2.0  # seconds for a whole game on a small board


@dataclass(frozen=True)
class AgentCheck:
    """A check of an agent.

    name: the name for --only. requirement: the sentence that the check proves. run: a function that tests the agent,
    and returns a remark or None. It raises CheckFailed if the sentence is false, and NotApplicable if the check does
    not apply.
    """

    name: str
    requirement: str
    run: Callable[[Trial], str | None]


def _random_scripts(game: Game) -> Callable[[Seat], Script]:
    """Return a function that returns the script of a seat, which makes random moves."""
    return lambda seat: random_moves(f"{variant_text(game)} {seat}")


def _random_scripts_that_resign(game: Game, move_count: int) -> Callable[[Seat], Script]:
    """Return the same function as `_random_scripts`, but its scripts resign after this number of moves."""
    return lambda seat: resign_after(random_moves(f"{variant_text(game)} {seat}"), move_count)


def _check_starts(trial: Trial) -> str | None:
    opponent = ScriptedOpponent(resign_after(lambda _: "", 0))
    trial.play(trial.default_game, trial.default_game.seats, lambda _: opponent)
    if trial.learns_settings:
        return None
    return "it does not report that it is ready, like legacy programs, so it gets 1 s to load and 10 s per move"


def _check_first_move(trial: Trial) -> None:
    game, control = trial.default_game, trial.time_control_for(LONG_MOVE_LIMIT)
    for seat, played_game in enumerate(trial.play_all_seats(game, _random_scripts_that_resign(game, 1), control), 1):
        if not moves_of(played_game, seat):
            raise CheckFailed(
                f"{game_and_seat_text(game, seat)}, it made no move: {played_game.outcome.detail}.", "A move."
            )


def _check_whole_games(trial: Trial) -> None:
    trial.require_settings("the size of the board")
    for side in SMALL_BOARD_SIDES:
        game = small_game(trial.game_name, side)
        trial.play_all_seats(game, _random_scripts(game), trial.time_control_for(SHORT_MOVE_LIMIT))


def _check_default_board(trial: Trial) -> None:
    scripts = _random_scripts_that_resign(trial.default_game, LONGER_GAME_MOVES)
    trial.play_all_seats(trial.default_game, scripts, trial.time_control_for(LONG_MOVE_LIMIT))


def _check_variants(trial: Trial) -> None:
    trial.require_settings("options")
    optional_options = protocols_by_name()[trial.agent.protocol].optional_game_options.items()
    control = trial.time_control_for(SHORT_MOVE_LIMIT)
    for game in variants(trial.game_name):
        # other checks cover these options
        is_optional = any(game.options.get(name) == value for name, value in optional_options)
        if why_unsupported(game, trial.agent) is None and not is_optional:
            with suppress(NotApplicable):  # engines may refuse an unusual size
                trial.play_all_seats(game, _random_scripts_that_resign(game, SHORT_GAME_MOVES), control)


def _check_waits_for_its_turn(trial: Trial) -> None:
    game = trial.default_game

    def slow_script(seat: Seat) -> Script:
        return resign_after(answer_slowly(_random_scripts(game)(seat), SLOW_ANSWER_SECONDS), SHORT_GAME_MOVES)

    control = trial.time_control_for(LONG_MOVE_LIMIT)
    for seat, played_game in enumerate(trial.play_all_seats(game, slow_script, control), 1):
        for move_count, warned_seat, warning in played_game.warnings:
            if warned_seat == seat:
                raise CheckFailed(
                    f"{game_and_seat_text(game, seat)}, after {move_count} moves, it {warning}.",
                    f"It writes nothing until {'it is asked' if trial.agent.uses_pipes else 'its .go file exists'}.",
                    played_game.outputs[seat - 1],
                )


def _check_take_over(trial: Trial) -> None:
    games_with_take_over = (game for game in variants(trial.game_name) if game.options.get("opening") == "takeover")
    if (game := next(games_with_take_over, None)) is None:
        raise NotApplicable(f"{trial.game_name} has no take-over")
    if reason := why_unsupported(game, trial.agent):
        raise NotApplicable(reason)
    opponent = ScriptedOpponent(take_over_first(_random_scripts_that_resign(game, SHORT_GAME_MOVES)(2)))
    played_game = trial.play(game, 1, lambda _: opponent, trial.time_control_for(LONG_MOVE_LIMIT))
    if len(moves_of(played_game, 1)) < 2:
        raise CheckFailed(
            f"{game_and_seat_text(game, 1)}, its first stone {played_game.plies[0].move} was taken over, and it "
            f"{played_game.outcome.detail}.",
            "It plays another move, because that stone belongs to the opponent now.",
        )


def _check_few_moves_left(trial: Trial) -> None:
    if not trial.agent.knows_history:
        raise NotApplicable("it reads only the last move, so it cannot start in the middle of a game")
    game = small_game(trial.game_name, SMALL_BOARD_SIDES[0])
    scripts, control = _random_scripts(game), trial.time_control_for(SHORT_MOVE_LIMIT)
    for seat in range(1, game.seats + 1):
        opening = nearly_finished_game(game, seat)
        played_game = trial.play(game, seat, lambda other: ScriptedOpponent(scripts(other)), control, opening)
        if not moves_of(played_game, seat):
            behaviour = f"{game_and_seat_text(game, seat)}, with few legal moves left, it made no move."
            raise CheckFailed(behaviour, "It plays one of them.")


def _check_total_time(trial: Trial) -> None:
    trial.require_settings("the time for a whole game")
    game = small_game(trial.game_name, SMALL_BOARD_SIDES[0])
    trial.play_all_seats(game, _random_scripts(game), TimeControl(per_move=None, total=WHOLE_GAME_LIMIT))


def _check_next_game(trial: Trial) -> None:
    first_game = small_game(trial.game_name, SMALL_BOARD_SIDES[0]) if trial.learns_settings else trial.default_game
    control = trial.time_control_for(LONG_MOVE_LIMIT)
    for game in (first_game, trial.default_game):
        trial.play_all_seats(game, _random_scripts_that_resign(game, SHORT_GAME_MOVES), control)


def _check_notices_resignation(trial: Trial) -> None:
    opponent = ScriptedOpponent(_random_scripts_that_resign(trial.default_game, 1)(2))
    process = trial.play_and_exit(opponent, trial.time_control_for(LONG_MOVE_LIMIT))
    _expect_no_crash(trial, process, "after its opponent resigned")


def _check_notices_dead_opponent(trial: Trial) -> None:
    opponent = ScriptedOpponent(_random_scripts(trial.default_game)(2), exits_after_moves=1)
    process = trial.play_and_exit(opponent, trial.time_control_for(LONG_MOVE_LIMIT))
    _expect_no_crash(trial, process, "after its opponent's program ended in the middle of the game")


def _expect_no_crash(trial: Trial, process: Process, moment: str) -> None:
    exit_description = process.exit_description()
    # an agent that does not exit fails only the check `leaves`
    if exit_description not in ("exited with code 0", "ended by the referee"):
        end_signal = "the end of its input" if trial.agent.uses_pipes else "end_game"
        raise CheckFailed(
            f"It {exit_description} {moment}.", f"It notices {end_signal}, and exits with code 0.", process.output_text
        )


def _check_exits_after_end(trial: Trial) -> None:
    answer_turn = _random_scripts_that_resign(trial.default_game, LONGER_GAME_MOVES)(2)
    turn_began_at, times_at_turn = 0.0, cpu_times.UNKNOWN_TIMES

    def answer_and_ask_for_survivors(turn: Turn) -> str:
        nonlocal turn_began_at, times_at_turn
        for process in processes_of(turn.opponents):
            process.waits_for_survivors = True
            turn_began_at, times_at_turn = time.monotonic(), cpu_times.process_tree_times(process.pid)
        return answer_turn(turn)

    opponent = ScriptedOpponent(answer_and_ask_for_survivors)
    process = trial.play_and_exit(opponent, trial.time_control_for(LONG_MOVE_LIMIT))
    if process.exit_description() == "ended by the referee":
        waited = process.cpu_times_at_end.since(times_at_turn).waited
        doubt = core_wait_sentence(waited, time.monotonic() - turn_began_at)
        moment, signal = f"{EXIT_TIMEOUT + trial.slack:g} s after the end", "when end_game exists"
        if trial.agent.uses_pipes:
            moment, signal = "After the end of its input", "at the end of its input"
        behaviour = f"{moment} it was still running, and had to be ended."
        raise CheckFailed(behaviour, f"It exits by itself {signal}.", process.output_text, doubt)
    _expect_no_crash(trial, process, "after the end")
    if survivor_count := process.survivor_count:
        behaviour = f"{survivor_count} of the processes that it started outlived it."
        raise CheckFailed(behaviour, "None does.", process.output_text)


CHECKS = (
    AgentCheck("starts", "it starts in time", _check_starts),
    AgentCheck("first_move", "it answers with a legal move in every seat", _check_first_move),
    AgentCheck(
        "whole_games", f"it plays whole games on small boards, {SHORT_MOVE_LIMIT:g} s a move", _check_whole_games
    ),
    AgentCheck("usual_board", f"it plays on the usual board, {LONG_MOVE_LIMIT:g} s a move", _check_default_board),
    AgentCheck("variants", "it plays legally with every option of the game", _check_variants),
    AgentCheck("waits", "it writes nothing before its turn", _check_waits_for_its_turn),
    AgentCheck("take_over", "it continues when its first stone is taken over", _check_take_over),
    AgentCheck("little_left", "it finds the last moves on a nearly full board", _check_few_moves_left),
    AgentCheck("total_time", f"it keeps a limit of {WHOLE_GAME_LIMIT:g} s for a whole game", _check_total_time),
    AgentCheck("plays_again", "it plays one game after another, on other boards", _check_next_game),
    AgentCheck("resigned", "it notices the end when its opponent resigns", _check_notices_resignation),
    AgentCheck("died", "it notices the end when its opponent's program dies", _check_notices_dead_opponent),
    AgentCheck(
        "leaves",
        f"it exits by itself within {EXIT_TIMEOUT:g} s after the end, with all its processes",
        _check_exits_after_end,
    ),
)
