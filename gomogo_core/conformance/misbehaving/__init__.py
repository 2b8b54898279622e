"""Programs that each misbehave in one way, and the verdicts that the referee must give.

The module cases.py lists the expected verdicts, and runner.py plays one case against honest programs. The modules whose
names begin with `_` are the programs themselves, and use only the standard library.
"""
