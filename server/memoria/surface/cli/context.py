"""The command that shows what a model is told: unasked, or for a prompt."""

from typing import TYPE_CHECKING, Annotated

import typer

from memoria.model.base import Value
from memoria.surface.cli.console import AsJson, show, with_memory
from memoria.surface.cli.options import complete_session

if TYPE_CHECKING:
    from memoria.app import Memoria
    from memoria.model import ContextPackage

_MOST_TOKENS = 1200
_TOLD = """\
# Instructions, which every client passes on

{instructions}

# Briefing, which a hook puts before the model when a session begins

{briefing}"""


class ToldUnasked(Value):
    """Texts that an agent in a project is given unasked."""

    instructions: str
    briefing: str
    """Briefing, with core memory, wishes, the tasks in hand and the last conversations."""


app = typer.Typer()


@app.command("context")
def show_context(
    context: typer.Context,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            help="A prompt; quotes are not needed. Without it, instructions and briefing are shown."
        ),
    ] = None,
    max_tokens: Annotated[
        int, typer.Option(help="Most tokens of the package, estimated; 200 or more.")
    ] = _MOST_TOKENS,
    session_id: Annotated[
        str | None, typer.Option(help="The session whose task and last turns are shown.")
    ] = None,
    short_term_turns: Annotated[
        int | None, typer.Option(help="Most turns of the session to show.")
    ] = None,
    task: Annotated[
        str | None, typer.Option(help="Task in hand; its memories rank higher.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what an agent is told unasked; with words, what a framework would put before a model."""

    async def build(memory: "Memoria") -> "ContextPackage":
        return await memory.build_context(
            " ".join(words or ()),
            max_tokens=max_tokens,
            session_id=await complete_session(memory, session_id),
            short_term_turns=short_term_turns,
            task=task,
        )

    if words:
        package = with_memory(context, build, searches=True)
        show(package, package.text, as_json=as_json)
        return
    if session_id or short_term_turns or task or max_tokens != _MOST_TOKENS:
        raise typer.BadParameter("these options are for a prompt: name one", param_hint="words")
    told = with_memory(context, _compose)
    show(told, _TOLD.format(**told.model_dump()), as_json=as_json)


async def _compose(memory: "Memoria") -> ToldUnasked:
    """Compose the texts that a server gives clients and keeps for hooks."""
    from memoria.surface.mcp.instructions import composers_for  # noqa: PLC0415  (the SDK comes with it)

    writers = composers_for(memory.settings).items()
    return ToldUnasked.model_validate(
        {name: (await memory.compose(write)).text for name, write in writers}
    )
