"""Monte Carlo tree search with RAVE and priors, on the compiled board.

The module uses the board, the priors and the playouts. The tree is one array of nodes, in which the children of a node
are adjacent. RAVE: S. Gelly and D. Silver, Monte-Carlo tree search and rapid action value estimation in computer Go
(2011).
"""

from __future__ import annotations

from numba import njit

from gomogo_core.engines.clock import check_clock

from gomogo_core.engines.go.array_layout import (  # isort: skip
    BLACK, CAPTURES_ALLOWED, CHILD_COUNT, COLUMNS, EMPTY_CELLS_START, EMPTY_COUNT, EVEN_LEAD, EXPANSION_VISITS,
    FIRST_CHILD, FIRST_PLAYERS_START, GAME_KIND, GO, KO_RULE, LOST, MOVE, MOVE_END_COUNTS_START, MOVE_END_LEADS_START,
    NODE_SIZE, PASS, PASSING_ALLOWED, PATH_LENGTH, PLAYOUT_COUNT, PLAYOUT_MOVE_COUNT, PLAYOUT_MOVES_START,
    POINTS_PERCENT, POSITIONAL_SUPERKO, PRIOR_VISITS, PRIOR_WINS, PROVED_RESULT, RAVE_PERCENT, RAVE_REWARDS,
    RAVE_VISITS, READS_FORCED_WINS, REPEATS_BOARD, REWARD_UNIT, REWARDS, ROBOGO, ROWS, SCORING, SHARING_COUNT,
    SHARING_NODES_START, STONE_SCORING, STOP_FLAG, TREE_PATH_START, TURN, VISITS, WINS, WON, BoardArray, BoardHashes,
    BoardStack, Boolean, Cell, EndSums, FeatureWeights, ForcedWinMemory, Int64, TreeArray,
)  # fmt: skip
from gomogo_core.engines.array_views import uncounted_view
from gomogo_core.engines.go.board import (
    UNDECIDED,
    board_hash,
    copy_board,
    doubled_lead,
    game_result,
    is_eye,
    is_legal,
    play,
)
from gomogo_core.engines.go.first_moves import is_usual_first_move, may_be_beginning
from gomogo_core.engines.go.forced_wins import WINNING_MOVE, has_forced_win
from gomogo_core.engines.go.playouts import add_end, run_playout
from gomogo_core.engines.go.priors import set_priors

# the number of visits at which RAVE and the node's own results have about the same weight
RAVE_EQUIVALENCE, RAVE_EQUIVALENCE_IN_GO = 3000.0, 8000.0
_MAX_PATH_LENGTH = 300
# the largest number of positions that one search for a forced win visits, at a new node and at the root
_NODE_READING_LIMIT, _ROOT_READING_LIMIT = 30, 20_000
_SHARE_DIVISOR = 20  # each of the moves that share playouts gets at least one in this number


@njit("void(int32[::1], int64, int64)", nogil=True, cache=True)
def _init_node(tree: TreeArray, node: Int64, move: Cell) -> None:
    """Initialise a node for a move."""
    for i in range(NODE_SIZE):
        tree[NODE_SIZE * node + i] = 0
    tree[NODE_SIZE * node + MOVE] = move


@njit("boolean(int32[::1], int32[::1], int64, int16[::1], int32[:, ::1], int32[::1])", nogil=True, cache=True)
def expand(
    board: BoardArray,
    tree: TreeArray,
    node: Int64,
    weights: FeatureWeights,
    boards: BoardStack,
    memory: ForcedWinMemory,
) -> Boolean:
    """Give a leaf its children: legal moves that fill no own eye, and the pass. Return whether the tree had room.

    At the beginning of a game of Go, the children are the usual first moves (first_moves.py) if there are any. If only
    stones count, moves into own eyes are children too. `weights`, `boards` and `memory` are for `set_priors`.
    """
    next_free, record = tree[0], NODE_SIZE * node
    if NODE_SIZE * (next_free + board[EMPTY_COUNT] + 2) > len(tree):
        return False
    child = next_free
    if may_be_beginning(board):
        for i in range(board[EMPTY_COUNT]):
            if is_usual_first_move(board, board[EMPTY_CELLS_START + i]):
                _init_node(tree, child, board[EMPTY_CELLS_START + i])
                child += 1
    has_usual_moves = child > next_free
    for includes_own_eyes in range(0 if has_usual_moves else 2):
        for i in range(board[EMPTY_COUNT]):
            cell = board[EMPTY_CELLS_START + i]
            spares_eyes = not includes_own_eyes and board[GAME_KIND] != ROBOGO and board[SCORING] != STONE_SCORING
            if spares_eyes and is_eye(board, cell, board[TURN]):
                continue
            if is_legal(board, cell):
                _init_node(tree, child, cell)
                child += 1
        if child > next_free or board[PASSING_ALLOWED]:
            break  # fill own eyes only if no other move is legal
    if board[PASSING_ALLOWED] and not has_usual_moves:
        _init_node(tree, child, PASS)
        child += 1
    if child == next_free:
        return False
    set_priors(board, tree, next_free, child, weights, boards, memory)
    tree[record + FIRST_CHILD] = next_free
    tree[record + CHILD_COUNT] = child - next_free
    tree[0] = child
    return True


@njit("int64(int32[::1], int32[::1], int64)", nogil=True, cache=True)
def _select_child(board: BoardArray, tree: TreeArray, node: Int64) -> Int64:
    """Return the child with the best weighted mean of results; 0 if each child repeats a board or certainly loses."""
    first_child, count = tree[NODE_SIZE * node + FIRST_CHILD], tree[NODE_SIZE * node + CHILD_COUNT]
    best_child, highest_value = 0, -1.0
    full_equivalence = RAVE_EQUIVALENCE_IN_GO if board[GAME_KIND] == GO else RAVE_EQUIVALENCE
    rave_equivalence = full_equivalence * board[RAVE_PERCENT] / 100
    for child in range(first_child, first_child + count):
        record = NODE_SIZE * child
        if tree[record + REPEATS_BOARD] or tree[record + PROVED_RESULT] == LOST:
            continue
        if tree[record + PROVED_RESULT] == WON:
            return child
        visits = tree[record + VISITS] + tree[record + PRIOR_VISITS]
        value = (tree[record + REWARDS] / REWARD_UNIT + tree[record + PRIOR_WINS]) / (2.0 * visits)
        rave_visits = tree[record + RAVE_VISITS]
        if rave_visits:
            rave_weight = rave_visits / (rave_visits + visits + visits * rave_visits / rave_equivalence)
            value += rave_weight * (tree[record + RAVE_REWARDS] / (2.0 * REWARD_UNIT * rave_visits) - value)
        if value > highest_value:
            best_child, highest_value = child, value
    return best_child


@njit("int64(int32[::1], int32[::1])", nogil=True, cache=True)
def _child_below_minimum_share(state: BoardArray, tree: TreeArray) -> Int64:
    """Return a child of the root that lacks playouts for its minimum share, or 0 if there is none."""
    for i in range(state[SHARING_COUNT]):
        child = state[SHARING_NODES_START + i]
        record = NODE_SIZE * child
        if tree[record + REPEATS_BOARD] or tree[record + PROVED_RESULT]:
            continue
        if _SHARE_DIVISOR * tree[record + VISITS] <= tree[NODE_SIZE + VISITS]:
            return child
    return 0


@njit("int64(int32[::1], int64, int64)", nogil=True, cache=True)
def _reward(state: BoardArray, result: Int64, lead: Int64) -> Int64:
    """Return black's reward for a playout of Go, from 0 to 2 · REWARD_UNIT. lead: black's lead in half points.

    The points count for a part of it, so that they decide if all moves win or lose. This part grows evenly with the
    lead, from EVEN_LEAD less half of the board to EVEN_LEAD and half of the board. The idea is that of KataGo's utility
    of the score (D. Wu, Accelerating Self-Play Learning in Go, 2019).
    """
    area = state[ROWS] * state[COLUMNS]
    points_reward = min(max(lead - state[EVEN_LEAD], -area), area) / area + 1
    share = state[POINTS_PERCENT] / 100
    return int(REWARD_UNIT * ((1 - share) * result + share * points_reward) + 0.5)


@njit("void(int32[::1], int32[::1], int64, int64, int64)", nogil=True, cache=True)
def _back_up_result(board: BoardArray, tree: TreeArray, result: Int64, reward: Int64, playout: Int64) -> None:
    """Add a result to the nodes of the path, and its reward for black also to the RAVE statistics of their children."""
    length, move_count = board[PATH_LENGTH], board[PLAYOUT_MOVE_COUNT]
    mark = (playout & 0x0FFFFFFF) << 2
    move_index = move_count - 1
    for depth in range(length - 1, -1, -1):
        while move_index >= depth:  # in this backward order, the first player on a cell is entered last, and so remains
            packed_move = board[PLAYOUT_MOVES_START + move_index]
            board[FIRST_PLAYERS_START + (packed_move >> 2)] = mark | packed_move & 3
            move_index -= 1
        node = board[TREE_PATH_START + depth]
        mover = 3 - (board[PLAYOUT_MOVES_START + depth - 1] & 3) if depth else board[TREE_PATH_START - 1]
        mover_reward = reward if mover == BLACK else 2 * REWARD_UNIT - reward
        tree[NODE_SIZE * node + VISITS] += 1
        # a node counts the results of the player whose move led to it
        tree[NODE_SIZE * node + WINS] += 2 - result if mover == BLACK else result
        tree[NODE_SIZE * node + REWARDS] += 2 * REWARD_UNIT - mover_reward
        first_child = tree[NODE_SIZE * node + FIRST_CHILD]
        for child in range(first_child, first_child + tree[NODE_SIZE * node + CHILD_COUNT]):
            record = NODE_SIZE * child
            if tree[record + MOVE] != PASS and board[FIRST_PLAYERS_START + tree[record + MOVE]] == mark | mover:
                tree[record + RAVE_VISITS] += 1
                tree[record + RAVE_REWARDS] += mover_reward


@njit("void(int32[::1], int32[::1], int64)", nogil=True, cache=True)
def _back_up_proof(board: BoardArray, tree: TreeArray, length: Int64) -> None:
    """Back up the proved result of the last node of the path towards the root, as in MCTS-Solver."""
    for depth in range(length - 1, 0, -1):
        parent = board[TREE_PATH_START + depth - 1]
        if tree[NODE_SIZE * board[TREE_PATH_START + depth] + PROVED_RESULT] == WON:
            tree[NODE_SIZE * parent + PROVED_RESULT] = LOST
            continue
        first_child = tree[NODE_SIZE * parent + FIRST_CHILD]
        for child in range(first_child, first_child + tree[NODE_SIZE * parent + CHILD_COUNT]):
            if tree[NODE_SIZE * child + PROVED_RESULT] != LOST and not tree[NODE_SIZE * child + REPEATS_BOARD]:
                return
        tree[NODE_SIZE * parent + PROVED_RESULT] = WON


@njit("void(int32[::1], int32[::1], int32[:, ::1], int32[::1])", nogil=True, cache=True)
def _prove_root(state: BoardArray, tree: TreeArray, boards: BoardStack, memory: ForcedWinMemory) -> None:
    """Search for a forced win of the player to move at the root, and mark it in the tree if there is one."""
    tree[NODE_SIZE + PROVED_RESULT] = 0
    if not state[READS_FORCED_WINS]:
        return
    copy_board(state, boards[0])
    if not has_forced_win(boards, 0, memory, _ROOT_READING_LIMIT):
        return
    first_child = tree[NODE_SIZE + FIRST_CHILD]
    for child in range(first_child, first_child + tree[NODE_SIZE + CHILD_COUNT]):
        if tree[NODE_SIZE * child + MOVE] == memory[WINNING_MOVE]:
            tree[NODE_SIZE * child + PROVED_RESULT] = WON
            tree[NODE_SIZE * child + VISITS] += 1
            tree[NODE_SIZE * child + WINS] += 2
            tree[NODE_SIZE * child + REWARDS] += 2 * REWARD_UNIT
            tree[NODE_SIZE + PROVED_RESULT] = LOST


@njit(
    "int64(int32[::1], int32[::1], int32[::1], int64[::1], int64, int16[::1], int32[:, ::1], int32[::1], int64[::1])",
    nogil=True,
    cache=True,
)
def search(
    state: BoardArray,
    playout_board: BoardArray,
    tree_array: TreeArray,
    earlier_hashes: BoardHashes,
    max_playouts: Int64,
    weights: FeatureWeights,
    boards: BoardStack,
    memory: ForcedWinMemory,
    end_sums: EndSums,
) -> Int64:
    """Run up to `max_playouts` playouts from the board `state` until state[STOP_FLAG] is set; return their number.

    `tree_array` is the tree: its first number is the number of nodes, and the root is node 1. `earlier_hashes` holds
    the hashes of the earlier boards. `weights` are those of move_features.py. In Go, the ends of the playouts are added
    to `end_sums`; a game that ends within the tree is not added, because dead stones may be left on its board.

    Up to half of the playouts begin with children of the root that share the playouts (at SHARING_NODES_START), and
    that lack playouts for their minimum share.
    """
    state, board, tree = uncounted_view(state), uncounted_view(playout_board), uncounted_view(tree_array)
    playout_count = 0
    if tree[NODE_SIZE + FIRST_CHILD] == 0:
        expand(state, tree, 1, weights, boards, memory)
    _prove_root(state, tree, boards, memory)
    while playout_count < max_playouts and state[STOP_FLAG] == 0 and tree[NODE_SIZE + PROVED_RESULT] == 0:
        check_clock(state, STOP_FLAG)
        copy_board(state, board)
        board[TREE_PATH_START - 1] = board[TURN]
        board[TREE_PATH_START] = node = 1
        board[PATH_LENGTH] = length = 1
        move_count, hash_count = 0, earlier_hashes[0]
        result = UNDECIDED
        sharing_child = _child_below_minimum_share(state, tree) if state[PLAYOUT_COUNT] + playout_count & 1 else 0
        while True:
            if tree[NODE_SIZE * node + FIRST_CHILD] == 0 and (
                tree[NODE_SIZE * node + VISITS] < board[EXPANSION_VISITS]
                or not expand(board, tree, node, weights, boards, memory)
            ):
                break
            child = sharing_child if node == 1 and sharing_child else _select_child(board, tree, node)
            if child == 0 or length >= _MAX_PATH_LENGTH:
                break
            cell = tree[NODE_SIZE * child + MOVE]
            board[PLAYOUT_MOVES_START + move_count] = cell << 2 | board[TURN]
            move_count += 1
            play(board, cell)
            if board[KO_RULE] >= POSITIONAL_SUPERKO and board[CAPTURES_ALLOWED]:
                hash_value, is_repeated = board_hash(board), False
                if cell != PASS:
                    for i in range(hash_count):
                        is_repeated |= earlier_hashes[1 + i] == hash_value
                if is_repeated:
                    tree[NODE_SIZE * child + REPEATS_BOARD] = 1
                    length = 0
                    break
                earlier_hashes[1 + hash_count] = hash_value
                hash_count += 1
            node = child
            board[TREE_PATH_START + length] = node
            length += 1
            result = game_result(board)
            if board[READS_FORCED_WINS]:
                if result == UNDECIDED and tree[NODE_SIZE * node + VISITS] == 0:
                    copy_board(board, boards[0])
                    if has_forced_win(boards, 0, memory, _NODE_READING_LIMIT):
                        tree[NODE_SIZE * node + PROVED_RESULT] = LOST
                elif result in (0, 2):
                    tree[NODE_SIZE * node + PROVED_RESULT] = LOST if (result == 2) == (board[TURN] == BLACK) else WON
                if tree[NODE_SIZE * node + PROVED_RESULT]:
                    result = 2 if (tree[NODE_SIZE * node + PROVED_RESULT] == LOST) == (board[TURN] == BLACK) else 0
                    _back_up_proof(board, tree, length)
            if result != UNDECIDED:
                break
        playout_count += 1
        if length == 0:
            continue
        board[PATH_LENGTH], board[PLAYOUT_MOVE_COUNT] = length, move_count
        is_playout = result == UNDECIDED
        if is_playout:
            result = run_playout(board)
        reward = REWARD_UNIT * result
        if board[GAME_KIND] == GO:
            if is_playout:
                lead = doubled_lead(board) if sharing_child else add_end(board, end_sums)
                if move_count:
                    end_sums[MOVE_END_COUNTS_START + (board[PLAYOUT_MOVES_START] >> 2)] += 1
                    end_sums[MOVE_END_LEADS_START + (board[PLAYOUT_MOVES_START] >> 2)] += lead
            else:
                lead = doubled_lead(board)
            if state[POINTS_PERCENT]:
                reward = _reward(state, result, lead)
        _back_up_result(board, tree, result, reward, state[PLAYOUT_COUNT] + playout_count)
    state[PLAYOUT_COUNT] += playout_count
    return playout_count


@njit("void(int32[::1], int32[::1], int64)", nogil=True, cache=True)
def copy_subtree(tree: TreeArray, spare: TreeArray, node: Int64) -> None:
    """Copy the part of the tree below `node` to the array `spare`, with `node` as the root."""
    for i in range(NODE_SIZE):
        spare[NODE_SIZE + i] = tree[NODE_SIZE * node + i]
    next_free, copied_node = 2, 1
    while copied_node < next_free:
        record = NODE_SIZE * copied_node
        first_child, count = spare[record + FIRST_CHILD], spare[record + CHILD_COUNT]
        if count:
            spare[record + FIRST_CHILD] = next_free
            for i in range(NODE_SIZE * count):
                spare[NODE_SIZE * next_free + i] = tree[NODE_SIZE * first_child + i]
            next_free += count
        copied_node += 1
    spare[0] = next_free
