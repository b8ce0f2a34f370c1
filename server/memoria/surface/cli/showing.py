"""The command that shows one thing whole: show."""

import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from string import hexdigits
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

import typer

from memoria.bare.home import open_new
from memoria.errors import InvalidInputError, NotFoundError
from memoria.language.reading.statement import canonical_form
from memoria.language.words.document import as_text
from memoria.model import SearchResult
from memoria.model.attachment import AttachmentRecord
from memoria.model.base import write_document
from memoria.model.forgetting import ForgetReport
from memoria.model.memory import Condition
from memoria.model.provenance import EntityRecord, MemoryRecord, Namesakes, TurnOrigin
from memoria.model.turn import SessionRecord
from memoria.retrieval.lookup.records import read_id
from memoria.store.rows.listings import INDEXED_CHARS
from memoria.surface.cli.answers import render_answer
from memoria.surface.cli.console import AsJson, show, with_memory
from memoria.surface.cli.entities import render_entity, render_namesakes, unknown_name_text
from memoria.surface.cli.forgetting import reader_at_terminal
from memoria.surface.cli.layout import columns, entry_of_list, wrap_text
from memoria.surface.cli.nightly_text import render_run_whole
from memoria.surface.cli.records import render_history, render_memory, render_turn
from memoria.surface.cli.times import moment
from memoria.surface.documents import write_conclusions, write_session
from memoria.surface.forgetting_text import report_text
from memoria.surface.origins import (
    write_graph_answer,
    write_history,
    write_memory_record,
    write_turn_origin,
)
from memoria.surface.text import attachment_text

if TYPE_CHECKING:
    from memoria.app import Memoria
    from memoria.app.provenance import Hops
    from memoria.model.nightly import NightlyRun, RowChange
    from memoria.surface.cli.console import Shown

    _Record = MemoryRecord | TurnOrigin | SessionRecord | EntityRecord | Namesakes | ForgetReport
    _Found: TypeAlias = "_Record | NightRecord | WordMatches"
    _Attempt = Callable[[], Awaitable[_Found]]

_TURNS_ON_A_PAGE = 20
_LONGEST_NAME = 200
"""Longest name, in characters, that is looked for as a word."""
_MOST_CHANGES = 100_000


app = typer.Typer()


@app.command("show")
def show_record(
    context: typer.Context,
    what: Annotated[
        list[str], typer.Argument(help="An id or enough of it, or a name; quotes are not needed.")
    ],
    history: Annotated[
        bool,
        typer.Option(
            "--history", help="Of a memory: every wording, all evidence, and who did what to it."
        ),
    ] = False,
    page: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="Which page of a session, from 1.")
    ] = 1,
    limit: Annotated[
        int,
        typer.Option(
            "--limit", "-n", min=1, max=1000, help="Most memories and turns of a name to show."
        ),
    ] = 30,
    hops: Annotated[
        int,
        typer.Option(
            min=1, max=2, help="With 2, also what the memories of a name are linked with."
        ),
    ] = 1,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save",
            metavar="FILE",
            help="Of a file that came with a message: write it to FILE, which must be new.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show a memory, a turn, a session, a proof or a night by its id, or what is known of a name.

    A memory is shown with its evidence, a turn with what was drawn from it, and of a person, place,
    thing or concept the memories and turns that name it. Of several that share a name the ids are
    listed.
    """
    named = " ".join(what)
    if history:
        _show_history(context, named, as_json=as_json)
        return
    if save is not None:
        _save_attachment(context, named, save, as_json=as_json)
        return
    found = with_memory(
        context, lambda memory: _Lookup(memory, named, page, 2 if hops > 1 else 1, limit).find()
    )
    document, text = _describe(found, page)
    show(document, text, as_json=as_json)


def _save_attachment(context: typer.Context, turn_id: str, target: Path, *, as_json: bool) -> None:
    found = with_memory(context, lambda memory: memory.get_attachment(turn_id))
    try:
        with os.fdopen(open_new(os.fspath(target)), "wb") as file:
            file.write(found.content)
    except FileExistsError as error:
        raise InvalidInputError(f"{target} exists already. Give a name that is free.") from error
    except OSError as error:
        raise InvalidInputError(f"{target} can't be written: {error.strerror}.") from error
    record = AttachmentRecord(**found.model_dump(exclude={"data"}))
    show(record, f"{attachment_text(record)} is in {target}.", as_json=as_json)


class NightRecord(NamedTuple):
    """A run of nightly maintenance, its changes, and the present words of memories by id."""

    run: "NightlyRun"
    changes: "list[RowChange]"
    wordings: dict[str, str]


class WordMatches(NamedTuple):
    """The memories and turns that hold a name of which no entity is known."""

    name: str
    found: SearchResult


@dataclass(frozen=True)
class _Lookup:
    """Lookup of an id or a name among all kinds of records."""

    memory: "Memoria"
    named: str
    page: int
    hops: "Hops"
    limit: int

    async def find(self) -> "_Found":
        """Find the first record with this id or name.

        A name goes before the beginning of a session's id: a longer beginning finds the session.

        Raises:
            NotFoundError: no record has it.
        """
        by_name: tuple[_Attempt, ...] = (self._find_whole_session, self._find_entity)
        by_end: tuple[_Attempt, ...] = (self._find_report, self._find_night)
        attempts: list[_Attempt] = [lambda: self.memory.provenance.get(self.named), *by_name]
        attempts += [self._find_session, *(by_end if self._is_id else [self._find_saying])]
        errors = list[NotFoundError]()
        for attempt in attempts:
            try:
                return await attempt()
            except NotFoundError as error:
                errors.append(error)
        raise errors[0 if self._is_id else len(by_name)]

    @property
    def _is_id(self) -> bool:
        """True if the text may be an id, or the end of an id."""
        digits = read_id(self.named).replace("-", "")
        return len(digits) >= INDEXED_CHARS and {*digits} <= {*hexdigits}

    async def _find_session(self) -> SessionRecord:
        first = (self.page - 1) * _TURNS_ON_A_PAGE
        return await self.memory.get_session(self.named, offset=first, limit=_TURNS_ON_A_PAGE)

    async def _find_whole_session(self) -> SessionRecord:
        with suppress(InvalidInputError):  # several sessions begin with this text
            session = await self._find_session()
            if session.session_id == self.named:
                return session
        raise NotFoundError

    async def _find_entity(self) -> EntityRecord | Namesakes:
        found = await self.memory.graph.around(self.named, hops=self.hops, limit=self.limit)
        if isinstance(found, Namesakes) and not found.entities:
            raise NotFoundError(unknown_name_text(found))
        return found

    async def _find_saying(self) -> WordMatches:
        """Find the memories and turns that contain the name.

        Raises:
            NotFoundError: none does.
        """
        if len(self.named) > _LONGEST_NAME:
            raise NotFoundError
        found = await self.memory.search_memory(self.named, limit=self.limit)
        phrase = f" {canonical_form(self.named)} "
        hits = tuple(hit for hit in found.hits if phrase in f" {canonical_form(hit.text)} ")
        if not hits:
            raise NotFoundError
        return WordMatches(
            self.named,
            SearchResult(
                query=found.query,
                hits=hits,
                answered=True,
                max_tokens=found.max_tokens,
                id_chars=found.id_chars,
            ),
        )

    async def _find_report(self) -> ForgetReport:
        return await self.memory.get_forget_report(self.named)

    async def _find_night(self) -> NightRecord:
        import memoria.app.nightly as nights  # noqa: PLC0415
        from memoria.app.open_home import in_thread  # noqa: PLC0415

        def read() -> NightRecord:
            settings = self.memory.settings
            run, changes = nights.list_changes(settings, self.named, _MOST_CHANGES)
            return NightRecord(run, changes, nights.read_wordings(settings, run))

        return await in_thread(read)


def _describe(found: "_Found", page: int) -> "tuple[Shown, str]":
    """Return what was found, as JSON and in words."""
    width = columns()
    match found:
        case MemoryRecord():
            return write_memory_record(found), render_memory(found, width)
        case TurnOrigin():
            return write_turn_origin(found), render_turn(found, width)
        case SessionRecord():
            return write_session(found), _render_session(found, page, _TURNS_ON_A_PAGE, width)
        case ForgetReport():
            return found, report_text(found, reader_at_terminal())
        case NightRecord(run=run, changes=changes, wordings=wordings):
            whole = write_document(run=run, changes=changes)
            return whole, render_run_whole(run, len(changes), width, wordings)
        case named:
            return _describe_named(named, width)


def _render_session(record: SessionRecord, page: int, limit: int, width: int) -> str:
    """Render a page of a session's turns, in order."""
    lines = wrap_text(f"session {record.session_id}", width)
    for turn in record.turns:
        words = turn.content or f"{turn.tool_name or 'tool'}: {as_text(turn.tool_result)}"
        who = turn.speaker or turn.role.value
        lines.append("")
        details = [
            f"#{turn.turn_index}",
            who,
            moment(turn.at),
            *([str(Condition.CONFIDED)] if turn.id in record.confided else []),
            turn.id[-INDEXED_CHARS:],
        ]
        lines += entry_of_list(words, details, width)
    last = min(
        page * limit, record.total
    )  # turns that are not to be kept are counted, and not shown
    lines += ["", f"{(page - 1) * limit + 1} to {last} of {record.total} turns"]
    lines += [f"The next page: --page {page + 1}"] if last < record.total else []
    return "\n".join(lines)


def _describe_named(
    found: EntityRecord | Namesakes | WordMatches, width: int
) -> "tuple[Shown, str]":
    if not isinstance(found, WordMatches):
        return describe_entity(found, width)
    told = f"Nothing is linked with the name {found.name}. These hold it as a word:"
    return write_conclusions(found.found), f"{told}\n\n{render_answer(found.found, width)}"


def describe_entity(found: EntityRecord | Namesakes, width: int) -> "tuple[Shown, str]":
    """Return what is known of an entity or which entities share a name, as JSON and in words."""
    if isinstance(found, EntityRecord):
        return write_graph_answer(found), render_entity(found, width)
    return write_graph_answer(found), render_namesakes(found, width)


def _show_history(context: typer.Context, memory_id: str, *, as_json: bool) -> None:
    found = with_memory(context, lambda m: m.provenance.history(memory_id))
    show(write_history(found), render_history(found, columns()), as_json=as_json)
