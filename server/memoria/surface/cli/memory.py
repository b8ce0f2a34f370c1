"""Commands on memories: remember, search, traces, revise."""

import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from memoria.errors import InvalidInputError
from memoria.model import Revision, Scope
from memoria.model.memory_types import STATABLE_TYPES
from memoria.model.query import MemoryQuery, TranscriptQuery
from memoria.surface.cli.answers import keep_within, print_answer
from memoria.surface.cli.browsing import tell_waiting
from memoria.surface.cli.console import AsJson, is_agreed, show, with_memory
from memoria.surface.cli.layout import columns
from memoria.surface.cli.options import (
    complete_session,
    name_in_query,
    read_moment,
    read_options,
    read_pairs,
    takes_query_options,
)
from memoria.surface.cli.statement_text import idle_note, render_revision, render_statement
from memoria.surface.cli.undoing import name_undo
from memoria.surface.cli.workspace import describe_kept
from memoria.surface.documents import (
    write_conclusions,
    write_remembered,
    write_revision,
    write_traces,
)
from memoria.surface.text import revision_note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoria.app import Memoria
    from memoria.model import Memory, RememberResult, SearchResult
    from memoria.model.provenance import EntityRecord, Namesakes

    _StatableName = str
else:
    _StatableName = Literal[tuple(one.value for one in STATABLE_TYPES)]
_UNTIL = typer.Option(
    help="When the statement ends: a date, words for one such as Friday, or how long it holds: "
    "24h, 7d, 30d, session or permanent."
)
_Subject = Annotated[str | None, typer.Option(help="Of whom or what the statement speaks.")]
_Task = Annotated[
    str | None,
    typer.Option(
        help="The task that the statement belongs to; empty for none. The task in hand by "
        "default, if the statement is about the work."
    ),
]
_SeenFrom = Annotated[
    Scope | None,
    typer.Option(
        help="Where the statement is seen: in every project, or in this one alone. "
        "What it is about decides by default."
    ),
]
_Metadata = Annotated[
    list[str] | None,
    typer.Option(help="A field of your own with the memory, as key=value; may be repeated."),
]
_SAYS_MORE = 2
"""Ratio of word counts from which on a memory says more than a statement."""
_Words = Annotated[list[str], typer.Argument(help="The text; quotes are not needed.")]
_Question = Annotated[
    list[str] | None,
    typer.Argument(help="What you look for; quotes are not needed. Without it you are asked."),
]


_HeldSince = Annotated[
    str | None,
    typer.Option(
        "--since",
        callback=read_moment,
        help="When the statement began to hold, ISO 8601 or words like yesterday.",
    ),
]


app = typer.Typer()


@app.command()
def remember(
    context: typer.Context,
    words: _Words,
    type: Annotated[  # noqa: A002
        _StatableName | None,
        typer.Option(help="Type of the memory. By default its wording decides."),
    ] = None,
    importance: Annotated[
        float, typer.Option(min=0, max=1, help="How much the memory matters, 0 to 1.")
    ] = 0.5,
    valid_from: _HeldSince = None,
    until: Annotated[str | None, _UNTIL] = None,
    subject: _Subject = None,
    task: _Task = None,
    entity: Annotated[
        list[str] | None,
        typer.Option(help="A person, place or thing that the statement names; may be repeated."),
    ] = None,
    supersedes: Annotated[
        str | None, typer.Option(help="Id of the memory that the statement takes the place of.")
    ] = None,
    scope: _SeenFrom = None,
    metadata: _Metadata = None,
    again: Annotated[
        bool, typer.Option("--again", help="Store the statement even if it was forgotten before.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Store a statement as a memory. It counts as said by you, the user."""

    async def keep(
        memory: "Memoria", supersedes: str | None = supersedes
    ) -> "tuple[RememberResult, Memory, str | None, list[str]]":
        kept = await memory.remember(
            _drop_request(" ".join(words)),
            type=type,
            importance=importance,
            valid_from=valid_from,
            until=until,
            subject=subject,
            task=task,
            entities=entity or (),
            supersedes=supersedes,
            scope=scope,
            again=again,
            metadata=read_pairs(metadata or ()),
        )
        undo = await name_undo(memory, context.obj, kept.id)
        return kept, await memory.get_memory(kept.id), undo, await describe_kept(memory)

    kept, stored, undo, notes = with_memory(context, keep, begins_home=True)
    former = None if as_json or not sys.stdin.isatty() else kept.may_replace
    if former is not None and is_agreed(_ask_replaced(former.content, kept.content)):
        answer, stored, undo, notes = with_memory(context, lambda memory: keep(memory, former.id))
        kept = answer.model_copy(
            update={"status": kept.status}
        )  # to the person it is one statement, with its first outcome
    show(write_remembered(kept, notes), _tell_kept(kept, stored, undo, notes), as_json=as_json)


def _ask_replaced(former: str, statement: str) -> str:
    """Return the question whether a statement replaces a memory, or all of a longer memory."""
    from memoria.language.words.analyser import query_terms  # noqa: PLC0415  (only who is asked pays for it)

    if len(query_terms(former)) <= _SAYS_MORE * len(query_terms(statement)):
        return f"Does it replace “{former}”?"
    return (
        f"“{former}” says more than that. Does it replace all of it? (n: both stand, and "
        "`memoria revise ID correct` mends a part.)"
    )


def _drop_request(text: str) -> str:
    """Drop words such as "remember that" before a statement."""
    from memoria.language.statements.plain_statements import find_request, stands_alone  # noqa: PLC0415  (compiles patterns)

    stated = text[find_request(text) or 0 :]
    return stated if stands_alone(stated) else text


def _tell_kept(
    kept: "RememberResult", memory: "Memory", undo: str | None, notes: "Sequence[str]"
) -> str:
    return render_statement(kept, memory, columns(), undo, notes)


@app.command()
@takes_query_options(MemoryQuery)
def search(
    ctx: typer.Context, words: _Question = None, as_json: AsJson = False, **options: object
) -> None:
    """Search memories (first level): conclusions, a line each, with their source."""
    query = read_options(MemoryQuery, _words_of(words, options), options)

    async def ask(memory: "Memoria") -> "SearchResult":
        found = await memory.search_memory(**await _complete_query(memory, query))
        waiting = [] if found.answered or as_json else await tell_waiting(memory)
        return found.model_copy(update={"notes": (*found.notes, *waiting)})

    found = keep_within(with_memory(ctx, ask, searches=True), query.get("limit"))
    print_answer(found, write_conclusions(found), as_json=as_json)


@app.command()
@takes_query_options(TranscriptQuery)
def traces(
    ctx: typer.Context, words: _Question = None, as_json: AsJson = False, **options: object
) -> None:
    """Search the record (second level): what was said and done, word for word."""
    query = read_options(TranscriptQuery, _words_of(words, options), options)

    async def ask(memory: "Memoria") -> "SearchResult":
        return await memory.search_conversation_traces(**await _complete_query(memory, query))

    found = with_memory(ctx, ask, searches=True)
    print_answer(found, write_traces(found), as_json=as_json)


async def _complete_query(memory: "Memoria", query: dict[str, Any]) -> dict[str, Any]:
    """Complete the session id and the project name of a query."""
    query = await name_in_query(memory, query)
    named = await complete_session(memory, query.get("session_id"))
    return query if named is None else {**query, "session_id": named}


def _words_of(words: list[str] | None, options: dict[str, object]) -> list[str]:
    """Return the question's words; none where a file, an error or a command is asked for."""
    is_named = any(options.get(name) for name in ("file", "error", "command"))
    return words or ([] if is_named else _ask())


def _ask() -> list[str]:
    """Ask for the question of a search: no shell changes its quotes and signs."""
    if not sys.stdin.isatty():
        raise typer.BadParameter("it is missing: what do you look for?", param_hint="words")
    return [typer.prompt("What do you look for?", prompt_suffix=" ", err=True)]


@app.command()
def revise(
    context: typer.Context,
    id: Annotated[  # noqa: A002
        str, typer.Argument(help="Id of the memory; for same and apart a name, or its id.")
    ],
    action: Annotated[
        Literal[Revision, "same", "apart"], typer.Argument(help="What to do; nothing is final.")
    ],
    content: Annotated[
        list[str] | None,
        typer.Argument(
            help="For correct the new wording, for type the type, for same and apart the other "
            "name."
        ),
    ] = None,
    until: Annotated[str | None, _UNTIL] = None,
    as_json: AsJson = False,
) -> None:
    """Correct, confirm, archive, pin or vote on a memory, scope it; say that two names are one.

    Of two people, places or things, same says that they are one, and apart that they are two;
    memoria review lists which may be one.
    """
    wording = " ".join(content) if content else None
    match action:
        case "same" | "apart":
            _settle_names(context, id, action, wording, until, as_json=as_json)
        case _:
            _revise_memory(context, id, action, wording, until, as_json=as_json)


def _revise_memory(
    context: typer.Context,
    memory_id: str,
    action: Revision,
    wording: str | None,
    until: str | None,
    *,
    as_json: bool,
) -> None:
    async def change(m: "Memoria") -> "tuple[Memory, str | None]":
        revised = await m.revise_memory(memory_id, action, wording, until=until)
        return revised, await name_undo(m, context.obj, revised.id)

    memory, undo = with_memory(context, change)
    note = revision_note(memory) if action == "correct" and until is None else None
    text = render_revision(memory, action, columns(), undo)
    show(write_revision(memory, idle_note(memory, action) or note), text, as_json=as_json)


def _settle_names(
    context: typer.Context,
    name: str,
    action: Literal["same", "apart"],
    other: str | None,
    until: str | None,
    *,
    as_json: bool,
) -> None:
    """Record that two names are of one entity or of two; show the first."""
    from memoria.surface.cli.showing import describe_entity  # noqa: PLC0415

    if other is None or until is not None:
        raise InvalidInputError(
            f"Two names are wanted, and no --until: memoria revise NAME {action} NAME"
        )

    async def settle(memory: "Memoria") -> "EntityRecord | Namesakes":
        await (memory.graph.join if action == "same" else memory.graph.part)(name, other)
        return await memory.graph.around(name)

    document, text = describe_entity(with_memory(context, settle), columns())
    show(document, text, as_json=as_json)
