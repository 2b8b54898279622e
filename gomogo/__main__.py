"""The start of the `gomogo` command, also by `python -m gomogo` where the project is not installed.

Ctrl-C while the command is still imported ends it without a traceback.
"""

import os
import signal

INTERRUPTED = 3
_CATCH = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not where a shell started us in the background
if _CATCH:
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))

from gomogo.cli import main  # noqa: E402  (the handler comes first)

if _CATCH:
    signal.signal(signal.SIGINT, signal.default_int_handler)

if __name__ == "__main__":
    main()
