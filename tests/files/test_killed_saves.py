"""A save that is killed leaves the old model or the new one, and nothing that the next save does not remove."""

import json
import subprocess
import sys
from pathlib import Path


def test_killed_saves(tmp_path):
    script = Path(__file__).with_name("kill_saves.py")
    done = subprocess.run(
        [sys.executable, script, tmp_path, "60"], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    # Guards against a test that kills nothing: some rounds saved something new, some died in the middle of it.
    assert report["seen"] > 1
    assert report["litter"] > 1
    assert report["first"] > 8
    assert report["again"] > 8
