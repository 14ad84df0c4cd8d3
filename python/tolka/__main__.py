"""`python -m tolka` is the `tolka` command."""

from tolka.cli import main

main()
