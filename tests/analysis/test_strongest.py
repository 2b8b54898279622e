"""The search for hints and reviews answers with an engine and without, and while the engine is being loaded."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from time import monotonic
from types import SimpleNamespace
from typing import Any

import pytest

from gomogo_core.analysis import engine_analysts, hint, likely_result, search, strongest_search
from gomogo_core.analysis.live_analysis import as_json, stream_analyses
from gomogo_core.engines import compiling
from gomogo_core.games import load
from gomogo_core.games.base import Position
from gomogo_core.games.go import GoPosition
from gomogo_core.games.gomoku import Gomoku, GomokuPosition
from gomogo_core.games.stones.rules import PASS
from gomogo_core.search import SearchLimits, iterative_deepening, plies_to_end
from gomogo_core.search.node import WIN_VALUE
from gomogo_core.search.result import ExpectedEnd, PositionAnalysis, ScoredLine
from tests.analysis.test_dead_stones import position_of

OPEN_THREE = ["h8", "a1", "h9", "a3", "h7", "a5"]


class NeverReady:
    """An engine that is still being compiled."""

    def __init__(self, package: str) -> None:
        assert package

    def wait(self, seconds: float) -> object:
        return None

    def call_when_ended(self, function: Callable[[], object]) -> bool:
        return True


class BrokenCompilation(NeverReady):
    """An engine that cannot be compiled."""

    def wait(self, seconds: float) -> None:
        raise OSError("no space left on device")


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget engines that other tests have loaded."""
    monkeypatch.setattr(strongest_search, "_ENGINES", engine_analysts.Engines())


@pytest.mark.parametrize("loading", [NeverReady, BrokenCompilation])
def test_a_missing_engine_costs_strength_but_no_answer(loading: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "has_numba", lambda: True)
    monkeypatch.setattr(compiling, "BackgroundLoad", loading)
    result = search(Gomoku().replay(OPEN_THREE), 0.2)
    assert plies_to_end(result.value) == 3


class InstantEngine:
    """An engine that reports one analysis at once."""

    def __init__(self, module: object, game: object) -> None:
        pass

    def stream_analyses(self, position: GomokuPosition, *limits: object) -> Iterator[PositionAnalysis]:
        yield PositionAnalysis((ScoredLine(1.0, (position.game.parse("h9"),)),), 77, 10**9, 0.1)

    def interrupt(self) -> None:
        pass


def test_a_live_analysis_continues_with_the_engine_as_soon_as_it_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    may_load = threading.Event()
    monkeypatch.setattr(compiling, "has_numba", lambda: True)
    monkeypatch.setattr(compiling, "load", lambda package, replace_cache: may_load.wait())
    monkeypatch.setitem(engine_analysts._ANALYST_CLASSES, "gomogo_core.engines.gomoku", InstantEngine)
    limits = SearchLimits(stop_at=monotonic() + 60)
    depths, is_loading = list[int](), list[bool]()
    for analysis in stream_analyses(Gomoku().replay(OPEN_THREE[:2]), limits):
        depths.append(analysis.depth)
        is_loading.append(strongest_search.is_loading(Gomoku()))
        may_load.set()
    assert depths[0] < depths[-1] == 77
    assert (is_loading[0], is_loading[-1]) == (True, False)
    assert not limits.is_stopped


def test_the_engine_continues_a_live_analysis_whose_fallback_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    may_load, searches = threading.Event(), list[Position]()

    def prove(position: Position, limits: SearchLimits, lines: int) -> Iterator[PositionAnalysis]:
        searches.append(position)
        yield PositionAnalysis((ScoredLine(WIN_VALUE - 5.0, (position.game.parse("h9"),)),), 12, 100, 0.1)

    monkeypatch.setattr(compiling, "has_numba", lambda: True)
    monkeypatch.setattr(compiling, "load", lambda package, replace_cache: may_load.wait())
    monkeypatch.setitem(engine_analysts._ANALYST_CLASSES, "gomogo_core.engines.gomoku", InstantEngine)
    limits, depths = SearchLimits(stop_at=monotonic() + 60), list[int]()
    for analysis in strongest_search.stream_analyses(Gomoku().replay(OPEN_THREE[:2]), limits, 1, prove):
        depths.append(analysis.depth)
        may_load.set()
    assert (depths, len(searches)) == ([12, 77], 1)


def test_a_live_analysis_finds_an_engine_whose_load_ended_between_two_questions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class EndsUnnoticed(NeverReady):
        has_ended = False

        def wait(self, seconds: float) -> object:
            return "module" if self.has_ended else None

        def call_when_ended(self, function: Callable[[], object]) -> bool:
            self.has_ended = True
            return False

    monkeypatch.setattr(compiling, "has_numba", lambda: True)
    monkeypatch.setattr(compiling, "BackgroundLoad", EndsUnnoticed)
    monkeypatch.setitem(engine_analysts._ANALYST_CLASSES, "gomogo_core.engines.gomoku", InstantEngine)
    limits = SearchLimits(stop_at=monotonic() + 60)
    assert [analysis.depth for analysis in stream_analyses(Gomoku().replay(OPEN_THREE[:2]), limits)][-1] == 77


def test_the_fallback_leaves_the_processor_to_an_engine_that_is_read_from_the_cache(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    time, pauses = [0.0], list[float]()

    class Pause(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            assert timeout is not None
            pauses.append(timeout)
            time[0] += timeout
            return False

    def search_half_a_second(position: Position, limits: SearchLimits, lines: int) -> Iterator[PositionAnalysis]:
        for depth in range(3):
            time[0] += 0.5
            yield PositionAnalysis((ScoredLine(1.0, (position.game.parse("h9"),)),), depth, depth, 0.1)

    monkeypatch.setattr(compiling, "has_numba", lambda: True)
    monkeypatch.setattr(compiling, "BackgroundLoad", NeverReady)
    monkeypatch.setattr(strongest_search, "threading", SimpleNamespace(Event=Pause))
    for is_compiled in (False, True):  # a process of its own compiles, which needs no pauses
        monkeypatch.setattr(compiling, "is_compiled", lambda package, answer=is_compiled: answer)
        assert not pauses
        limits = SearchLimits(stop_at=60.0, now=lambda: time[0])
        analyses = strongest_search.stream_analyses(Gomoku().start(), limits, 1, search_half_a_second)
        assert [next(analyses).depth for _ in range(3)] == [0, 1, 2]
    assert pauses == [2.0, 2.0]


def test_without_numba_nothing_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "has_numba", lambda: False)
    monkeypatch.setattr(compiling, "BackgroundLoad", None)
    assert hint(Gomoku().replay(OPEN_THREE), 0.2).reason.endswith("; this wins")


def test_without_an_engine_the_value_in_go_does_not_depend_on_whose_turn_comes_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compiling, "has_numba", lambda: False)
    position = load("go", size=7).replay(["d4", "d5", "c5", "e4"])
    raw, steady = (
        [analysis.lines[0].value for analysis in stream(position, SearchLimits(depth=3), 1) if analysis.depth in (2, 3)]
        for stream in (iterative_deepening.stream_analyses, strongest_search.stream_analyses)
    )
    assert abs(raw[0] - raw[-1]) > 1.0
    assert abs(steady[0] - steady[-1]) < abs(raw[0] - raw[-1]) / 2
    result = iterative_deepening.search(position, SearchLimits(depth=3))
    assert result.earlier_value == pytest.approx(raw[0])


def test_a_review_waits_for_the_engine_and_does_not_count_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    time = [0.0]

    class Loading:
        def wait(self, seconds: float) -> None:
            assert seconds > 1
            time[0] += 2.0

    engines = engine_analysts.Engines()
    monkeypatch.setattr(engines, "begin_loading", lambda package: Loading())
    monkeypatch.setattr(engines, "engine_for", lambda game, seconds: None)
    monkeypatch.setattr(strongest_search, "_ENGINES", engines)
    monkeypatch.setattr(compiling, "has_numba", lambda: True)
    monkeypatch.setattr(compiling, "is_compiled", lambda package: False)
    limits = SearchLimits(depth=1, stop_at=1.0, now=lambda: time[0])
    *_, analysis = stream_analyses(load("go", size=5).start(), limits, agent="champion", lines=1)
    assert analysis.lines
    assert limits.stop_at == 3.0


@pytest.mark.parametrize("game", ["go", "dots_and_boxes"])
def test_a_hint_compiles_no_engine_of_other_games(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "is_compiled", lambda package: False)
    monkeypatch.setattr(compiling, "BackgroundLoad", None)
    position = load(game, size=5).start() if game == "go" else load(game).start()
    assert search(position, 0.1).move in list(position.moves())


@pytest.mark.parametrize("game", ["go", "dots_and_boxes"])
def test_the_page_has_an_engine_compiled_that_is_not_yet(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = list[str]()
    monkeypatch.setattr(compiling, "has_numba", lambda: True)
    monkeypatch.setattr(compiling, "is_compiled", lambda package: False)
    monkeypatch.setattr(compiling, "BackgroundLoad", loaded.append)
    strongest_search.begin_loading(load(game))
    assert loaded == [engine_analysts.engine_package(load(game))]


def test_a_finished_game_has_nothing_to_search() -> None:
    with pytest.raises(ValueError, match="over"):
        search(Gomoku(size=5, line=3).replay(["a1", "a5", "b1", "b5", "c1"]), 0.1)


def use_engine(monkeypatch: pytest.MonkeyPatch, name: str, analyst_class: Callable[..., Any]) -> None:
    """Let instances of a class serve as the loaded engine of a game."""

    class Loaded(NeverReady):
        def wait(self, seconds: float) -> object:
            return "module"

    monkeypatch.setattr(compiling, "has_numba", lambda: True)
    monkeypatch.setattr(compiling, "is_compiled", lambda package: True)
    monkeypatch.setattr(compiling, "BackgroundLoad", Loaded)
    monkeypatch.setitem(engine_analysts._ANALYST_CLASSES, f"gomogo_core.engines.{name}", analyst_class)
    monkeypatch.setattr(strongest_search, "_kept_analyses", OrderedDict())


def use_go_analysis(monkeypatch: pytest.MonkeyPatch, analysis: PositionAnalysis) -> None:
    """Let the engine of Go report one analysis, whatever the position."""

    class Analyst(InstantEngine):
        def stream_analyses(self, position: object, *limits: object) -> Iterator[PositionAnalysis]:
            yield analysis

    use_engine(monkeypatch, "go", Analyst)


def test_a_hint_in_a_lost_game_of_gomoku_answers_the_threat_and_loses_latest(monkeypatch: pytest.MonkeyPatch) -> None:
    moves = "h8 g7 i7 j6 h9 h6 b2 i5 j4 g6 i6 h4 g3 g5 g9 h5 f10 e11"
    position = Gomoku().replay(moves.split())
    h3, h7, f5, a1 = map(position.game.parse, ("h3", "h7", "f5", "a1"))
    values = {position: 2.0 - WIN_VALUE} | {
        position.play(move): WIN_VALUE - plies for move, plies in ((h3, 6.0), (h7, 8.0), (f5, 4.0))
    }

    class Analyst(InstantEngine):
        def stream_analyses(self, position: GomokuPosition, *limits: object) -> Iterator[PositionAnalysis]:
            yield PositionAnalysis((ScoredLine(values.get(position, WIN_VALUE - 2.0), (a1,)),), 9, 1000, 0.1)

    use_engine(monkeypatch, "gomoku", Analyst)
    assert hint(position, 0.1) == (
        h7,
        "blocks white's three h4 h5 h6, but leaves white's open three g5 h5 i5; the game is lost against perfect play",
    )


@pytest.mark.parametrize(
    ("value", "lead", "hinted", "result", "words"),
    [
        (0.28, -8.0, "the game is about even", "about even", "The game is about even"),
        (-0.28, 8.0, "the game is about even", "about even", "The game is about even"),
        (
            0.28,
            0.6,
            "the game is about even",
            "about even",
            "The game is about even (Black +0.6)",
        ),  # less than the error
        (0.28, 8.0, "you lead by about 8 points", "Black wins by about 8 points", "Black leads by about 8 points"),
        (
            -0.28,
            -8.0,
            "you are behind by about 8 points",
            "White wins by about 8 points",
            "White leads by about 8 points",
        ),
    ],
)
def test_the_lead_and_the_win_chance_name_the_same_player(
    value: float, lead: float, hinted: str, result: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    position = load("go", size=9).start()
    end = ExpectedEnd(lead, 0.7, {})
    line = ScoredLine(value, (position.game.parse("c3"),))
    analysis = PositionAnalysis((line,), 1, 1000, 1.0, has_ranked_lines=True, expected_end=end)
    use_go_analysis(monkeypatch, analysis)
    chance = 57 if value > 0 else 43
    assert hint(position, 0.1).reason.endswith(f"; {hinted}, and your chance to win is about {chance} %")
    monkeypatch.setattr(strongest_search, "_analyse_by_engine", None)  # the explanation uses the search of the hint
    assert likely_result(position, 0.1) == f"Likely result: {result} (Black's win chance: {chance} %)."
    shown_end = as_json(analysis, position)["expected_end"]
    assert (shown_end["words"], shown_end["lead"]) == (words, lead)


def far_ahead_analysis(position: Position, rows: dict[str, tuple[float, float]]) -> PositionAnalysis:
    """Return the analysis of a position of Go with the win share and black's lead after each of some moves."""
    moves = {position.game.parse(name): numbers for name, numbers in rows.items()}
    values = {move: math.log(share / (1 - share)) for move, (share, _) in moves.items()}
    leads = {move: lead for move, (_, lead) in moves.items()}
    best, value = next(iter(values.items()))
    end = ExpectedEnd(leads[best], 0.1, {})
    line = ScoredLine(value, (best,))
    return PositionAnalysis((line,), 1, 9, 0.1, values, has_ranked_lines=True, expected_end=end, leads=leads)


@pytest.mark.parametrize(
    ("rows", "move"),
    [
        ({"b1": (0.99, 40), "e5": (0.985, 38), "g5": (0.98, 39), "f7": (0.95, 50)}, "g5"),  # b1 can be captured
        ({"b1": (0.99, 40), "f7": (0.95, 50)}, "b1"),
        ({"e5": (0.9, 10), "g5": (0.899, 11)}, "e5"),
    ],
)
def test_a_player_far_ahead_is_told_the_safe_move_with_the_most_points(
    rows: dict[str, tuple[float, float]], move: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    position = position_of("\n".join(["..o......", "oo.......", *["........."] * 7]))
    use_go_analysis(monkeypatch, far_ahead_analysis(position, rows))
    assert position.game.format(hint(position, 0.1).move) == move


def test_a_player_far_ahead_is_told_that_passing_is_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    position: GoPosition = position_of("\n".join(["..xxxoo.."] * 9))
    use_go_analysis(monkeypatch, far_ahead_analysis(position, {"b5": (0.99, 9)}))
    assert hint(position, 0.1).reason.endswith(" %; the borders are settled, so passing is safe now")
    use_go_analysis(monkeypatch, far_ahead_analysis(position, {"i1": (0.99, 9)}))
    strongest_search._ENGINES = engine_analysts.Engines()
    assert hint(position, 0.1) == (PASS, "the board is settled; if both players pass, you win by 9 points")


def test_a_player_far_ahead_with_an_open_border_is_not_told_to_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    position: GoPosition = position_of("\n".join([*["..xxxoo.."] * 8, "........."]))
    use_go_analysis(monkeypatch, far_ahead_analysis(position, {"f9": (0.99, 9)}))
    assert "safe" not in hint(position, 0.1).reason
