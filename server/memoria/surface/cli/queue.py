"""Commands on the extraction queue, below `model`: list, fill, run, retry, drop."""

from collections.abc import Sequence
from typing import Annotated

import anyio
import typer

from memoria.app import Memoria
from memoria.app.queue import NO_CHAT_MODEL
from memoria.errors import InvalidInputError
from memoria.model import QueueEntry, QueueKind, QueueState, QueueStatus, now_millis
from memoria.model.base import write_document
from memoria.store.rows.listings import INDEXED_CHARS
from memoria.surface.cli.console import AsJson, is_for_subcommand, show, with_memory
from memoria.surface.cli.progress import progress_bar
from memoria.surface.cli.times import moment
from memoria.surface.text import quantity

_POLL_S = 0.1
_MOST_ENTRIES = 10_000
_Ids = Annotated[
    list[str] | None,
    typer.Argument(help="Ids of entries, or their ends, from `memoria model queue list`."),
]


app = typer.Typer(invoke_without_command=True)


@app.callback()
def list_unless_named(context: typer.Context, as_json: AsJson = False) -> None:
    """Manage the extraction queue: segments that a chat model has still to read."""
    if not is_for_subcommand(context, has_options=as_json):
        list_entries(context, as_json=as_json)


@app.command("list")
def list_entries(
    context: typer.Context,
    state: Annotated[QueueState | None, typer.Option(help="Only entries in this state.")] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=_MOST_ENTRIES, help="Most entries to list.")
    ] = 50,
    as_json: AsJson = False,
) -> None:
    """List queue entries: those that wait, are done, or were given up, with the reason."""

    async def list_queue(m: Memoria) -> tuple[QueueStatus, Sequence[QueueEntry]]:
        return await m.queue.status(), await m.queue.list_entries(state, limit=limit)

    status, entries = with_memory(context, list_queue)
    lines = list(map(_entry_text, entries)) or ["Nothing is in the queue."]
    document = write_document(status=status, entries=entries)
    show(document, "\n".join([*lines, status_line(status)]), as_json=as_json)


@app.command()
def fill(context: typer.Context, as_json: AsJson = False) -> None:
    """Queue segments that were recorded while no chat model was set; `queue run` reads them."""

    async def fill_queue(m: Memoria) -> tuple[int, QueueStatus]:
        return await m.queue.fill(), await m.queue.status()

    segments, status = with_memory(context, fill_queue)
    text = f"{quantity(segments, 'segment', 'segments')} put into the queue: {status_line(status)}"
    show(write_document(segments=segments, status=status), text, as_json=as_json)


@app.command()
def run(
    context: typer.Context,
    until_empty: Annotated[
        bool,
        typer.Option("--wait", help="Wait for entries that were put off, too, until none is left."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Let the chat model read what waits, in this process, but for what was put off."""

    async def process_queue(m: Memoria) -> QueueStatus:
        if not m.queue.has_reader:
            raise InvalidInputError(NO_CHAT_MODEL)
        await m.queue.rouse()
        await _wait_until_processed(m, until_empty=until_empty)
        return await m.queue.status()

    status = with_memory(context, process_queue, reads_queue=True)
    show(status, status_line(status), as_json=as_json)


async def _wait_until_processed(m: Memoria, *, until_empty: bool) -> None:
    total = (await m.queue.status()).waiting
    with progress_bar() as bar:
        task = bar.add_task("Reading", total=total)
        while left := (await m.queue.status()).waiting:
            total = max(total, left)
            bar.update(task, total=total, completed=total - left)
            if not until_empty and await m.queue.is_idle():
                return
            await anyio.sleep(_POLL_S)


@app.command()
def retry(
    context: typer.Context,
    ids: _Ids = None,
    every: Annotated[
        bool, typer.Option("--all", help="All entries that were given up or put off.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Retry entries that were given up, dropped or put off."""
    _change_entries(context, ids, every=every, retry=True, as_json=as_json)


@app.command()
def drop(
    context: typer.Context,
    ids: _Ids = None,
    every: Annotated[
        bool, typer.Option("--all", help="All entries that wait or were given up.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Remove segments from the queue unread; they stay on record and can be retried."""
    _change_entries(context, ids, every=every, retry=False, as_json=as_json)


def _change_entries(
    context: typer.Context, ids: list[str] | None, *, every: bool, retry: bool, as_json: bool
) -> None:
    if bool(ids) == every:
        raise InvalidInputError(
            "Name entries by their ids (memoria model queue list), or give --all."
        )

    async def change(m: Memoria) -> tuple[list[str], list[str]]:
        named = None if ids is None else [await _complete_id(m, one) for one in ids]
        changed = await (m.queue.retry if retry else m.queue.drop)(named)
        return changed, [one for one in named or [] if one not in changed]

    changed, unchanged = with_memory(context, change)
    text = f"{len(changed)} {'to be tried again' if retry else 'dropped'}"
    if unchanged:
        text += f"; nothing to do for {', '.join(unchanged)}"
    show(write_document(changed=changed, unchanged=unchanged), text, as_json=as_json)


async def _complete_id(m: Memoria, cited: str) -> str:
    """Complete the end of an entry's id; a text that ends no single id is returned unchanged."""
    entries = await m.queue.list_entries(None, limit=_MOST_ENTRIES)
    alike = [one.id for one in entries if len(cited) >= INDEXED_CHARS and one.id.endswith(cited)]
    return alike[0] if len(alike) == 1 else cited


def status_line(status: QueueStatus) -> str:
    """Return in a line how much is in the queue."""
    counts = f"{status.waiting} waiting, {status.done} done, {status.dead} given up"
    dropped = f", {status.dropped} dropped" if status.dropped else ""
    error = f"; the last error: {status.last_error}" if status.last_error else ""
    return f"{counts}{dropped}{error}"


def _entry_text(entry: QueueEntry) -> str:
    """Render an entry: a line for the entry, a line for its outcome."""
    one = entry.first_index == entry.last_index
    turns = (
        f"turn {entry.first_index}" if one else f"turns {entry.first_index} to {entry.last_index}"
    )
    turns += ", to be summed up" if entry.kind is QueueKind.EPISODE else ""
    tries = "not tried yet" if not entry.attempts else f"tried {entry.attempts}×"
    details = [_state_phrase(entry), entry.reason.replace("_", " "), tries]
    lines = [f"  session {entry.session_id}, {turns}"]
    lines += filter(None, [f"    {entry.outcome or entry.last_error or ''}".rstrip()])
    return "\n".join([*lines, f"    {' · '.join([*details, entry.id[-INDEXED_CHARS:]])}"])


def _state_phrase(entry: QueueEntry) -> str:
    now = now_millis()
    if entry.state is not QueueState.WAITING:
        return entry.state.value
    if entry.leased_until > now:
        return "being read"
    return f"waiting until {moment(entry.not_before)}" if entry.not_before > now else "waiting"
