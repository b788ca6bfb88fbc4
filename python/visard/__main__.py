"""The command `visard`, as the package brings it: what `visard` and `python -m visard` run."""

from __future__ import annotations

import signal
import sys

from . import _visard


def main() -> int:
    """Runs the command on the words of this process's line and returns its exit code."""
    # Ctrl-C ends it at once, as it ends the command: Python would wait for the end of the study.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _visard.main(["visard", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
