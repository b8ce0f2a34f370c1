"""Completions: what an argument of a prompt or of a resource's address may be, as it is typed."""

from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    PromptReference,
)

from memoria.app import Memoria
from memoria.app.records import Completed
from memoria.errors import shorten
from memoria.surface.mcp.prompts import PROMPTS, list_arguments
from memoria.surface.mcp.resources import TEMPLATES, list_variables

_MOST = 100
"""Largest number that the protocol takes."""
_EXAMPLES = {
    "max_tokens": ("600", "1200", "2400", "4800"),
    "short_term_turns": ("0", "6", "12"),
}
_KINDS: dict[str, Completed] = {
    "memory_id": "memory",
    "session_id": "session",
    "workspace": "project",
}


async def complete(
    context: ServerRequestContext[Memoria], params: CompleteRequestParams
) -> CompleteResult:
    """Give what fits an argument as far as it is typed; nothing where it may be any words.

    Raises:
        MCPError: there is no such prompt or resource, or it has no such argument.
    """
    _check_argument(params)
    found = await _find_values(
        context.lifespan_context, params.argument.name, params.argument.value
    )
    shown = found[:_MOST]
    return CompleteResult(
        completion=Completion(values=shown, total=len(found), has_more=len(found) > len(shown))
    )


async def _find_values(memory: Memoria, argument: str, typed: str) -> list[str]:
    if argument in _KINDS:
        return await memory.complete(_KINDS[argument], typed)
    return [one for one in _EXAMPLES.get(argument, ()) if one.startswith(typed)]


def _check_argument(params: CompleteRequestParams) -> None:
    if isinstance(params.ref, PromptReference):
        name, kind = params.ref.name, "prompt"
        known = {one: [each.name for each in list_arguments(PROMPTS[one])] for one in PROMPTS}
    else:
        name, kind = params.ref.uri, "resource template"
        known = {one.uri: list_variables(one) for one in TEMPLATES}
    if name not in known:
        raise _refusal(f"There is no {kind} {shorten(name)}. There are {', '.join(known)}.")
    if params.argument.name not in known[name]:
        takes = ", ".join(known[name]) or "no argument"
        raise _refusal(f"{name} has no {shorten(params.argument.name)}. It takes {takes}.")


def _refusal(problem: str) -> MCPError:
    return MCPError(code=INVALID_PARAMS, message=problem)
