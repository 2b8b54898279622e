"""Reading of life: a search that tells whether a surrounded chain can be killed, and by which moves.

The search plays only on the few points around which the chain stands, its eye space and its other liberties. So the
search finds the effect of the shape of an eye space, also in the corner and with opposing stones in it. For example,
the middle one of three points decides, and four points in a row are alive. A chain also lives if nobody can capture the
other (seki). If a position repeats, the player who has to prove life or death has failed.
"""

from __future__ import annotations

from collections.abc import Iterator

from gomogo_core.games.stones.board import BLACK, WHITE, StoneBoard
from gomogo_core.search.go.reading import ko_mask_after

_MAX_POINTS = 7  # the largest number of points on which the search plays
_MAX_NODES, _MAX_PLIES = 4000, 24
_MIN_STONES = 3  # smaller chains are hardly worth a reading


class _OutOfNodes(Exception):
    """The search has used up its nodes."""


def unsettled_chains(
    board: StoneBoard, colour: int, ko_mask: int, mover: int
) -> Iterator[tuple[int, list[int], list[int]]]:
    """Yield each surrounded chain of `colour` that lives if its owner moves first, and dies if the opponent moves
    first; the largest chain comes first.

    For each chain, yields the index of one of its points, the points where the opponent kills the chain, and the points
    where its owner saves it. `ko_mask` is the mask of the points that ko forbids to `mover`.
    """
    chains = sorted(board.chains_of(board.stone_mask(colour)), key=lambda chain: -chain[0].bit_count())
    for stones, liberties, places in chains:
        area = _area_around(board, colour, liberties) if stones.bit_count() >= _MIN_STONES else 0
        if not area:
            continue
        try:
            attacks, defences = (
                [
                    point
                    for point in board.bit_geometry.point_indices_in(area & board.empty_mask)
                    if not (seat == mover and ko_mask >> point & 1)
                    and _LifeReading(places[0], colour, area, proves_death=seat != colour).proves(board, seat, point)
                ]
                for seat in (BLACK + WHITE - colour, colour)
            )
        except _OutOfNodes:
            continue
        if attacks and defences:
            yield places[0], attacks, defences


def _area_around(board: StoneBoard, colour: int, liberties: int) -> int:
    """Return the mask of the points on which the life of a chain depends; 0 if there are too many of them.

    These are the regions without stones of `colour` that contain its liberties. A large region has only few empty
    points around the chain's liberties; otherwise the chain could escape there, and the result is 0.
    """
    geometry, area = board.bit_geometry, 0
    for region in geometry.groups(geometry.full_mask & ~board.stone_mask(colour)):
        if not region & liberties:
            continue
        if region.bit_count() > _MAX_POINTS:
            region = sum(empty for empty in geometry.groups(region & board.empty_mask) if empty & liberties)
        area |= region
    return area if area.bit_count() <= _MAX_POINTS else 0


class _LifeReading:
    """A search for the death of a chain of `colour` with a stone on `place`; it plays on the points of `area`.

    proves_death: true to prove the chain's death, false to prove its life.
    """

    def __init__(self, place: int, colour: int, area: int, *, proves_death: bool) -> None:
        self.place, self.colour, self.area, self.proves_death = place, colour, area, proves_death
        self.results: dict[tuple[int, int, int, int], bool] = {}
        self.nodes = 0

    def proves(self, board: StoneBoard, mover: int, point: int) -> bool:
        """Return whether a stone of `mover` on a point proves the death of the chain, or its life if `proves_death` is
        false.
        """
        after = board.place_stone(mover, point)
        if after.self_captured_mask:
            return False
        return self._chain_dies(after, BLACK + WHITE - mover, ko_mask_after(after, point), 0, 0) == self.proves_death

    def _chain_dies(self, board: StoneBoard, mover: int, ko_mask: int, passes: int, ply: int) -> bool:
        if board.colour(self.place) != self.colour:
            return True
        if passes == 2 or board.chain(self.place)[1] & ~self.area:  # it has captured stones around it
            return False
        if ply == _MAX_PLIES:
            return not self.proves_death
        key = (board.key, mover, ko_mask, passes)
        if (known := self.results.get(key)) is not None:
            return known
        self.nodes += 1
        if self.nodes > _MAX_NODES:
            raise _OutOfNodes
        self.results[key] = not self.proves_death  # until the search returns: the value of a repetition
        is_attacker = mover != self.colour
        result = not is_attacker
        for point in board.bit_geometry.point_indices_in(self.area & board.empty_mask & ~ko_mask):
            after = board.place_stone(mover, point)
            if after.self_captured_mask:
                continue
            if self._chain_dies(after, BLACK + WHITE - mover, ko_mask_after(after, point), 0, ply + 1) == is_attacker:
                result = is_attacker
                break
        else:
            result = self._chain_dies(board, BLACK + WHITE - mover, 0, passes + 1, ply + 1)
        self.results[key] = result
        return result
