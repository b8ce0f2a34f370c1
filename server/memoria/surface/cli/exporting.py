"""The command that exports, and what `import` does with an export."""

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memoria.admin.exports.format import is_export, read_head
from memoria.bare.workspace import find_common, place_of
from memoria.errors import InvalidInputError
from memoria.language.reading.fences import join_lines
from memoria.model.base import write_document
from memoria.model.parse import as_instant
from memoria.store.rows.portable.records import PortableSelection
from memoria.surface.cli.console import (
    AsJson,
    Exit,
    Options,
    show,
    take_in_spool,
    warn,
    with_memory,
)
from memoria.surface.cli.options import read_moment
from memoria.surface.cli.progress import show_progress
from memoria.surface.text import quantity

if TYPE_CHECKING:
    from memoria.admin.exports.format import ExportHead
    from memoria.admin.exports.merge import MergeReport
    from memoria.admin.exports.write import ExportReport
    from memoria.connectors.notes.sync import Deleted, NotesReport

PASSPHRASE = "MEMORIA_PASSPHRASE"  # noqa: S105  (the name of a variable)
_COUNTED = {
    "memory": ("memory", "memories"),
    "turn": ("turn", "turns"),
    "session": ("session", "sessions"),
}
_MOST_MOVES = 8
_STAMP = "%Y%m%dT%H%M%SZ"
_MOST_NAMED = 20


_NEXT = "memoria list"
_MERGED = (
    *("added", "changed", "known", "forgotten", "forgotten_here", "private", "redacted"),
    *("unchecked", "bad"),
)


app = typer.Typer()


_File = Annotated[
    Path | None,
    typer.Argument(
        show_default=False,
        help="File or, of Markdown, folder to write. Default: a new one where you are.",
    ),
]

_WithKey = Annotated[
    bool,
    typer.Option(
        "--passphrase",
        help="Take along, under a passphrase, the key that recognises what was forgotten. "
        f"It is asked for, or taken from ${PASSPHRASE}.",
    ),
]


_Since = Annotated[
    str | None,
    typer.Option(
        callback=read_moment,
        help="Only what was said or held from then on, as 2026-03-02 or yesterday.",
    ),
]
_Until = Annotated[
    str | None, typer.Option(callback=read_moment, help="Only what was said or held before.")
]


@app.command()
def export(
    context: typer.Context,
    file: _File = None,
    form: Annotated[
        Literal["jsonl", "markdown"],
        typer.Option(
            "--format",
            help="jsonl holds everything and can be imported again; markdown is a note a memory.",
        ),
    ] = "jsonl",
    sync: Annotated[
        bool,
        typer.Option(
            "--sync",
            help="Keep a folder of notes in step both ways: what you edited there is in the memory "
            "then.",
        ),
    ] = False,
    deleted: Annotated[
        Literal["keep", "restore", "archive"],
        typer.Option(help="With --sync: what becomes of a memory whose note you deleted."),
    ] = "keep",
    tenant: Annotated[
        str | None, typer.Option(help="Whose memory. Default: as for every command.")
    ] = None,
    workspace: Annotated[
        str | None, typer.Option(help="Only what belongs to this project. Default: everything.")
    ] = None,
    since: _Since = None,
    until: _Until = None,
    passphrase: _WithKey = False,
    as_json: AsJson = False,
) -> None:
    """Write what the memory holds into a file that is yours: JSON Lines, or Markdown."""
    given: Options = context.obj
    options = Options(given.home, tenant or given.tenant, given.workspace)
    settings = options.existing_settings
    context.obj = options
    take_in_spool(context)
    selection = PortableSelection(
        workspace=workspace,
        since=as_instant("since", since, settings.zone),
        until=as_instant("until", until, settings.zone),
    )
    if sync or form == "markdown":
        folder = file or Path(f"memoria-{settings.tenant}")
        _export_notes(context, folder, selection, deleted if sync else None, as_json=as_json)
    else:
        stamp = datetime.now(UTC).strftime(_STAMP)
        target = file or Path(f"memoria-{settings.tenant}-{stamp}.{form}")
        words = _ask_new_passphrase() if passphrase else None
        _export_lines(context, target, selection, words, as_json=as_json)


def _export_lines(
    context: typer.Context,
    target: Path,
    selection: "PortableSelection",
    passphrase: str | None,
    *,
    as_json: bool,
) -> None:
    """Write a file of JSON Lines."""
    from memoria.app.exporting import export as write  # noqa: PLC0415  (others need not pay)

    options: Options = context.obj
    with show_progress("Exporting") as progress:
        report = write(options.settings, target, selection, passphrase, progress)
    with_memory(context, lambda m: m.note_action("export", "memory"))
    document = write_document(
        path=str(report.path),
        bytes=report.size,
        tenant=report.head.tenant,
        records=report.written,
        has_key=report.head.sealed_keys is not None,
    )
    show(document, _export_text(report), as_json=as_json)
    _warn_of_repository(target)


def _export_notes(
    context: typer.Context,
    folder: Path,
    selection: "PortableSelection",
    deleted: "Deleted | None",
    *,
    as_json: bool,
) -> None:
    """Write a folder of notes, or sync it if `deleted` says what becomes of deleted notes."""
    from memoria.app.exporting import sync_notes, write_notes  # noqa: PLC0415  (others need not pay)

    options: Options = context.obj
    with show_progress("Writing notes") as progress:
        if deleted is None:
            report = write_notes(options.existing_settings, folder, selection, progress)
        else:
            report = with_memory(
                context, lambda m: sync_notes(m, folder, selection, deleted, progress)
            )
    show(write_notes_report(folder, report), render_notes(folder, report), as_json=as_json)
    if deleted is None:  # the owner has chosen the folder to sync
        with_memory(context, lambda m: m.note_action("export", "memory"))
        _warn_of_repository(folder)
    if report.refused:
        raise typer.Exit(Exit.LINES_LEFT_OUT)


def _warn_of_repository(target: Path) -> None:
    """Warn that an export in a git repository could be committed."""
    common = find_common(target.resolve().parent)
    if common is not None:
        sys.stderr.write(
            f"note: {target} lies in the git repository {place_of(common)} and holds what you "
            "said: keep it out of commits.\n"
        )


def import_exports(
    context: typer.Context, paths: Sequence[Path], *, dry_run: bool, as_json: bool
) -> int | None:
    """Import files that are exports of Memoria; return how many lines were left out.

    None if no file is an export; nothing was done then.
    """
    exports = [path for path in paths if is_export(path)]
    if len(exports) not in (0, len(paths)):
        raise InvalidInputError(f"Import {exports[0].name} by itself: it is an export of Memoria.")
    if not exports:
        return None
    if dry_run:
        for path in exports:
            _count_export(path, as_json=as_json)
        return 0
    return sum(_merge_export(context, path, as_json=as_json) for path in exports)


def _count_export(path: Path, *, as_json: bool) -> None:
    head = read_head(path)
    counts = (quantity(head.counts.get(kind, 0), *names) for kind, names in _COUNTED.items())
    text = f"{_origin_text(path, head)}\nIt holds {', '.join(counts)}."
    document = write_document(file=str(path), tenant=head.tenant, records=head.counts)
    show(document, text, as_json=as_json)


def _merge_export(context: typer.Context, path: Path, *, as_json: bool) -> int:
    from memoria.app.engine import has_memory  # noqa: PLC0415  (as the next)
    from memoria.app.exporting import list_gone_projects, merge_export  # noqa: PLC0415

    options: Options = context.obj
    head = read_head(path)
    words = None if head.sealed_keys is None else _ask_passphrase(head.tenant)
    settings = options.settings
    begins = not has_memory(settings)
    with show_progress(f"Importing {path.name}") as progress:
        report = merge_export(settings, path, words, progress)
    gone = list_gone_projects(settings)
    if begins:
        warn(
            f"There was no memory of the tenant {settings.tenant} in {settings.home_path}: one "
            f"began. The export has that of {head.tenant}; --tenant names whose it becomes."
        )
    document = write_document(
        file=str(path),
        **{name: getattr(report, name) for name in _MERGED},
        bad_lines=[{"line": one.number, "problem": one.problem} for one in report.bad_lines],
        gone_projects=gone,
        next=_NEXT,
    )
    show(document, _merge_text(path, report, gone), as_json=as_json)
    return report.bad


def _ask_new_passphrase() -> str:
    """Ask for a new passphrase for an export."""
    if words := os.environ.get(PASSPHRASE):
        return words
    if not sys.stdin.isatty():
        raise InvalidInputError(f"Set {PASSPHRASE}, or type the command on a terminal to be asked.")
    return str(typer.prompt("Passphrase", hide_input=True, confirmation_prompt=True, err=True))


def _ask_passphrase(tenant: str) -> str | None:
    """Ask for the passphrase of an export to import; None if nobody gives one."""
    words = os.environ.get(PASSPHRASE)
    if words or not sys.stdin.isatty():
        return words or None
    question = f"Passphrase of what was forgotten by {tenant} (Enter to go on without)"
    return (
        str(typer.prompt(question, hide_input=True, default="", show_default=False, err=True))
        or None
    )


def _origin_text(path: Path, head: "ExportHead") -> str:
    return f"{path.name}, made by Memoria {head.memoria} on {head.made_at:%Y-%m-%d}."


def _export_text(report: "ExportReport") -> str:
    count = report.written
    held = (quantity(count[kind], *names) for kind, names in _COUNTED.items())
    lines = [
        f"{report.path} ({report.size:,} bytes), for your eyes alone.",
        f"It holds {', '.join(held)}.",
        f"To bring it into another home: memoria import {shlex.quote(str(report.path))}",
    ]
    if count["tombstone"]:
        key = (
            "goes along under your passphrase"
            if report.head.sealed_keys
            else ("stays here; --passphrase takes it along")
        )
        lines.append(
            f"Of what you have forgotten ({count['tombstone']}) it holds no word. The key that "
            f"recognises it {key}."
        )
    return "\n".join(lines)


def _merge_text(path: Path, report: "MergeReport", gone: Sequence[str]) -> str:
    def count(kind: str) -> str:
        changed = f", {report.changed[kind]} changed" if report.changed[kind] else ""
        return f"{report.added[kind]} new{changed}, {report.known[kind]} here already"

    lines = [
        _origin_text(path, report.head),
        f"Turns: {count('turn')}.",
        f"Memories: {count('memory')}.",
    ]
    if report.forgotten:
        lines.append(f"Left out because they were forgotten here: {report.forgotten}")
    if report.forgotten_here:
        lines.append(f"Forgotten here because they were forgotten there: {report.forgotten_here}")
    if not report.is_scrubbed:
        lines.append("Their words are wiped from the database later: memoria doctor says when.")
    if report.private:
        lines.append(f"Left out because they were said in private time: {report.private}")
    if report.redacted:
        lines.append(f"Secrets redacted: {report.redacted}")
    if report.unchecked:
        lines.append(
            f"Forgotten there, and known here by id alone: {report.unchecked}. To recognise the "
            "words, export again with --passphrase, and import that as well."
        )
    lines += [f"{path.name} line {one.number} {one.problem}" for one in report.bad_lines]
    if report.bad > len(report.bad_lines):
        lines.append(f"… and {report.bad - len(report.bad_lines)} more bad lines")
    return "\n".join([*lines, *_list_moves(gone), "", f"Next: {_NEXT}"])


def _list_moves(gone: Sequence[str]) -> Iterator[str]:
    """Yield commands that tell the present folders of projects whose folders are missing here."""
    if gone:
        yield from ("", "Projects without a folder here. In the folder that one has now:")
        shown = gone if len(gone) <= _MOST_MOVES else gone[: _MOST_MOVES - 1]
        for name in shown:
            yield f"  memoria workspace move {shlex.quote(join_lines(name))} ."
        if len(shown) < len(gone):
            yield f"  and {len(gone) - len(shown)} more: memoria workspace list"


def write_notes_report(folder: Path, report: "NotesReport") -> dict[str, object]:
    """Return the report on a folder of notes as JSON."""
    return write_document(
        folder=str(folder),
        written=report.written,
        unchanged=report.unchanged,
        deleted=report.deleted,
        edited=report.edited,
        conflicts=report.conflicts,
        gone=[memory_id for memory_id, _ in report.gone],
        refused=[{"note": note, "problem": why} for note, why in report.refused],
        strange=report.strange,
    )


def render_notes(folder: Path, report: "NotesReport") -> str:
    """Render the report on a folder of notes."""
    notes = quantity(report.written, "note", "notes")
    lines = [f"{folder}: {notes} written, {report.unchanged} as they were."]
    if report.deleted:
        lines.append(f"Deleted with what was forgotten, archived or replaced: {report.deleted}")
    lines += _list_places("Your edits are in the memory now:", report.edited)
    if report.edited:
        lines.append("Take the last one back: memoria undo; another one: memoria undo --list")
    lines += _list_places(
        "Edited here while the memory was changed; the note shows both, and the memory stands "
        "until you edit the note again:",
        report.conflicts,
    )
    lines += _list_places("Not taken:", [f"{note}: {problem}" for note, problem in report.refused])
    lines += _list_places("Not from Memoria, and left alone:", report.strange)
    if report.gone:
        memories = [
            f"{join_lines(words)} · {memory_id[-report.id_chars :]}"
            for memory_id, words in report.gone
        ]
        lines += [
            *_list_places("You deleted the notes of these memories, which stay:", memories),
            "To forget them: memoria forget ID; to archive them: --deleted archive; to have their "
            "notes again: --deleted restore.",
        ]
    return "\n".join(lines)


def _list_places(head: str, places: list[str]) -> list[str]:
    if not places:
        return []
    more = len(places) - _MOST_NAMED
    shown = [f"  {place}" for place in places[:_MOST_NAMED]]
    return [head, *shown, *([f"  … and {more} more"] if more > 0 else [])]
