"""The command line's conventions: version, exit codes, one-sentence errors."""

import subprocess
import sys

import tolka


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "tolka", *arguments], capture_output=True, text=True, check=False)


def test_version():
    done = run("--version")
    assert done.returncode == 0
    assert done.stdout == f"tolka {tolka.__version__}\n"


def test_unknown_option_is_wrong_usage():
    done = run("--no-such-option")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
