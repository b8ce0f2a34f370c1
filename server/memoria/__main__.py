"""`python -m memoria` is the `memoria` command."""

from memoria.surface.front.main import run

run()
