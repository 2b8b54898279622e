"""Programs that each break the rules in one way, and the verdicts that the referee must give.

`cases.py` lists the expected verdicts; `runner.py` plays one case against an honest program. The modules that begin
with `_` are the programs themselves, and use the standard library alone.
"""
