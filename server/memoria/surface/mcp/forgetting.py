"""The tool that forgets, and only what was shown before.

A client that can ask its user does so, with the preview. Otherwise the first call answers with the
preview and a token, and the second, with the token, forgets just that: a few items at most.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated

from mcp.server.elicitation import (
    AcceptedElicitation,
    CancelledElicitation,
    DeclinedElicitation,
    ElicitationResult,
)
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.types import CallToolResult
from pydantic import BaseModel, Field

from memoria.app import Memoria
from memoria.bare.home import name_memory
from memoria.errors import InvalidInputError, PreviewChangedError
from memoria.language.reading.fences import show_invisible
from memoria.model.forgetting import ForgetOrder, ForgetPreview, ForgetResult
from memoria.model.query import build_query
from memoria.surface.documents import Unforgotten, write_forgotten, write_preview
from memoria.surface.forgetting_text import FOR_AGENTS, forget_command, forget_text, preview_text
from memoria.surface.mcp.arguments import takes_query_arguments
from memoria.surface.mcp.calls import Ctx, answer_with, can_ask_user, memory_of, user_channel
from memoria.surface.mcp.shapes import WireForgetAnswer

_MOST_ITEMS = 30
"""Largest number of items in a question, or in a preview of what an agent may not forget."""


_AGREE = (
    "Nothing is forgotten yet. Show this to the user; if they agree, call again with the same "
    "arguments and token={token}."
)


_UNANSWERED = (
    "Nothing is forgotten: nobody answered the question with yes. The client may have had nobody "
    "to ask, so do not say that the user refused. Tell the user; if they want it forgotten, they "
    "can run `{command}` in a shell, or you call again with token={token} where they can be asked."
)
_CANCELLED = (
    "Nothing is forgotten: the question was closed with neither yes nor no. Ask the user whether "
    "to go on; if so, call again and they are asked again, or they run `{command}` in a shell."
)


class _Consent(BaseModel):
    """The user's own word."""

    forget: bool = Field(description="Forget this for good?")


@takes_query_arguments(ForgetOrder)
async def _preview(ctx: Ctx, **arguments: object) -> ForgetPreview:
    """Preview what would be forgotten, once for the question and for the forget after it."""
    return await memory_of(ctx).preview_forget(_read_order(arguments).selection)


async def _ask_user(
    ctx: Ctx, preview: Annotated[ForgetPreview, Resolve(_preview)]
) -> _Consent | Elicit[_Consent]:
    """Have the client ask its user, if it can; each preview has a question of its own."""
    if preview.is_empty or not can_ask_user(ctx):
        return _Consent(forget=False)
    shown = preview_text(preview, _MOST_ITEMS)
    return Elicit(f"{show_invisible(shown)}\n(preview {preview.token})", _Consent)


@takes_query_arguments(ForgetOrder)
async def forget_memory(
    ctx: Ctx,
    *,
    preview: Annotated[ForgetPreview, Resolve(_preview)],
    consent: Annotated[ElicitationResult[_Consent], Resolve(_ask_user)],
    **arguments: object,
) -> Annotated[CallToolResult, WireForgetAnswer]:
    """Erase for good, only when the user asks for it: gone everywhere but from backups, and not
    learnt again. The first call shows what would go; call again with its token once the user has
    agreed. To change or hide something use revise_memory.
    """
    memory, order = memory_of(ctx), _read_order(arguments)
    if preview.is_empty:
        done = await memory.forget_memory(order.selection.with_token(preview.token))
        return _report(memory, done)
    if can_ask_user(ctx):
        return await _do_as_answered(ctx, order, preview, consent)
    if preview.total > memory.settings.forget_at_once:
        command = forget_command(order.selection, memory.settings)
        most = memory.settings.forget_at_once
        note = f"More than {most} items: the user can forget them in a shell with `{command}`."
        return _show(preview, f"Nothing is forgotten. {note}", command=command)
    if order.token is None:
        return _show(preview, _AGREE.format(token=preview.token))
    return await _forget(memory, order, order.token)


async def _do_as_answered(
    ctx: Ctx, order: ForgetOrder, preview: ForgetPreview, consent: ElicitationResult[_Consent]
) -> CallToolResult:
    """Forget or not, as the user answered; only a sent form is the user's own word.

    A client also declines for a user who is not there to be asked. An agent's word does not stand
    in for the answer, as somebody may have said no: what goes on without the question is the user's
    own command.
    """
    memory = memory_of(ctx)
    command = forget_command(order.selection.with_token(preview.token), memory.settings)
    match consent:
        case CancelledElicitation():
            return _show(preview, _CANCELLED.format(command=command), status="cancelled")
        case DeclinedElicitation():
            note = _UNANSWERED.format(token=preview.token, command=command)
            return _show(preview, note, status="unanswered")
        case AcceptedElicitation(data=_Consent(forget=False)):
            said = "The user did not agree. Nothing was forgotten."
            return _show(preview, said, status="declined")
        case AcceptedElicitation():
            return await _forget(memory.with_channel(user_channel(ctx)), order, preview.token)


def _read_order(arguments: Mapping[str, object]) -> ForgetOrder:
    """Return the selection of what to forget, from the arguments that an agent may give."""
    selectors = ForgetOrder.list_selectors()
    if not any(map(arguments.get, selectors)):
        raise InvalidInputError(
            f"Nothing is named: give {', '.join(selectors[:-1])} or {selectors[-1]}. Nothing was "
            "done; mend the call and try again."
        )
    return build_query(ForgetOrder, arguments)


async def _forget(memory: Memoria, order: ForgetOrder, token: str) -> CallToolResult:
    """Forget what was agreed to; if the selection changed since, show the new preview instead."""
    try:
        return _report(memory, await memory.forget_memory(order.selection.with_token(token)))
    except PreviewChangedError as error:
        return _show(error.preview, f"{error} {_AGREE.format(token=error.preview.token)}")


def _report(memory: Memoria, forgotten: ForgetResult) -> CallToolResult:
    reader = replace(FOR_AGENTS, memory=name_memory(memory.settings.tenant))
    return answer_with(write_forgotten(forgotten), forget_text(forgotten, reader))


def _show(
    preview: ForgetPreview,
    note: str,
    *,
    command: str | None = None,
    status: Unforgotten = "preview",
) -> CallToolResult:
    document = write_preview(preview, note=note, command=command, status=status, most=_MOST_ITEMS)
    return answer_with(document, f"{preview_text(preview, _MOST_ITEMS)}\n{note}")
