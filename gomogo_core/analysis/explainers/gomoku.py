"""Explains moves of Gomoku by the rows that a stone makes, extends and stops."""

from gomogo_core.analysis.explainers._rows import RowExplainer
from gomogo_core.games.gomoku import GomokuPosition

EXPLAINER = RowExplainer[GomokuPosition]()
