"""The command that shows who did what, and what was refused: log."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from memoria.model import LoggedAction
from memoria.model.base import write_document
from memoria.model.parse import as_instant
from memoria.surface.cli.console import AsJson, Options, show, with_memory
from memoria.surface.cli.layout import columns, entry_of_list
from memoria.surface.cli.phrases import name_action
from memoria.surface.cli.times import second

if TYPE_CHECKING:
    from memoria.app import Memoria

_ID_CHARS = 8

app = typer.Typer()


@app.command()
def log(
    context: typer.Context,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=100_000, help="Most lines to show.")
    ] = 50,
    since: Annotated[
        str | None, typer.Option(help="Since when, such as 2026-03-02 or 2026-03-02T09:30.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show who did what to the memory and when, newest first, and which calls were refused."""

    async def read(memory: "Memoria") -> list[LoggedAction]:
        at = as_instant("since", since, memory.settings.zone)
        return await memory.provenance.list_actions(limit, at or 0)

    actions = with_memory(context, read)
    if not actions:
        from memoria.app.engine import require_memory  # noqa: PLC0415  (opens the home again)

        options: Options = context.obj
        require_memory(options.settings)
    show(write_document(actions=actions), render_log(actions, columns()), as_json=as_json)


def render_log(actions: Iterable[LoggedAction], width: int) -> str:
    """Render lines of the log: what was done, and below it when, by whom and to what."""
    lines = [line for action in actions for line in _entry(action, width)]
    return "\n".join(lines) or "Nothing was done yet."


def _entry(action: LoggedAction, width: int) -> Iterator[str]:
    detail = "" if action.detail is None or action.detail.startswith("{") else action.detail
    words = f"{name_action(action.action)}: {detail}" if detail else name_action(action.action)
    by = action.by if action.channel != "http" else f"over HTTP, {action.caller or 'a stranger'}"
    details = [second(action.at), by]
    if action.subject.replace("-", "").isalnum() and len(action.subject) > 2 * _ID_CHARS:
        details.append(action.subject[-_ID_CHARS:])
    yield from entry_of_list(words, details, width)
