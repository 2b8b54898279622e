"""Monte Carlo tree search of positions that are too large for perfect play: UCT over safe edges and short chains.

A playout draws random safe edges until few are left; then the search for perfect play determines the winner. UCT: L.
Kocsis and C. Szepesvári, Bandit based Monte-Carlo Planning, ECML (2006). The positions have no captures, so every move
passes the turn, and the tree need not store the player to move.
"""

from __future__ import annotations

import math

import numpy as np
from numba import float64, int64, njit, void

from gomogo_core.engines.boxes.array_layout import (  # isort: skip
    NUMBERS_PER_SACRIFICE, RANDOM_STATE, STOP_FLAG, TREE_SIZE, Arrays, Int64, PackedPosition, Path, PlayoutSums,
    StateArray, TreeArray,
)  # fmt: skip
from gomogo_core.engines.boxes.board import ONE, U64, boxes_by_degree, popcount, safe_edges

from gomogo_core.engines.boxes.search import (  # isort: skip
    ARRAYS, OPPOSITE_ANSWER, OPTIONS, POSITION, STOPPED, position_after_edge, position_with_chains_packed,
    reaches_margin_packed, read_sacrifice, write_sacrifices, write_safe_edges,
)  # fmt: skip
from gomogo_core.engines.clock import check_clock

# The columns of the array of tree nodes: the position (four numbers), the number of open boxes, the mover's lead at
# that point, the first child, the number of children, and the visits.
OPEN_BOXES, LEAD, FIRST_CHILD, CHILD_COUNT, VISITS = range(4, 9)
NODE_SIZE = 9
REWARD, MARGIN = 0, 1  # columns of the sums, which are for the player whose move led to the node
EXPLORATION = 0.5
SAFE_EDGES_AT_END = 2  # the number of safe edges at which a playout ends
# the percentage of playouts that test a random margin; the mean of their results estimates the margin
RANDOM_MARGIN_PERCENT = 10
EXPANSION_VISITS = 2  # the number of visits at which a node gets children
MAX_PATH_LENGTH = 128


@njit(int64(int64[::1], int64), **OPTIONS)
def random_below(state: StateArray, limit: Int64) -> Int64:
    """Return a random number from 0 to `limit` - 1 (G. Marsaglia, Xorshift RNGs, 2003)."""
    x = U64(state[RANDOM_STATE])
    x ^= x << U64(13)
    x ^= x >> U64(7)
    x ^= x << U64(17)
    state[RANDOM_STATE] = np.int64(x)
    return np.int64((x >> U64(11)) % U64(limit))


@njit(int64(ARRAYS, POSITION, int64), **OPTIONS)
def playout_reaches_margin(arrays: Arrays, position: PackedPosition, margin: Int64) -> Int64:
    """Run a playout, and return whether the mover gets `margin` more open boxes than the opponent: YES, NO or STOPPED.
    Both players draw random safe edges until at most SAFE_EDGES_AT_END of them are left. Then they play perfectly.
    """
    geometry, state = arrays.geometry, arrays.state
    free_h, free_v, chains, loops, boxes = position
    same_mover = True
    while True:
        degree_many = boxes_by_degree(geometry, state, free_h, free_v)[2]
        safe_horizontal, safe_vertical = safe_edges(geometry, state, free_h, free_v, degree_many)
        horizontal_count = np.int64(popcount(safe_horizontal))
        count = horizontal_count + np.int64(popcount(safe_vertical))
        if count <= SAFE_EDGES_AT_END:
            break
        chosen_index = random_below(state, count)
        if chosen_index < horizontal_count:
            for _ in range(chosen_index):
                safe_horizontal &= safe_horizontal - ONE
            free_h &= ~(safe_horizontal & (~safe_horizontal + ONE))
        else:
            for _ in range(chosen_index - horizontal_count):
                safe_vertical &= safe_vertical - ONE
            free_v &= ~(safe_vertical & (~safe_vertical + ONE))
        same_mover = not same_mover
    last_position = position_with_chains_packed(geometry, state, PackedPosition(free_h, free_v, chains, loops, boxes))
    answer = reaches_margin_packed(arrays, last_position, margin if same_mover else 1 - margin, 0)
    return answer if same_mover else OPPOSITE_ANSWER[answer]


@njit(void(int64[:, ::1], float64[:, ::1], int64, POSITION, int64), **OPTIONS)
def write_node(tree: TreeArray, sums: PlayoutSums, node: Int64, position: PackedPosition, lead: Int64) -> None:
    """Write a new node, without visits, to the tree."""
    tree[node, 0], tree[node, 1] = np.int64(position.free_h), np.int64(position.free_v)
    tree[node, 2], tree[node, 3] = np.int64(position.chains), np.int64(position.loops)
    tree[node, OPEN_BOXES], tree[node, LEAD] = position.boxes, lead
    tree[node, FIRST_CHILD] = tree[node, CHILD_COUNT] = tree[node, VISITS] = 0
    sums[node, REWARD] = sums[node, MARGIN] = 0.0


@njit(POSITION(int64[:, ::1], int64), **OPTIONS)
def position_of_node(tree: TreeArray, node: Int64) -> PackedPosition:
    """Return the position of a node of the tree."""
    free_h, free_v, chains, loops = U64(tree[node, 0]), U64(tree[node, 1]), U64(tree[node, 2]), U64(tree[node, 3])
    return PackedPosition(free_h, free_v, chains, loops, tree[node, OPEN_BOXES])


@njit(int64(ARRAYS, int64[:, ::1], float64[:, ::1], int64, int64), **OPTIONS)
def expand(arrays: Arrays, tree: TreeArray, sums: PlayoutSums, node: Int64, node_count: Int64) -> Int64:
    """Append the children of a node to the tree; return the new number of nodes."""
    position, lead = position_of_node(tree, node), tree[node, LEAD]
    first_child = node_count
    count = write_safe_edges(arrays, 0, position)
    if node_count + count + NUMBERS_PER_SACRIFICE * 8 >= tree.shape[0]:
        return node_count
    for i in range(count):
        next_position = position_after_edge(arrays.geometry, arrays.state, position, np.int64(arrays.moves[i]))
        write_node(tree, sums, node_count, next_position, -lead)
        node_count += 1
    if count:
        count = min(8, write_sacrifices(arrays, 0, position, -position.boxes))
        for i in range(count):
            next_position, boxes_given, handed_out = read_sacrifice(arrays.moves, NUMBERS_PER_SACRIFICE * i)
            if handed_out == 0:
                write_node(tree, sums, node_count, next_position, boxes_given - lead)
                node_count += 1
    tree[node, FIRST_CHILD], tree[node, CHILD_COUNT] = first_child, node_count - first_child
    return node_count


@njit(int64(int64[:, ::1], float64[:, ::1], int64), **OPTIONS)
def select_child(tree: TreeArray, sums: PlayoutSums, node: Int64) -> Int64:
    """Return the child with the highest upper confidence bound."""
    best_child, best_bound = tree[node, FIRST_CHILD], -1.0
    logarithm = math.log(tree[node, VISITS] + 1.0)
    for child in range(tree[node, FIRST_CHILD], tree[node, FIRST_CHILD] + tree[node, CHILD_COUNT]):
        visits = tree[child, VISITS]
        if visits == 0:
            return child
        bound = sums[child, REWARD] / visits + EXPLORATION * math.sqrt(logarithm / visits)
        if bound > best_bound:
            best_child, best_bound = child, bound
    return best_child


@njit(int64(ARRAYS, int64[:, ::1], float64[:, ::1], int64[::1], int64), **OPTIONS)
def run_playouts(arrays: Arrays, tree: TreeArray, sums: PlayoutSums, path: Path, limit: Int64) -> Int64:
    """Run up to `limit` playouts in the tree with the root 0, until stopped; return their number.

    If the root has no children, the tree is new; otherwise it has state[TREE_SIZE] nodes. `path` is working memory for
    the nodes of a path from the root.
    """
    state = arrays.state
    tree_size = state[TREE_SIZE] if tree[0, CHILD_COUNT] else expand(arrays, tree, sums, 0, 1)
    max_lead = max(1, abs(tree[0, LEAD]) + tree[0, OPEN_BOXES])
    playout_count = 0
    while playout_count < limit and not state[STOP_FLAG]:
        check_clock(state, STOP_FLAG)
        depth, node = 0, 0
        path[0] = 0
        while tree[node, CHILD_COUNT]:
            node = select_child(tree, sums, node)
            depth += 1
            path[depth] = node
            if tree[node, CHILD_COUNT] == 0 and tree[node, VISITS] >= EXPANSION_VISITS:
                tree_size = expand(arrays, tree, sums, node, tree_size)
        wanted_lead = random_below(state, 2)  # 0 and 1 equally often, so that a draw counts as half a win
        counts_margin = random_below(state, 100) < RANDOM_MARGIN_PERCENT
        if counts_margin:
            wanted_lead = random_below(state, 2 * max_lead) + 1 - max_lead
        answer = playout_reaches_margin(arrays, position_of_node(tree, node), wanted_lead - tree[node, LEAD])
        if answer == STOPPED:
            break
        while depth >= 0:  # the result is for the mover, the sums for the player who moved before
            answer = OPPOSITE_ANSWER[answer]
            node = path[depth]
            tree[node, VISITS] += 1
            sums[node, REWARD] += answer
            if counts_margin:
                sums[node, MARGIN] += (2 * answer - 1) * max_lead * 100 / RANDOM_MARGIN_PERCENT
            depth -= 1
        playout_count += 1
    state[TREE_SIZE] = tree_size
    return playout_count
