"""`python -m tolka` is the `tolka` command."""

from tolka.cli.start import main

main()
