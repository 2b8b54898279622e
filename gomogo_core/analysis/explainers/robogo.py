"""Explains moves of Robogo as stones with liberties."""

from gomogo_core.analysis.explainers._stones import StonesExplainer
from gomogo_core.games.robogo import RobogoPosition

EXPLAINER = StonesExplainer[RobogoPosition]()
