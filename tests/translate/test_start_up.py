"""What is loaded to translate a line: little, or the first word comes late."""

import subprocess
import sys
from typing import get_args, get_type_hints

from tolka.align.aligner import FILES
from tolka.combine import make_ensemble
from tolka.reorder import AnalyserKind
from tolka.translate.bundle import ALIGNER_FILES
from tolka.translate.description import Reorder

# Libraries and rooms that plain translation has no use for, each of which takes longer to load than a line to translate.
HEAVY = (
    "numpy", "scipy", "sacrebleu", "jax", "pydantic", "typer", "click", "rich", "fastapi",
    "tolka.reorder", "tolka.syntax", "tolka.train", "tolka.evaluate", "tolka.align", "tolka.pipeline", "tolka.judge",
    "tolka.tune.loop", "tolka.corpus.synthetic", "tolka.forest.drawing", "tolka.grammar.suffix", "tolka.lm.trainer",
)  # fmt: skip

CHECK = """
import atexit, sys
sys.argv = ["tolka", *sys.argv[1:]]
atexit.register(lambda: print("\\n".join(sys.modules), file=sys.stderr))
from tolka.cli.start import main
main()
"""


def loaded(*arguments, text=""):
    """What a command prints, and which modules it loaded."""
    run = [sys.executable, "-c", CHECK, *map(str, arguments)]
    done = subprocess.run(run, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout, set(done.stderr.split())


def test_a_line_is_translated_with_what_it_takes(models, bitext):
    source = bitext[1][0][0]
    told = {}
    for name in ("hiero", "phrase"):
        told[name], modules = loaded("translate", models[name], "-q", text=f"{source}\n")
        assert not modules & set(HEAVY)
        assert "tolka.translate" in modules
    # Options take Typer, and no other commands; what is printed is the same.
    out, modules = loaded("translate", models["phrase"], "--quiet", "--threads", "1", text=f"{source}\n")
    assert out == told["phrase"]
    assert not modules & {
        "scipy",
        "sacrebleu",
        "jax",
        "tolka.reorder",
        "tolka.train",
        "tolka.cli.judge",
        "tolka.cli.run",
    }
    assert "typer" in modules


def test_an_ensemble_takes_little_more_and_others_nothing_of_it(models, bitext, tmp_path):
    make_ensemble([models["hiero"], models["phrase"]], tmp_path / "both")
    own = "tolka.translate.ensemble"
    text = f"{bitext[1][0][0]}\n"
    out, modules = loaded("translate", tmp_path / "both", "-q", text=text)
    assert out.strip()
    assert own in modules
    assert not modules & {*HEAVY, "tolka.combine"}
    _, modules = loaded("translate", models["hiero"], "-q", text=text)
    assert not [name for name in modules if name.startswith((own, "tolka.combine"))]


def test_the_version_takes_nothing():
    out, modules = loaded("--version")
    assert out.startswith("tolka ")
    assert not modules & {*HEAVY, "tolka.corpus", "tolka.translate", "dataclasses"}


def test_names_that_are_repeated_to_load_less():
    assert ALIGNER_FILES == FILES
    assert get_args(get_type_hints(Reorder)["analyser"]) == get_args(AnalyserKind)
