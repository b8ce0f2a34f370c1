"""The MCP server class with three habits of the SDK changed.

Pydantic writes a title beside every field, a null beside every optional one and a definition for
whatever is used once. Over all tools that is a third of the tokens a model pays to know them, so
it goes. An error reaches the model as one sentence that says what to do, without the SDK's preamble
or pydantic's links. And a text stays the text that was sent: the SDK would take `null` for nothing
and `["a"]` for a list.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, get_args

from mcp.server import MCPServer
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import (
    ResourceError,
    ResourceNotFoundError,
    ToolError,
    UnexpectedResourceError,
)
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolResult,
    GetPromptResult,
    InputRequiredResult,
    SubscribeRequestParams,
    Tool,
    UnsubscribeRequestParams,
)
from pydantic import AnyUrl, ValidationError

from memoria.app import Memoria
from memoria.errors import InvalidInputError, MemoriaError, NotFoundError, shorten
from memoria.model import describe_problems
from memoria.surface.mcp.line_repair import repair_lines
from memoria.surface.mcp.watch import Subscribers

_NULL = {"type": "null"}
_DEFINITION = "#/$defs/"
_UNKNOWN_NAMED = 5
"""Unknown arguments an error names."""


class LeanServer(MCPServer[Memoria]):
    """An MCP server with short schemas and readable errors.

    It also knows the opened memory while it runs, for the SDK hands no context to a resource
    whose URI has no variable.
    """

    memory: Memoria
    last_call: float
    """When a tool was last called, or the server built, by the monotonic clock."""

    def add_tool(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> None:  # noqa: ANN401
        """Register a tool, whose texts will arrive as they were sent."""
        super().add_tool(fn, *args, **kwargs)
        added = self._tool_manager.list_tools()[-1]
        added.fn_metadata = _Verbatim(**dict(added.fn_metadata))

    def add_legacy_subscriptions(self, subscribers: Subscribers) -> None:
        """Let clients of the older era subscribe to resources too."""
        add = self._lowlevel_server.add_request_handler
        add("resources/subscribe", SubscribeRequestParams, subscribers.add_legacy)
        add("resources/unsubscribe", UnsubscribeRequestParams, subscribers.remove_legacy)

    async def run_stdio_async(self) -> None:
        """Serve on standard input and output."""
        server = self._lowlevel_server
        async with (
            stdio_server() as (messages, answers),
            repair_lines(messages, answers.send) as mended,
        ):
            await server.run(mended, answers, server.create_initialization_options())

    async def list_tools(self) -> list[Tool]:
        """The tools, their schemas slimmed."""
        return [
            tool.model_copy(
                update={
                    "input_schema": inline_definitions(slim_schema(tool.input_schema), empty=False),
                    "output_schema": inline_definitions(
                        slim_schema(_drop_descriptions(tool.output_schema or {})), empty=True
                    )
                    or None,
                }
            )
            for tool in await super().list_tools()
        ]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Memoria, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool.

        Raises:
            ToolError: with a message for the model; what we did not foresee stays a crash, which
                the SDK logs and hides.
        """
        self.last_call = time.monotonic()
        self._refuse_misfit(name, arguments)
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            match error.__cause__:
                case ValidationError() as invalid:
                    raise ToolError(_explain_invalid(name, invalid)) from invalid
                case MemoriaError() as ours:
                    raise ToolError(str(ours)) from ours
                case _:
                    raise

    async def get_prompt(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        context: Context[Memoria, Any] | None = None,
    ) -> GetPromptResult | InputRequiredResult:
        """A prompt.

        Raises:
            MCPError: there is no such prompt, or its arguments can't be used.
        """
        await self._refuse_unknown_prompt(name, arguments or {})
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError as error:
            ours = _find_own_error(error)
            if ours is None:
                raise
            raise MCPError(code=INVALID_PARAMS, message=f"Prompt {name}: {ours}") from error

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[Memoria, Any] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """Read a resource.

        Raises:
            ResourceNotFoundError: there is none of that URI.
            ResourceError: it can't be read now.
        """
        try:
            return await super().read_resource(uri, context)
        except UnexpectedResourceError as error:
            match error.__cause__:
                case NotFoundError() | InvalidInputError() as ours:
                    raise ResourceNotFoundError(str(ours)) from ours
                case MemoriaError() as ours:
                    raise ResourceError(str(ours)) from ours
                case _:
                    raise
        except ResourceNotFoundError as error:
            listed = [str(one.uri) for one in await self.list_resources()]
            listed += [one.uri_template for one in await self.list_resource_templates()]
            raise ResourceNotFoundError(
                f"There is no resource {shorten(str(uri))}. There are {', '.join(listed)}."
            ) from error

    def _refuse_misfit(self, name: str, arguments: Mapping[str, object]) -> None:
        """Refuse what the SDK would drop or bend, and so change what was asked."""
        tools = {tool.name: tool for tool in self._tool_manager.list_tools()}
        if name not in tools:
            raise ToolError(f"There is no tool {shorten(name)}. There are {', '.join(tools)}.")
        known = tools[name].parameters.get("properties", {})
        unknown = [key for key in arguments if key not in known]
        if unknown:
            raise ToolError(
                f"{name} has no argument {_name_few(unknown)}. It takes {', '.join(known)}."
            )
        for key, value in arguments.items():
            if isinstance(value, bool) and known[key].get("type") in ("integer", "number"):
                raise ToolError(f"{name}: {key} must be a number, not true or false.")

    async def _refuse_unknown_prompt(self, name: str, given: Mapping[str, object]) -> None:
        prompts = {prompt.name: prompt.arguments or [] for prompt in await self.list_prompts()}
        if name not in prompts:
            problem = f"There is no prompt {shorten(name)}. There are {', '.join(prompts)}."
            raise MCPError(code=INVALID_PARAMS, message=problem)
        takes = [argument.name for argument in prompts[name]]
        needed = [argument.name for argument in prompts[name] if argument.required]
        if set(given) - set(takes) or set(needed) - set(given):
            problem = f"Prompt {name} takes {', '.join(takes) or 'no argument'}; mend the call."
            raise MCPError(code=INVALID_PARAMS, message=problem)


class _Verbatim(FuncMetadata):
    """What the SDK knows of a tool's arguments, but for its habit of reading texts as JSON."""

    def pre_parse_json(self, data: dict[str, Any]) -> dict[str, Any]:
        """Read JSON where a list or object belongs, never where a text does."""
        fields = self.arg_model.model_fields
        texts = {key: data[key] for key in data if str in get_args(fields[key].annotation)}
        return {**super().pre_parse_json(data), **texts}


def _find_own_error(error: BaseException | None) -> MemoriaError | None:
    """Our own error, under the SDK's wrapping."""
    if error is None or isinstance(error, MemoriaError):
        return error
    return _find_own_error(error.__cause__ or error.__context__)


def _drop_descriptions(schema: dict[str, Any]) -> dict[str, Any]:
    """An output schema without the docstrings of our classes: a model reads the values."""
    kept = {name: _drop_descriptions(part) for name, part in schema.get("$defs", {}).items()}
    return {
        **{key: value for key, value in schema.items() if key != "description"},
        **({"$defs": kept} if kept else {}),
    }


def slim_schema(schema: Any) -> Any:  # noqa: ANN401  (JSON schema is free-form)
    """A JSON schema without titles, null alternatives and null defaults."""
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
                if key != "title" and not (key == "default" and value is None)
            }
        case list():
            return [slim_schema(item) for item in schema]
        case _:
            return schema


def inline_definitions(schema: dict[str, Any], *, empty: bool) -> dict[str, Any]:
    """A JSON schema with every definition that is used once put where it is used.

    So is one that is `empty`, if that is wanted: of an argument, clients ask at least for a name.
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
    """The schema with a definition in place of the references to it."""
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
    """Slim each, but keep a property that is itself called `title`."""
    return {name: slim_schema(value) for name, value in properties.items()}


def _name_few(names: list[str]) -> str:
    """The first few names, each at a bearable length."""
    rest = f" and {len(names) - _UNKNOWN_NAMED} more" if len(names) > _UNKNOWN_NAMED else ""
    return ", ".join(map(shorten, names[:_UNKNOWN_NAMED])) + rest


def _explain_invalid(tool: str, error: ValidationError) -> str:
    """Which arguments are wrong and how."""
    problems = describe_problems(error, of="arguments")
    return f"{tool}: {problems}. Nothing was done; mend the arguments and call again."
