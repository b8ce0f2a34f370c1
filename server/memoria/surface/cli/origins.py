"""Commands that look behind a memory: show, history, graph, review.

What they print with is imported by the command that prints: a server shares this start-up.
"""

from typing import Annotated

import typer

from memoria.errors import NotFoundError
from memoria.surface.cli.console import AsJson, show, with_memory


def add_commands(app: typer.Typer) -> None:
    """Register the commands."""
    app.command("show")(show_record)
    app.command()(history)
    app.command()(graph)
    app.command()(review)


def show_record(
    context: typer.Context,
    id: Annotated[str, typer.Argument(help="A memory's or a turn's id.")],  # noqa: A002
    as_json: AsJson = False,
) -> None:
    """A memory with every word it rests on, or a turn with what was drawn from it."""
    from memoria.model.provenance import MemoryRecord, TurnOrigin  # noqa: PLC0415
    from memoria.surface.cli.layout import columns  # noqa: PLC0415
    from memoria.surface.cli.records import render_memory, render_turn  # noqa: PLC0415
    from memoria.surface.wire_records import wire_memory_record, wire_turn_origin  # noqa: PLC0415

    match with_memory(context, lambda m: m.provenance.get(id)):
        case MemoryRecord() as record:
            text = render_memory(record, columns())
            show(wire_memory_record(record), text, as_json=as_json)
        case TurnOrigin() as origin:
            show(wire_turn_origin(origin), render_turn(origin, columns()), as_json=as_json)


def history(
    context: typer.Context,
    id: Annotated[str, typer.Argument(help="A memory's id.")],  # noqa: A002
    as_json: AsJson = False,
) -> None:
    """The life of a memory: every wording, what said it again, what was done to it and by whom."""
    from memoria.surface.cli.layout import columns  # noqa: PLC0415
    from memoria.surface.cli.records import render_history  # noqa: PLC0415
    from memoria.surface.wire_records import wire_history  # noqa: PLC0415

    found = with_memory(context, lambda m: m.provenance.history(id))
    show(wire_history(found), render_history(found, columns()), as_json=as_json)


def graph(
    context: typer.Context,
    name: Annotated[list[str], typer.Argument(help="A name, an alias or an entity's id.")],
    hops: Annotated[
        int, typer.Option(min=1, max=2, help="2 to see what its memories are linked with, too.")
    ] = 1,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="Memories at most.")] = 30,
    as_json: AsJson = False,
) -> None:
    """What is known of a person, place or thing, and the memories that speak of it.

    Where several go by the name, they are listed instead, each with its id.
    """
    from memoria.model.provenance import EntityRecord, Namesakes  # noqa: PLC0415
    from memoria.surface.cli.entities import (  # noqa: PLC0415
        render_entity,
        render_namesakes,
        unknown_name_text,
    )
    from memoria.surface.cli.layout import columns  # noqa: PLC0415
    from memoria.surface.wire_records import wire_graph_answer  # noqa: PLC0415

    named = " ".join(name)
    found = with_memory(
        context, lambda m: m.graph.around(named, hops=2 if hops > 1 else 1, limit=limit)
    )
    match found:
        case EntityRecord():
            show(wire_graph_answer(found), render_entity(found, columns()), as_json=as_json)
        case Namesakes(entities=()):
            raise NotFoundError(unknown_name_text(found))
        case Namesakes():
            show(wire_graph_answer(found), render_namesakes(found, columns()), as_json=as_json)


def review(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most.")] = 20,
    as_json: AsJson = False,
) -> None:
    """What does not count until you have confirmed it: why, who said it, what it stands against."""
    from memoria.surface.cli.layout import columns  # noqa: PLC0415
    from memoria.surface.cli.records import render_review  # noqa: PLC0415
    from memoria.surface.wire_records import WireReview, wire_memory_record  # noqa: PLC0415

    found = with_memory(context, lambda m: m.provenance.list_pending(limit))
    wire = WireReview(waiting=list(map(wire_memory_record, found)))
    show(wire, render_review(found, columns()), as_json=as_json)
