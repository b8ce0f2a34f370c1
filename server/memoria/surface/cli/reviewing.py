"""The command on what waits for the user's word: review.

What it prints with is imported when it prints: a server shares this start-up.
"""

from typing import TYPE_CHECKING, Annotated

import typer

from memoria.surface.cli.console import AsJson, show, with_memory

if TYPE_CHECKING:
    from memoria.app import Memoria
    from memoria.model import Entity, Memory
    from memoria.model.provenance import MemoryRecord

    _ToReview = tuple[list[MemoryRecord], list[Memory], list[str], list[tuple[Entity, Entity]]]


_MOST_COUNTED = 100


def add_commands(app: typer.Typer) -> None:
    """Register the command."""
    app.command()(review)


async def tell_waiting(memory: "Memoria") -> list[str]:
    """Return a line on how much waits for the user's word, if anything does."""
    waiting = [
        *await memory.list_pending(_MOST_COUNTED),
        *await memory.list_contradicted(_MOST_COUNTED),
    ]
    if not waiting:
        return []
    verb = "waits" if len(waiting) == 1 else "wait"
    return [f"{len(waiting)} {verb} for your word: memoria review"]


def review(
    context: typer.Context,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=10_000, help="Most memories to list.")
    ] = 20,
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
    from memoria.surface.cli.origins import write_review  # noqa: PLC0415
    from memoria.surface.cli.pages import quotes_text  # noqa: PLC0415
    from memoria.surface.cli.records import render_review  # noqa: PLC0415

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
    listed = render_review(pending, contradicted, columns())
    text = "\n\n".join([listed, *quotes_text(quotes), *proposals_text(proposed, columns())])
    document = write_review(pending, contradicted, quotes, proposed)
    show(document, text, as_json=as_json)
