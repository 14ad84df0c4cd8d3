"""A panic in the engine is an error like others: one sentence, nothing printed, and the process goes on."""

import subprocess
import sys
import threading

import pytest

from tolka import _engine
from tolka.errors import InternalError, TolkaError

# More numbers than there are addresses: to ask for so many is a panic deep in the standard library.
ASK = "_engine.rerank_matrix(1 << 31, 1 << 31, bound=1.0, density=1.0, seed=1, stream=1, norm=None, wanted=1.0)"


def _panic():
    return _engine.rerank_matrix(1 << 31, 1 << 31, bound=1.0, density=1.0, seed=1, stream=1, norm=None, wanted=1.0)


def test_a_panic_is_one_of_our_errors(capfd):
    with pytest.raises(
        InternalError, match=r"^internal error at .*\.rs:\d+: capacity overflow; .*please report it"
    ) as got:
        _panic()
    assert isinstance(got.value, TolkaError)
    assert got.value.exit_code == 1
    assert "\n" not in str(got.value)
    assert capfd.readouterr() == ("", "")


def test_threads_panic_apart():
    caught = []

    def work():
        for _ in range(20):
            try:
                _panic()
            except InternalError as error:
                caught.append(str(error))

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(caught) == 80
    assert all("capacity overflow" in sentence for sentence in caught)


def test_the_command_line_says_it_in_one_sentence():
    code = f"from tolka import _engine; from tolka.cli import start; start._run = lambda arguments: {ASK}; start.main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("tolka: internal error at ")
    assert done.stderr.count("\n") == 1
