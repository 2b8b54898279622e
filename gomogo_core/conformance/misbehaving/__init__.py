"""Programs that misbehave, each in one way, and what the referee must make of it.

`cases.py` says what is expected of the referee, `stage.py` plays one against an honest program; the modules that begin
with `_` are the programs themselves, and run on the standard library alone.
"""
