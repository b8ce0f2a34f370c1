"""The MCP server class with two habits of the SDK changed.

Pydantic writes a title beside every field, a null beside every optional one and a definition for
whatever is used once. Over all tools that is a third of the tokens a model pays to know them, so
it goes. And an error reaches the
model as one sentence that says what to do, without the SDK's preamble or pydantic's links.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolResult,
    GetPromptResult,
    InputRequiredResult,
    Tool,
)
from pydantic import ValidationError

from memoria.app import Memoria
from memoria.errors import MemoriaError
from memoria.model import complaints

_NULL = {"type": "null"}
_DEFINITION = "#/$defs/"


class LeanServer(MCPServer[Memoria]):
    """An MCP server with short schemas and readable errors.

    It also knows the opened memory while it runs, for the SDK hands no context to a resource
    whose URI has no variable.
    """

    memory: Memoria
    _arguments: Mapping[str, list[str]] = MappingProxyType({})
    """Each tool's argument names; the tools are fixed before the first call."""

    async def list_tools(self) -> list[Tool]:
        """The tools, their schemas slimmed."""
        return [
            tool.model_copy(
                update={
                    "input_schema": inlined(slim(tool.input_schema), empty=False),
                    "output_schema": inlined(
                        slim(_undescribed(tool.output_schema or {})), empty=True
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
        await self._refuse_unknown(name, arguments)
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            match error.__cause__:
                case ValidationError() as invalid:
                    raise ToolError(_say(name, invalid)) from invalid
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
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError as error:
            message = f"Prompt {name}: {_root(error)}"
            raise MCPError(code=INVALID_PARAMS, message=message) from error

    async def _refuse_unknown(self, name: str, arguments: dict[str, Any]) -> None:
        """A misspelt argument is an error: silently dropped, it would change what was asked."""
        if not self._arguments:
            self._arguments = {
                tool.name: list(tool.input_schema.get("properties", {}))
                for tool in await super().list_tools()
            }
        known = self._arguments.get(name)
        unknown = [] if known is None else [key for key in arguments if key not in known]
        if known is not None and unknown:
            raise ToolError(
                f"{name} has no argument {', '.join(unknown)}. It takes {', '.join(known)}."
            )


def _root(error: BaseException) -> BaseException:
    """What it was about, under the SDK's wrapping."""
    inner = error.__cause__ or error.__context__
    return error if inner is None else _root(inner)


def _undescribed(schema: dict[str, Any]) -> dict[str, Any]:
    """An output schema without the docstrings of our classes: a model reads the values."""
    kept = {name: _undescribed(part) for name, part in schema.get("$defs", {}).items()}
    return {
        **{key: value for key, value in schema.items() if key != "description"},
        **({"$defs": kept} if kept else {}),
    }


def slim(schema: Any) -> Any:  # noqa: ANN401  (JSON schema is free-form)
    """A JSON schema without titles, null alternatives and null defaults."""
    match schema:
        case {"anyOf": list(choices), **rest} if _NULL in choices:
            kept = [choice for choice in choices if choice != _NULL]
            without = {key: value for key, value in rest.items() if key != "default"}
            return slim({**without, **(kept[0] if len(kept) == 1 else {"anyOf": kept})})
        case dict():
            return {
                key: _slim_properties(value) if key in ("properties", "$defs") else slim(value)
                for key, value in schema.items()
                if key != "title" and not (key == "default" and value is None)
            }
        case list():
            return [slim(item) for item in schema]
        case _:
            return schema


def inlined(schema: dict[str, Any], *, empty: bool) -> dict[str, Any]:
    """A JSON schema with every definition that is used once put where it is used.

    So is one that is `empty`, if that is wanted: of an argument, clients ask at least for a name.
    """
    definitions = schema.get("$defs", {})
    uses = Counter(_references(schema))
    for name, definition in definitions.items():
        if (definition and uses[name] == 1) or (empty and not definition):
            rest = {key: part for key, part in definitions.items() if key != name}
            short = _put(name, definition, {**schema, "$defs": rest})
            bare = short if rest else {key: v for key, v in short.items() if key != "$defs"}
            return inlined(bare, empty=empty)
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


def _put(name: str, definition: dict[str, Any], schema: Any) -> Any:  # noqa: ANN401
    """The schema with a definition in place of the references to it."""
    match schema:
        case {"$ref": str(reference)} if reference == _DEFINITION + name:
            return {**definition, **{key: part for key, part in schema.items() if key != "$ref"}}
        case dict():
            return {key: _put(name, definition, part) for key, part in schema.items()}
        case list():
            return [_put(name, definition, part) for part in schema]
        case _:
            return schema


def _slim_properties(properties: dict[str, Any]) -> dict[str, Any]:
    """Slim each, but keep a property that is itself called `title`."""
    return {name: slim(value) for name, value in properties.items()}


def _say(tool: str, error: ValidationError) -> str:
    """Which arguments are wrong and how."""
    problems = complaints(error, of="arguments")
    return f"{tool}: {problems}. Nothing was done; mend the arguments and call again."
