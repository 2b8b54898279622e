"""The analysis board, and the processes that search for it and for reviews."""
