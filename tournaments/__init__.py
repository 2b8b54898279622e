"""Who is better, and how sure that is: what is played, by whom, when, and what came of it."""
