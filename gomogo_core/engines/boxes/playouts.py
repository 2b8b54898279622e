"""Monte Carlo tree search of positions that are too large for perfect play: UCT over safe edges and short chains.

A playout draws random safe edges until few are left; then the search for perfect play decides who wins. UCT: L. Kocsis
and C. Szepesvári, Bandit based Monte-Carlo Planning, ECML (2006). The positions have no captures, so every move passes
the turn, and the tree need not store the player to move.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from gomogo_core.engines.boxes.array_layout import (
    RANDOM_STATE,
    SACRIFICE_SIZE,
    STOP_FLAG,
    TREE_SIZE,
    GeometryArray,
    HorizontalEdges,
    MoveStack,
    Number,
    PackedChains,
    PlayoutSums,
    StateArray,
    SymmetryTables,
    TranspositionTable,
    TreeArray,
    VerticalEdges,
)
from gomogo_core.engines.boxes.board import (
    ONE,
    U64,
    boxes_by_degree,
    popcount,
    safe_edges,
)
from gomogo_core.engines.boxes.search import (
    OPPOSITE_ANSWER,
    STOPPED,
    pack_independent_chains,
    position_after_edge,
    reaches_margin_packed,
    sorted_safe_edges,
    write_sacrifices,
)
from gomogo_core.engines.unowned import unowned

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

_TREE_TYPES = "uint64[::1], int64[::1], uint64[::1], int64[:, ::1], float64[:, ::1]"
_SOLVER_TYPES = "uint64[::1], int64[::1], uint64[::1], uint64[::1], uint64[:, :, :, ::1]"


@njit("int64(int64[::1], int64)", cache=True, nogil=True)
def random_below(state: StateArray, limit: Number) -> Number:
    """Return a random number from 0 to `limit` - 1 (G. Marsaglia, Xorshift RNGs, 2003)."""
    x = U64(state[RANDOM_STATE])
    x ^= x << U64(13)
    x ^= x >> U64(7)
    x ^= x << U64(17)
    state[RANDOM_STATE] = np.int64(x)
    return np.int64((x >> U64(11)) % U64(limit))


@njit(
    "int64(" + _SOLVER_TYPES + ", uint64, uint64, uint64, uint64, int64, int64)",
    cache=True,
    nogil=True,
)
def playout_reaches_margin(
    geometry: GeometryArray,
    state: StateArray,
    table: TranspositionTable,
    moves: MoveStack,
    symmetry_tables: SymmetryTables,
    free_h: HorizontalEdges,
    free_v: VerticalEdges,
    chains: PackedChains,
    loops: PackedChains,
    boxes: Number,
    margin: Number,
) -> Number:
    """Run a playout; return NO, YES or STOPPED: whether the mover gets `margin` more open boxes than the opponent. Both
    players draw random safe edges until at most SAFE_EDGES_AT_END are left, and then play perfectly.
    """
    same_mover = True
    while True:
        across, down = safe_edges(geometry, state, free_h, free_v, boxes_by_degree(geometry, state, free_h, free_v)[2])
        lying = np.int64(popcount(across))
        count = lying + np.int64(popcount(down))
        if count <= SAFE_EDGES_AT_END:
            break
        chosen = random_below(state, count)
        if chosen < lying:
            for _ in range(chosen):
                across &= across - ONE
            free_h &= ~(across & (~across + ONE))
        else:
            for _ in range(chosen - lying):
                down &= down - ONE
            free_v &= ~(down & (~down + ONE))
        same_mover = not same_mover
    free_h, free_v, chains, loops, boxes = pack_independent_chains(
        geometry, state, free_h, free_v, chains, loops, boxes
    )
    found = reaches_margin_packed(
        geometry,
        state,
        table,
        moves,
        symmetry_tables,
        free_h,
        free_v,
        chains,
        loops,
        boxes,
        margin if same_mover else 1 - margin,
        0,
    )
    return found if same_mover else OPPOSITE_ANSWER[found]


@njit(
    "void(int64[:, ::1], float64[:, ::1], int64, uint64, uint64, uint64, uint64, int64, int64)",
    cache=True,
    nogil=True,
)
def write_node(
    tree: TreeArray,
    sums: PlayoutSums,
    node: Number,
    free_h: HorizontalEdges,
    free_v: VerticalEdges,
    chains: PackedChains,
    loops: PackedChains,
    boxes: Number,
    lead: Number,
) -> None:
    """Write a new node, without visits, to the tree."""
    tree[node, 0], tree[node, 1] = np.int64(free_h), np.int64(free_v)
    tree[node, 2], tree[node, 3] = np.int64(chains), np.int64(loops)
    tree[node, OPEN_BOXES], tree[node, LEAD] = boxes, lead
    tree[node, FIRST_CHILD] = tree[node, CHILD_COUNT] = tree[node, VISITS] = 0
    sums[node, REWARD] = sums[node, MARGIN] = 0.0


@njit("int64(" + _TREE_TYPES + ", int64, int64)", cache=True, nogil=True)
def expand(
    geometry: GeometryArray,
    state: StateArray,
    moves: MoveStack,
    tree: TreeArray,
    sums: PlayoutSums,
    node: Number,
    used: Number,
) -> Number:
    """Append the children of a node to the tree; return the new number of nodes."""
    free_h, free_v, chains, loops = U64(tree[node, 0]), U64(tree[node, 1]), U64(tree[node, 2]), U64(tree[node, 3])
    boxes, lead = tree[node, OPEN_BOXES], tree[node, LEAD]
    first = used
    count = sorted_safe_edges(geometry, state, moves, 0, free_h, free_v)
    if used + count + SACRIFICE_SIZE * 8 >= tree.shape[0]:
        return used
    for i in range(count):
        edge = np.int64(moves[i])
        nh, nv, nchains, nloops, left = position_after_edge(geometry, state, free_h, free_v, chains, loops, boxes, edge)
        write_node(tree, sums, used, nh, nv, nchains, nloops, left, -lead)
        used += 1
    if count:
        count = min(8, write_sacrifices(geometry, state, moves, 0, free_h, free_v, chains, loops, boxes, -boxes))
        for i in range(count):
            m = SACRIFICE_SIZE * i
            sort_key = np.int64(moves[m + 4])
            left, handed_out, given = sort_key & 255, (sort_key >> 8) & 255, (sort_key >> 16) & 255
            if handed_out == 0:
                write_node(tree, sums, used, moves[m], moves[m + 1], moves[m + 2], moves[m + 3], left, given - lead)
                used += 1
    tree[node, FIRST_CHILD], tree[node, CHILD_COUNT] = first, used - first
    return used


@njit("int64(int64[:, ::1], float64[:, ::1], int64)", cache=True, nogil=True)
def best_child(tree: TreeArray, sums: PlayoutSums, node: Number) -> Number:
    """Return the child with the highest upper confidence bound."""
    best, best_bound = tree[node, FIRST_CHILD], -1.0
    logarithm = math.log(tree[node, VISITS] + 1.0)
    for child in range(tree[node, FIRST_CHILD], tree[node, FIRST_CHILD] + tree[node, CHILD_COUNT]):
        visits = tree[child, VISITS]
        if visits == 0:
            return child
        bound = sums[child, REWARD] / visits + EXPLORATION * math.sqrt(logarithm / visits)
        if bound > best_bound:
            best, best_bound = child, bound
    return best


@njit("int64(" + _SOLVER_TYPES + ", int64[:, ::1], float64[:, ::1], int64)", cache=True, nogil=True)
def run_playouts(
    geometry: GeometryArray,
    state: StateArray,
    table_array: TranspositionTable,
    move_array: MoveStack,
    symmetry_arrays: SymmetryTables,
    tree_array: TreeArray,
    sums_array: PlayoutSums,
    limit: Number,
) -> Number:
    """Run up to `limit` playouts in the tree with the root 0, until stopped; return their number.

    If the root has no children, the tree is new; otherwise it has state[TREE_SIZE] nodes.
    """
    geometry, state, table, moves, symmetry_tables, tree, sums = (
        unowned(geometry),
        unowned(state),
        unowned(table_array),
        unowned(move_array),
        unowned(symmetry_arrays),
        unowned(tree_array),
        unowned(sums_array),
    )
    path = np.zeros(128, np.int64)
    used = state[TREE_SIZE] if tree[0, CHILD_COUNT] else expand(geometry, state, moves, tree, sums, 0, 1)
    most = max(1, abs(tree[0, LEAD]) + tree[0, OPEN_BOXES])
    done = 0
    while done < limit and not state[STOP_FLAG]:
        depth, node = 0, 0
        path[0] = 0
        while tree[node, CHILD_COUNT]:
            node = best_child(tree, sums, node)
            depth += 1
            path[depth] = node
            if tree[node, CHILD_COUNT] == 0 and tree[node, VISITS] >= EXPANSION_VISITS:
                used = expand(geometry, state, moves, tree, sums, node, used)
        aim = random_below(state, 2)  # the lead to reach; with 0 and 1 equally often, a draw counts as half a win
        counts_margin = random_below(state, 100) < RANDOM_MARGIN_PERCENT
        if counts_margin:
            aim = random_below(state, 2 * most) + 1 - most
        found = playout_reaches_margin(
            geometry,
            state,
            table,
            moves,
            symmetry_tables,
            U64(tree[node, 0]),
            U64(tree[node, 1]),
            U64(tree[node, 2]),
            U64(tree[node, 3]),
            tree[node, OPEN_BOXES],
            aim - tree[node, LEAD],
        )
        if found == STOPPED:
            break
        while depth >= 0:  # the result is for the mover, the sums for the player who moved before
            found = OPPOSITE_ANSWER[found]
            node = path[depth]
            tree[node, VISITS] += 1
            sums[node, REWARD] += found
            if counts_margin:
                sums[node, MARGIN] += (2 * found - 1) * most * 100 / RANDOM_MARGIN_PERCENT
            depth -= 1
        done += 1
    state[TREE_SIZE] = used
    return done
