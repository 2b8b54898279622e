"""Estimates of a win chance from a few playouts, for all engines that count playouts."""

_ADDED_PLAYOUTS = 4  # half of them won


def estimate_win_share(win_share: float, playouts: float) -> float:
    """Return the estimated share of wins of a player, from the share of this number of playouts that the player won.

    Two wins and two losses are added to the playouts, so a few of them are no certainty, and none are an even chance
    (A. Agresti and B. Coull, Approximate Is Better than "Exact" for Interval Estimation of Binomial Proportions, 1998).
    """
    return (win_share * playouts + _ADDED_PLAYOUTS / 2) / (playouts + _ADDED_PLAYOUTS)
