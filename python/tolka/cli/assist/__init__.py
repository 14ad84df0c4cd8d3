"""`tolka assist`: people who know one language make parses and translations better."""

import typer

from tolka.cli.assist.export import export
from tolka.cli.assist.init import init
from tolka.cli.assist.invite import invite
from tolka.cli.assist.number import number
from tolka.cli.assist.report import report
from tolka.cli.assist.rewrite import rewrite
from tolka.cli.assist.serve import serve
from tolka.cli.assist.simulate import simulate
from tolka.cli.assist.status import status

app = typer.Typer(
    name="assist", help="Let people who know one language better parses and translations.", no_args_is_help=True
)
app.command(no_args_is_help=True)(init)
app.command(no_args_is_help=True)(serve)
app.command(no_args_is_help=True)(invite)
app.command(no_args_is_help=True)(status)
app.command(no_args_is_help=True)(report)
app.command(no_args_is_help=True)(export)
app.command(no_args_is_help=True)(simulate)
app.command(no_args_is_help=True)(rewrite)
app.command(no_args_is_help=True)(number)
