"""The state of a run knows its remaining games without asking the store again."""

from __future__ import annotations

import time
from typing import Any

import pytest

from gomogo_core.games.base import Outcome, Reason
from gomogo_core.records.store import Store
from tests.tournaments._resumed import resume_state
from tests.tournaments.conftest import PlanOf
from tournaments.playing import create_void_record
from tournaments.run_state import RunState


def finish(state: RunState, games: int) -> None:
    """Play and store this number of games of a run."""
    for _ in range(games):
        task = state.next_task(1)
        assert task is not None
        record = create_void_record(task, "", time.time(), 0.1)
        object.__setattr__(record, "outcome", Outcome.won_by(1, Reason.RESIGNED))
        assert [is_new for _, _, is_new in state.store_games([(task, record)])] == [True]


def test_a_resumed_run_asks_the_store_for_its_games_once(
    plan: PlanOf, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament_plan = plan(games_per_pair=6)
    finish(resume_state(tournament_plan, store), 2)
    state = resume_state(tournament_plan, store)
    assert (state.progress.played_games, state.remaining_games) == (2, tournament_plan.count_games() - 2)  # type: ignore[operator]

    def refuse(*_: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(store, "read_transaction", refuse)
    keys = {task.key for task in iter(lambda: state.next_task(1), None)}
    assert len(keys) == state.remaining_games


def test_games_set_aside_remain_to_be_played(plan: PlanOf, store: Store) -> None:
    tournament_plan = plan(games_per_pair=2)
    state = resume_state(tournament_plan, store)
    finish(state, 2)
    before = state.remaining_games
    assert before is not None
    state.void_games_of("a worker that played nothing")
    assert state.remaining_games == before
    assert state.void_doubtful_games() == 0
