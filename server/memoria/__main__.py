"""`python -m memoria` is the `memoria` command."""

from memoria.surface.cli.main import run

run()
