"""Explains moves of Capture Go as stones with liberties."""

from gomogo_core.analysis.explainers._stones import StonesExplainer
from gomogo_core.games.capture_go import CaptureGoPosition

EXPLAINER = StonesExplainer[CaptureGoPosition]()
