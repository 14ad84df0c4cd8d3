"""The command line with the readings of the tests as a task, for servers that are processes of their own."""

from tolka.assist.tasks import register
from tolka.cli.main import app

register("readings", "tests.assist.readings:ReadingTask")

if __name__ == "__main__":
    app()
