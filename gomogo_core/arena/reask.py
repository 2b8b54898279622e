"""Asks an agent again for one move of a recorded game, and returns its answer and its output.

The module uses records of games and arenas, but no user interface.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from gomogo_core.arena import Arena
from gomogo_core.catalogue import Agent, agent, check_agents, check_program
from gomogo_core.errors import UserError
from gomogo_core.games.base import Reason
from gomogo_core.play.clock import Clock, TimeControl
from gomogo_core.play.events import GameSetup
from gomogo_core.play.judge import AcceptedMove, judge
from gomogo_core.play.player import Failure, Turn
from gomogo_core.processes.limits import DEFAULT_SANDBOX, SandboxLevel
from gomogo_core.records.game_record import BY_HAND_SPEC, PlayedGame


@dataclass(frozen=True, slots=True)
class RepeatedAnswer:
    """An agent's answer to a repeated question. output: the output of its program.

    fault: the reason for which the answer would lose the game; None if `move` is legal. evidence: a sentence about the
    fault; empty if `move` is legal.
    """

    move: str | None
    seconds: float
    fault: Reason | None
    evidence: str
    thoughts: str | None
    score: float | None
    output: str


def move_count_before_last_turn(played_game: PlayedGame) -> int | None:
    """Return the number of moves before the last turn of the player that forfeited or, if no player forfeited, of a
    loser.

    In a game that nobody lost, any player's last turn counts. Returns None if there was no such turn.
    """
    positions = played_game.positions()
    losers = set(played_game.forfeits) or {seat for seat, rank in enumerate(played_game.outcome.ranks, 1) if rank > 1}
    for move_count in range(len(positions) - 1, played_game.opening_length - 1, -1):
        position = positions[move_count]
        if position.outcome() is None and (not losers or position.to_move in losers):
            return move_count
    return None


def agent_to_move(played_game: PlayedGame, move_count: int) -> Agent:
    """Return the agent that was to move after `move_count` moves.

    Raises UserError if the agent cannot be asked again: because the game was over, because the player is a human or a
    program started by hand, because the agent no longer exists, or because it cannot start with moves on the board.
    """
    position = played_game.positions()[move_count]
    if position.outcome() is not None:
        raise UserError(f"After {move_count} moves the game is over.", "Choose a lower --move.")
    spec = played_game.specs[position.to_move - 1]
    agent_found = None if spec == BY_HAND_SPEC.format(played_game.names[position.to_move - 1]) else agent(spec)
    if agent_found is None or agent_found.is_human:
        player_text = "a human" if agent_found else "a program started by hand"
        problem = f"Move {move_count + 1} was the turn of {player_text}."
        raise UserError(problem, "Choose a --move that an agent played.")
    check_agents(played_game.rules(), [agent_found] * position.game.seats, move_count > 1)
    if not agent_found.build_command:  # with a build command, the program may not exist before the build
        check_program(agent_found)
    return agent_found


def ask_again(
    played_game: PlayedGame,
    move_count: int,
    seconds: float | None = None,
    keep_folder: Path | None = None,
    sandbox: SandboxLevel | None = None,
) -> RepeatedAnswer:
    """Start the agent that was to move after `move_count` moves, send these moves to it, and ask it for its move.

    seconds: the agent's time limit; by default that of the game. keep_folder: a folder in which the game folder is
    kept. sandbox: the sandbox level of the agent's program; by default that of the game. Raises UserError as
    `agent_to_move` does, or if the agent cannot play.
    """
    game, positions = played_game.rules(), played_game.positions()
    position, previous_position = positions[move_count], positions[move_count - 1] if move_count else None
    agent_found, seat = agent_to_move(played_game, move_count), position.to_move
    clocks = _remaining_totals(played_game, move_count)
    control = played_game.controls[seat - 1] if seconds is None else TimeControl(per_move=seconds)
    clock = Clock(control, clocks[seat - 1] if control.total is not None else None)
    controls = (*played_game.controls[: seat - 1], control, *played_game.controls[seat:])
    plies = played_game.plies[:move_count]
    setup = GameSetup(game, played_game.names, controls, plies, played_game.seed)
    turn = Turn(position, previous_position, plies, clock.allowed_seconds, control.grace, clocks)
    with Arena(keep_folder, sandbox or played_game.sandbox or DEFAULT_SANDBOX) as arena:
        player = arena.seat_agent(agent_found, setup, seat)
        started_at = time.monotonic()
        answer = player.await_ready() or player.await_move(turn)
        seconds_taken = answer.seconds_taken or time.monotonic() - started_at
        output = arena.release_agent()
    if isinstance(answer, Failure):
        return RepeatedAnswer(None, seconds_taken, answer.reason, answer.evidence, None, None, output)
    verdict = judge(position, answer, clock)
    if isinstance(verdict, AcceptedMove):
        return RepeatedAnswer(verdict.move, seconds_taken, None, "", answer.thoughts, answer.score, output)
    has_resigned = verdict.reason is Reason.RESIGNED
    fault, evidence = (None, "") if has_resigned else (verdict.reason, verdict.evidence)
    move = answer.text.strip()
    return RepeatedAnswer(move, seconds_taken, fault, evidence, answer.thoughts, answer.score, output)


def _remaining_totals(played_game: PlayedGame, move_count: int) -> tuple[float | None, ...]:
    """Return the time that each player has left for the whole game, after `move_count` moves."""
    clocks = [control.total for control in played_game.controls]
    for ply, seconds_left in zip(
        played_game.plies[played_game.opening_length : move_count], played_game.clocks, strict=False
    ):
        clocks[ply.seat - 1] = seconds_left
    return tuple(clocks)
