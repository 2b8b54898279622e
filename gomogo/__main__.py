"""The start of the `gomogo` command. `python -m gomogo` starts it from a clone that is not installed.

Ctrl-C during the imports ends the command without a traceback.
"""

import os
import signal

INTERRUPTED = 3
# a shell that starts a background job ignores SIGINT for it: leave that as it is
_CATCH = signal.getsignal(signal.SIGINT) is signal.default_int_handler
if _CATCH:
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))

from gomogo.cli import main  # noqa: E402  (the handler comes first)

if _CATCH:
    signal.signal(signal.SIGINT, signal.default_int_handler)

if __name__ == "__main__":
    main()
