"""Gomoku's own states in exact search: the moves they leave out change no answer."""

from __future__ import annotations

import random

import pytest

from gomogo_core.games.base import Position
from gomogo_core.search.solving.budget import Budget
from gomogo_core.search.solving.games import proof_state
from gomogo_core.search.solving.games.gomoku import RowsState, _rows_have_pairs
from gomogo_core.search.solving.state import UNLIMITED_PLIES, PositionProofState, ProofState
from gomogo_core.search.solving.wins import ProofResult, WinProver
from tests.search._positions import load_gomoku, random_gomoku_position


@pytest.mark.parametrize("seed", range(30))
def test_the_rows_state_agrees_with_the_rules_of_gomoku(seed: int) -> None:
    """Mirror images, pairs of points, certain ends, omitted moves: none of them changes an answer."""
    rng = random.Random(seed)
    position = random_gomoku_position(rng, load_gomoku(size=5, line=rng.randint(3, 4)), rng.randint(2, 12))
    rows = proof_state(position)
    assert isinstance(rows, RowsState)
    quick, slow = WinProver(Budget("quick")), WinProver(Budget("slow"))
    for seat in (1, 2):
        for plies in range(1, 5):
            by_rows = quick.prove_win(seat, rows, plies)
            by_rules = slow.prove_win(seat, PositionProofState(position, proof_state_by_rules), plies)
            assert (by_rows is ProofResult.YES) == (by_rules is ProofResult.YES)


def proof_state_by_rules(position: Position) -> ProofState:
    return PositionProofState(position, proof_state_by_rules)


def test_other_gomoku_rules_use_the_generic_state() -> None:
    assert isinstance(proof_state(load_gomoku(size=5, line=3).start()), RowsState)
    for options in ({"exact": True}, {"renju": True}, {"opening": "swap"}, {"opening": "takeover"}):
        assert isinstance(proof_state(load_gomoku(size=6, **options).start()), PositionProofState)
    taken_over = load_gomoku(size=6, opening="takeover").replay(["c3", "c3"])
    assert isinstance(proof_state(taken_over), RowsState)
    assert proof_state(taken_over).to_move == 1


@pytest.mark.parametrize("seed", range(60))
def test_pairings_are_found_exactly_when_they_exist(seed: int) -> None:
    rng = random.Random(seed)
    rows = [sum(1 << i for i in rng.sample(range(9), rng.randint(2, 4))) for _ in range(rng.randint(1, 4))]
    assert _rows_have_pairs(rows) == can_pair(sorted(set(rows)), 0)


def can_pair(rows: list[int], taken_points: int) -> bool:
    if not rows:
        return True
    free = [i for i in range(9) if (rows[0] & ~taken_points) >> i & 1]
    return any(
        can_pair(rows[1:], taken_points | 1 << first_point | 1 << two)
        for first_point in free
        for two in free
        if first_point < two
    )


def test_a_final_disproof_differs_from_an_unfinished_one() -> None:
    proof, state = WinProver(Budget("three")), proof_state(load_gomoku(size=5, line=3).start())
    assert proof.prove_win(1, state, 4) is ProofResult.NOT_YET
    assert proof.prove_win(1, state, 5) is ProofResult.YES
    assert proof.prove_win(1, state, 4) is ProofResult.NOT_YET
    assert proof.prove_win(2, state, UNLIMITED_PLIES) is ProofResult.NEVER
