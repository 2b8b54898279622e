"""Starts the `gomogo` command. In a clone that is not installed, it is started by `python -m gomogo`.

Ctrl-C during the imports ends the command without a traceback.
"""

import os
import signal

EXIT_INTERRUPTED = 3
# a shell starts a background job with SIGINT ignored, which must remain so
_INTERRUPTIBLE = signal.getsignal(signal.SIGINT) is signal.default_int_handler
if _INTERRUPTIBLE:
    signal.signal(signal.SIGINT, lambda *_: os._exit(EXIT_INTERRUPTED))

from gomogo.cli import main  # noqa: E402  (the handler must be set before the imports)

if _INTERRUPTIBLE:
    signal.signal(signal.SIGINT, signal.default_int_handler)

if __name__ == "__main__":
    main()
