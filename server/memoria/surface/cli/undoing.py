"""The command that takes back a change, a forget or a night: undo."""

import shlex
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated

import typer

from memoria.errors import NotFoundError
from memoria.language.reading.fences import join_lines
from memoria.model.base import write_document
from memoria.surface.cli.console import AsJson, Exit, Options, ask_person, err, show, with_memory
from memoria.surface.cli.layout import columns, entry_of_list, wrap_text
from memoria.surface.cli.nightly_text import is_undoable, night_lines, render_undo
from memoria.surface.cli.progress import progress_bar
from memoria.surface.cli.times import moment
from memoria.surface.forgetting_text import counts_text

if TYPE_CHECKING:
    from memoria.app import Memoria
    from memoria.model.forgetting import Change, ChangeList
    from memoria.model.nightly import NightlyRun
    from memoria.surface.documents import Document

_MOST_NIGHTS = 1000
"""Number of newest runs of maintenance in which an id is looked for."""
_DID = {
    "archive": "archived",
    "confirm": "confirmed",
    "correct": "corrected",
    "downvote": "voted down",
    "import": "imported",
    "everywhere": "let be seen in every project",
    "forget": "forgot",
    "pin": "pinned",
    "project": "let be seen in one project alone",
    "remember": "remembered",
    "restore": "restored",
    "type": "filed as another type",
    "undo": "undid a change",
    "unpin": "unpinned",
    "upvote": "voted up",
}


app = typer.Typer()


@app.command()
def undo(
    context: typer.Context,
    id: Annotated[  # noqa: A002
        str | None,
        typer.Argument(
            help="Id of a change, a forget or a night; the last change that stands by default."
        ),
    ] = None,
    lists: Annotated[
        bool,
        typer.Option("--list", help="Show the last ten changes and all nights, and undo none."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Undo without asking.")] = False,
    as_json: AsJson = False,
) -> None:
    """Take back a change, a forget or a night, after it was shown to you.

    A change is what you remembered or revised. A forget can be put back within its grace, a night
    for a week, and all later nights go with it. The undo of a change can be undone.
    """
    if lists:
        _show_list(context, as_json=as_json)
        return

    async def find(memory: "Memoria") -> "tuple[Change, int]":
        return await memory.find_change(id), (await memory.list_changes(1)).id_chars

    try:
        change, id_chars = with_memory(context, find)
    except NotFoundError as unknown:
        try:
            _undo_night(context, id or "", yes=yes, as_json=as_json)
        except NotFoundError:
            raise unknown from None
        return
    _undo_change(context, change, id_chars, yes=yes, as_json=as_json)


async def name_undo(memory: "Memoria", options: Options, memory_id: str) -> str | None:
    """Return the command that takes back the last change of a memory; None if there is no change.

    The command works from any folder: it names the project and the tenant that were given.
    """
    listed = await memory.list_changes()
    own = next((one.id for one in listed.changes if one.memory_id == memory_id), None)
    if own is None:
        return None
    named = (("--tenant", options.tenant), ("--workspace", options.workspace))
    before = [word for name, value in named if value for word in (name, shlex.quote(value))]
    return " ".join(["memoria", *before, "undo", own[-listed.id_chars :]])


def _show_list(context: typer.Context, *, as_json: bool) -> None:
    """Show the changes and runs that can be undone, the newest first."""
    listed = with_memory(context, lambda m: m.list_changes(10))
    nights = _list_nights(context.obj)
    document = write_document(changes=listed.changes, nights=nights or None)
    show(document, render_undoable(listed, nights, columns()), as_json=as_json)


def _list_nights(options: Options) -> "list[NightlyRun]":
    """List the runs of maintenance that can still be undone, newest first."""
    from memoria.app.nightly import list_runs  # noqa: PLC0415

    return list(filter(is_undoable, list_runs(options.existing_settings, _MOST_NIGHTS)))


def _undo_night(context: typer.Context, run_id: str, *, yes: bool, as_json: bool) -> None:
    """Undo a run of nightly maintenance and all later ones.

    Raises:
        NotFoundError: there is no such run.
    """
    from memoria.app.nightly import plan_undo, undo_nightly  # noqa: PLC0415

    options: Options = context.obj
    settings = options.existing_settings
    nights = plan_undo(settings, run_id)
    if as_json and not yes:
        command = f"memoria undo {nights[-1].id} --yes --json"
        show(write_document(status="preview", nights=nights, command=command), "", as_json=True)
        raise typer.Exit(Exit.FAILED)
    if not yes:
        lines = [line for night in nights for line in night_lines(night, columns())]
        err().print("\n".join(lines), markup=False)
        ask_person("Undo this?")
    with progress_bar() as bar:
        task = bar.add_task("Undoing", total=None)
        undone = undo_nightly(settings, run_id, lambda done: bar.update(task, completed=done))
    show(undone, render_undo(undone, columns()), as_json=as_json)


def _undo_change(
    context: typer.Context, change: "Change", id_chars: int, *, yes: bool, as_json: bool
) -> None:
    """Undo a change or a forget, after asking."""
    width = columns()
    if as_json and not yes:
        show(_preview(change), "", as_json=True)
        raise typer.Exit(Exit.FAILED)
    if not yes:
        err().print("\n".join(_change_lines(change, width, id_chars)), markup=False)
        ask_person("Undo this?")

    async def take_back(memory: "Memoria") -> "tuple[Change, ChangeList]":
        return await memory.undo_change(change.id), await memory.list_changes(1)

    undone, newest = with_memory(context, take_back)
    own = next((one.id for one in newest.changes if one.undoes == undone.id), None)
    lines = [*_undone_lines(undone, width), *_redo_lines(own, id_chars)]
    document = write_document(status="undone", change=undone, undone_by=own)
    show(document, "\n".join(lines), as_json=as_json)


def _preview(change: "Change") -> "Document":
    """Return the change and the command that undoes it, for a program that can't be asked."""
    return write_document(
        status="preview",
        change=change,
        notes=["Nothing is undone yet: the command undoes just this."],
        command=f"memoria undo {change.id} --yes --json",
    )


def render_undoable(listed: "ChangeList", nights: "Sequence[NightlyRun]", width: int) -> str:
    """Render changes and runs of maintenance, newest first: words first, ids last."""
    changes = [(one.at, _change_lines(one, width, listed.id_chars)) for one in listed.changes]
    entries = [*changes, *((one.at, night_lines(one, width)) for one in nights)]
    entries.sort(key=itemgetter(0), reverse=True)
    if not entries:
        return "There is nothing to undo here: nobody has changed a memory."
    told = ["\n".join(lines) for _, lines in entries]
    return "\n".join([*told, "", "Undo one: memoria undo ID"])


def _change_lines(change: "Change", width: int, id_chars: int) -> Iterator[str]:
    is_new = change.former is not None and change.former != change.content
    before = [f"before: {join_lines(change.former or '')}"] if is_new else []
    others = len(change.others)
    details = [
        moment(change.at),
        _DID.get(change.action, change.action),
        *([f"changed {others} more"] if others else []),
        *(["undone since"] if change.is_undone else []),
        *(["what it said before was forgotten since"] if change.is_gone and change.content else []),
        *(["for good, can't be undone"] if change.is_gone and change.action == "forget" else []),
        *(["can't be undone: forget what came in"] if change.action == "import" else []),
        change.by,
        change.id[-id_chars:],
    ]
    yield from entry_of_list(join_lines(_describe(change)), details, width, before)


def _describe(change: "Change") -> str:
    if change.items is not None:
        return counts_text(change.items)
    return change.content or "(forgotten since)"


def _undone_lines(change: "Change", width: int) -> Iterator[str]:
    yield f"Undone: {_DID.get(change.action, change.action)}."
    yield from wrap_text(join_lines(_describe(change)), width, 2)


def _redo_lines(own: str | None, id_chars: int) -> Iterator[str]:
    if own is None:
        yield "To forget it again: memoria forget ID"
    else:
        yield f"To take that back: memoria undo {own[-id_chars:]}"
