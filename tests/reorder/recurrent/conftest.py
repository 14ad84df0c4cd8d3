"""Lets the tests of recurrent pre-orderers import their twin."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
