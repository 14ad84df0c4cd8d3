"""A save of an ensemble that is killed leaves the old one or the new one, with all the parts it holds."""

import json
import subprocess
import sys
from pathlib import Path


def test_killed_saves(parts, tmp_path):
    script = Path(__file__).with_name("kill_saves.py")
    models = [parts[name] for name in ("one", "two", "cased", "phrases")]
    done = subprocess.run(
        [sys.executable, script, tmp_path, "30", *models], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    # Guards against a test that kills nothing: some rounds saved something new, some died in the middle of it.
    assert report["seen"] > 1
    assert report["litter"] > 1
    assert report["died"] > 30
