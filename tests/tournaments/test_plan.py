"""A plan gives every game a unique key, the same in each process, and detects changed settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from gomogo_core.errors import UserError
from gomogo_core.play.clock import CLASSIC_PACE, TimeControl
from gomogo_core.records.store import GameStatus, Store
from tests.tournaments._resumed import resume_state
from tests.tournaments.conftest import PlanOf
from tournaments.plan import Plan, make_spec_absolute

FINGERPRINT = "92009a6f982232ac052b13c8d1397dc255d962d77907cab8d068df3d27fff173"


def keys(plan: Plan) -> set[str]:
    return {plan.game_key(pairing) for pairing in plan.scheduled_games()}


def test_every_planned_game_has_its_own_key(plan: PlanOf) -> None:
    pairings = list(plan().scheduled_games())
    assert len(pairings) == 12
    assert len(keys(plan())) == 12
    assert keys(plan()) == keys(plan(workers=7))


@pytest.mark.parametrize(
    "other",
    [
        {"name": "autumn"},
        {"seed": 1},
        {"openings": "random:2"},
        {"options": {"size": 6, "line": 3}},
        {"time": {"per_move": 1.0}},
        {"odds": {"a.py": {"per_move": 1.0}}},
        {"illegal": "retry"},
        {"classic_pace": True},
        {"adjudicate": {"moves": 20}},
    ],
)
def test_other_terms_change_the_keys_of_games(plan: PlanOf, other: dict[str, object]) -> None:
    assert not keys(plan()) & keys(plan(**other))
    assert plan().fingerprint != plan(**other).fingerprint


@pytest.mark.parametrize(
    "changes",
    [{"games_per_pair": 6}, {"agents": ["a.py", "b.py", "c.py", "d.py"]}, {"agents": ["d.py", "c.py", "b.py", "a.py"]}],
)
def test_more_games_or_players_keep_existing_keys(plan: PlanOf, changes: dict[str, object]) -> None:
    assert keys(plan()) < keys(plan(**changes))
    assert plan().fingerprint != plan(**changes).fingerprint


def test_omitted_options_equal_the_defaults(plan: PlanOf) -> None:
    written = plan(options={"size": 5, "line": 3, "exact": False, "opening": "none"})
    assert (plan().fingerprint, keys(plan())) == (written.fingerprint, keys(written))


def test_unused_options_leave_the_fingerprint_of_older_runs(plan: PlanOf) -> None:
    # the value computed before these keys existed: stored runs must continue
    tournament_plan = plan()
    assert "adjudicate" not in tournament_plan.result_settings
    assert tournament_plan.fingerprint == plan(adjudicate={}).fingerprint == FINGERPRINT


def test_a_move_cap_is_refused_for_games_with_their_own(plan: PlanOf) -> None:
    plan(adjudicate={"moves": 20}).check()
    with pytest.raises(UserError, match=r"go have an option for the maximum number of moves.\n.*max_moves = 20"):
        plan(game="go", options={"size": 5}, adjudicate={"moves": 20}).check()


def test_a_task_contains_everything_for_a_worker(plan: PlanOf, folder: Path) -> None:
    tournament_plan = plan(
        agents=["a.py?depth=3", "b.py"], openings="random:2", odds={"b.py": {"per_move": 2.0}}, illegal="retry"
    )
    first, second = (tournament_plan.task(pairing) for pairing in list(tournament_plan.scheduled_games())[:2])
    assert first.specs == ("a.py?depth=3", "b.py")
    assert first.display_names == ("a-depth-3", "b")
    assert first.absolute_specs == (f"{folder / 'a.py'}?depth=3", str(folder / "b.py"))
    assert first.time_controls == (TimeControl(10.0), TimeControl(2.0))
    assert first.retry_illegal
    assert first.min_turn_seconds == 0.0
    assert second.specs == ("b.py", "a.py?depth=3")
    assert second.opening == first.opening
    assert second.seed != first.seed


def test_a_tournament_can_request_the_classic_pace(plan: PlanOf) -> None:
    tournament_plan = plan(classic_pace=True)
    assert tournament_plan.task(next(iter(tournament_plan.scheduled_games()))).min_turn_seconds == CLASSIC_PACE


def test_odds_override_the_time_of_a_spec(plan: PlanOf) -> None:
    agents = ["a.py?time=1", "b.py", "b.py?total=60"]
    tournament_plan = plan(agents=agents, odds={"b.py?total=60": {"per_move": 2.0}})
    assert tournament_plan.time_controls == (TimeControl(1.0), TimeControl(10.0), TimeControl(2.0))


def test_an_agent_can_play_itself(plan: PlanOf) -> None:
    tournament_plan = plan(agents=["a.py", "a.py"])
    assert tournament_plan.display_names == ("a", "a-2")
    assert len(keys(tournament_plan)) == 4


def test_a_path_is_relative_to_the_tournaments_folder(folder: Path) -> None:
    assert make_spec_absolute("a.py", folder) == str(folder / "a.py")
    assert make_spec_absolute("./a.py?depth=3", folder) == f"{folder / 'a.py'}?depth=3"
    for spec in ("greedy", "nowhere/a.py", "gtp:gnugo --mode gtp", str(folder / "a.py")):
        assert make_spec_absolute(spec, folder) == spec


def test_paths_in_a_command_are_relative_to_the_tournaments_folder(folder: Path) -> None:
    (folder / "pbrain").write_text("")
    agent_path = folder / "a.py"
    assert make_spec_absolute("files:A:./a.py A", folder) == f"files:A:{agent_path} A"
    assert make_spec_absolute("json:python3 -u a.py --fast", folder) == f"json:python3 -u {agent_path} --fast"
    assert (
        make_spec_absolute("gomocup:./pbrain -x ./none?depth=3", folder)
        == f"gomocup:{folder / 'pbrain'} -x ./none?depth=3"
    )


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"agents": ["a.py"]}, "gomoku is for 2 players, and there is 1"),
        ({"agents": ["a.py", "gredy"]}, "There is no agent called 'gredy'"),
        ({"agents": ["a.py", "none.py"]}, "There is no agent at none.py"),
        ({"agents": ["a.py", "a.py?depht=2"]}, "This agent has no option 'depht'"),
        ({"game": "gomuko"}, "There is no game called 'gomuko'"),
        ({"options": {"size": 3}}, "size 3 is too small"),
        ({"options": {"sise": 15}}, "gomoku has no option 'sise'"),
        ({"openings": "none.txt"}, "cannot be read"),
    ],
)
def test_an_impossible_plan_is_refused_before_anything_starts(
    plan: PlanOf, wrong: dict[str, object], problem: str
) -> None:
    with pytest.raises(UserError) as error_info:
        plan(**wrong).check()
    assert problem in str(error_info.value)


def test_too_many_planned_games_are_refused(plan: PlanOf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.plan.MAX_GAMES", 11)
    with pytest.raises(UserError, match="more than 11 games"):
        plan().check()


def test_the_same_plan_continues_its_run(plan: PlanOf, store: Store) -> None:
    run = resume_state(plan(), store).stored_run
    assert (run.name, run.planned_games) == ("spring", 12)
    assert resume_state(plan(workers=2), store).stored_run == run


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"games_per_pair": 6}, "games_per_pair was 4, now it is 6"),
        ({"time": {"per_move": 1.0}}, "time: per_move was 10.0, now it is 1.0"),
        ({"agents": ["a.py", "b.py", "d.py"]}, "d.py was added, c.py was removed"),
        ({"openings": "random:2"}, "openings was none, now it is random:2"),
        ({"options": {"size": 7, "line": 3}}, "options: size was 5, now it is 7"),
    ],
)
def test_a_changed_plan_is_refused_with_its_changes(
    plan: PlanOf, store: Store, other: dict[str, object], words: str
) -> None:
    run = resume_state(plan(), store).stored_run
    with pytest.raises(UserError) as error_info:
        resume_state(plan(**other), store)
    assert words in error_info.value.problem
    assert "--extend" in error_info.value.remedy
    assert store.run("spring") == run


def test_an_extended_run_adopts_the_new_plan(plan: PlanOf, store: Store) -> None:
    resume_state(plan(), store)
    run = resume_state(plan(games_per_pair=6), store, allows_changes=True).stored_run
    assert run.planned_games == 18
    assert resume_state(plan(games_per_pair=6), store).stored_run == run
    assert store.count_games(run, GameStatus.SET_ASIDE) == 0


@pytest.mark.parametrize(
    ("agents", "cores"),
    [
        (["a.py", "b.py"], 1),
        (["a.py", "json:./bot?threads=3"], 3),
        (["a.py", "json:./bot?ponders=true"], 2),
        (["json:./bot?ponders=true&threads=2&name=x", "json:./bot?threads=4&name=y"], 6),
    ],
)
def test_a_game_has_the_cores_of_its_agents(plan: PlanOf, agents: list[str], cores: int) -> None:
    assert plan(agents=agents).cores_per_game == cores
    assert plan(agents=agents, cores_per_game=5).cores_per_game == 5


def test_pondering_is_yes_or_no(plan: PlanOf) -> None:
    with pytest.raises(UserError, match="ponders=perhaps is neither true nor false"):
        _ = plan(agents=["json:./bot?ponders=perhaps"]).agents
