"""The page of trainings, on which a user starts and stops trainings and compares their curves."""
