"""The console script: runs the front, the hook program or the command line."""

import sys

_OPTIONS = ("--home", "--tenant", "--workspace")
"""Options that may be before `serve`."""


def run() -> None:
    """Run the `memoria` command."""
    if sys.argv[1:2] == ["hook"]:  # from a plugin, which doesn't know the path of the hook program
        from memoria.surface.hook.main import run as run_hook

        run_hook(sys.argv[2:])
    given = read_serve(sys.argv[1:])
    if given is None:
        from memoria.surface.cli.main import run as run_command_line

        run_command_line()
    else:
        serve_or_say_why_not(**given)


def read_serve(words: list[str]) -> dict[str, str | None] | None:
    """Read the options before a plain `serve`; None for anything else that was typed."""
    given: dict[str, str | None] = {name.removeprefix("--"): None for name in _OPTIONS}
    left = iter(words)
    for word in left:
        name, equals, value = word.partition("=")
        if name not in _OPTIONS:
            return given if word == "serve" and next(left, None) is None else None
        given[name.removeprefix("--")] = value if equals else next(left, None)
    return None


def serve_or_say_why_not(home: str | None, tenant: str | None, workspace: str | None) -> None:
    """Serve; a known error becomes a sentence on standard error and exit code 1."""
    from memoria.surface.front.serve import serve

    try:
        serve(home, tenant, workspace)
    except Exception as error:
        from memoria.errors import MemoriaError
        from memoria.surface.cli.console import Exit, print_error

        if not isinstance(error, MemoriaError):
            raise
        print_error(error)
        sys.exit(Exit.FAILED)
