"""The page of trainings: start one, watch its curves, stop it, compare several."""
