"""Trains `neural` on games of an engine, and then on games against itself.

As in D. Silver et al., Mastering the Game of Go without Human Knowledge, Nature 550 (2017), the policy learns the
visits of the search, or the improved policy of `training.gumbel`, and the value learns the result. Only a few moves get
a full search, and the policy learns from these moves only (D. Wu, Accelerating Self-Play Learning in Go, 2019, on
playout caps). Both stages write the same kind of record. A round depends only on the seed, its number and the state
before it.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import compress, islice
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from torch.nn import functional

from gomogo_core.errors import UserError
from gomogo_core.games.base import Game, Position
from gomogo_core.games.dots_and_boxes import DotsAndBoxes
from gomogo_core.games.gomoku import BLACK, WHITE, Gomoku
from gomogo_core.search import planes as network_planes
from gomogo_core.search.puct import EXPLORATION, UNKNOWN, WON, Evaluate, IsWon, Tree, legal_move_generator
from training.champion_games import random_opening
from training.gumbel import SequentialHalving, search_together
from training.imitation import (
    STEPS_PER_ROUND,
    Array,
    Imitation,
    ImitationSettings,
    Losses,
    apply_symmetry,
    ply_target,
    value_target,
)
from training.policy_value import PolicyValueSettings

GAMES_FILE = "searched_games.jsonl"
# the most random first moves, which are not learned; half of the edges in Dots and Boxes, 3 to 7 in Gomoku
_MAX_RANDOM_MOVES = 3
_SAMPLED_MOVE_COUNT = 8  # the number of further moves that are sampled by their visits; later moves are the best
# noise in the root's priors in a full search: the parameter of the Dirichlet distribution, and its share
_DIRICHLET_PARAMETER, _NOISE_SHARE = 0.3, 0.25
_HELD_OUT_INTERVAL = 50  # every fiftieth game is held out: used for measuring, not for learning
_MEMORY_MB = 16
# with at most this number of undrawn edges, all best moves of Dots and Boxes are computed, in 0.05 s on 5 × 5 boxes
_MAX_EXACT_EDGES = 36
_FOURS_SEARCH_NODES = 40  # nodes of the search for continuous fours at each position of Gomoku, as in agents/neural.py
_MIN_RECORDED_SHARE = 0.001  # smaller shares of an improved policy are not recorded
_UNLIMITED_SECONDS = 3600.0  # seconds; never reached, since the number of playouts ends the search first

Record = dict[str, Any]
"""A game. moves: the moves as text. policy: for each move, the places and visits, or shares, of the searched moves;
[] if the policy does not learn from that move. winner: the seat of the winner, or 0.

Only games of Gomoku have further keys. opening: the number of moves before the first position that is learnt. values,
threats: the champion's values and threats for each move after the opening, as in training.champion_games.
"""


class SelfPlaySettings(ImitationSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The game and the sizes of both stages.

    `size` is the number of points or boxes along each side. The first `engine_rounds` rounds learn from `engine_games`
    games of the engine against itself, with `playouts` playouts per move. Before each later round the network plays
    `games` games against itself. A share of the moves, `full_share`, gets a full search of `full` visits. The other
    moves get a fast search of `fast` visits. A round learns from the last `window` games. `selection` is "puct", or
    "gumbel" for sequential halving at the root.
    """

    game: str
    rate: float = 0.002
    network: PolicyValueSettings = PolicyValueSettings(planes=network_planes.PLANE_COUNT, has_pass=True, auxiliary=True)
    size: int = 7
    engine_games: int = 1500
    playouts: int = 1000
    engine_rounds: int = 5
    games: int = 128
    full: int = 64
    fast: int = 16
    full_share: float = 0.25
    window: int = 2000
    selection: Literal["puct", "gumbel"] = "puct"


class SelfPlayExamples(NamedTuple):
    """The training data.

    `planes` are those of NetworkEncoding.encode. `policy` holds the shares of visits, or zeros for a position whose
    policy is not learnt. `value` is the probability of a win for the mover. `auxiliary` and `held_out` are those of
    `ImitationExamples`.
    """

    planes: Array
    policy: Array
    value: Array
    auxiliary: Array
    held_out: Array


class _GameInProgress:
    """A game in progress. It ends early when the player to move is certain to win, since the agent finds such wins
    without the network.
    """

    def __init__(self, game: Game, rng: random.Random, is_won: IsWon = lambda position: False) -> None:
        self.game, self.rng, self.is_won, self.is_over = game, rng, is_won, False
        self.position: Position = game.start()
        self.record: Record = {"moves": [], "policy": [], "winner": 0}
        if isinstance(game, Gomoku):
            while is_won(opening := random_opening(game, rng)):
                pass
            self.position = opening
            moves = [game.format(move) for move in moves_to_position(game, opening.cells)]
            self.record |= {"moves": moves, "policy": [[] for _ in moves], "opening": len(moves)}
            return
        for _ in range(rng.randint(0, len(game.edges) // 2 if isinstance(game, DotsAndBoxes) else _MAX_RANDOM_MOVES)):
            move = rng.choice(list(self.position.moves()))
            if self.position.play(move).outcome() is not None:
                break
            self.play(move, [])

    def play(self, move: Any, policy: list[list[float]]) -> None:
        """Play a move and record it, with the visits or shares from which the policy learns."""
        self.record["moves"].append(self.game.format(move))
        self.record["policy"].append(policy)
        self.position = self.position.play(move)
        outcome = self.position.outcome()
        if outcome is not None:
            self.record["winner"] = outcome.winner or 0
        elif self.is_won(self.position):
            self.record["winner"] = self.position.to_move
        self.is_over = outcome is not None or bool(self.record["winner"])

    @property
    def samples_move(self) -> bool:
        """Whether the next move is one of the first moves, which are sampled."""
        opening: int = self.record.get("opening", 0)
        return len(self.record["moves"]) - opening < _SAMPLED_MOVE_COUNT

    def choose_move(self, moves: Sequence[Any], visits: Sequence[float]) -> Any:
        """Return a move: in the first moves of the game one sampled by the visits, later the most visited one."""
        if self.samples_move:
            return self.rng.choices(moves, visits)[0]
        return moves[max(range(len(moves)), key=visits.__getitem__)]


def moves_to_position(game: Gomoku, cells: bytes) -> list[Any]:
    """Return moves of both colours in turn that lead to the position with these cells."""
    points = game.board.points
    black, white = ([points[i] for i, cell in enumerate(cells) if cell == colour] for colour in (BLACK, WHITE))
    return [(white if ply % 2 else black)[ply // 2] for ply in range(len(black) + len(white))]


def records_of_champion(games: Iterable[dict[str, Any]], game: Gomoku) -> Iterator[Record]:
    """Convert games of `training.champion_games` to records for learning."""
    names = game.board.names
    for played_game in games:
        opening = [game.format(move) for move in moves_to_position(game, bytes.fromhex(played_game["cells"]))]
        moves, values = zip(*played_game["moves"], strict=True)
        yield {
            "moves": [*opening, *(names[move] for move in moves)],
            "policy": [[]] * len(opening) + [[[move, 1]] for move in moves],
            "winner": played_game["winner"],
            "opening": len(opening),
            "values": values,
            "threats": played_game["threats"],
        }


def make_win_by_fours_test(engine_module: Any, game: Gomoku) -> IsWon:
    """Return a function that tests, by the champion's engine `engine_module`, whether the mover wins by continuous
    fours.
    """
    engine: Any = engine_module.GomokuEngine(game, memory_mb=1)
    engine.set_position(bytes(game.board.area))

    def is_won(position: Any) -> bool:
        return bool(engine.vcf_after(position.cells, _FOURS_SEARCH_NODES) > 0)

    return is_won


def engine_games(engine_module: Any, game: Game, seed: int, playouts: int, first_number: int) -> Iterator[Record]:
    """Yield games of the game's engine against itself, from the game with the number `first_number` on."""
    if isinstance(game, DotsAndBoxes):
        return _boxes_games(engine_module, game, seed, playouts, first_number)
    return _go_engine_games(engine_module, game, seed, playouts, first_number)


def _boxes_games(
    engine_module: Any, game: DotsAndBoxes, seed: int, playouts: int, first_number: int
) -> Iterator[Record]:
    """Yield games whose moves are perfect near the end. There the policy learns all best moves."""
    index_of, number, player = (
        network_planes.edge_indexer(game),
        first_number,
        engine_module.BoxesPlayer(game, _MEMORY_MB),
    )
    while True:
        game_in_progress = _GameInProgress(game, random.Random(f"{seed}:{number}"))
        player.set_seed(game_in_progress.rng.getrandbits(62))
        while game_in_progress.position.outcome() is None:
            position: Any = game_in_progress.position
            if len(game.edges) - position.drawn.bit_count() <= _MAX_EXACT_EDGES:
                best_edges = [game.edges[edge] for edge in player.solver.best_edges(position.drawn)[1]]
            else:
                stop_at = time.monotonic() + _UNLIMITED_SECONDS
                best_edges = [player.choose(position, stop_at, max_exact_edges=0, max_playouts=playouts)[0]]
            game_in_progress.play(game_in_progress.rng.choice(best_edges), [[index_of(edge), 1] for edge in best_edges])
        yield game_in_progress.record
        number += 1


def _go_engine_games(engine_module: Any, game: Any, seed: int, playouts: int, first_number: int) -> Iterator[Record]:
    index_of, number = network_planes.stone_move_indexer(game), first_number
    while True:
        game_in_progress = _GameInProgress(game, random.Random(f"{seed}:{number}"))
        engine = engine_module.GoEngine(game, _MEMORY_MB, seed=number + 1)
        while game_in_progress.position.outcome() is None:
            all_moves = engine.rank_moves(game_in_progress.position, playouts=playouts)
            moves, visits = zip(*((each.move, each.visits) for each in all_moves if each.visits), strict=True)
            chosen = game_in_progress.choose_move(moves, visits)
            game_in_progress.play(chosen, [[index_of(move), count] for move, count in zip(moves, visits, strict=True)])
        yield game_in_progress.record
        number += 1


def self_play_games(
    evaluate: Evaluate,
    game: Game,
    settings: SelfPlaySettings,
    seed: str,
    count: int,
    is_won: IsWon = lambda position: False,
) -> list[Record]:
    """Return games of the network against itself. They are played at the same time, so that the network evaluates many
    positions at once.

    `is_won` tells whether the mover of a position is certain to win.
    """
    index_of = network_planes.network_encoding_of(game.name).move_index_of(game)
    generator = np.random.default_rng(list(seed.encode()))
    games = [_GameInProgress(game, random.Random(f"{seed}:{number}"), is_won) for number in range(count)]
    trees = [Tree(game.position, evaluate, is_won, legal_move_generator(index_of)) for game in games]
    running = list(range(count))
    while running:
        is_full = generator.random(len(running)) < settings.full_share
        visits = [settings.full if full else settings.fast for full in is_full]
        roots = [trees[i] for i in running]
        _evaluate_roots(roots, evaluate)
        halvings: list[SequentialHalving | None] = [None] * len(running)
        if settings.selection == "gumbel":
            halvings = []
            for i, tree, max_visits, full in zip(running, roots, visits, is_full, strict=True):
                noise = generator.gumbel(size=len(tree.root.priors)) * (full or games[i].samples_move)
                halvings.append(SequentialHalving(tree.root, max_visits, noise))
        else:
            for tree in compress(roots, is_full):
                _add_noise(tree, generator)
        choosers = [None if halving is None else halving.next_move for halving in halvings]
        search_together(roots, evaluate, visits, choosers)
        for i, halving, full in zip(running, halvings, is_full, strict=True):
            move, policy = _choose_move(games[i], trees[i], halving)
            is_learnt = full or trees[i].root.certain == WON
            policy_row = [[index_of(searched_move), share] for searched_move, share in policy]
            games[i].play(move, policy_row if is_learnt else [])
            trees[i].advance(games[i].position)
        running = [i for i in running if not games[i].is_over]
    return [game.record for game in games]


def _choose_move(
    game_in_progress: _GameInProgress, tree: Tree, halving: SequentialHalving | None
) -> tuple[Any, list[tuple[Any, float]]]:
    """Return the move to play, and the visits or shares of moves from which the policy learns."""
    root = tree.root
    assert root.moves is not None
    if root.certain == WON or not root.visits.any():
        move = root.moves[tree.rank_moves()[0]]
        return move, [(move, 1)]
    if halving is not None and root.certain == UNKNOWN:
        shares = halving.policy()
        known_shares = [
            (root.moves[n], round(float(shares[n]), 4)) for n in np.flatnonzero(shares >= _MIN_RECORDED_SHARE)
        ]
        return root.moves[halving.move_to_play()], known_shares
    counts = root.visits.tolist()
    visited_moves: list[tuple[Any, float]] = [(root.moves[n], int(counts[n])) for n in np.flatnonzero(counts)]
    return game_in_progress.choose_move(root.moves, counts), visited_moves


def _evaluate_roots(trees: Sequence[Tree], evaluate: Evaluate) -> None:
    """Let the network evaluate the roots that it has not evaluated yet."""
    new_trees = [tree for tree in trees if tree.root.moves is None]
    if new_trees:
        odds, values = evaluate([tree.root.position for tree in new_trees])
        for tree, row, value in zip(new_trees, odds, values, strict=True):
            tree.expand(tree.root, row, value)


def _add_noise(tree: Tree, generator: np.random.Generator) -> None:
    root = tree.root
    noise = generator.dirichlet(np.full(len(root.priors), _DIRICHLET_PARAMETER))
    root.priors = (1 - _NOISE_SHARE) * root.priors + _NOISE_SHARE * noise
    is_tried = root.exploration_bonuses > 0  # a move that was ruled out gets no noise
    root.exploration_bonuses = np.where(is_tried, EXPLORATION * root.priors / (1 + root.visits), 0.0)


def self_play_examples(records: Sequence[Record], game: Game, first_number: int = 0) -> SelfPlayExamples:
    """Return the positions of game records; the first record has the number `first_number`."""
    view = network_planes.network_encoding_of(game.name)
    policy_size = view.encode([game.start()])[0, 0].size + view.has_pass
    positions, policies, values, held_out = list[Position](), [], [], []
    auxiliary = list[tuple[float, float]]()
    for number, record in enumerate(records, first_number):
        position, opening, length = game.start(), record.get("opening", 0), len(record["moves"])
        for ply, (text, policy) in enumerate(zip(record["moves"], record["policy"], strict=True)):
            if ply >= opening:
                shares = np.zeros(policy_size, np.float32)
                for index, visits in policy:
                    shares[index] = visits
                result = 0.5 if not record["winner"] else float(record["winner"] == position.to_move)
                positions.append(position)
                policies.append(shares / (shares.sum() or 1))
                has_values = "values" in record
                values.append(value_target(record["values"][ply - opening], result) if has_values else result)
                threat = record["threats"][ply - opening] if has_values else math.nan
                auxiliary.append((ply_target(length - ply), threat))
                held_out.append(number % _HELD_OUT_INTERVAL == 0)
            position = position.play(game.parse(text))
    if not positions:
        raise UserError("There are no games to learn from.", "Train in a new --folder.")
    return SelfPlayExamples(
        view.encode(positions),
        np.stack(policies),
        np.array(values, np.float32),
        np.array(auxiliary, np.float32),
        np.array(held_out),
    )


def under_symmetries(planes: Array, policy: Array, symmetries: Array) -> tuple[Array, Array]:
    """Return planes and policies under the symmetries `symmetries`, 0 to 7, one for each position."""
    size = planes.shape[2]
    area = size * size  # the pass comes after the points, and symmetries do not move it
    images, shares = np.empty_like(planes), policy.copy()
    for symmetry in range(8):
        has_symmetry = symmetries == symmetry
        images[has_symmetry] = np.moveaxis(apply_symmetry(np.moveaxis(planes[has_symmetry], 1, -1), symmetry), -1, 1)
        points = policy[has_symmetry, :area].reshape(-1, size, size)
        shares[has_symmetry, :area] = apply_symmetry(points, symmetry).reshape(len(points), area)
    return images, shares


class SelfPlay(Imitation):
    """A network that learns from an engine and from itself, with its optimiser."""

    Settings = SelfPlaySettings
    settings: SelfPlaySettings

    @cached_property
    def encoding(self) -> network_planes.NetworkEncoding:
        """The encoding of the game as planes of the network."""
        return network_planes.network_encoding_of(self.settings.game)

    @property
    def plays_against_itself(self) -> bool:
        """Whether the next round begins with games against itself."""
        return self.steps >= self.settings.engine_rounds * STEPS_PER_ROUND

    @property
    def required_games(self) -> int:
        """The number of games that must exist before the next round begins to learn."""
        own_rounds = self.steps // STEPS_PER_ROUND + 1 - self.settings.engine_rounds
        return self.settings.engine_games + max(0, own_rounds) * self.settings.games

    def evaluate(self, positions: Sequence[Any]) -> tuple[Any, Any]:
        """Return the network's log-odds of moves and its values, in the form that a tree search needs."""
        self.network.eval()
        with torch.no_grad():
            odds, win, _ = self.outputs(self.encoding.encode(positions).astype(np.float32))
        return odds.cpu().numpy(), torch.tanh(win / 2).cpu().numpy()

    def _losses(self, examples: SelfPlayExamples, chosen: Array, symmetries: Array) -> Losses:  # type: ignore[override]
        planes, shares = under_symmetries(examples.planes[chosen], examples.policy[chosen], symmetries)
        policy, win, auxiliary = self.outputs(planes.astype(np.float32))
        illegal_moves = self.encoding.illegal_moves(planes).reshape(len(planes), -1)
        is_illegal = np.pad(illegal_moves, ((0, 0), (0, int(self.encoding.has_pass))))
        policy = policy.masked_fill(torch.from_numpy(is_illegal).to(self.device), -1e4)
        target_shares = torch.from_numpy(shares).to(self.device)
        is_learnt = target_shares.sum(1)
        count = is_learnt.sum().clamp(min=1)
        target = torch.from_numpy(examples.value[chosen]).to(self.device)
        return Losses(
            functional.cross_entropy(policy, target_shares, reduction="none").sum() / count,
            functional.binary_cross_entropy_with_logits(win, target),
            self.auxiliary_loss(auxiliary, examples.auxiliary[chosen]),
            ((policy.argmax(1) == target_shares.argmax(1)) * is_learnt).sum() / count,
        )


def missing_games(learner: SelfPlay, game: Game, load: Callable[[], Any], known_games: int) -> Iterator[Record]:
    """Yield the games that the next round still needs. `load` returns the compiled engine; `known_games` is the number
    of games that exist.
    """
    settings = learner.settings
    if known_games < settings.engine_games:
        new_games = engine_games(load(), game, learner.seed, settings.playouts, known_games)
        yield from islice(new_games, settings.engine_games - known_games)
        known_games = settings.engine_games
    # the games of a round are played at the same time, so they depend on each other
    first_game = learner.required_games - settings.games
    if learner.plays_against_itself:
        options = {"is_won": make_win_by_fours_test(load(), game)} if isinstance(game, Gomoku) else {}
        seed = f"{learner.seed}:{first_game}"
        new_records = self_play_games(learner.evaluate, game, settings, seed, settings.games, **options)
        yield from new_records[known_games - first_game :]
