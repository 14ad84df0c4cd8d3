"""`tolka judge`: rank systems by people's forced choices."""

import typer

app = typer.Typer(name="judge", help="Rank systems by people's forced choices.", no_args_is_help=True)
