"""Run a command and write what its process took: `python -S spent.py FILE COMMAND...`.

A program of its own because the peak of a process begins with that of whoever started it (Linux), and a benchmark holds texts.
"""

import json
import os
import signal
import sys
import time

MEGABYTE = 1 << 20


def main() -> None:
    path, *command = sys.argv[1:]
    begin = time.perf_counter()
    # Whoever interrupts both wants to see what the command does about it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    child = os.posix_spawn(command[0], command, os.environ, setsigdef=[signal.SIGINT])
    signal.signal(signal.SIGTERM, lambda *_: os.kill(child, signal.SIGTERM))
    _, status, used = os.wait4(child, 0)
    spent = {
        "seconds": round(time.perf_counter() - begin, 2),
        "cpu_seconds": round(used.ru_utime + used.ru_stime, 2),
        # Linux counts kilobytes, macOS bytes.
        "peak_megabytes": round(used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / MEGABYTE, 1),
    }
    with open(path, "w", encoding="utf-8") as out:  # noqa: PTH123 - pathlib is as large as the rest
        json.dump(spent, out)
    code = os.waitstatus_to_exitcode(status)
    sys.exit(code if code >= 0 else 128 - code)


if __name__ == "__main__":
    main()
