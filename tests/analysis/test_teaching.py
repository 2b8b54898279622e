"""The marks for beginners, on small boards."""

from __future__ import annotations

from gomogo_core import games
from gomogo_core.analysis.explainers import TeachingMark, explainer_of
from gomogo_core.games.base import Position


def teaching_marks(position: Position) -> list[TeachingMark]:
    return list(explainer_of(position.game).teaching_marks(position))


def test_chains_show_their_liberties_and_atari() -> None:
    position = games.load("go", size=5).replay(("b2", "a1", "b3", "b1"))
    marks = set(teaching_marks(position))
    assert {TeachingMark("b2", "liberties", "5"), TeachingMark("b2", "link", "b3")} <= marks
    assert {TeachingMark("a1", "liberties", "2"), TeachingMark("a1", "link", "b1")} <= marks
    assert not [mark for mark in marks if mark.kind == "atari"]
    after = set(teaching_marks(position.play(position.game.parse("a2"))))
    assert {TeachingMark("a1", "atari"), TeachingMark("b1", "atari")} <= after


def test_territory_is_marked_for_the_only_enclosing_colour() -> None:
    position = games.load("go", size=4).replay(("b1", "c1", "b2", "c2", "b3", "c3", "b4", "c4"))
    territory = [mark for mark in teaching_marks(position) if mark.kind.startswith("territory")]
    black = [TeachingMark(f"a{row}", "territory black") for row in range(1, 5)]
    assert territory == [*black, *(TeachingMark(f"d{row}", "territory white") for row in range(1, 5))]


def test_edges_that_close_or_give_away_a_box_are_marked() -> None:
    position = games.load("dots_and_boxes", rows=2, cols=2).replay(("h0", "v0", "v1", "v5", "h5"))
    kinds = {mark.place: mark.kind for mark in teaching_marks(position)}
    assert kinds["h2"] == "closes"
    assert kinds["h3"] == kinds["v4"] == "gives"
    assert "v3" not in kinds


def test_gomoku_has_no_teaching_marks() -> None:
    position = games.load("gomoku").start()
    assert (teaching_marks(position), explainer_of(position.game).teaching_label(position)) == ([], "")
