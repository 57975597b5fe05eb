"""The modules beside the tests are scripts: they import each other by plain names, as Python runs them."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
