"""Every move of every game is explained by its effects: rows, blocks, joined chains, surrounded points, lost stones or
boxes.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from gomogo_core import games
from gomogo_core.analysis.explainers import explainer_of
from gomogo_core.analysis.explainers.dots_and_boxes import OpenedChain, first_opened_chain
from gomogo_core.games.base import Position
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.search.result import ExpectedEnd
from gomogo_core.search.solve import solve
from tests.analysis.test_dead_stones import BLACK_CORNER, position_of

NO_DIFFERENCE = "As far as the search sees, h1 answers h7."


def explain_preference(position: Position, *arguments: Any, **options: Any) -> str:
    return explainer_of(position.game).explain_preference(position, *arguments, **options)


def effect_sentences(name: str, moves: str, **options: Any) -> list[str]:
    """Return the explanation of each move of a game."""
    game = games.load(name, **options)
    position, sentences = game.start(), []
    for text in moves.split():
        move = game.parse(text)
        after = position.play(move)
        sentences.append(explainer_of(game).explain_move(position, move, after))
        position = after
    return sentences


def test_a_stone_in_gomoku_makes_or_stops_rows() -> None:
    sentences = effect_sentences("gomoku", "h8 h9 g7 i9 f6 g9 e5 d4")
    assert sentences[:2] == [
        "Black h8: opens in the middle of the board.",
        "White h9: stays close to the other stones.",
    ]
    assert effect_sentences("gomoku", "h8 a1 o15")[1:] == [
        "White a1: opens away from the other stones.",
        "Black o15: opens away from the other stones.",
    ]
    assert sentences[3] == "White i9: stops a row of 2 black stones, and makes an open two with h9."
    assert sentences[6:] == ["Black e5: makes a four. White must answer at d4.", "White d4: blocks a four."]
    threats = effect_sentences("gomoku", "h8 h10 i9 j10 i10 i11 i8 j12 k13 h12 a1 g13")
    assert threats[2] == "Black i9: makes an open two with h8."
    assert threats[7] == "White j12: makes an open three. Black can stop it at g9 or k13."
    assert threats[10:] == [
        "Black a1: leaves white's open three j10 i11 h12.",
        "White g13: makes an open four. Black cannot stop it.",
    ]
    won = effect_sentences("gomoku", "h8 j9 i8 k9 j8 a1 k8 b1 l8")[-1]
    assert won == "Black l8: makes five in a row.", "it also stops a row of white, which does not matter"


def test_a_stone_in_go_extends_connects_and_surrounds_territory() -> None:
    sentences = effect_sentences("go", "c1 e5 c2 e4 c3 e3 c4 e2 c5", size=5)
    assert sentences[0] == "Black played c1."
    assert sentences[2] == "Black c2: extends from black's stone at c1."
    assert sentences[8] == "Black c5: extends from black's 4 stones at c4, and surrounds 10 more points."
    joined = effect_sentences("go", "a1 e5 c1 e4 b1", size=5)[-1]
    assert joined == "Black b1: connects black's stones at a1 and c1."


def test_a_stone_in_robogo_makes_and_stops_rows_before_it_changes_liberties() -> None:
    sentences = effect_sentences("robogo", "e5 c3 e4 c4 e6 e7 d5 c5 a9 a1 c6 a5 a6")
    assert sentences[0] == "Black e5: opens in the middle of the board."
    assert sentences[4] == "Black e6: makes an open three. White can stop it at e3 or e7."
    assert sentences[8] == "Black a9: leaves white's open three c3 c4 c5."
    captures = effect_sentences("robogo", "b1 a1 d5 a2 b2")
    assert captures[-1] == "Black b2: puts 2 white stones into atari."


def test_territory_is_no_fact_in_capture_go() -> None:
    sentences = effect_sentences("capture_go", "c1 e5 c2 e4 c3 e3 c4 e2 c5", size=5)
    assert sentences[-1] == "Black c5: extends from black's 4 stones at c4."


@pytest.mark.parametrize(
    ("moves", "is_cut"),
    [
        ("a1 e5 a9 e3 e4", True),
        ("d4 e5 f4 e3 e4", True),
        ("a1 e5 a9 e3 a5 d5 j1 d3 e4", False),  # white can still join at d4
        ("a1 e5 a9 e3 h8 d4 e4", False),  # white can capture the stone at f4
    ],
)
def test_a_stone_cuts_only_where_the_opponent_cannot_join_elsewhere(moves: str, is_cut: bool) -> None:
    assert ("cuts white's chains at e" in effect_sentences("go", moves)[-1]) is is_cut


def test_a_capture_and_a_pass_are_explained() -> None:
    assert effect_sentences("go", "b1 a1 a2", size=3)[-1].splitlines() == [
        "Black a2: captures the stone at a1.",
        "Black captured a1 by playing a2, the last liberty of that stone.",
    ]
    sentences = effect_sentences("go", "b2 pass pass", size=3, komi=7.5)
    assert (
        sentences[1] == "White pass: places no stone; if black passes too, the game ends and black wins by 1.5 points."
    )


def test_an_edge_is_safe_or_gives_boxes_away() -> None:
    sentences = effect_sentences("dots_and_boxes", "h0 h6 v0 v1 h3", rows=3, cols=3)
    assert sentences[0] == "Blue h0: is safe, because no box has three sides."
    assert sentences[3:] == [
        "Orange v1: lets the next player take 1 box, although 19 edges are safe.",
        "Blue h3: takes 1 box and moves again.",
    ]
    moves = " ".join([*ROWS, "v0", "v1", "v2", "v3", "v4", "v6"])
    forced_and_refused = effect_sentences("dots_and_boxes", moves, rows=2, cols=6)
    assert forced_and_refused[len(ROWS)].endswith(": opens a chain of 6 boxes, because no edge is safe.")
    assert forced_and_refused[-1].endswith(
        ": leaves 2 boxes to the next player (a double-cross), who must then open the next chain."
    )


@pytest.mark.parametrize(
    ("name", "moves", "played", "line", "answer", "words"),
    [
        (
            "gomoku",
            "h8 h9 g7 i9 f6 g9",
            "a1",
            "j9",
            "f9",
            "j9 was better: it blocks an open three. a1 allows f9, which makes an open four with g9 h9 i9.",
        ),
        (
            "gomoku",
            "h8 h10 i9 j10 i10 i11 i8 j12 k13 h12",
            "a1",
            "k9",
            "h11",
            "k9 was better: it blocks an open three. a1 leaves white's open three j10 i11 h12.",
        ),
        ("gomoku", "h8", "a1", "g9", "", "g9 was better."),
        ("gomoku", "", "o15", "h8", "h8", "h8 was better: it takes White's best point."),
        (
            "gomoku",
            "h8 a1",
            "o15",
            "i9 a3 j10",
            "i9",
            "i9 was better: it prepares j10. After White's best reply a3, j10 makes an open three.",
        ),
        (
            "gomoku",
            "h8 a1",
            "o15",
            "i9 a3 j10",
            "",
            "i9 was better: it prepares j10. After White's best reply a3, j10 makes an open three.",
        ),
        (
            "gomoku",
            "h8 g9 g7 i9",
            "f6",
            "f7 c3 a1",
            "i10",
            "f7 was better: it makes an open two with g7. f6 makes only a closed three with g7 h8, which White need "
            "not stop. White's best reply to f6 is i10: it makes an open two with i9.",
        ),
        ("gomoku", "h8 h9 g7 a1 f6", "o15", "a2 b1 i9 j10", "", "a2 was better."),  # j10 only blocks
        ("gomoku", "h8 a1 g7 a3 f6 o1", "o15", "e5", "i9", "e5 was better: it makes an open four."),  # i9 only blocks
        ("go", "c3 g7 c4 g6", "a1", "pass", "", "A pass was better."),
        ("go", "c3 g7 c4 g6", "a1", "d5", "", "d5 was better."),
        ("go", "c3 g7 c4 g6", "a1", "d5", "d5", "d5 was better: it takes White's best point."),
        (
            "go",
            "e5 d5 e3 a1",
            "j9",
            "e4 c3",
            "e4",
            "e4 was better: it keeps black's chains together. "
            "j9 allows e4, which cuts black's chains at e3 and e5 apart.",
        ),
        (
            "go",
            "a1 e5 a9 e3",
            "j9",
            "e4 c3",
            "e4",
            "e4 was better: it cuts white's chains at e3 and e5 apart.",
        ),
        ("dots_and_boxes", "", "h7", "h1", "h1", f"h1 was better. {NO_DIFFERENCE}"),
        (
            "dots_and_boxes",
            "h0 h6 v0",
            "v1",
            "h8",
            "h3",
            "h8 was better: it is safe, and leaves 18 safe edges. "
            "v1 lets the next player take 1 box, although 19 edges are safe.",
        ),
    ],
)
def test_a_better_move_has_its_reason_and_the_played_move_its_harm(
    name: str, moves: str, played: str, line: str, answer: str, words: str
) -> None:
    position = games.load(name).replay(moves.split())
    assert explain_preference(position, played, line.split(), answer.split()) == words


def test_safe_edges_are_compared_by_the_chains_to_which_they_lead() -> None:
    position = games.load("dots_and_boxes", rows=2, cols=6).replay(rows_without("h1", "h14"))
    words = explain_preference(position, "h14", ["h1", "h14"], ["v0", "v1"], is_proved=True)
    assert words == "h1 was better. With best play, v0 answers h14.", "Blue must open a long chain in both"


def test_a_better_edge_that_gives_boxes_away_pays_later() -> None:
    position = games.load("dots_and_boxes", rows=2, cols=6).replay(rows_without("h1"))
    assert explain_preference(position, "h1", ["v9"], []) == (
        "v9 was better: it opens a chain of 6 boxes, which pays later. "
        "h1 is the last safe edge, so the next player must open a chain."
    )
    words = explain_preference(position, "v9", ["h1"], [])
    assert words.endswith("v9 opens a chain of 6 boxes, although 1 edge is safe.")


# two rows of six boxes; after all horizontal edges, each row is a chain that is open at both ends
ROWS = [f"h{number}" for number in range(18)]


def rows_without(*edges: str) -> list[str]:
    return [edge for edge in ROWS if edge not in edges]


@pytest.mark.parametrize(
    ("drawn", "edge", "words"),
    [
        (rows_without("h1", "h3", "h14"), "h1", "leaves 2 safe edges, so the next player runs out of them first"),
        (rows_without("h1", "h14"), "h1", "leaves 1 safe edge, and the next player draws the last one"),
        (rows_without("h1"), "h1", "is the last safe edge, so the next player must open a chain"),
        ([*ROWS, "v0", "v1", "v2"], "v3", "takes 1 box, and Orange moves again"),
        (
            [*ROWS, "v0", "v1", "v2", "v3", "v4"],
            "v6",
            "leaves 2 boxes to the next player (a double-cross), who must then open the next chain",
        ),
        (
            [*ROWS, "v0", "v1", "v2", "v3", "v4", "v5"],
            "v6",
            "takes 1 box, but then no edge is safe, and Orange must open a chain",
        ),
        (
            [*ROWS, "v0", "v1", "v2", "v3"],
            "v6",
            "leaves 3 boxes to the next player, who must then open the next chain",
        ),
    ],
)
def test_an_edge_is_compared_in_words_of_chains_and_safe_edges(drawn: list[str], edge: str, words: str) -> None:
    position = games.load("dots_and_boxes", rows=2, cols=6).replay(drawn)
    assert f"{edge} was better: it {words}" in explain_preference(position, "v10", [edge], [])


@pytest.mark.parametrize("name", ["capture_go", "dots_and_boxes", "go", "gomoku", "robogo"])
def test_every_move_of_random_games_gets_a_sentence(name: str) -> None:
    rng = random.Random(name)
    for _ in range(3):
        position = games.load(name, **({} if name == "dots_and_boxes" else {"size": 7})).start()
        for _ in range(80):
            if position.outcome() is not None:
                break
            move = rng.choice(list(position.moves()))
            after = position.play(move)
            explanation = explainer_of(position.game).explain_move(position, move, after)
            colon = ": " if name in ("dots_and_boxes", "gomoku") else ""  # a quiet stone of Go has no fact
            assert explanation
            assert colon in explanation, explanation
            assert "(x)" not in explanation
            position = after


@pytest.mark.parametrize(
    ("moves", "words"),
    [
        ("h8 a1 i8 b1 j8 c1 k8 o15", "White o15: leaves black a row of 5 at g8."),
        ("h8 a1 i8 b1 j8 c1 k8 o15 o1", "Black o1: misses the row of 5 at g8."),
    ],
)
def test_a_missed_or_permitted_win_is_the_only_fact(moves: str, words: str) -> None:
    assert effect_sentences("gomoku", moves)[-1] == words


def test_a_passing_mistake_is_explained_by_the_dead_stones_that_would_count_as_alive() -> None:
    position = position_of(BLACK_CORNER[0], turn=2)
    words = explain_preference(position, "pass", ["h2", "pass", "b8"], ["pass"])
    harm = "If both players pass while 9 dead black stones are on the board, every stone counts as alive"
    assert words.startswith("h2 was better")
    assert "prepares" not in words
    assert words.endswith(f"{harm}: capture them first.")


def test_the_first_edge_in_a_closed_ring_of_boxes_opens_a_loop() -> None:
    ring = games.load("dots_and_boxes", rows=2, cols=2).replay(["h0", "h1", "h4", "h5", "v0", "v2", "v3"])
    words = explain_preference(ring, "h2", ["v5"], [])
    assert words.endswith("h2 opens a chain of 4 boxes, although 1 edge is safe.")
    assert explain_preference(ring.play(ring.game.parse("v5")), "h2", ["v1"], []) == "v1 was better.", "both are equal"


# a chain of two boxes with the edges h2, h5 and h8, and a loop of four boxes
SHORT_CHAIN_AND_LOOP = ["v2", "v6", "v3", "v7", "h0", "h1", "h6", "h7", "v0", "v4"]


@pytest.mark.parametrize(
    ("played", "better", "words"),
    [
        (
            "h2",
            "h5",
            "h5 was better: it divides a chain of 2 boxes, so that the next player cannot leave them (a hard-hearted "
            "handout). h2 opens a chain of 2 boxes at its end, so that the next player can leave them (a "
            "double-cross).",
        ),
        (
            "v1",
            "h5",
            "h5 was better: it divides a chain of 2 boxes, so that the next player cannot leave them (a hard-hearted "
            "handout). v1 opens a loop of 4 boxes, although 2 would be the fewest possible.",
        ),
    ],
)
def test_a_short_chain_is_given_so_that_the_opponent_can_or_cannot_leave_it(
    played: str, better: str, words: str
) -> None:
    position = games.load("dots_and_boxes", rows=2, cols=3).replay(SHORT_CHAIN_AND_LOOP)
    assert explain_preference(position, played, [better], []) == words
    solutions = {move: solve(position.play(position.game.parse(move))).value for move in (played, better)}
    sign = 1 if position.to_move == 1 else -1
    assert sign * solutions[better] > sign * solutions[played]


def boxes_in_a_row(position: Position) -> int:
    """The boxes that the player to move can take in a row, found by playing them."""
    seat, taken = position.to_move, 0
    while position.outcome() is None:
        scores = position.facts()["scores"]
        captures = [after for after in map(position.play, position.moves()) if after.facts()["scores"] != scores]
        if not captures:
            break
        position = captures[0]
        taken += position.facts()["scores"][seat - 1] - scores[seat - 1]
    return taken


def test_the_first_long_chain_of_a_line_is_the_first_edge_after_which_three_boxes_can_be_taken() -> None:
    rng, lengths = random.Random(3), set[int]()
    for _ in range(12):
        position, line, expected = games.load("dots_and_boxes", rows=3, cols=3).start(), list[str](), None
        first = position
        while position.outcome() is None:
            assert isinstance(position, DotsAndBoxesPosition)
            closing, giving = position.closing_and_giving_edges()
            moves = list(position.moves())
            move = rng.choice(closing or [one for one in moves if one not in giving] or moves)
            after = position.play(move)
            if expected is None and not boxes_in_a_row(position) and (boxes := boxes_in_a_row(after)) >= 3:
                expected = OpenedChain(position.to_move, boxes, len(line))
                lengths.add(boxes)
            line.append(position.game.format(move))
            position = after
        assert isinstance(first, DotsAndBoxesPosition)
        assert first_opened_chain(first, line) == expected
    assert len(lengths) > 1


def test_endgames_with_the_same_chains_are_compared_by_the_lead_of_the_mover() -> None:
    position = games.load("dots_and_boxes", rows=3, cols=3).replay(["v7", "h8", "v0", "v11", "v6", "h5", "h9"])
    better, answers = "h3 h0 v1 h1 h2 h6 v4 v5 h10 h11", "v5 h2 h0 h4 h7 v4 v9 v10 h10 h11"
    assert explain_preference(position, "h1", better.split(), answers.split(), is_proved=True) == (
        "h3 was better. With best play, Orange must open a chain first after both edges. "
        "By then, Blue leads by 1 box after h3, but trails by 2 boxes after h1."
    )


def test_a_review_of_boxes_names_the_players_who_open_the_first_long_chain_in_both_lines() -> None:
    position = games.load("dots_and_boxes", rows=2, cols=6).replay(rows_without("h1", "h14"))
    words = explain_preference(position, "v9", ["h1", "h14", "v0"], ["h1", "v0"])
    assert "In the best lines" not in words, "v9 opens the chain itself"
    words = explain_preference(position, "h14", ["h1", "v0"], ["h1", "v7"])
    assert words.endswith(
        "In the best lines, Orange opens the first long chain (6 boxes) after h1, but Blue (6 boxes) after h14."
    )
    both_blue = explain_preference(position, "h14", ["h1", "h14", "v0"], ["h1", "v7"])
    assert "In the best lines" not in both_blue, "the chains have the same length"
    assert "In the best lines" not in explain_preference(position, "h14", ["h1", "h14", "v0"], ["h1", "v7"]), (
        "both Blue"
    )


def test_a_worse_move_of_go_names_the_stones_that_it_loses() -> None:
    # white's chain d4, e4 has the liberties c4 and f4 left, of which black fills one; h8 does not answer
    position = games.load("go", size=9).replay(["d3", "d4", "e3", "e4", "d5", "i9", "e5", "i8", "c4"])
    assert position.to_move == 2
    words = explain_preference(position, "h8", ["f4", "g4", "f5"], ["f4", "i7"])
    assert words.endswith("h8 loses the 2 stones at d4: Black captures them with f4.")
    unforced = explain_preference(position, "h8", ["f4", "g4", "f5"], ["a9", "a8", "b9", "b8", "f4"])
    assert unforced.endswith("after h8, Black captures the 2 stones at d4: a9 a8 b9 b8 f4.")
    kept = explain_preference(position, "f4", ["h8", "f4"], ["g4", "f5"])  # only the better line loses them
    assert "loses" not in kept


def test_a_stone_that_is_not_yet_on_the_board_is_no_reason() -> None:
    position = games.load("go", size=9).replay(["b1"])
    assert "a1" not in explain_preference(position, "h8", ["g3", "c7"], ["c7", "a1", "a2"])  # black captures a1
    placed = explain_preference(position, "a1", ["g3", "c7"], ["a2"])
    assert placed.endswith("a1 loses the stone at a1: Black captures it with a2.")


def test_stones_that_are_lost_after_the_better_move_as_well_are_no_reason() -> None:
    position = games.load("go", size=9).replay(["d3", "d4", "e3", "e4", "d5", "i9", "e5", "i8", "c4"])
    assert "loses" not in explain_preference(position, "h8", ["h7", "f4"], ["f4", "i7"])


@pytest.mark.parametrize(
    ("owners", "words"),
    [
        ((0.9, -0.9), "d4 was better: it probably saves Black's 3 stones at c3, which die after a1."),
        ((0.9, 0.4), "d4 was better: it gains most on the left side."),
        ((-0.9, 0.9), "d4 was better."),
    ],
)
def test_a_better_move_names_the_stones_whose_life_it_decides(owners: tuple[float, float], words: str) -> None:
    """owners: the expected owner of Black's stones after the better move d4 and after the played move a1."""
    position = games.load("go", size=9).replay(["c3", "g7", "c4", "g6", "c5", "g5"])
    stones = [position.game.parse(point) for point in ("c3", "c4", "c5")]
    ends = [ExpectedEnd(0.0, 1.0, dict.fromkeys(stones, owner)) for owner in owners]
    explainer = explainer_of(position.game)
    reasons = {"decided_stones": explainer.decided_stones(position, "a1", ends)}
    reasons["gained_area"] = explainer.gained_area(position, ends)
    assert explain_preference(position, "a1", ["d4"], [], **reasons) == words
