"""`tolka judge`: rank systems by people's forced choices."""

import typer

from tolka.cli.judge import experiment, turk
from tolka.cli.judge.ask_program import ask_program
from tolka.cli.judge.bank import show_items
from tolka.cli.judge.export import export
from tolka.cli.judge.extend import extend
from tolka.cli.judge.import_ import import_
from tolka.cli.judge.init import init
from tolka.cli.judge.invite import invite
from tolka.cli.judge.leave_out import leave_out
from tolka.cli.judge.rank import rank
from tolka.cli.judge.report import report
from tolka.cli.judge.salvage import salvage
from tolka.cli.judge.serve import serve
from tolka.cli.judge.set_ import set_
from tolka.cli.judge.simulate import simulate
from tolka.cli.judge.status import status
from tolka.cli.judge.table import table

app = typer.Typer(name="judge", help="Rank systems by people's forced choices.", no_args_is_help=True)
app.command(no_args_is_help=True)(init)
app.command(no_args_is_help=True)(extend)
app.command("set", no_args_is_help=True)(set_)
app.command(no_args_is_help=True)(serve)
app.command(no_args_is_help=True)(invite)
app.command("leave-out", no_args_is_help=True)(leave_out)
app.command("ask-program", no_args_is_help=True)(ask_program)
app.command("import", no_args_is_help=True)(import_)
app.command(no_args_is_help=True)(status)
app.command(no_args_is_help=True)(rank)
app.command(no_args_is_help=True)(report)
app.command(no_args_is_help=True)(table)
app.command(no_args_is_help=True)(simulate)
app.command(no_args_is_help=True)(export)
app.command(no_args_is_help=True)(salvage)
app.command("test-items")(show_items)
app.add_typer(turk.app)
app.add_typer(experiment.app)
