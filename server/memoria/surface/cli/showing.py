"""The command that shows one thing whole: show.

What it prints with is imported when it prints: a server shares this start-up.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from string import hexdigits
from typing import TYPE_CHECKING, Annotated, NamedTuple, TypeAlias

import typer

from memoria.errors import InvalidInputError, NotFoundError
from memoria.model import AuditEntry, Entity, Evidence, Memory, SearchResult
from memoria.model.base import write_document
from memoria.model.memory import CARRIED_COLUMNS
from memoria.model.provenance import (
    EntityMemory,
    EntityRecord,
    MemoryHistory,
    MemoryRecord,
    Namesakes,
    SourcedVersion,
    TurnOrigin,
)
from memoria.surface.cli.console import AsJson, show, with_memory
from memoria.surface.documents import Document, write_memory, write_turn, write_wording

if TYPE_CHECKING:
    from memoria.app import Memoria
    from memoria.app.provenance import Hops
    from memoria.model.forgetting import ForgetReport
    from memoria.model.nightly import NightlyRun, RowChange
    from memoria.model.turn import SessionRecord
    from memoria.surface.cli.console import Shown

    _Record = MemoryRecord | TurnOrigin | SessionRecord | EntityRecord | Namesakes | ForgetReport
    _Found: TypeAlias = "_Record | NightRecord | WordMatches"
    _Attempt = Callable[[], Awaitable[_Found]]
_TURNS_ON_A_PAGE = 20
_LONGEST_NAME = 200
"""Characters of a name that is looked for as a word."""
_MOST_CHANGES = 100_000


def add_commands(app: typer.Typer) -> None:
    """Register the command."""
    app.command("show")(show_record)


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
    as_json: AsJson = False,
) -> None:
    """Show a memory, a turn, a session, a proof or a night by its id, or what is known of a name.

    A memory is shown with its evidence, a turn with what was drawn from it, and of a person, place
    or thing the memories and turns that name it. Of several that share a name the ids are listed.
    """
    named = " ".join(what)
    if history:
        _show_history(context, named, as_json=as_json)
        return
    found = with_memory(
        context, lambda memory: _Lookup(memory, named, page, 2 if hops > 1 else 1, limit).find()
    )
    document, text = _describe(found, page)
    show(document, text, as_json=as_json)


class NightRecord(NamedTuple):
    """A run of nightly maintenance, what it changed, and what the memories say now by id."""

    run: "NightlyRun"
    changes: "list[RowChange]"
    wordings: dict[str, str]


class WordMatches(NamedTuple):
    """The memories and turns that hold a name of which no entity is known."""

    name: str
    found: SearchResult


@dataclass(frozen=True)
class _Lookup:
    """Lookup of an id or a name, one kind after the other."""

    memory: "Memoria"
    named: str
    page: int
    hops: "Hops"
    limit: int

    async def find(self) -> "_Found":
        """Find the first that is called so.

        A name comes before the beginning of a session's id, which more of it tells apart.

        Raises:
            NotFoundError: there is none.
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
        """True if it may be an id, or the end of one."""
        from memoria.retrieval.lookup.records import read_id  # noqa: PLC0415
        from memoria.store.rows.listings import INDEXED_CHARS  # noqa: PLC0415

        digits = read_id(self.named).replace("-", "")
        return len(digits) >= INDEXED_CHARS and {*digits} <= {*hexdigits}

    async def _find_session(self) -> "SessionRecord":
        first = (self.page - 1) * _TURNS_ON_A_PAGE
        return await self.memory.get_session(self.named, offset=first, limit=_TURNS_ON_A_PAGE)

    async def _find_whole_session(self) -> "SessionRecord":
        with suppress(InvalidInputError):  # several begin so
            session = await self._find_session()
            if session.session_id == self.named:
                return session
        raise NotFoundError

    async def _find_entity(self) -> "EntityRecord | Namesakes":
        from memoria.model.provenance import Namesakes  # noqa: PLC0415
        from memoria.surface.cli.records import unknown_name_text  # noqa: PLC0415

        found = await self.memory.graph.around(self.named, hops=self.hops, limit=self.limit)
        if isinstance(found, Namesakes) and not found.entities:
            raise NotFoundError(unknown_name_text(found))
        return found

    async def _find_saying(self) -> "WordMatches":
        """Find the memories and turns that hold the name as a word, or as it is written.

        Raises:
            NotFoundError: none does.
        """
        from memoria.language.reading.statement import canonical_form  # noqa: PLC0415

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

    async def _find_report(self) -> "ForgetReport":
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
    """Describe what was found, as a document and in words."""
    from memoria.model.base import write_document  # noqa: PLC0415
    from memoria.model.forgetting import ForgetReport  # noqa: PLC0415
    from memoria.model.provenance import MemoryRecord, TurnOrigin  # noqa: PLC0415
    from memoria.model.turn import SessionRecord  # noqa: PLC0415
    from memoria.surface.cli.browsing import render_session  # noqa: PLC0415
    from memoria.surface.cli.forgetting import reader_at_terminal  # noqa: PLC0415
    from memoria.surface.cli.layout import columns  # noqa: PLC0415
    from memoria.surface.cli.nightly_text import render_run_whole  # noqa: PLC0415
    from memoria.surface.cli.records import render_memory, render_turn  # noqa: PLC0415
    from memoria.surface.documents import write_session  # noqa: PLC0415
    from memoria.surface.forgetting_text import report_text  # noqa: PLC0415

    width = columns()
    match found:
        case MemoryRecord():
            return write_memory_record(found), render_memory(found, width)
        case TurnOrigin():
            return write_turn_origin(found), render_turn(found, width)
        case SessionRecord():
            return write_session(found), render_session(found, page, _TURNS_ON_A_PAGE, width)
        case ForgetReport():
            return found, report_text(found, reader_at_terminal())
        case NightRecord(run=run, changes=changes, wordings=wordings):
            whole = write_document(run=run, changes=changes)
            return whole, render_run_whole(run, len(changes), width, wordings)
        case named:
            return _describe_named(named, width)


def _describe_named(
    found: "EntityRecord | Namesakes | WordMatches", width: int
) -> "tuple[Shown, str]":
    from memoria.surface.cli.answers import render_answer  # noqa: PLC0415
    from memoria.surface.documents import write_conclusions  # noqa: PLC0415

    if not isinstance(found, WordMatches):
        return describe_entity(found, width)
    told = f"Nothing is linked with the name {found.name}. These hold it as a word:"
    return write_conclusions(found.found), f"{told}\n\n{render_answer(found.found, width)}"


def describe_entity(found: "EntityRecord | Namesakes", width: int) -> "tuple[Shown, str]":
    """Describe what is known of a name, or which go by it, as a document and in words."""
    from memoria.model.provenance import EntityRecord  # noqa: PLC0415
    from memoria.surface.cli.records import render_entity, render_namesakes  # noqa: PLC0415

    if isinstance(found, EntityRecord):
        return write_graph_answer(found), render_entity(found, width)
    return write_graph_answer(found), render_namesakes(found, width)


def _show_history(context: typer.Context, memory_id: str, *, as_json: bool) -> None:
    from memoria.surface.cli.layout import columns  # noqa: PLC0415
    from memoria.surface.cli.records import render_history  # noqa: PLC0415

    found = with_memory(context, lambda m: m.provenance.history(memory_id))
    show(write_history(found), render_history(found, columns()), as_json=as_json)


_WHOLE = 10_000_000
_LINE = ("id", "type", "validity", "text")
_FIGURES = ("importance", "confidence", "upvotes", "downvotes", "use_count")
_CARRIED = (
    *("created_at", "updated_at", "subject", "predicate", "task", "workspace", "flag"),
    *("expires_at", "last_used_at"),
    *CARRIED_COLUMNS,
)


def write_memory_record(record: MemoryRecord) -> Document:
    """Return a memory whole, with its evidence and its links."""
    memory = record.memory
    return write_document(
        **write_memory(memory),
        wordings=list(map(_write_sourced, record.versions)),
        evidence=record.evidence,
        links=record.edges,
        **memory.to_json(*_FIGURES, *_CARRIED),
        turn_range=record.turn_range,
    )


def write_turn_origin(origin: TurnOrigin) -> Document:
    """Return a turn whole, with the memories that rest on it."""
    return {
        **write_turn(origin.record, 0, _WHOLE),
        "memories": list(map(_write_line, origin.memories)),
        "restated_memories": list(map(_write_line, origin.restated_memories)),
        "episodes": list(map(_write_line, origin.episodes)),
    }


def write_history(history: MemoryHistory) -> Document:
    """Return the history of a memory, oldest first."""
    head = history.memory.to_json("id", "text", "type", "validity", "verified")
    return {**head, "events": list(map(_write_event, history.events))}


def write_graph_answer(found: EntityRecord | Namesakes) -> Document:
    """Return what is known of a name: of one entity all of it, of several which there are."""
    match found:
        case EntityRecord():
            return write_document(
                entity=found.entity,
                memories=list(map(_write_mention, found.entity_memories)),
                omitted=found.omitted or None,
                turns=found.entity_turns or None,
                omitted_turns=found.omitted_turns or None,
            )
        case Namesakes():
            return write_document(namesakes=found.entities)


def write_review(
    pending: Sequence[MemoryRecord],
    contradicted: Sequence[Memory],
    quotes: Sequence[str],
    proposed: Sequence[tuple[Entity, Entity]],
) -> Document:
    """Return what the user is asked about: memories, quotes, and pairs that go by one name."""
    return write_document(
        pending=list(map(write_memory_record, pending)),
        contradicted=[one.to_json("id", "text", "contradicts") for one in contradicted],
        quotes=quotes or None,
        may_be_one=proposed or None,
    )


def _write_event(event: SourcedVersion | Evidence | AuditEntry) -> Document:
    match event:
        case SourcedVersion(version=version, said=said):
            at = version.to_json("ingested_at")["ingested_at"]
            wording = _write_sourced(event)
            return write_document(at=at, event="wording", wording=wording, evidence=said)
        case Evidence():
            shown = event.to_json()
            return {"at": shown["noted_at"], "event": "evidence", "evidence": shown}
        case AuditEntry():
            shown = event.to_json()
            return {"at": shown.pop("at"), "event": "action", **shown}


def _write_sourced(wording: SourcedVersion) -> Document:
    """Return a wording with who concluded it, and from what."""
    version, origin = wording.version, wording.version.provenance
    return write_document(
        **write_wording(version, quotes_itself=True),
        inferred_by=version.inferred_by,
        model=origin.client if version.inferred_by == "model" else None,
        source_kind=origin.source_kind,
        channel=origin.channel,
        **version.to_json("ingested_at", "event_at", "event_expression"),
    )


def _write_mention(mention: EntityMemory) -> Document:
    return write_document(
        **_write_line(mention.memory),
        links=mention.edges,
        further_links=mention.further_edges or None,
    )


def _write_line(memory: Memory) -> Document:
    return memory.to_json(*_LINE)
