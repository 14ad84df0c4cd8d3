"""Lets the tests of this room import their twin and their made-up lists."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
