"""Commands on memories: remember, search, traces, revise, forget, scratchpad."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memoria.app import Memoria
from memoria.model import Memory, MemoryType, Revision, Role, TurnRecord
from memoria.model.memory_types import STATABLE_TYPES
from memoria.surface.cli.console import AsJson, err, show, with_memory
from memoria.surface.cli.explanation import print_answer
from memoria.surface.text import (
    forget_text,
    memory_text,
    remember_text,
    scratchpads_text,
)
from memoria.surface.wire import (
    wire_conclusions,
    wire_forget_result,
    wire_remember_result,
    wire_revision,
    wire_scratchpads,
    wire_traces,
)

if TYPE_CHECKING:
    _StatableName = str
else:
    _StatableName = Literal[tuple(one.value for one in STATABLE_TYPES)]
_HEADLINE_CHARS = 200
_Words = Annotated[list[str], typer.Argument(help="Words; quotes are not needed.")]
_When = Annotated[str | None, typer.Option(help="ISO 8601 date or time.")]
_Without = Annotated[
    list[str] | None,
    typer.Option(help="Do without a part (text, vectors, graph) or a stage; several with commas."),
]
_Explain = Annotated[bool, typer.Option("--explain", help="Show what each stage gave each hit.")]


def add_commands(app: typer.Typer) -> None:
    """Register the commands."""
    app.command()(remember)
    app.command()(search)
    app.command()(traces)
    app.command()(revise)
    app.command()(forget)
    app.command()(scratchpad)


def remember(
    context: typer.Context,
    words: _Words,
    type: Annotated[  # noqa: A002
        _StatableName, typer.Option(help="What kind of conclusion.")
    ] = MemoryType.FACT.value,
    importance: Annotated[float, typer.Option(min=0, max=1, help="0 to 1.")] = 0.5,
    valid_from: _When = None,
    again: Annotated[
        bool, typer.Option("--again", help="Even if it was forgotten before.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Keep a statement. You typed it, so it counts as said by the user."""
    kept = with_memory(
        context,
        lambda m: m.remember(
            " ".join(words), type=type, importance=importance, valid_from=valid_from, again=again
        ),
    )
    show(wire_remember_result(kept), remember_text(kept), as_json=as_json)


def search(
    context: typer.Context,
    words: _Words,
    limit: Annotated[int, typer.Option(help="Hits at most.")] = 8,
    max_tokens: Annotated[int, typer.Option(help="Estimated tokens at most.")] = 1500,
    types: Annotated[list[MemoryType] | None, typer.Option(help="Only these types.")] = None,
    since: _When = None,
    until: _When = None,
    session: Annotated[str | None, typer.Option(help="Only this session.")] = None,
    history: Annotated[bool, typer.Option(help="Superseded and archived too.")] = False,
    as_of: Annotated[str | None, typer.Option(help="What was true then, ISO 8601.")] = None,
    task: Annotated[str | None, typer.Option(help="The task in hand; its memories gain.")] = None,
    without: _Without = None,
    explain: _Explain = False,
    as_json: AsJson = False,
) -> None:
    """First level: what is known, a line each, with its source."""
    found = with_memory(
        context,
        lambda m: m.search_memory(
            " ".join(words),
            limit=limit,
            max_tokens=max_tokens,
            types=types or (),
            since=since,
            until=until,
            session_id=session,
            include_history=history,
            as_of=as_of,
            task=task,
            without=_split_parts(without),
            explain=explain,
        ),
    )
    print_answer(found, wire_conclusions(found), as_json=as_json)


def traces(
    context: typer.Context,
    words: _Words,
    limit: Annotated[int, typer.Option(help="Hits at most.")] = 10,
    max_tokens: Annotated[int, typer.Option(help="Estimated tokens at most.")] = 4000,
    around: Annotated[int, typer.Option(help="Neighbouring turns on each side.")] = 1,
    since: _When = None,
    until: _When = None,
    session: Annotated[str | None, typer.Option(help="Only this session.")] = None,
    role: Annotated[Role | None, typer.Option(help="Only this role.")] = None,
    tool: Annotated[str | None, typer.Option(help="Only calls of this tool.")] = None,
    history: Annotated[bool, typer.Option(help="Edited messages as they were, too.")] = False,
    without: _Without = None,
    explain: _Explain = False,
    as_json: AsJson = False,
) -> None:
    """Second level: what was said and done, word for word."""
    found = with_memory(
        context,
        lambda m: m.search_conversation_traces(
            " ".join(words),
            limit=limit,
            max_tokens=max_tokens,
            context=around,
            since=since,
            until=until,
            session_id=session,
            role=role,
            tool=tool,
            include_history=history,
            without=_split_parts(without),
            explain=explain,
        ),
    )
    print_answer(found, wire_traces(found), as_json=as_json)


def revise(
    context: typer.Context,
    id: Annotated[str, typer.Argument(help="A memory's id.")],  # noqa: A002
    action: Annotated[Revision, typer.Argument(help="What to do. Nothing is final.")],
    content: Annotated[
        list[str] | None, typer.Argument(help="The new wording, with correct only.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Correct, confirm, archive, restore, pin, unpin, upvote or downvote a memory."""
    wording = " ".join(content) if content else None
    memory = with_memory(context, lambda m: m.revise_memory(id, action, wording))
    show(wire_revision(memory), memory_text(memory), as_json=as_json)


def forget(
    context: typer.Context,
    ids: Annotated[list[str], typer.Argument(help="Ids of memories or turns.")],
    include_source: Annotated[
        bool,
        typer.Option("--include-source", help="Erase the turns it came from too, word for word."),
    ] = False,
    reason: Annotated[
        str | None, typer.Option(help="Why, in words that don't say what. It is kept.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Erase memories for good: everywhere, and not to be learnt again. There is no undo."""
    if not yes:
        _confirm_forgetting(context, ids, include_source=include_source)
    forgotten = with_memory(
        context, lambda m: m.forget_memory(ids, include_source=include_source, reason=reason)
    )
    show(wire_forget_result(forgotten), forget_text(forgotten), as_json=as_json)


def scratchpad(
    context: typer.Context,
    session: Annotated[str | None, typer.Option(help="Only this session's.")] = None,
    limit: Annotated[int, typer.Option(help="Sessions at most.")] = 3,
    as_json: AsJson = False,
) -> None:
    """The tasks in hand, and the last five that were done."""
    pads = with_memory(context, lambda m: m.scratchpads(limit, session_id=session))
    show(wire_scratchpads(pads), scratchpads_text(pads), as_json=as_json)


def _split_parts(without: list[str] | None) -> list[str]:
    """The parts named, as the setting has them too: several with commas."""
    return [part.strip() for named in without or () for part in named.split(",")]


def _confirm_forgetting(context: typer.Context, ids: list[str], *, include_source: bool) -> None:
    """Show what would go and wait for a yes."""

    async def describe(memory: Memoria) -> list[str]:
        return [_headline(await memory.get_record(record_id)) for record_id in ids]

    for line in with_memory(context, describe):
        err().print(line, markup=False)
    sources = ", and erase the turns it came from" if include_source else ""
    typer.confirm(f"Forget this for good{sources}?", abort=True, err=True)


def _headline(record: Memory | TurnRecord) -> str:
    match record:
        case Memory():
            return f"memory {record.id}: {record.content}"
        case TurnRecord():
            return f"turn {record.turn.id}: {record.turn.content[:_HEADLINE_CHARS]}"
