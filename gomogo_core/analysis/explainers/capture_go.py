"""Explains moves of Capture Go as stones with liberties."""

from gomogo_core.analysis.explainers._stones import StonesExplainer

EXPLAINER = StonesExplainer()
