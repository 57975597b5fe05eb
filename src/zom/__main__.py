"""`python -m zom`: the command without its installed script."""

from __future__ import annotations

import sys

from zom.cli.start import start

if __name__ == "__main__":
    sys.exit(start())
