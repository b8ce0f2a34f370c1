"""Commands that look behind a memory: show, history, graph, review.

What they print with is imported by the command that prints: a server shares this start-up.
"""

from typing import TYPE_CHECKING, Annotated

import typer

from memoria.errors import InvalidInputError, NotFoundError
from memoria.surface.cli.console import AsJson, show, with_memory

if TYPE_CHECKING:
    from memoria.app import Memoria
    from memoria.model import Entity, Memory
    from memoria.model.provenance import EntityRecord, MemoryRecord, Namesakes, TurnOrigin
    from memoria.model.session import SessionRecord

    _ToReview = tuple[list[MemoryRecord], list[Memory], list[str], list[tuple[Entity, Entity]]]

_TURNS_ON_A_PAGE = 20


def add_commands(app: typer.Typer) -> None:
    """Register the commands."""
    app.command("show")(show_record)
    app.command()(history)
    app.command()(graph)
    app.command()(review)


def show_record(
    context: typer.Context,
    id: Annotated[  # noqa: A002
        str, typer.Argument(help="Id of a memory, a turn or a session, or enough of it.")
    ],
    page: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="Which page of a session, from 1.")
    ] = 1,
    as_json: AsJson = False,
) -> None:
    """Show a memory with its evidence, a turn with what was drawn from it, or a session's turns."""
    from memoria.model.provenance import MemoryRecord, TurnOrigin  # noqa: PLC0415
    from memoria.surface.cli.layout import columns  # noqa: PLC0415
    from memoria.surface.cli.pages import render_session  # noqa: PLC0415
    from memoria.surface.cli.records import render_memory, render_turn  # noqa: PLC0415
    from memoria.surface.wire.listing import wire_session  # noqa: PLC0415
    from memoria.surface.wire.provenance import wire_memory_record, wire_turn_origin  # noqa: PLC0415

    async def find(memory: "Memoria") -> "MemoryRecord | TurnOrigin | SessionRecord":
        try:
            return await memory.provenance.get(id)
        except NotFoundError as nothing:
            try:
                first = (page - 1) * _TURNS_ON_A_PAGE
                return await memory.get_session(id, offset=first, limit=_TURNS_ON_A_PAGE)
            except NotFoundError:
                raise nothing from None

    match with_memory(context, find):
        case MemoryRecord() as record:
            text = render_memory(record, columns())
            show(wire_memory_record(record), text, as_json=as_json)
        case TurnOrigin() as origin:
            show(wire_turn_origin(origin), render_turn(origin, columns()), as_json=as_json)
        case session:
            text = render_session(session, page, _TURNS_ON_A_PAGE, columns())
            show(wire_session(session), text, as_json=as_json)


def history(
    context: typer.Context,
    id: Annotated[str, typer.Argument(help="Id of the memory.")],  # noqa: A002
    as_json: AsJson = False,
) -> None:
    """Show the history of a memory: every wording, all evidence, and who did what to it."""
    from memoria.surface.cli.layout import columns  # noqa: PLC0415
    from memoria.surface.cli.records import render_history  # noqa: PLC0415
    from memoria.surface.wire.provenance import wire_history  # noqa: PLC0415

    found = with_memory(context, lambda m: m.provenance.history(id))
    show(wire_history(found), render_history(found, columns()), as_json=as_json)


def graph(
    context: typer.Context,
    name: Annotated[list[str], typer.Argument(help="A name, an alias or an entity's id.")],
    hops: Annotated[
        int, typer.Option(min=1, max=2, help="With 2, also what those memories are linked with.")
    ] = 1,
    limit: Annotated[
        int, typer.Option(min=1, max=1000, help="Most memories and turns to show.")
    ] = 30,
    same: Annotated[
        str | None, typer.Option(metavar="NAME", help="Say that it is one with this one.")
    ] = None,
    apart: Annotated[
        str | None, typer.Option(metavar="NAME", help="Say that it is not this one.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what is known of a person, place or thing: the memories and turns that name it.

    If several entities share the name, the command lists them with their ids instead. Two that are
    one are joined by --same, and are two again by --apart; memoria review lists which may be one.
    """
    if same is not None and apart is not None:
        raise InvalidInputError("Two are one or they are not: give --same or --apart.")
    from memoria.model.provenance import EntityRecord, Namesakes  # noqa: PLC0415
    from memoria.surface.cli.entities import (  # noqa: PLC0415
        render_entity,
        render_namesakes,
        unknown_name_text,
    )
    from memoria.surface.cli.layout import columns  # noqa: PLC0415
    from memoria.surface.wire.provenance import wire_graph_answer  # noqa: PLC0415

    named = " ".join(name)

    async def look(memory: "Memoria") -> "EntityRecord | Namesakes":
        if same is not None:
            await memory.graph.join(named, same)
        if apart is not None:
            await memory.graph.part(named, apart)
        return await memory.graph.around(named, hops=2 if hops > 1 else 1, limit=limit)

    found = with_memory(context, look)
    match found:
        case EntityRecord():
            show(wire_graph_answer(found), render_entity(found, columns()), as_json=as_json)
        case Namesakes(entities=()):
            raise NotFoundError(unknown_name_text(found))
        case Namesakes():
            show(wire_graph_answer(found), render_namesakes(found, columns()), as_json=as_json)


def review(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="Most memories to list.")] = 20,
    keep: Annotated[
        str | None, typer.Option(help="Id of a quoted turn to keep as a memory of yours.")
    ] = None,
    aside: Annotated[
        str | None, typer.Option(help="Id of a quoted turn to tell no agent any more.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List what waits for your word: memories to confirm, contradictions, quotes, and namesakes.

    A quote is something you asked for in a conversation. Agents are told it as you said it. Two
    people, places or things of one name may be one: say so, or that they are two.
    """
    from memoria.surface.cli.entities import proposals_text  # noqa: PLC0415
    from memoria.surface.cli.layout import columns  # noqa: PLC0415
    from memoria.surface.cli.pages import quotes_text  # noqa: PLC0415
    from memoria.surface.cli.records import render_review  # noqa: PLC0415
    from memoria.surface.wire.provenance import (  # noqa: PLC0415
        WireReview,
        wire_contradiction,
        wire_entity,
        wire_memory_record,
    )

    async def read(memory: "Memoria") -> "_ToReview":
        if keep is not None:
            turn = (await memory.get_turn(keep, context=0)).turn
            await memory.remember(turn.content, turn_id=turn.id)
        if aside is not None:
            await memory.set_quote_aside(aside)
        pending = await memory.provenance.list_pending(limit)
        proposed = await memory.graph.list_proposals(limit)
        return pending, await memory.list_contradicted(limit), await memory.wishes(), proposed

    pending, contradicted, quotes, proposed = with_memory(context, read)
    wire = WireReview(
        pending=list(map(wire_memory_record, pending)),
        contradicted=list(map(wire_contradiction, contradicted)),
        quotes=quotes or None,
        may_be_one=[(wire_entity(one), wire_entity(other)) for one, other in proposed] or None,
    )
    listed = render_review(pending, contradicted, columns())
    text = "\n\n".join([listed, *quotes_text(quotes), *proposals_text(proposed, columns())])
    show(wire, text, as_json=as_json)
