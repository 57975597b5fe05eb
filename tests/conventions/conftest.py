"""The modules beside the tests are imported by plain names, after all installed ones: a folder is called `xarray`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
