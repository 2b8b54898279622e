"""Defines a puzzle, which is a position with a goal for the player to move, and reads the puzzles shipped with Gomogo.

A puzzle stores no answers: a search proves them when a user tries a move. The module uses positions and proofs.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from gomogo_core import games
from gomogo_core.drawing.colours import side_name
from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, Move, Position
from gomogo_core.games.capture_go import CaptureGo
from gomogo_core.games.dots_and_boxes import DotsAndBoxesPosition
from gomogo_core.games.go import Go
from gomogo_core.games.stones.rules import GoFamilyPosition
from gomogo_core.printable import count_with_noun
from gomogo_core.puzzles.attacks import Attack, attack_of, is_capture_race
from gomogo_core.puzzles.boxes_answers import goal_explanation, goal_sentence
from gomogo_core.puzzles.boxes_proofs import best_edges, boxes_at_end
from gomogo_core.puzzles.go_attacks import MAX_AREA_MOVES, KillAttack, create_area_attack, create_ladder_attack

SHIPPED_PUZZLES_FILE = Path(__file__).with_name("shipped.json")
LEVELS = ("easy", "medium", "hard")
_NEXT_LEVEL_START = 0.3  # the share of a level after which a user meets the next level, or its own hardest kind
THEMES = {  # the technique that solves a puzzle of Go; its solver reads the name, not its task
    "ladder": "a ladder",
    "net": "a net",
    "snapback": "a snapback",
    "throw-in": "a throw-in",
    "race": "a capture race",
    "kill": "death of a group",
    "live": "life of a group",
}
BOXES_THEMES = {  # the technique that solves a puzzle of Dots and Boxes; its solver reads the name, not its task
    "control": "the right safe edge",
    "sacrifice": "a sacrifice, although an edge is safe",
    "open": "the right chain to open",
    "double_cross": "two boxes left (a double-cross)",
    "loop": "four boxes of a loop left",
    "take": "all boxes taken, and then the right edge",
}
CAPTURE_GO_THEMES = {"ladder": "a ladder", "net": "a net", "double": "a double atari"}


@dataclass(frozen=True)
class Puzzle:
    """A position after `moves`, and a goal that the player to move can force.

    turns: the number of own moves that the player needs. target: a point of the chain to capture, in Go. is_defence:
    whether the goal is to find the only move that stops the opponent from winning or capturing within `turns` moves;
    `target` is then on a chain of the player to move. In Dots and Boxes, the goal is to draw a best edge in each move
    of `turns` own turns; `boxes` is the number of boxes that the player then has at the end, with best play.
    difficulty: the result of `measure_difficulty`; 0 if it is not measured. rating: the level among the shipped puzzles
    of the game; empty for other puzzles. by_fours: whether each own move must threaten to complete a row of Gomoku.
    theme: one of THEMES in Go, of CAPTURE_GO_THEMES in Capture Go, of BOXES_THEMES in Dots and Boxes; empty for other
    puzzles. is_set_up: whether the order of `moves` has no meaning.
    """

    game: Game
    moves: tuple[str, ...]
    turns: int
    target: str = ""
    is_defence: bool = False
    difficulty: float = 0.0
    rating: str = ""
    by_fours: bool = False
    theme: str = ""
    boxes: int = 0
    is_set_up: bool = False

    @cached_property
    def key(self) -> str:
        """A name that depends only on the position and the goal."""
        return hashlib.sha256(json.dumps(self.as_dict()).encode()).hexdigest()[:10]

    @cached_property
    def position(self) -> Position:
        """The position at the start."""
        return self.game.replay(self.moves)

    @property
    def boxes_position(self) -> DotsAndBoxesPosition | None:
        """The position at the start in Dots and Boxes; None in other games."""
        return self.position if isinstance(self.position, DotsAndBoxesPosition) else None

    @property
    def solution_length(self) -> int:
        """The number of moves of both sides in the solution; the opponent does not answer the last one.

        In Dots and Boxes it is the number of turns.
        """
        return 1 if self.is_defence else 2 * self.turns - 1

    @cached_property
    def attack(self) -> Attack | None:
        """The proofs of the goal; None in Dots and Boxes."""
        position = self.position
        if self.theme in ("kill", "live"):
            return create_area_attack(position, self.target, position.to_move)
        if self.theme == "ladder":
            return create_ladder_attack(position, self.target)
        attacker = 3 - position.to_move if self.is_defence else None
        return attack_of(position, self.target, attacker=attacker, by_fours=self.by_fours)

    @cached_property
    def counter_attack(self) -> Attack | None:
        """The proofs of the opponent's goal in a puzzle about life or death; None in other puzzles."""
        if self.theme not in ("kill", "live"):
            return None
        return create_area_attack(self.position, self.target, 3 - self.position.to_move)

    @cached_property
    def is_race(self) -> bool:
        """Whether the stones to capture could otherwise capture stones around them; False for a capture in one move."""
        position = self.position
        if not self.target or self.is_defence or self.turns == 1 or not isinstance(position, GoFamilyPosition):
            return False
        place = position.game.bit_geometry.index_of[position.game.board.parse(self.target)]
        return is_capture_race(position, place, self.turns)

    @property
    def last_move(self) -> tuple[str, ...]:
        """The last move before the puzzle; empty if its stones were set up."""
        return () if self.is_set_up else self.moves[-1:]

    @property
    def kind(self) -> str:
        """The theme; in other puzzles, the kind of the task: "defence", "fours" or "attack"."""
        return self.theme or ("defence" if self.is_defence else "fours" if self.by_fours else "attack")

    def is_settled(self, position: Position) -> bool:
        """Return whether the marked chain is dead even if the player does not answer the opponent's next move."""
        return isinstance(self.attack, KillAttack) and self.attack.is_settled(self.attack.search_state(position))

    @property
    def goal_sentence(self) -> str:
        """The goal in one sentence."""
        player = side_name(self.position, self.position.to_move)
        if self.boxes_position is not None:
            return goal_sentence(self.boxes_position, self.boxes or boxes_at_end(self.boxes_position))
        if self.is_defence:
            threat = f"to capture the marked {_stones_text(self)}" if self.target else "to win"
            opponent_words = side_name(self.position, 3 - self.position.to_move)
            task = f"{player} is to move: find the only move that stops it."
            return f"{opponent_words} threatens {threat} within {self.turns} moves. {task}"
        if self.theme in ("kill", "live"):
            effect = "makes two eyes for" if self.theme == "live" else "kills"
            return f"{player} {effect} the marked {_stones_text(self)}."
        if self.theme == "ladder":
            return f"{player} captures the marked {_stones_text(self)} in {self.turns}, with an atari at each move."
        if self.is_race:
            return f"{player} wins the capture race: it captures the marked {_stones_text(self)} in {self.turns}."
        goal = f"captures the marked {_stones_text(self)}" if self.target else "wins"
        return f"{player} {goal} in {self.turns}{', with a four at each move' * self.by_fours}."

    @property
    def goal_explanation(self) -> str:
        """An explanation of the goal in one or two sentences."""
        if self.boxes_position is not None:
            return goal_explanation(self.boxes_position, self.turns)
        opponent_words = side_name(self.position, 3 - self.position.to_move)
        if self.is_defence:
            return f"After any other move, {opponent_words} reaches its goal whatever you do."
        if self.theme == "kill":
            return f"Leave no room for two eyes. Exactly one move kills; {opponent_words} lives after any other."
        if self.theme == "live":
            task = f"Make two eyes within {count_with_noun(self.turns, 'move')}"
            return f"{task}, so that {opponent_words} can never capture the marked stones."
        task_words = "Capture the marked stones" if self.target else f"Win by {self.win_words}"
        if self.turns == 1:
            return f"{task_words} with this move."
        return f"{task_words} within {self.turns} moves, whatever {opponent_words} answers."

    @property
    def win_words(self) -> str:
        """The way in which the game is won, as a noun phrase."""
        line = self.game.options.get("line")
        return f"a row of {line}" if line else "a capture"

    @property
    def level(self) -> str:
        """The difficulty of the puzzle: easy, medium or hard. Without a rating, it depends on the number of moves."""
        if self.rating:
            return self.rating
        if self.game.box_count:
            free_count = self.position.facts()["moves_left"]
            return LEVELS[(free_count > 8) + (free_count > 12)]
        return LEVELS[min(self.turns, 3) - 1]

    def right_moves(self, position: Position, moves_left: int) -> list[Move]:
        """Return every right move in a position of this puzzle. moves_left: the number of moves that the player may
        still make.
        """
        if isinstance(position, DotsAndBoxesPosition):
            return list(best_edges(position))
        assert self.attack is not None
        if self.is_defence:
            return list(self.attack.defences(position, self.turns))
        if self.theme == "kill":
            moves_left = MAX_AREA_MOVES  # a slow move kills, too
        return self.attack.right_moves(position, moves_left)

    def as_dict(self) -> dict[str, Any]:
        """Return the position and the goal as plain values, which `puzzle_from_json` converts back."""
        target = {"target": self.target} if self.target else {}
        options = {name: str(value).lower() for name, value in self.game.non_default_options.items()}
        return {
            "game": self.game.name,
            **({"options": options} if options else {}),
            "moves": " ".join(self.moves),
            "turns": self.turns,
            **target,
            **({"defends": True} if self.is_defence else {}),
            **({"fours": True} if self.by_fours else {}),
            **({"theme": self.theme} if self.theme else {}),
            **({"boxes": self.boxes} if self.boxes else {}),
            **({"setup": True} if self.is_set_up else {}),
        }


def _stones_text(puzzle: Puzzle) -> str:
    return "stones" if len(chain_at(puzzle.position, puzzle.target)) > 1 else "stone"


def chain_at(position: Position, point: str) -> list[str]:
    """Return the names of the points of the chain on a point; empty if no stone is there."""
    if not point or not isinstance(position, GoFamilyPosition):
        return []
    geometry = position.game.bit_geometry
    i = geometry.index_of[position.game.board.parse(point)]
    return [str(point) for point in geometry.points_in(position.board.chain(i)[0])] if position.board.colour(i) else []


def themes_of(game: Game) -> Mapping[str, str]:
    """Return the themes of the puzzles of a game, each with the name of its technique."""
    if game.box_count:
        return BOXES_THEMES
    return THEMES if isinstance(game, Go) else CAPTURE_GO_THEMES if isinstance(game, CaptureGo) else {}


def puzzle_from_json(values: Mapping[str, Any]) -> Puzzle:
    """Convert plain values to a puzzle. Raises UserError if the values are wrong or a move is illegal."""
    try:
        game = games.load(str(values["game"]), **values.get("options", {}))
        moves, target = tuple(str(values["moves"]).split()), str(values.get("target", ""))
        defends, difficulty = values.get("defends") is True, float(values.get("difficulty", 0))
        by_fours, theme = values.get("fours") is True, str(values.get("theme", ""))
        needs_target = isinstance(game, Go) or (isinstance(game, CaptureGo) and theme == "ladder")
        if theme and (theme not in themes_of(game) or (needs_target and not target)):
            raise ValueError(f"no such theme: {theme[:20]}")
        turns, boxes, is_set_up = int(values["turns"]), int(values.get("boxes", 0)), values.get("setup") is True
        puzzle = Puzzle(game, moves, turns, target, defends, difficulty, "", by_fours, theme, boxes, is_set_up)
        puzzle.position  # noqa: B018  (it is replayed once, and kept)
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"A puzzle cannot be read: {error}.", "Write the file again by `gomogo puzzle find`.") from None
    return puzzle


def read_puzzles(path: Path) -> list[Puzzle]:
    """Read the puzzles of a file that `gomogo puzzle` has written. Raises UserError."""
    try:
        puzzle_values = json.loads(path.read_text(encoding="utf-8"))["puzzles"]
        return [puzzle_from_json(fields) for fields in puzzle_values]
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}.", "Name another file.") from None
    except (ValueError, KeyError, TypeError):
        raise UserError(f"{path} is not a file of puzzles.", "Write one by `gomogo puzzle find`.") from None


@cache
def shipped_puzzles() -> Mapping[str, Puzzle]:
    """Return the puzzles shipped with Gomogo by key, sorted by game and from easy to hard.

    The levels of a game are separated at the largest steps of the difficulty; see `_level_starts`.
    """
    puzzles = read_puzzles(SHIPPED_PUZZLES_FILE)
    puzzles.sort(key=lambda puzzle: (puzzle.game.name, puzzle.difficulty, puzzle.turns))
    rated = list[Puzzle]()
    for _, group in itertools.groupby(puzzles, key=lambda puzzle: puzzle.game.name):
        game_puzzles = list(group)
        starts = _level_starts([puzzle.difficulty for puzzle in game_puzzles])
        rated += [
            replace(puzzle, rating=LEVELS[bisect_right(starts, index)]) for index, puzzle in enumerate(game_puzzles)
        ]
    return {puzzle.key: puzzle for puzzle in rated}


def solving_order(puzzles: Iterable[Puzzle]) -> list[Puzzle]:
    """Return puzzles of one game in the order in which a user meets them: growing in difficulty, and of mixed kinds.

    A kind is a number of moves and a goal. Each kind begins with its easiest puzzle, and is spread over the rest of its
    level. A harder level begins before the easier one ends. So a user does not meet a long series of equal tasks.
    """
    placed = list[tuple[float, float, str, Puzzle]]()
    by_difficulty = sorted(puzzles, key=lambda puzzle: (puzzle.difficulty, puzzle.turns))
    for level_index, level in enumerate(LEVELS):
        level_puzzles, kinds = [puzzle for puzzle in by_difficulty if puzzle.level == level], dict[object, list[int]]()
        for rank, puzzle in enumerate(level_puzzles):
            kinds.setdefault((puzzle.turns, puzzle.theme, puzzle.is_defence, puzzle.by_fours), []).append(rank)
        for ranks in kinds.values():
            start = _NEXT_LEVEL_START * ranks[0] / len(level_puzzles)
            for index, rank in enumerate(ranks):
                place = level_index * _NEXT_LEVEL_START + start + (1 - start) * index / len(ranks)
                placed.append((place, level_puzzles[rank].difficulty, level_puzzles[rank].key, level_puzzles[rank]))
    return [puzzle for *_, puzzle in sorted(placed, key=lambda entry: entry[:-1])]


def _level_starts(difficulties: Sequence[float]) -> tuple[int, ...]:
    """Return the indices at which the second and the third level begin.

    Of all divisions that give each level at least a sixth of the puzzles, this one has the largest steps of difficulty
    between the levels; of equal ones, the most even. So puzzles of equal difficulty have the same level.
    """
    least = math.ceil(len(difficulties) / 6)

    def steps_and_evenness(starts: tuple[int, ...]) -> tuple[float, int]:
        sizes = [end - start for start, end in itertools.pairwise((0, *starts, len(difficulties)))]
        steps = [difficulties[start] - difficulties[start - 1] for start in starts]
        return (round(sum(steps), 2) if min(steps) and min(sizes) >= least else -1.0), min(sizes)

    return max(itertools.combinations(range(1, len(difficulties)), 2), key=steps_and_evenness)
