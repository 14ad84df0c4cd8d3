"""`tolka judge`: rank systems by people's forced choices."""

import typer

from tolka.cli.judge.export import export
from tolka.cli.judge.rank import rank
from tolka.cli.judge.simulate import simulate

app = typer.Typer(name="judge", help="Rank systems by people's forced choices.", no_args_is_help=True)
app.command(no_args_is_help=True)(rank)
app.command(no_args_is_help=True)(simulate)
app.command(no_args_is_help=True)(export)
