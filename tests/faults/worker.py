"""Tries all faults on the operations whose names it reads; writes a line of JSON for each.

The shim is loaded into this process, and zom is imported once.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from operations import OPERATIONS
from shim import Shim
from trials import Trials


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int)
    parser.add_argument("--early", type=int)
    parser.add_argument("--signals", type=int)
    parser.add_argument("--turn", type=int, default=0)
    parser.add_argument("--faults", type=lambda text: text.split(","))
    options = vars(parser.parse_args())
    memory = Path("/dev/shm")  # faster than a disk, where there is one
    base = memory if os.access(memory, os.W_OK) else None
    shim = Shim()
    for line in sys.stdin:
        folder = Path(tempfile.mkdtemp(prefix="zom-faults-", dir=base)).resolve()
        try:
            made = Trials(OPERATIONS[line.strip()], shim, folder, **options).run()
        except Exception as error:
            made = {"operation": line.strip(), "broken": f"{type(error).__name__}: {error}"}
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        sys.stdout.write(json.dumps(made) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
