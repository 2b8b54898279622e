"""Monte Carlo tree search with RAVE and priors, on the compiled board.

The module uses the board, the priors and the playouts. The tree is one array of nodes, in which the children of a node
are adjacent. RAVE: S. Gelly and D. Silver, Monte-Carlo tree search and rapid action value estimation in computer Go
(2011).
"""

from __future__ import annotations

from numba import njit

from gomogo_core.engines.go.array_layout import (
    BARRED,
    BLACK,
    CAPTURES,
    CHILDREN,
    COUNT,
    EMPTIES,
    EXPAND_AT,
    FIRST_PLAYER,
    GO,
    KIND,
    KO_RULE,
    LIST,
    LOST,
    MOVE,
    MOVES,
    NODE,
    PASS,
    PASSING,
    PATH,
    PATH_LENGTH,
    PLAYED,
    POSITIONAL,
    PRIOR_VISITS,
    PRIOR_WINS,
    PROVED,
    RAVE_PERCENT,
    RAVE_VISITS,
    RAVE_WINS,
    READS,
    ROBOGO,
    SCORING,
    SEARCHED,
    STONE,
    STOP,
    TURN,
    VISITS,
    WINS,
    WON,
    BoardArray,
    BoardHashes,
    BoardStack,
    Boolean,
    Cell,
    FeatureWeights,
    MemoryArray,
    Number,
    TreeArray,
)
from gomogo_core.engines.go.board import UNDECIDED, board_hash, copy, is_eye, is_legal, play, result
from gomogo_core.engines.go.forced_wins import FOUND, wins
from gomogo_core.engines.go.playouts import run_playout
from gomogo_core.engines.go.priors import set_priors
from gomogo_core.engines.unowned import unowned

# the number of visits at which RAVE and the node's own results have about the same weight
RAVE_EQUAL, RAVE_EQUAL_IN_GO = 3000.0, 8000.0
_LONGEST_PATH = 300
# limits of the positions that are searched for a forced win, at a new node and at the root
_NODE_READING_LIMIT, _ROOT_READING_LIMIT = 30, 20_000


@njit("void(int32[::1], int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _init_node(tree: TreeArray, node: Number, move: Cell) -> None:
    """Initialise a node for a move."""
    for i in range(NODE):
        tree[NODE * node + i] = 0
    tree[NODE * node + MOVE] = move


@njit("boolean(int32[::1], int32[::1], int64, int16[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def expand(board: BoardArray, tree: TreeArray, node: Number, weights: FeatureWeights) -> Boolean:
    """Give a leaf its children: legal moves that fill no own eye, and the pass. Return whether the tree had room.

    If only stones count, moves into own eyes are children too.
    """
    free, record = tree[0], NODE * node
    if NODE * (free + board[EMPTIES] + 2) > len(tree):
        return False
    child = free
    for with_eyes in range(2):
        for i in range(board[EMPTIES]):
            cell = board[LIST + i]
            spares_eyes = not with_eyes and board[KIND] != ROBOGO and board[SCORING] != STONE
            if spares_eyes and is_eye(board, cell, board[TURN]):
                continue
            if is_legal(board, cell):
                _init_node(tree, child, cell)
                child += 1
        if child > free or board[PASSING]:
            break  # fill own eyes only if no other move is legal
    if board[PASSING]:
        _init_node(tree, child, PASS)
        child += 1
    if child == free:
        return False
    set_priors(board, tree, free, child, weights)
    tree[record + CHILDREN] = free
    tree[record + COUNT] = child - free
    tree[0] = child
    return True


@njit("int64(int32[::1], int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _select(board: BoardArray, tree: TreeArray, node: Number) -> Number:
    """Return the child with the best weighted mean of results and RAVE results, or 0 if every child is barred."""
    first, count = tree[NODE * node + CHILDREN], tree[NODE * node + COUNT]
    best, highest = 0, -1.0
    equal = (RAVE_EQUAL_IN_GO if board[KIND] == GO else RAVE_EQUAL) * board[RAVE_PERCENT] / 100
    for child in range(first, first + count):
        record = NODE * child
        if tree[record + BARRED] or tree[record + PROVED] == LOST:
            continue
        if tree[record + PROVED] == WON:
            return child
        visits = tree[record + VISITS] + tree[record + PRIOR_VISITS]
        value = (tree[record + WINS] + tree[record + PRIOR_WINS]) / (2.0 * visits)
        seen = tree[record + RAVE_VISITS]
        if seen:
            beta = seen / (seen + visits + visits * seen / equal)
            value += beta * (tree[record + RAVE_WINS] / (2.0 * seen) - value)
        if value > highest:
            best, highest = child, value
    return best


@njit("void(int32[::1], int32[::1], int64, int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _add_result(board: BoardArray, tree: TreeArray, outcome: Number, number: Number) -> None:
    """Add a result to the nodes of the path, and to the RAVE statistics of their children."""
    length, played = board[PATH_LENGTH], board[PLAYED]
    mark = (number & 0x0FFFFFFF) << 2
    at = played - 1
    for depth in range(length - 1, -1, -1):
        while at >= depth:  # in this backward order, the first player on a cell is entered last, and so remains
            board[FIRST_PLAYER + (board[MOVES + at] >> 2)] = mark | board[MOVES + at] & 3
            at -= 1
        node = board[PATH + depth]
        mover = 3 - (board[MOVES + depth - 1] & 3) if depth else board[PATH - 1]
        won = outcome if mover == BLACK else 2 - outcome
        tree[NODE * node + VISITS] += 1
        tree[NODE * node + WINS] += 2 - won  # the wins of the player whose move led here
        first = tree[NODE * node + CHILDREN]
        for child in range(first, first + tree[NODE * node + COUNT]):
            record = NODE * child
            if tree[record + MOVE] != PASS and board[FIRST_PLAYER + tree[record + MOVE]] == mark | mover:
                tree[record + RAVE_VISITS] += 1
                tree[record + RAVE_WINS] += won


@njit("void(int32[::1], int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _back_up_proof(board: BoardArray, tree: TreeArray, length: Number) -> None:
    """Back up the proved result of the last node of the path towards the root, as in MCTS-Solver."""
    for depth in range(length - 1, 0, -1):
        parent = board[PATH + depth - 1]
        if tree[NODE * board[PATH + depth] + PROVED] == WON:
            tree[NODE * parent + PROVED] = LOST
            continue
        first = tree[NODE * parent + CHILDREN]
        for child in range(first, first + tree[NODE * parent + COUNT]):
            if tree[NODE * child + PROVED] != LOST and not tree[NODE * child + BARRED]:
                return
        tree[NODE * parent + PROVED] = WON


@njit("void(int32[::1], int32[::1], int32[:, ::1], int32[::1])", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def _prove_root(state: BoardArray, tree: TreeArray, boards: BoardStack, memory: MemoryArray) -> None:
    """Search for a forced win of the player to move at the root, and mark it in the tree if there is one."""
    tree[NODE + PROVED] = 0
    if not state[READS]:
        return
    copy(state, boards[0])
    if not wins(boards, 0, memory, _ROOT_READING_LIMIT):
        return
    first = tree[NODE + CHILDREN]
    for child in range(first, first + tree[NODE + COUNT]):
        if tree[NODE * child + MOVE] == memory[FOUND]:
            tree[NODE * child + PROVED] = WON
            tree[NODE * child + VISITS] += 1
            tree[NODE * child + WINS] += 2
            tree[NODE + PROVED] = LOST


@njit(  # type: ignore[untyped-decorator,unused-ignore]
    "int64(int32[::1], int32[::1], int32[::1], int64[::1], int64, int16[::1], int32[:, ::1], int32[::1])",
    nogil=True,
    cache=True,
)
def search(
    state: BoardArray,
    scratch: BoardArray,
    nodes: TreeArray,
    earlier_hashes: BoardHashes,
    most: Number,
    weights: FeatureWeights,
    boards: BoardStack,
    memory: MemoryArray,
) -> Number:
    """Run up to `most` playouts from the board `state`, on the board `scratch`, until state[STOP] is set; return their
    number.

    `nodes` is the tree: nodes[0] is the number of nodes, and the root is node 1. `earlier_hashes` holds the hashes of
    the earlier boards. `weights` are those of move_features.py.
    """
    state, board, tree = unowned(state), unowned(scratch), unowned(nodes)
    done = 0
    if tree[NODE + CHILDREN] == 0:
        expand(state, tree, 1, weights)
    _prove_root(state, tree, boards, memory)
    while done < most and state[STOP] == 0 and tree[NODE + PROVED] == 0:
        copy(state, board)
        board[PATH - 1] = board[TURN]
        board[PATH] = node = 1
        board[PATH_LENGTH] = length = 1
        played, known = 0, earlier_hashes[0]
        found = UNDECIDED
        while True:
            if tree[NODE * node + CHILDREN] == 0 and (
                tree[NODE * node + VISITS] < board[EXPAND_AT] or not expand(board, tree, node, weights)
            ):
                break
            child = _select(board, tree, node)
            if child == 0 or length >= _LONGEST_PATH:
                break
            cell = tree[NODE * child + MOVE]
            board[MOVES + played] = cell << 2 | board[TURN]
            played += 1
            play(board, cell)
            if board[KO_RULE] >= POSITIONAL and board[CAPTURES]:
                number, repeats = board_hash(board), False
                if cell != PASS:
                    for i in range(known):
                        repeats |= earlier_hashes[1 + i] == number
                if repeats:
                    tree[NODE * child + BARRED] = 1
                    length = 0
                    break
                earlier_hashes[1 + known] = number
                known += 1
            node = child
            board[PATH + length] = node
            length += 1
            found = result(board)
            if board[READS]:
                if found == UNDECIDED and tree[NODE * node + VISITS] == 0:
                    copy(board, boards[0])
                    if wins(boards, 0, memory, _NODE_READING_LIMIT):
                        tree[NODE * node + PROVED] = LOST
                elif found in (0, 2):
                    tree[NODE * node + PROVED] = LOST if (found == 2) == (board[TURN] == BLACK) else WON
                if tree[NODE * node + PROVED]:
                    found = 2 if (tree[NODE * node + PROVED] == LOST) == (board[TURN] == BLACK) else 0
                    _back_up_proof(board, tree, length)
            if found != UNDECIDED:
                break
        done += 1
        if length == 0:
            continue
        board[PATH_LENGTH], board[PLAYED] = length, played
        if found == UNDECIDED:
            found = run_playout(board)
        _add_result(board, tree, found, state[SEARCHED] + done)
    state[SEARCHED] += done
    return done


@njit("void(int32[::1], int32[::1], int64)", nogil=True, cache=True)  # type: ignore[untyped-decorator,unused-ignore]
def copy_subtree(tree: TreeArray, spare: TreeArray, node: Number) -> None:
    """Copy the part of the tree below `node` to the array `spare`, with `node` as the root."""
    for i in range(NODE):
        spare[NODE + i] = tree[NODE * node + i]
    free, at = 2, 1
    while at < free:
        record = NODE * at
        first, count = spare[record + CHILDREN], spare[record + COUNT]
        if count:
            spare[record + CHILDREN] = free
            for i in range(NODE * count):
                spare[NODE * free + i] = tree[NODE * first + i]
            free += count
        at += 1
    spare[0] = free
