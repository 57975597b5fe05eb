"""Makes what is beside the tests importable to them: pytest's importlib mode adds no directory by itself."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
