"""The command that takes a change back: undo."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from memoria.surface.cli.console import AsJson, Exit, ask_person, err, show, with_memory
from memoria.surface.cli.times import moment

if TYPE_CHECKING:
    from memoria.app import Memoria
    from memoria.model.change import Change, ChangeList
    from memoria.surface.wire.changes import WireUndoPreview

_DID = {
    "archive": "archived",
    "confirm": "confirmed",
    "correct": "corrected",
    "downvote": "voted down",
    "everywhere": "let be seen in every project",
    "forget": "forgot",
    "pin": "pinned",
    "project": "let be seen in one project alone",
    "remember": "remembered",
    "restore": "restored",
    "undo": "undid a change",
    "unpin": "unpinned",
    "upvote": "voted up",
}


def add_commands(app: typer.Typer) -> None:
    """Register the commands."""
    app.command()(undo)


def undo(
    context: typer.Context,
    id: Annotated[  # noqa: A002
        str | None, typer.Argument(help="Id of the change; the last one that stands by default.")
    ] = None,
    lists: Annotated[
        bool, typer.Option("--list", help="Show the last ten changes, and undo none.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Undo without asking.")] = False,
    as_json: AsJson = False,
) -> None:
    """Take back the last thing that you did to a memory, after it was shown to you.

    That is what you remembered, revised, or forgot and can still put back. An undo can be undone.
    """
    from memoria.app.undoing import choose_change  # noqa: PLC0415  (only an undo pays for these)
    from memoria.surface.cli.layout import columns  # noqa: PLC0415
    from memoria.surface.wire.changes import WireUndo, wire_change, wire_changes  # noqa: PLC0415

    width = columns()
    listed = with_memory(context, lambda m: m.list_changes(10 if lists else 100))
    if lists:
        show(wire_changes(listed), render_changes(listed, width), as_json=as_json)
        return
    change = choose_change(list(listed.changes), id)
    if as_json and not yes:
        show(_preview(change), "", as_json=True)
        raise typer.Exit(Exit.FAILED)
    if not yes:
        shown = _change_lines(change, width, listed.id_chars)
        err().print("\n".join(shown), markup=False)
        ask_person("Undo this?")

    async def take_back(memory: "Memoria") -> "tuple[Change, ChangeList]":
        return await memory.undo_change(change.id), await memory.list_changes(1)

    undone, newest = with_memory(context, take_back)
    own = next((one.id for one in newest.changes if one.undoes == undone.id), None)
    lines = [*_undone_lines(undone, width), *_redo_lines(own, listed.id_chars)]
    show(WireUndo(change=wire_change(undone), undone_by=own), "\n".join(lines), as_json=as_json)


def _preview(change: "Change") -> "WireUndoPreview":
    """What a program, which can't be asked, is shown: the change and the command for it."""
    from memoria.surface.wire.changes import WireUndoPreview, wire_change  # noqa: PLC0415

    return WireUndoPreview(
        status="preview",
        change=wire_change(change),
        notes=["Nothing is undone yet: the command undoes just this."],
        command=f"memoria undo {change.id} --yes --json",
    )


def render_changes(listed: "ChangeList", width: int) -> str:
    """Changes for a person: what it is about first, ids last."""
    entries = ["\n".join(_change_lines(one, width, listed.id_chars)) for one in listed.changes]
    if not entries:
        return "There is nothing to undo here: nobody has changed a memory."
    return "\n".join([*entries, "", "Undo one: memoria undo ID"])


def _change_lines(change: "Change", width: int, id_chars: int) -> Iterator[str]:
    from memoria.surface.cli.layout import wrap_text  # noqa: PLC0415
    from memoria.text.lines import join_lines  # noqa: PLC0415

    yield from wrap_text(join_lines(_describe(change)), width, 2)
    if change.former is not None and change.former != change.content:
        yield from wrap_text(f"before: {join_lines(change.former)}", width, 4)
    others = len(change.others)
    details = [
        moment(change.at),
        _DID.get(change.action, change.action),
        *([f"changed {others} more"] if others else []),
        *(["undone since"] if change.is_undone else []),
        *(["what it said before was forgotten since"] if change.is_gone and change.content else []),
        change.by,
        change.id[-id_chars:],
    ]
    yield from wrap_text(" · ".join(details), width, 4)


def _describe(change: "Change") -> str:
    from memoria.surface.forgetting_text import counts_text  # noqa: PLC0415

    if change.items is not None:
        return counts_text(change.items)
    return change.content or "(forgotten since)"


def _undone_lines(change: "Change", width: int) -> Iterator[str]:
    from memoria.surface.cli.layout import wrap_text  # noqa: PLC0415
    from memoria.text.lines import join_lines  # noqa: PLC0415

    yield f"Undone: {_DID.get(change.action, change.action)}."
    yield from wrap_text(join_lines(_describe(change)), width, 2)


def _redo_lines(own: str | None, id_chars: int) -> Iterator[str]:
    if own is None:
        yield "To forget it again: memoria forget ID"
    else:
        yield f"To take that back: memoria undo {own[-id_chars:]}"
