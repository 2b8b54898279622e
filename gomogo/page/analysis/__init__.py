"""The analysis board, and the processes that search positions for it and for reviews."""
