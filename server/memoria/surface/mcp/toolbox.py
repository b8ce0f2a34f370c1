"""The tools as clients see them: short schemas, checked arguments, errors that say what to do.

An error reaches the model as one sentence, without the SDK's preamble or pydantic's links. And a
text stays the text that was sent: the SDK would take `null` for nothing and `["a"]` for a list.
"""

import logging
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache, cached_property
from typing import Any

import anyio
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
from mcp.server.subscriptions import SubscriptionBus
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    InputRequiredResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp.types import Tool as ListedTool
from pydantic import ValidationError

from memoria.app import Memoria
from memoria.errors import MemoriaError, shorten
from memoria.model import describe_problems
from memoria.model.access import Access
from memoria.surface.mcp.arguments import read_as_meant
from memoria.surface.mcp.calls import (
    Ctx,
    RequestContext,
    ServedMemories,
    explain_lack,
    find_memory,
    title_of,
)
from memoria.surface.mcp.instructions import unread_word
from memoria.surface.mcp.resources import without_links

_NULL = {"type": "null"}
_ANY_PROPERTY = ("additionalProperties", True)
_DEFINITION = "#/$defs/"


def shorten_input_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Shorten the schema of a tool's arguments as far as clients accept it.

    An empty definition stays: of an argument, clients ask at least for the name of a type.
    """
    return inline_definitions(slim_schema(schema), empty=False)


def shorten_output_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Shorten the schema of a tool's answer, docstrings included: a model reads the values."""
    return inline_definitions(slim_schema(_drop_descriptions(schema)), empty=True)


def _drop_descriptions(schema: dict[str, Any]) -> dict[str, Any]:
    """Drop the docstrings of our classes from an output schema: a model reads the values."""
    kept = {name: _drop_descriptions(part) for name, part in schema.get("$defs", {}).items()}
    return {
        **{key: value for key, value in schema.items() if key != "description"},
        **({"$defs": kept} if kept else {}),
    }


def slim_schema(schema: Any) -> Any:  # noqa: ANN401  (JSON schema is free-form)
    """Drop titles, null alternatives and defaults that go without saying from a JSON schema."""
    match schema:
        case {"anyOf": list(choices), **rest} if _NULL in choices:
            kept = [choice for choice in choices if choice != _NULL]
            without = {key: value for key, value in rest.items() if key != "default"}
            return slim_schema({**without, **(kept[0] if len(kept) == 1 else {"anyOf": kept})})
        case dict():
            return {
                key: _slim_properties(value)
                if key in ("properties", "$defs")
                else slim_schema(value)
                for key, value in schema.items()
                if key != "title" and not _goes_without_saying(key, value)
            }
        case list():
            return [slim_schema(item) for item in schema]
        case _:
            return schema


def _goes_without_saying(key: str, value: Any) -> bool:  # noqa: ANN401  (JSON schema is free-form)
    return (key == "default" and _is_nothing(value)) or (key, value) == _ANY_PROPERTY


def _is_nothing(default: Any) -> bool:  # noqa: ANN401  (JSON schema is free-form)
    """Check whether an argument's default says nothing: empty, false or null."""
    return default is False or default in (None, [], "")


def inline_definitions(schema: dict[str, Any], *, empty: bool) -> dict[str, Any]:
    """Put each definition of a JSON schema that is used once in its place.

    With `empty`, empty definitions are put in their places, too, however often they are used.
    """
    definitions = schema.get("$defs", {})
    uses = Counter(_references(schema))
    for name, definition in definitions.items():
        if (definition and uses[name] == 1) or (empty and not definition):
            rest = {key: part for key, part in definitions.items() if key != name}
            short = _substitute(name, definition, {**schema, "$defs": rest})
            bare = short if rest else {key: v for key, v in short.items() if key != "$defs"}
            return inline_definitions(bare, empty=empty)
    return schema


def _references(schema: Any) -> Iterator[str]:  # noqa: ANN401  (JSON schema is free-form)
    match schema:
        case {"$ref": str(reference)}:
            yield reference.removeprefix(_DEFINITION)
        case dict():
            for part in schema.values():
                yield from _references(part)
        case list():
            for part in schema:
                yield from _references(part)


def _substitute(name: str, definition: dict[str, Any], schema: Any) -> Any:  # noqa: ANN401
    """Put a definition in place of the references to it."""
    match schema:
        case {"$ref": str(reference)} if reference == _DEFINITION + name:
            return {**definition, **{key: part for key, part in schema.items() if key != "$ref"}}
        case dict():
            return {key: _substitute(name, definition, part) for key, part in schema.items()}
        case list():
            return [_substitute(name, definition, part) for part in schema]
        case _:
            return schema


def _slim_properties(properties: dict[str, Any]) -> dict[str, Any]:
    """Slim the schema of each property; a property named `title` stays."""
    return {name: slim_schema(value) for name, value in properties.items()}


@asynccontextmanager
async def telling_progress(request: Ctx, pause_s: float) -> AsyncIterator[None]:
    """Report progress to a client that asked for it, as long as the block runs."""
    error: Exception | None = None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_tell, request, pause_s)
        try:
            yield
        except Exception as raised:  # noqa: BLE001  (a group would wrap it; it is raised below)
            error = raised
        tasks.cancel_scope.cancel()
    if error is not None:
        raise error


async def _tell(request: Ctx, pause_s: float) -> None:
    started = anyio.current_time()
    while True:
        await anyio.sleep(pause_s)
        seconds = anyio.current_time() - started
        await request.report_progress(seconds, message=f"at work for {seconds:.0f} s")


Answer = CallToolResult | InputRequiredResult
Finish = Callable[[Answer, Memoria], Awaitable[Answer]]
"""Function that adds a note to a tool's answer."""
FindBus = Callable[[RequestContext], SubscriptionBus]
_MOST_TOLD = 10_000
"""Number of sessions that are remembered as told."""
_UNKNOWN_NAMED = 5
"""Most unknown arguments that an error names."""
_LOG = logging.getLogger(__name__)


class Toolbox:
    """Lists the tools and calls them."""

    last_call: float
    """Time when a tool was last called, or the toolbox made, by the monotonic clock."""

    progress_pause_s = 1.0
    """Seconds between progress notes to a client that wants them."""

    def __init__(self, find_bus: FindBus, finish: Mapping[str, Finish] | None = None) -> None:
        """Make a toolbox without tools.

        Args:
            find_bus: finds where the changes that a call makes are told.
            finish: what adds to an answer, by the tool's name.
        """
        self._find_bus = find_bus
        self._finish = finish or {}
        self._tools: dict[str, Tool] = {}
        self.last_call = time.monotonic()

    def add(self, function: Callable[..., Any], annotations: ToolAnnotations | None = None) -> None:
        """Add a tool. The function's docstring, on one line, is what the model reads of it."""
        tool = _read_signature(function).model_copy(update={"annotations": annotations})
        self._tools[tool.name] = tool
        self.__dict__.pop("_listing", None)

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        """Return the schema of a tool's arguments, before it is shortened."""
        tool = self._tools.get(name)
        return None if tool is None else tool.parameters

    async def list(
        self, context: RequestContext, _params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        """List the tools that the caller may call, their schemas shortened."""
        access = context.lifespan_context.find_access(context.request)
        return ListToolsResult(tools=[*self.describe(access)])

    def describe(self, access: Access) -> Sequence[ListedTool]:
        """Describe the tools that an access allows; each is described once in a process."""
        return tuple(one for one in self._listing if access.includes(access_for(one)))

    @cached_property
    def _listing(self) -> Sequence[ListedTool]:
        return tuple(map(_describe_tool, self._tools.values()))

    async def call(self, context: RequestContext, params: CallToolRequestParams) -> Answer:
        """Call a tool. What goes wrong is part of the answer, so that the model can mend it."""
        self.last_call = time.monotonic()
        try:
            return await self._run(context, params)
        except ToolError as error:
            text = TextContent(type="text", text=_explain(params.name, error))
            return CallToolResult(content=[text], is_error=True)

    async def _run(self, context: RequestContext, params: CallToolRequestParams) -> Answer:
        arguments = params.arguments or {}
        tool = self._tools.get(params.name)
        if tool is None:
            known = ", ".join(self._tools)
            raise ToolError(f"There is no tool {shorten(params.name)}. There are {known}.")
        access = context.lifespan_context.find_access(context.request)
        await _refuse_without_access(tool, access, context)
        _refuse_misfit(tool, arguments)
        arguments = read_as_meant(arguments, tool.parameters)
        request = Context[ServedMemories, Any](
            request_context=context, input_params=params, subscriptions=self._find_bus(context)
        )
        async with telling_progress(request, self.progress_pause_s):
            answer: Answer = await tool.run(arguments, request, convert_result=True)
        memory = find_memory(context)
        if isinstance(answer, CallToolResult) and not memory.settings.resource_links:
            answer = without_links(answer)
        finish = self._finish.get(tool.name)
        # A note asks to hand something in, which who only reads can't do.
        if finish is None or not access.includes(Access.WRITE):
            return answer
        return await finish(answer, memory)


class _VerbatimArguments(FuncMetadata):
    """Arguments of a tool, for which the SDK reads no text as JSON."""

    def pre_parse_json(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments unchanged: `read_as_meant` has read JSON in texts already."""
        return data


@cache
def _read_signature(function: Callable[..., Any]) -> Tool:
    """Make a tool with its schemas, once for all servers of a process."""
    description = " ".join((function.__doc__ or "").split())
    tool = Tool.from_function(function, description=description)
    tool.fn_metadata = _VerbatimArguments(**dict(tool.fn_metadata))
    return tool


def _describe_tool(tool: Tool) -> ListedTool:
    arguments, answer = _shorten_schemas(tool.fn)
    return ListedTool(
        name=tool.name,
        title=title_of(tool.name),
        description=tool.description,
        input_schema=arguments,
        output_schema=answer,
        annotations=tool.annotations,
    )


@cache
def _shorten_schemas(function: Callable[..., Any]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Shorten the schemas of a tool's arguments and answer, once in a process."""
    tool = _read_signature(function)
    answer = shorten_output_schema(tool.output_schema or {})
    return shorten_input_schema(tool.parameters), answer or None


def access_for(tool: Tool | ListedTool) -> Access:
    """Return the access that a tool needs, which its annotations tell."""
    notes = tool.annotations or ToolAnnotations()
    if notes.read_only_hint:
        return Access.READ
    return Access.FORGET if notes.destructive_hint is not False else Access.WRITE


async def _refuse_without_access(tool: Tool, access: Access, context: RequestContext) -> None:
    needed = access_for(tool)
    if not access.includes(needed):
        served = context.lifespan_context
        await served.note_refusal(context.request, f"{tool.name} needs `{needed}`")
        raise ToolError(f"{tool.name}: {explain_lack(served, context.request, needed)}")


def _refuse_misfit(tool: Tool, arguments: Mapping[str, object]) -> None:
    """Refuse arguments that the SDK would drop or convert, which would change the question."""
    known = tool.parameters.get("properties", {})
    unknown = [key for key in arguments if key not in known]
    if unknown:
        raise ToolError(
            f"{tool.name} has no argument {_name_few(unknown)}. It takes {', '.join(known)}."
        )
    for key, value in arguments.items():
        if isinstance(value, bool) and _is_number(known[key]):
            raise ToolError(f"{tool.name}: {key} must be a number, not true or false.")


def _is_number(schema: Mapping[str, Any]) -> bool:
    """Check whether a schema is of a number, or of an optional number."""
    forms = (schema, *schema.get("anyOf", ()))
    return any(form.get("type") in ("integer", "number") for form in forms)


def _name_few(names: list[str]) -> str:
    """Return the first few names, each shortened."""
    rest = f" and {len(names) - _UNKNOWN_NAMED} more" if len(names) > _UNKNOWN_NAMED else ""
    return ", ".join(map(shorten, names[:_UNKNOWN_NAMED])) + rest


def _explain(tool: str, error: ToolError) -> str:
    """Return the sentence on an error for the model; an unforeseen error is logged instead."""
    match error.__cause__:
        case ValidationError() as invalid:
            problems = describe_problems(invalid, of="arguments")
            return f"{tool}: {problems}. Nothing was done; mend the arguments and call again."
        case MemoriaError() as ours:
            return str(ours)
        case _:
            if isinstance(error, UnexpectedToolError):
                _LOG.error("Tool %s raised an unexpected exception", tool, exc_info=error)
            return str(error)


class UnreadWord:
    """Adds a sentence on unread turns to the first answer of a session for which there are some."""

    def __init__(self) -> None:
        self._told = dict[tuple[str, str], None]()

    async def add_to(self, answer: Answer, memory: Memoria) -> Answer:
        """Add a sentence on this project's unread turns to an answer, if it was not said before."""
        listener = memory.tenant, memory.session
        if listener in self._told or isinstance(answer, InputRequiredResult) or answer.is_error:
            return answer
        word = unread_word(await memory.count_unread())
        text, *links = answer.content
        if not word or not isinstance(text, TextContent):
            return answer
        self._told[listener] = None
        if len(self._told) > _MOST_TOLD:
            del self._told[next(iter(self._told))]
        told = TextContent(type="text", text=f"{text.text}\n\n{word}")
        return answer.model_copy(update={"content": [told, *links]})
