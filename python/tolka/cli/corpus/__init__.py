"""`tolka corpus`: commands that look at, convert and prepare text."""

from __future__ import annotations

import typer

from tolka.cli.corpus.clean import clean
from tolka.cli.corpus.compounds import learn_compounds, split_compounds
from tolka.cli.corpus.convert import convert
from tolka.cli.corpus.split import split
from tolka.cli.corpus.stats import stats
from tolka.cli.corpus.synth import synth
from tolka.cli.corpus.truecase import learn_case, lowercase, recase, truecase

app = typer.Typer(name="corpus", help="Read, convert and prepare text.", no_args_is_help=True)


@app.callback()
def corpus() -> None:
    """Read, convert and prepare text."""


app.command()(convert)
app.command()(synth)
app.command()(clean)
app.command()(stats)
app.command()(split)
app.command()(learn_case)
app.command()(truecase)
app.command()(recase)
app.command()(lowercase)
app.command()(learn_compounds)
app.command()(split_compounds)
